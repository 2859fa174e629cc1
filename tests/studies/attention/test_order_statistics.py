"""Order statistics: the largest of n normal numbers against closed forms, and crossings against direct draws."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from attention_book.analysis.jacobian_statistics import jacobian_statistics
from attention_book.attention.probability import softmax_jacobian
from attention_book.studies.attention.order_statistics import jacobian_norms, mean_of_the_largest, typical_crossing


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


@pytest.mark.parametrize(("spread", "c"), [(0.1, 1.0), (3.0, 2.0), (30.0, 1.0)])
def test_the_norms_are_those_of_the_whole_matrix_and_keep_their_digits(spread, c):
    s = np.random.default_rng(0).normal(0, spread, (50, 7))
    assert jacobian_norms(s, c) == pytest.approx(jacobian_statistics(s, c).frobenius, rel=1e-13)
    if spread < 1:
        assert jacobian_norms(s, c) == pytest.approx(np.linalg.norm(softmax_jacobian(s, c), axis=(1, 2)), rel=1e-12)


def test_the_crossing_is_where_queries_and_keys_drawn_in_full_have_equal_medians():
    """Twice below the crossing the undivided median is clearly the larger one, above it the divided one."""
    found = typical_crossing(8, 64, 128, seeds=3, draws=4000)
    assert found.kind == "error" and found.n == 3 and found.spread > 0
    random = np.random.default_rng(1)
    for width, larger in ((round(found.value / 1.25), "undivided"), (round(found.value * 1.25), "divided")):
        q, k = random.normal(size=(6000, width, 1)), random.normal(size=(6000, 8, width))
        s = (k @ q)[..., 0]
        medians = {"undivided": np.median(jacobian_norms(s)), "divided": np.median(jacobian_norms(s, width**0.5))}
        assert max(medians, key=medians.get) == larger, (width, medians)


def test_the_crossing_does_not_depend_on_where_the_search_begins():
    one, other = (typical_crossing(8, *between, seeds=4, draws=4000) for between in ((64, 128), (40, 200)))
    assert abs(one.value - other.value) < 4 * math.hypot(one.spread, other.spread)
    assert one.spread < 5  # a search that stopped at the ends would differ by tens


def test_no_crossing_is_told():
    with pytest.raises(ValueError, match="do not cross between the widths 4 and 16"):
        typical_crossing(8, 4, 16, seeds=2, draws=500)
