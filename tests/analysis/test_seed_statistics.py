"""Numbers over seeds: the spreads are SciPy's, the text is the book's, and crossings are where algebra says."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from attention_book.analysis.seed_statistics import (
    Measured,
    crossing,
    difference,
    measured,
    number,
    over_seeds,
    seed_values,
)

X = np.array([4, 8, 16, 32])


@pytest.mark.parametrize("n", [2, 3, 5, 12])
def test_the_spreads_are_scipys(n):
    values = np.random.default_rng(n).normal(size=n)
    assert over_seeds(values) == Measured(values.mean(), values.std(ddof=1), "deviation", n)
    assert over_seeds(values, "error").spread == pytest.approx(scipy.stats.sem(values))
    low, high = scipy.stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = over_seeds(values, "interval")
    assert (found.value - found.spread, found.value + found.spread) == pytest.approx((low, high))


@pytest.mark.parametrize("n", [3, 5, 12])
def test_a_difference_is_that_of_the_paired_t_test(n):
    first, second = np.random.default_rng(n).normal(size=(2, n))
    found = difference(first, second)
    wanted = scipy.stats.ttest_rel(first, second).confidence_interval(0.95)
    assert (found.value - found.spread, found.value + found.spread) == pytest.approx((wanted.low, wanted.high))


def test_a_difference_by_hand():
    found = difference(np.array([3.0, 5.0]), np.array([1.0, 1.0]))
    assert found.value == 3 and found.spread == pytest.approx(12.706, abs=0.001)  # s/√2 = 1, times t with one degree
    assert not found.settled and difference(np.array([3.0, 3.1]), np.array([1.0, 1.0])).settled


def test_what_the_seeds_share_drops_out():
    seeds = np.array([10.0, -20.0, 30.0, 5.0])
    noise = np.array([0.1, -0.1, 0.05, 0.0])
    found, without = difference(seeds + 1 + noise, seeds), over_seeds(1 + noise, "interval")
    assert found.spread < 0.2 and (found.value, found.spread) == pytest.approx((without.value, without.spread))


def test_seeds_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="the same seeds"):
        difference(np.zeros(3), np.zeros(2))
    for wrong in (np.zeros(1), np.zeros(0)):
        with pytest.raises(ValueError, match="at least two seeds"):
            over_seeds(wrong)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (".2f", "−0.40 ± 0.05"),
        ("+.1f", "−0.4 ± 0.1"),
        (".1%", "−40.4 ± 5.1 %"),
        ("+.0%", "−40 ± 5 %"),
    ],
)
def test_both_numbers_are_written_by_one_format(spec, text):
    assert format(Measured(-0.404, 0.051, "error", 4), spec).replace("\xa0", " ") == text


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (-1.5, ".1f", "−1.5"),
        (-0.001, ".2f", "0.00"),
        (-0.001, "+.1f", "+0.0"),
        (0.5, "+.1f", "+0.5"),
        (3, "", "3"),
        (12345, ",.0f", "12,345"),
        (0.25, ".0%", "25 %"),
        (float("nan"), ".1f", "nan"),
        (-0.0, ".3g", "0"),
    ],
)
def test_a_number_has_one_minus_sign_and_no_minus_zero(value, spec, text):
    assert number(value, spec).replace("\xa0", " ") == text


def test_the_spread_is_told_in_words():
    assert Measured(1.0, 0.1, "deviation", 5).said == "mean ± standard deviation over 5 seeds"
    assert str(Measured(1.0, 0.125, "interval", 5)).replace("\xa0", " ") == "1 ± 0.125"


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.floats(-1e3, 1e3))
def test_another_unit_scales_both_and_settles_nothing(value, spread, factor):
    found = Measured(value, spread, "interval", 3)
    scaled = found.scaled(factor)
    assert scaled.spread >= 0 and scaled.value == pytest.approx(value * factor)
    if abs(factor) > 1e-3 and abs(value) > 1e-200 and abs(abs(value) - spread) > 1e-6 * spread:
        assert scaled.settled == found.settled


def test_a_metric_is_read_a_row_per_seed():
    result = {"seeds": {"1": {"norm": [1, 2], "up": 1}, "2": {"norm": [3, 5], "up": 4}}}
    np.testing.assert_array_equal(seed_values(result, "norm"), [[1.0, 2.0], [3.0, 5.0]])
    assert measured(result, "up") == over_seeds(np.array([1.0, 4.0]))
    with pytest.raises(KeyError):
        seed_values(result, "range")


def test_powers_cross_where_algebra_says():
    """c / x and 10 / x³ are equal at x = √(10/c)."""
    constants = np.array([[0.05], [0.1], [0.03]])
    found = crossing(X, constants / X, 10.0 / X**3 * np.ones((3, 1)))
    places = np.sqrt(10 / constants[:, 0])
    assert (found.value, found.spread) == pytest.approx((places.mean(), scipy.stats.sem(places)))
    assert found.kind == "error"


def test_the_sign_of_the_curves_does_not_matter():
    first, second = np.full((2, 4), -1.0), -10.0 / X * np.ones((2, 1))
    assert crossing(X, first, second).value == pytest.approx(10.0)
    assert crossing(X, second, first) is None  # larger at first: that is a fall


def test_no_crossing_in_one_seed_is_none():
    rising = np.array([[1.0, 2, 3, 4], [0.1, 0.2, 0.3, 0.4]])
    assert crossing(X, rising, np.full((2, 4), 2.5)) is None


def test_equal_at_a_point_is_a_crossing_there():
    found = crossing(X, np.array([[1.0, 2, 4, 8]] * 2), np.full((2, 4), 4.0))
    assert found.value == pytest.approx(16) and found.spread == pytest.approx(0)
