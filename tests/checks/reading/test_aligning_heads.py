"""The checks of *What an aligning head is worth*: they pass what is right and name what is wrong."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import torch
from scipy import stats

from attention_book.checks.reading import aligning_heads as checks

from ..diagnosis import diagnosis

MISLED = {"highest": 19 / 35, "lowest": -19 / 35}


def test_the_extremes_are_those_of_all_orders():
    found = {-1.0: [], 1.0: []}
    for costs in permutations(range(1, 7)):
        layers = {round(in_loops([1, 2, 3], costs[n : n + 3]), 6) for n in (0, 3)}
        if len(layers) == 1 and abs(within := layers.pop()) == 1:
            found[within].append(stats.spearmanr(range(6), costs).statistic)
    assert max(found[-1.0]) == pytest.approx(MISLED["highest"]) and min(found[1.0]) == pytest.approx(MISLED["lowest"])
    assert checks.check_misled(MISLED) and checks.check_misled({"highest": 0.54, "lowest": Fraction(-19, 35)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"highest": 1}, "cannot agree"),
        ({"highest": -1}, "within a layer"),
        ({"highest": 16 / 35}, "taken from 1"),
        ({"highest": 0.6}, "here there are three"),
        ({"highest": 27 / 35}, "both layers"),
        ({"highest": -19 / 35}, "the more expensive one"),
        ({"lowest": -1}, "not reversed as a whole"),
        ({"lowest": 1}, "within a layer"),
        ({"lowest": 54 / 35}, "taken from 1"),
        ({"lowest": -0.6}, "here there are three"),
        ({"lowest": 8 / 35}, "both layers"),
        ({"lowest": 19 / 35}, "the cheaper one"),
        ({"lowest": 0.3}, "is not 0.3."),
        ({"lowest": ...}, "still open"),
        ({"highest": [1, 2]}, "to be one number"),
        ({"x": 1}, "Give a dictionary"),
    ],
)
def test_the_extremes_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_misled({**MISLED, **change}))


def in_loops(first, second):
    n = len(first)
    ranked = [[sum(other <= one for other in values) for one in values] for values in (first, second)]
    return 1 - 6 * sum((a - b) ** 2 for a, b in zip(*ranked, strict=True)) / (n * (n * n - 1))


def squares(first, second):
    return float(((np.argsort(np.argsort(first)) - np.argsort(np.argsort(second))) ** 2).sum())


def test_every_right_way_passes():
    assert checks.check_rank_correlation(in_loops)
    assert checks.check_rank_correlation(lambda a, b: stats.spearmanr(a, b).statistic)
    assert checks.check_rank_correlation(lambda a, b: torch.tensor(in_loops(a, b), dtype=torch.float64))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda a, b: np.corrcoef(a, b)[0, 1], "take their ranks"),
        (lambda a, b: np.corrcoef(np.argsort(a), np.argsort(b))[0, 1], "ranks want it twice"),
        (lambda a, b: 1 - squares(a, b) / (len(a) ** 3 - len(a)), "multiplied by 6"),
        (lambda a, b: 1 - 6 * squares(a, b) / (len(a) ** 3 - 1), "n³ − n"),
        (lambda a, b: 6 * squares(a, b) / (len(a) ** 3 - len(a)), "taken from 1"),
        (lambda a, b: -in_loops(a, b), "The sign is wrong"),
        (lambda a, b: 0.123, "it should be"),
        (lambda a, b: [1.0, 2.0], "to be one number"),
        (lambda a, b: None, "missing"),
    ],
)
def test_every_wrong_way_is_named(wrong, message):
    assert message in diagnosis(checks.check_rank_correlation(wrong))
