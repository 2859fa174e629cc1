"""The Python side of the explorer: what it accepts, what it computes, what it says."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
import torch
import traitlets

from attention_book.pages.explorers.jacobian import DRAWS, MOST_KEYS, SoftmaxJacobian
from attention_book.pages.significant_digits import compact


def oracle(explorer):
    """Weights by SciPy and the Jacobian by autograd, from the traits alone."""
    scores = math.sqrt(explorer.d_k) * np.array(explorer.draws[explorer.draw][: explorer.n])
    c = {"one": 1.0, "root": math.sqrt(explorer.d_k), "free": explorer.c}[explorer.divisor]
    jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s / c, dim=-1), torch.tensor(scores))
    return scipy.special.softmax(scores / c), jacobian.numpy()


@pytest.mark.parametrize("divisor", ["one", "root", "free"])
def test_everything_follows_every_trait(divisor):
    explorer = SoftmaxJacobian(divisor=divisor)
    for change in ({}, {"n": 16}, {"d_k": 4}, {"c": 0.5}, {"draw": 3}, {"n": 2}):
        for name, value in change.items():
            setattr(explorer, name, value)
        weights, jacobian = oracle(explorer)
        np.testing.assert_allclose(explorer.weights, weights, atol=1e-14)
        np.testing.assert_allclose(explorer.jacobian, jacobian, atol=1e-14)
        np.testing.assert_allclose(explorer.eigenvalues[::-1], np.linalg.eigvalsh(jacobian), atol=1e-13)


def test_the_draws_are_a_seeded_list_of_normal_numbers():
    again = np.random.default_rng(0).standard_normal((12, MOST_KEYS))
    np.testing.assert_allclose(DRAWS, again, atol=0.00051)
    assert scipy.stats.kstest(np.ravel(DRAWS), "norm").pvalue > 0.01
    scores = [SoftmaxJacobian(draw=draw, n=16, d_k=64).scores for draw in range(12)]
    assert np.var(scores) == pytest.approx(64, rel=0.3)


def test_scores_of_ones_own_are_taken():
    explorer = SoftmaxJacobian(draws=[[math.log(3), 0.0]], n=2, d_k=1)
    np.testing.assert_allclose(explorer.jacobian, np.array([[3, -3], [-3, 3]]) / 16)


@pytest.mark.parametrize(
    "bad",
    [{"n": 1}, {"n": 17}, {"d_k": 48}, {"divisor": "two"}, {"c": 0.0}, {"draw": 12}, {"draw": -1}]
    + [{"draws": draws} for draws in ([], [[1.0]], [[1.0, 2.0], [1.0]], [[math.nan] * 6], [[1.0] * 17], [[1.0] * 5])],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(bad):
    explorer = SoftmaxJacobian()
    before = explorer.state()
    ((name, value),) = bad.items()
    with pytest.raises(traitlets.TraitError):
        setattr(explorer, name, value)
    assert explorer.state() == before


def test_several_traits_change_together():
    explorer = SoftmaxJacobian()
    with explorer.hold_trait_notifications():
        explorer.draws, explorer.n = [[1.0, 2.0, 3.0]], 3
    assert len(explorer.weights) == 3


def test_words_tell_the_sizes():
    explorer = SoftmaxJacobian(n=4, d_k=512, divisor="one", draw=8)
    weights, j = oracle(explorer)
    words = explorer.in_words()
    assert words.startswith("4 scores, √512 times normal numbers, not divided. The weights are ")
    assert f"{(abs(j) < 1e-6).sum()} of them are dead" in words and "and the mean 0;" in words
    assert f"Frobenius norm {compact(np.linalg.norm(j))}, so its 16 entries" in words
    assert f"standard deviation {compact(j.std())}" in words
    assert f"all 4 eigenvalues add up to the trace, {compact(float(np.trace(j)))}." in words
    assert f"entropy is {compact(float(scipy.stats.entropy(weights)))} of at most 1.39 nats" in words
    assert "divided by √64 = 8" in SoftmaxJacobian().in_words()
    assert "divided by C = 0.25" in SoftmaxJacobian(divisor="free", c=0.25).in_words()
