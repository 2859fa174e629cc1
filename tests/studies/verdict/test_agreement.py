"""Intervals of shares and kappa, held against SciPy, a fine search and counts by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attention_book.studies.verdict.agreement import cohens_kappa, share_interval


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_scipys(both):
    hits, of = both
    peer = stats.binomtest(hits, of).proportion_ci(method="wilson")
    assert share_interval(hits, of, z=stats.norm.ppf(0.975)) == pytest.approx((peer.low, peer.high), abs=1e-9)


def test_the_interval_holds_the_shares_from_which_the_count_is_no_surprise():
    low, high = share_interval(13, 20)
    inside = [p / 1000 for p in range(1001) if abs(0.65 - p / 1000) <= 1.96 * math.sqrt(p / 1000 * (1 - p / 1000) / 20)]
    assert (inside[0], inside[-1]) == pytest.approx((low, high), abs=1e-3)


@pytest.mark.parametrize(("hits", "of"), [(1, 0), (-1, 5), (6, 5)])
def test_a_share_of_nothing_is_refused(hits, of):
    with pytest.raises(ValueError, match=f"got {hits} of {of}"):
        share_interval(hits, of)


def test_kappa_by_hand():
    first = ["right"] * 6 + ["wrong"] * 4
    second = ["right"] * 5 + ["wrong"] * 4 + ["right"]
    assert cohens_kappa(first, second) == pytest.approx((0.8 - 0.52) / 0.48)
    assert cohens_kappa(first, first) == 1
    assert cohens_kappa("aabb", "bbaa") == -1
    assert cohens_kappa("aabb", "abab") == 0
    assert math.isnan(cohens_kappa("aa", "aa"))
    assert cohens_kappa("aa", "bb") == 0


def test_kappa_needs_two_readings_of_the_same_things():
    with pytest.raises(ValueError, match="got 2 and 1"):
        cohens_kappa("ab", "a")
    with pytest.raises(ValueError, match="got 0 and 0"):
        cohens_kappa("", "")
