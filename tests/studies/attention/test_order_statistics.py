"""The mean of the largest of n normal numbers, against closed forms, draws, and the other integral."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from attention_book.studies.attention.order_statistics import mean_of_the_largest


def test_small_cases_have_closed_forms():
    wanted = [0, 1 / math.sqrt(math.pi), 3 / (2 * math.sqrt(math.pi))]
    assert [mean_of_the_largest(n) for n in (1, 2, 3)] == pytest.approx(wanted, abs=1e-9)


def test_it_is_the_mean_of_drawn_maxima():
    largest = np.random.default_rng(0).normal(size=(20_000, 64)).max(axis=1)
    assert abs(largest.mean() - mean_of_the_largest(64)) < 4 * largest.std() / math.sqrt(20_000)


@pytest.mark.parametrize("n", [8, 64, 512])
def test_it_is_the_density_at_0_of_the_gap_between_the_two_largest(n):
    other, _ = quad(lambda x: n * (n - 1) * norm.pdf(x) ** 2 * norm.cdf(x) ** (n - 2), -9, 9, limit=200)
    assert mean_of_the_largest(n) == pytest.approx(other, rel=1e-7)


def test_none_has_no_largest():
    with pytest.raises(ValueError, match="does not exist"):
        mean_of_the_largest(0)
