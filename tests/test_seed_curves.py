"""Curves over seeds: means with their errors, and crossings that are known."""

import numpy as np
import pytest
import scipy.stats

from attention_book.seed_curves import crossing, mean_with_error, seed_curves

X = np.array([4, 8, 16, 32])


def test_curves_are_read_a_row_a_seed():
    result = {"seeds": {"1": {"norm": [1, 2]}, "2": {"norm": [3, 5]}}}
    np.testing.assert_array_equal(seed_curves(result, "norm"), [[1.0, 2.0], [3.0, 5.0]])
    with pytest.raises(KeyError):
        seed_curves(result, "range")


def test_the_error_is_scipys():
    values = np.random.default_rng(0).normal(size=(7, 3))
    found = mean_with_error(values)
    np.testing.assert_allclose(found.error, scipy.stats.sem(values, axis=0))
    np.testing.assert_allclose(found.mean, values.mean(axis=0))


def test_powers_cross_where_algebra_says():
    """c / x and 10 / x³ are equal at x = √(10/c)."""
    constants = np.array([[0.05], [0.1], [0.03]])
    found = crossing(X, constants / X, 10.0 / X**3 * np.ones((3, 1)))
    places = np.sqrt(10 / constants[:, 0])
    assert found.mean == pytest.approx(places.mean())
    assert found.error == pytest.approx(scipy.stats.sem(places))


def test_the_sign_of_the_curves_does_not_matter():
    first, second = np.full((2, 4), -1.0), -10.0 / X * np.ones((2, 1))
    assert crossing(X, first, second).mean == pytest.approx(10.0)
    assert crossing(X, second, first) is None  # larger at first: that is a fall


def test_no_crossing_in_one_seed_is_none():
    rising = np.array([[1.0, 2, 3, 4], [0.1, 0.2, 0.3, 0.4]])
    assert crossing(X, rising, np.full((2, 4), 2.5)) is None


def test_equal_at_a_point_is_a_crossing_there():
    found = crossing(X, np.array([[1.0, 2, 4, 8]] * 2), np.full((2, 4), 4.0))
    assert found.mean == pytest.approx(16) and found.error == pytest.approx(0)
