"""Paired intervals: those of SciPy's paired t-test, narrower than unpaired ones where seeds matter."""

import numpy as np
import pytest
from scipy import stats

from attention_book.paired_seeds import paired_interval


@pytest.mark.parametrize(("n", "confidence"), [(5, 0.95), (3, 0.9), (12, 0.99)])
def test_it_is_that_of_the_paired_t_test(n, confidence):
    random = np.random.default_rng(n)
    first, second = random.normal(size=(2, n))
    mean, half = paired_interval(first, second, confidence)
    found = stats.ttest_rel(first, second).confidence_interval(confidence)
    assert (mean - half, mean + half) == pytest.approx((found.low, found.high))


def test_by_hand():
    mean, half = paired_interval(np.array([3.0, 5.0]), np.array([1.0, 1.0]))
    assert mean == 3 and half == pytest.approx(12.706, abs=0.001)  # s = √2, so s/√2 = 1, times t with one degree


def test_what_the_seeds_share_drops_out():
    seeds = np.array([10.0, -20.0, 30.0, 5.0])
    noise = np.array([0.1, -0.1, 0.05, 0.0])
    _, half = paired_interval(seeds + 1 + noise, seeds)
    assert half < 0.2
    assert paired_interval(seeds + noise, seeds) == pytest.approx(paired_interval(noise, np.zeros(4)))


def test_seeds_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="the same seeds"):
        paired_interval(np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match="at least two"):
        paired_interval(np.zeros(1), np.zeros(1))
