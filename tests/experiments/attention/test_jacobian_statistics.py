"""The experiment on the size of softmax Jacobians: its draws, its arms, and what it reports."""

import numpy as np
import pytest

from attention_book.attention.probability import softmax_jacobian
from attention_book.experiments.attention import jacobian_statistics as experiment

SHORT = experiment.CONFIGURATION | {"sizes": [4, 9], "keys": [5], "widths": [4, 16], "draws": 60, "chunk": 100}


def test_popular_scores_have_as_much_variance_as_there_are_keys():
    scores = experiment.popular_scores(20_000, 6, np.random.default_rng(0))
    error = 6 * (2 / scores.size) ** 0.5  # the standard error of a normal sample's variance
    assert abs(scores.var() - 6) < 4 * error


@pytest.mark.parametrize("width", [4, 64])
def test_separate_scores_are_dot_products(width):
    """The same second and fourth moments, and the same correlation of squares, as of real queries and keys."""
    random = np.random.default_rng(1)
    drawn = experiment.separate_scores(200_000, 2, width, random)
    q, k = random.normal(size=(20_000, 1, width)), random.normal(size=(20_000, 2, width))
    dots = (q * k).sum(axis=-1)
    # Given q both scores have variance |q|², so E s₁² s₂² = E |q|⁴ = d_k(d_k + 2), three times that for E s⁴.
    for scores, tolerance in ((drawn, 0.1), (dots, 0.25)):
        assert scores.var() == pytest.approx(width, rel=0.05)
        assert (scores**4).mean() == pytest.approx(3 * width * (width + 2), rel=tolerance)
        assert (scores[:, 0] ** 2 * scores[:, 1] ** 2).mean() == pytest.approx(width * (width + 2), rel=tolerance)


def test_the_arms_are_the_jacobians_with_and_without_the_factor():
    scores = np.random.default_rng(2).normal(0, 4, (20, 8))
    found = experiment.measure(scores, 16.0, 1e-4)
    for arm, matrices in {
        "divided": softmax_jacobian(scores, 4.0),
        "undivided": softmax_jacobian(scores, 1.0),
        "factor_off": 4 * softmax_jacobian(scores, 4.0),
    }.items():
        np.testing.assert_allclose(found[arm].frobenius, np.linalg.norm(matrices, axis=(1, 2)), rtol=1e-9)
        np.testing.assert_allclose(found[arm].median, np.median(matrices.reshape(20, -1), axis=1), rtol=1e-9)
        np.testing.assert_allclose(found[arm].dead_share, (np.abs(matrices) < 1e-4).mean(axis=(1, 2)))


def test_a_run_reports_one_number_a_size_and_repeats_itself():
    first, second = experiment.run_seed(0, SHORT), experiment.run_seed(0, SHORT)
    assert first == second != experiment.run_seed(1, SHORT)
    assert first["tokens"] == 0
    assert all(len(values) == 2 for name, values in first.items() if name != "tokens")
    assert {"popular/divided/frobenius/median", "keys_5/undivided/dead_share/mean", "keys_5/raised/range"} <= set(first)


def test_chunks_do_not_change_what_is_reported():
    whole = experiment.run_seed(0, SHORT | {"chunk": 10_000})
    split = experiment.run_seed(0, SHORT)
    for name in ("popular/divided/sd/mean", "popular/undivided/median/median"):
        np.testing.assert_allclose(whole[name], split[name], rtol=1e-5)


def test_the_summary_is_over_draws():
    scores = np.random.default_rng(3).normal(0, 3, (11, 6))
    numbers = experiment.summary(experiment.measure(scores, 9.0, 1e-6))
    matrices = {arm: softmax_jacobian(scores, c).reshape(11, -1) for arm, c in (("divided", 3.0), ("undivided", 1.0))}
    for arm, entries in matrices.items():
        assert numbers[f"{arm}/variance/mean"] == pytest.approx(entries.var(), rel=1e-5)  # of all entries together
        assert numbers[f"{arm}/sd/median"] == pytest.approx(np.median(entries.std(axis=1)), rel=1e-5)
    raised = [a.std() > b.std() for a, b in zip(matrices["divided"], matrices["undivided"], strict=True)]
    assert numbers["raised/sd"] == pytest.approx(np.mean(raised), rel=1e-5)
