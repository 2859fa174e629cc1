"""Statistics of the softmax Jacobian: against the whole matrix, in 900 digits where a draw is saturated."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_book.analysis.jacobian_statistics import jacobian_statistics, middle_sums
from attention_book.attention.probability import softmax_jacobian

law = settings(max_examples=60, deadline=None)


def drawn(draws, n, spread, seed=0):
    return np.random.default_rng(seed).normal(0, spread, (draws, n))


def exact_matrix(s, temperature):
    """The Jacobian in 900 decimal digits: 1 − p may begin with hundreds of zeros."""
    with localcontext() as context:
        context.prec = 900
        exponentials = [((Decimal(float(x)) - Decimal(float(max(s)))) / Decimal(temperature)).exp() for x in s]
        p = [e / sum(exponentials) for e in exponentials]
        rows = [[(a * (1 - a) if i == j else -a * b) / Decimal(temperature) for j, b in enumerate(p)]
                for i, a in enumerate(p)]  # fmt: skip
        return p, rows


@pytest.mark.parametrize("n", [3, 4, 5, 8, 13, 64])
@pytest.mark.parametrize("temperature", [1, 2.5, 8])
def test_every_statistic_is_that_of_the_whole_matrix(n, temperature):
    s = drawn(30, n, 2.0, seed=n)
    found = jacobian_statistics(s, temperature)
    matrices = softmax_jacobian(s, temperature).reshape(len(s), -1)
    p = np.exp(s / temperature) / np.exp(s / temperature).sum(axis=1, keepdims=True)
    wanted = {
        "frobenius": np.linalg.norm(matrices, axis=1),
        "sd": matrices.std(axis=1),
        "mean_size": np.abs(matrices).mean(axis=1),
        "range": np.ptp(matrices, axis=1),
        "median": np.median(matrices, axis=1),
        "dead_share": (np.abs(matrices) < 1e-6).mean(axis=1),
        "entropy": -(p * np.log(p)).sum(axis=1),
        "largest_weight": p.max(axis=1),
        "rest": 1 - p.max(axis=1),
    }
    assert set(wanted) == set(found._fields)
    for name, values in wanted.items():
        np.testing.assert_allclose(getattr(found, name), values, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("spread", [30.0, 100.0, 300.0])
def test_a_saturated_draw_keeps_its_digits(spread):
    for s in drawn(6, 9, spread, seed=int(spread)):
        found = jacobian_statistics(s[None], 1.0)
        p, rows = exact_matrix(s, 1)
        entries = sorted(x for row in rows for x in row)
        norm = sum(x * x for x in entries).sqrt()
        entropy = -sum(x * x.ln() for x in p)
        wanted = {
            "frobenius": norm,
            "sd": norm / 9,
            "mean_size": sum(abs(x) for x in entries) / 81,
            "range": entries[-1] - entries[0],
            "median": entries[40],
            "rest": sum(sorted(p)[:-1]),
            "entropy": entropy,
        }
        for name, value in wanted.items():
            np.testing.assert_allclose(getattr(found, name), float(value), rtol=1e-11, atol=0, err_msg=name)
        assert found.dead_share == sum(abs(x) < Decimal("1e-6") for x in entries) / 81


def test_a_gap_whose_square_would_underflow_still_has_a_norm():
    found = jacobian_statistics(np.array([[0.0, -500.0, -600.0]]))
    # One pair of weights is left, 1 and r = e⁻⁵⁰⁰: the matrix is r times ((1, -1), (-1, 1)), of norm 2 r.
    np.testing.assert_allclose(found.frobenius, 2 * np.exp(-500), rtol=1e-13)
    np.testing.assert_allclose(found.range, 2 * np.exp(-500), rtol=1e-13)


@law
@given(hnp.arrays(np.float64, st.tuples(st.just(2), st.integers(3, 24)), elements=st.integers(-4, 4)))
def test_ties_do_not_mislead_the_median_or_the_count(s):
    found = jacobian_statistics(s, 1.0, dead=1e-4)
    matrices = softmax_jacobian(s, 1.0).reshape(len(s), -1)
    np.testing.assert_allclose(found.median, np.median(matrices, axis=1), rtol=1e-12)
    np.testing.assert_allclose(found.dead_share, (np.abs(matrices) < 1e-4).mean(axis=1), atol=1e-12)


@pytest.mark.parametrize("n", [4, 7, 200, 501])
def test_the_middle_pair_sums_are_those_of_all_pairs_in_order(n):
    s = drawn(5, n, 3.0, seed=1)
    for row, found in zip(s, middle_sums(s), strict=True):
        sums = np.sort([row[i] + row[j] for i in range(n) for j in range(n) if i != j])[::-1]
        entries = len(sums) + n  # each pair twice, then the diagonal
        np.testing.assert_allclose(found, [sums[entries // 2], sums[(entries - 1) // 2]], rtol=1e-12)


def test_middle_sums_serve_every_temperature():
    s = drawn(4, 50, 5.0)
    for temperature in (1, 7.0):
        with_help = jacobian_statistics(s, temperature, middle=middle_sums(s))
        for name, values in jacobian_statistics(s, temperature)._asdict().items():
            np.testing.assert_array_equal(getattr(with_help, name), values)


@law
@given(hnp.arrays(np.float64, (1, 6), elements=st.floats(-30, 30)), st.floats(0.5, 10), st.floats(-50, 50))
def test_a_common_shift_changes_nothing_and_a_temperature_is_a_rescaling(s, temperature, shift):
    plain = jacobian_statistics(s / temperature, 1.0)
    scaled = jacobian_statistics(s + shift, temperature)
    np.testing.assert_allclose(scaled.frobenius * temperature, plain.frobenius, rtol=1e-9)
    np.testing.assert_allclose(scaled.range * temperature, plain.range, rtol=1e-9)
    np.testing.assert_allclose(scaled.entropy, plain.entropy, rtol=1e-7, atol=1e-12)


def test_order_and_inputs_do_not_matter():
    s = drawn(3, 20, 4.0)
    before = s.copy()
    found, shuffled = jacobian_statistics(s), jacobian_statistics(s[:, ::-1])
    np.testing.assert_array_equal(s, before)
    for name in found._fields:
        np.testing.assert_allclose(getattr(found, name), getattr(shuffled, name), rtol=1e-12)


def test_equal_scores_have_the_norm_of_a_projection():
    # diag(1/n) - 1/n² is 1/n times a projection onto n - 1 dimensions: its norm is √(n - 1)/n.
    for n in (3, 10, 101):
        np.testing.assert_allclose(jacobian_statistics(np.zeros((1, n))).frobenius, np.sqrt(n - 1) / n, rtol=1e-13)


@pytest.mark.parametrize(
    ("n", "temperature", "dead", "message"),
    [(2, 1.0, 1e-6, "three scores"), (4, 0.0, 1e-6, "must be positive"), (4, 1.0, 0.0, "must be positive")],
)
def test_what_cannot_be_is_refused(n, temperature, dead, message):
    with pytest.raises(ValueError, match=message):
        jacobian_statistics(np.zeros((1, n)), temperature, dead)
