"""Ranks and their correlation are SciPy's; the first place is right where it should be."""

import numpy as np
import pytest
from oracles import unchecked
from scipy import stats

from attention_book.analysis.attribution.agreement import first_place_right, ranks, spearman


def test_ranks_and_correlations_are_scipys_with_ties():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 4, (20, 6)).astype(float), rng.normal(size=(20, 6))
    assert np.array_equal(ranks(a), stats.rankdata(a, axis=1))
    wanted = [stats.spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
    assert np.allclose(spearman(a, b), wanted)


def test_same_order_reversed_order_and_no_order():
    rows = np.array([[1.0, 2, 3], [1, 2, 3], [1, 2, 3]])
    others = np.array([[10.0, 20, 90], [3, 2, 1], [5, 5, 5]])
    found = spearman(rows, others)
    assert found[:2].tolist() == [1, -1] and np.isnan(found[2])


@pytest.mark.parametrize(("a", "b"), [(np.ones((2, 3)), np.ones((2, 4))), (np.ones((2, 1)), np.ones((2, 1)))])
def test_what_cannot_be_compared_is_refused(a, b):
    with unchecked(), pytest.raises(ValueError, match="one shape"):
        spearman(a, b)


def test_first_place():
    right = np.array([[True, False], [True, False]])
    assert first_place_right(np.array([[2.0, 1.0], [1.0, 2.0]]), right).tolist() == [True, False]
    with unchecked(), pytest.raises(ValueError, match="right words"):
        first_place_right(np.ones((2, 3)), right)
