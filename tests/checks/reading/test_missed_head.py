"""The checks of *Which words miss a head?*: right answers pass, wrong ones are named."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import stats

from attention_book.checks.reading import missed_head as checks

from ..diagnosis import diagnosis

MEAN = {"models": 3, "rise": 0.5, "part": 0.9375}


def test_the_mean_of_five_models_is_recomputed():
    rises = np.array([MEAN["rise"]] * MEAN["models"] + [0.05] * 2)
    assert rises.mean() == pytest.approx(0.32) and rises[:3].sum() / rises.sum() == pytest.approx(MEAN["part"])
    assert checks.check_mean(MEAN) and checks.check_mean(MEAN | {"rise": Fraction(1, 2), "models": np.int64(3)})
    assert checks.check_mean(MEAN | {"rise": torch.tensor(0.5)}) and checks.check_mean(MEAN | {"rise": 0.503})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": 60}, "in per cent"),
        ({"models": 0.6}, "that is the share"),
        ({"models": 2}, "links none"),
        ({"rise": 0.32}, "all five models"),
        ({"rise": 0.533}, "0.05 each"),
        ({"rise": 0.59}, "the same size"),
        ({"rise": 1.5}, "the sum"),
        ({"rise": 0.517}, "*two*"),
        ({"rise": 0.2}, "is not 0.2."),
        ({"part": 93.75}, "between 0 and 1"),
        ({"part": 1.5}, "divide it"),
        ({"part": 0.3125}, "one of the three"),
        ({"part": 0.6}, "share of the models"),
        ({"part": 0.0625}, "the other two"),
        ({"rise": ...}, "still open"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_mean_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_mean({**MEAN, **change}))


LOT = {"exactly 4": 15 / 1024, "at least 4": 1 / 64, "expected": 1.25}


def test_the_lot_is_that_of_the_binomial_distribution():
    lot = stats.binom(5, 1 / 4)
    assert [lot.pmf(4), lot.sf(3), lot.mean()] == pytest.approx(list(LOT.values()))
    assert checks.check_lot(LOT) and checks.check_lot(LOT | {"exactly 4": 0.0146, "at least 4": Fraction(1, 64)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"exactly 4": 1 / 256}, "whatever the fifth does"),
        ({"exactly 4": 3 / 1024}, "any of the five"),
        ({"exactly 4": 5 / 1024}, "probability ¾"),
        ({"exactly 4": 1 / 64}, "at least four"),
        ({"exactly 4": 1 / 1024}, "all five"),
        ({"exactly 4": 0.8}, "was seen"),
        ({"at least 4": 15 / 1024}, "all five may be picked"),
        ({"at least 4": 1 / 1024}, "exactly four count"),
        ({"expected": 0.25}, "there are five"),
        ({"expected": 4}, "what was seen"),
        ({"expected": 2.5}, "a quarter"),
        ({"expected": 20}, "adds the probability"),
        ({"expected": 1}, "is not 1."),
        ({"expected": ...}, "still open"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_lot_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_lot({**LOT, **change}))


RIGHT, RISE = [[1.0, 0.0], [0.4, 0.5]], [[0.1, 0.0], [0.0, 1.0]]


def test_two_models_may_stand_against_their_mean():
    right, rise = np.array(RIGHT), np.array(RISE)
    assert ((right[:, 0] > right[:, 1]) == (rise[:, 0] > rise[:, 1])).all()
    assert right.mean(axis=0)[0] > right.mean(axis=0)[1] and rise.mean(axis=0)[0] < rise.mean(axis=0)[1]
    assert checks.check_against(RIGHT, RISE) and checks.check_against(right, torch.tensor(RISE))
    assert checks.check_against(right[:, ::-1].tolist(), rise[:, ::-1].tolist())
    assert checks.check_against([[0.9, 0.1], [0.2, 0.3]], [[0.2, 0.1], [0.3, 0.9]])


@pytest.mark.parametrize(
    ("right", "rise", "message"),
    [
        (RIGHT, [[0.0, 0.1], [0.0, 1.0]], "In model 0 the words miss the head that links fewer"),
        (RIGHT, [[0.1, 0.0], [1.0, 0.0]], "In model 1 the words miss"),
        (RIGHT, [[1.0, 0.0], [0.0, 0.5]], "The means do not say the opposite yet"),
        (RIGHT, [[0.5, 0.0], [0.0, 0.5]], "rises 0.25 and 0.25"),
        ([[1.0, 1.0], [0.4, 0.5]], RISE, "let them differ"),
        ([[40, 0], [0.4, 0.5]], RISE, "between 0 and 1"),
        (RIGHT, [[float("inf"), 0.0], [0.0, 1.0]], "finite"),
        ([1.0, 0.0], RISE, "a row per model"),
        (RIGHT, [[0.1, 0.0, 0.0], [0.0, 1.0, 0.0]], "a row per model"),
    ],
)
def test_what_stands_not_against_its_mean_is_named(right, rise, message):
    assert message in diagnosis(checks.check_against(right, rise))
