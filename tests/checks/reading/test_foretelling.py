"""The checks of *What does an attribution foretell?*: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import stats

from attention_book.checks.reading import foretelling as checks

from ..diagnosis import diagnosis

COUNTS = {"translated": 1, "deciding": 2, "hidden": 3}


def test_the_counts_pass_and_are_those_of_the_rows():
    assert checks.check_rows(COUNTS) and checks.check_rows({name: np.int64(n) for name, n in COUNTS.items()})
    order = [sorted(range(5), key=lambda j: -row[j]) for row in checks.ROWS.values()]
    assert sum(places[0] == 0 for places in order) == COUNTS["translated"]
    assert sum(places[0] in (0, 2) for places in order) == COUNTS["deciding"]
    assert sum(2 in places[:2] for places in order) == COUNTS["hidden"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"translated": 2}, "not one of the two largest"),
        ({"deciding": 1}, "it would be *Una*"),
        ({"deciding": 3}, "must be the largest"),
        ({"deciding": 4}, "decides nothing"),
        ({"hidden": 1}, "the second place counts"),
        ({"hidden": 4}, "two other words come first"),
        ({"hidden": 0}, "(hidden) is not 0"),
        ({"hidden": ...}, "still to be predicted"),
        ({"found": 1}, "Give a dictionary"),
    ],
)
def test_the_counts_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_rows(COUNTS | change))


NOTHING = {"leaving out": 0.6, "weights": 0.2, "equal words": 1}


def test_the_order_out_of_nothing_is_that_of_scipy():
    old, new, weights = np.array([0.5, 0.2, 0.8, 0.1]), np.array([0.1, 0.4, 0.6, 0.0]), [0.2, 0.1, 0.3, 0.4]
    found = [stats.spearmanr(*pair).statistic for pair in ((old, old - new), (weights, old - new), (old, old - 0.3))]
    assert found == pytest.approx(list(NOTHING.values()))
    assert checks.check_nothing(NOTHING) and checks.check_nothing(NOTHING | {"leaving out": Fraction(3, 5)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"leaving out": 1}, "subtract it"),
        ({"leaving out": -0.6}, "mind the sign"),
        ({"leaving out": 0.4}, "taken from 1"),
        ({"leaving out": -0.4}, "rank these"),
        ({"weights": 0.8}, "taken from 1"),
        ({"weights": -0.2}, "not those of leaving out"),
        ({"equal words": 0}, "change the order"),
        ({"equal words": 0.6}, "0.3 now"),
        ({"equal words": ...}, "still to be predicted"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_order_out_of_nothing_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_nothing(NOTHING | change))


def in_loops(rows, hidden, count=2, sign=-1, every=False, of=float):
    hits = []
    for row, deciders in zip(rows, hidden, strict=True):
        if every or any(deciders):
            order = sorted(range(len(row)), key=lambda j: sign * of(row[j]))
            hits.append(any(deciders[j] for j in order[:count]))
    return sum(hits) / len(hits)


def test_every_right_way_passes():
    assert checks.check_share(in_loops)
    assert checks.check_share(lambda rows, hidden: torch.tensor(in_loops(rows, hidden), dtype=torch.float64))

    def by_topk(rows, hidden):
        rows, hidden = torch.from_numpy(rows), torch.from_numpy(hidden)
        hits = hidden.gather(1, rows.topk(2).indices).any(1)
        return float(hits[hidden.any(1)].double().mean())

    assert checks.check_share(by_topk)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda r, h: in_loops(r, h, every=True), "leave them out"),
        (lambda r, h: in_loops(r, h, count=1), "Only the largest"),
        (lambda r, h: in_loops(r, h, count=3), "Three places"),
        (lambda r, h: in_loops(r, h, sign=1), "two smallest"),
        (lambda r, h: in_loops(r, h, of=abs), "The signs are gone"),
        (lambda r, h: in_loops(r, h) * h.any(1).sum(), "divide by the rows"),
        (lambda r, h: 0.123, "0.123"),
        (lambda r, h: None, "missing"),
        (lambda r, h: "most", "to be one number"),
    ],
)
def test_every_wrong_way_is_named(wrong, message):
    assert message in diagnosis(checks.check_share(wrong))
