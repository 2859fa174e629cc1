"""The checks of *What an aligning head is worth*: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import stats

from attention_book.checks.reading import aligning_heads as checks

from ..diagnosis import diagnosis

LAYERS = {"all heads": 5 / 7, "layer 0": -1, "layer 1": 1 / 2}
AER = [[0.7, 0.65, 0.6], [0.5, 0.45, 0.4]]
COST = [[0.06, 0.04, 0.02], [0.09, 0.08, 0.12]]


def test_the_six_heads_are_those_of_scipy():
    within = [stats.spearmanr([-one for one in aer], cost).statistic for aer, cost in zip(AER, COST, strict=True)]
    assert [LAYERS["layer 0"], LAYERS["layer 1"]] == pytest.approx(within)
    assert stats.spearmanr(-np.ravel(AER), np.ravel(COST)).statistic == pytest.approx(LAYERS["all heads"])
    assert checks.check_layers(LAYERS) and checks.check_layers(LAYERS | {"all heads": 0.71})
    assert checks.check_layers(LAYERS | {"all heads": Fraction(5, 7), "layer 0": np.float32(-1)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"all heads": -5 / 7}, "*least* AER"),
        ({"all heads": -0.25}, "mean of the two layers"),
        ({"all heads": 2 / 7}, "taken from 1"),
        ({"all heads": 33 / 35}, "all six differences"),
        ({"all heads": stats.pearsonr(-np.ravel(AER), np.ravel(COST)).statistic}, "take their ranks"),
        ({"layer 1": stats.pearsonr(-np.array(AER[1]), COST[1]).statistic}, "take their ranks"),
        ({"layer 0": 1}, "the cheapest head"),
        ({"layer 0": 27 / 35}, "n is 3"),
        ({"layer 0": 2}, "taken from 1"),
        ({"layer 1": -0.5}, "from bad links to good ones"),
        ({"layer 1": 33 / 35}, "n is 3"),
        ({"layer 1": 0.3}, "is not 0.3."),
        ({"layer 1": ...}, "still open"),
        ({"layer 0": [1, 2]}, "to be one number"),
        ({"layer 2": 1}, "Give a dictionary"),
    ],
)
def test_the_six_heads_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_layers({**LAYERS, **change}))


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
