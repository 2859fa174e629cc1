"""The checks of *One function, two speeds*: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.attention import does_it_matter as checks

from ..diagnosis import diagnosis

RIGHT = {
    "divided score": 0.08,
    "divided step": 0.0005,
    "folded score": 0.08,
    "folded step": 0.004,
    "fourth score": 0.64,
    "fourth step": 0.0005,
    "undivided score": 0.64,
    "undivided step": 0.004,
}


def test_steps_pass():
    assert checks.check_steps(RIGHT)
    assert checks.check_steps(RIGHT | {"folded step": Fraction(1, 250), "fourth score": torch.tensor(0.64)})
    assert checks.check_steps(RIGHT | {"divided score": np.float64(0.0799)})


@pytest.mark.parametrize(
    ("start", "rate", "divisor", "arm"),
    [
        (0.16, 0.001, 8, "divided"),
        (0.02, 0.001, 1, "folded"),
        (0.16, 0.001 / 8, 1, "fourth"),
        (0.16, 0.001, 1, "undivided"),
    ],
)
def test_the_steps_are_those_of_torchs_adam(start, rate, divisor, arm):
    entry = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([entry], lr=rate)
    score = entry * 4 / divisor
    (-score).backward()
    adam.step()
    after = float((entry * 4 / divisor).detach())
    assert score.item() == pytest.approx(RIGHT[f"{arm} score"])
    assert after - score.item() == pytest.approx(RIGHT[f"{arm} step"], rel=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"divided score": 0.64}, "`divided score` is not 0.64. 0.16 · 4/8."),
        ({"divided score": 0.01}, "the root of d_k is 8"),
        ({"divided step": 0.001}, "That is how far the entry moves"),
        ({"divided step": 0.000125}, "That is how far the entry moves"),
        ({"divided step": 0.0805}, "how far it has moved is asked for"),
        ({"folded score": 0.64}, "The entry is 0.16/8"),
        ({"folded step": 0.0005}, "by the whole rate, however small it is"),
        ({"folded step": 0.084}, "how far it has moved is asked for"),
        ({"fourth score": 0.08}, "It has the usual start"),
        ({"fourth step": 0.004}, "It has the small rate"),
        ({"undivided score": 0.01}, "the root of d_k is 8"),
        ({"undivided step": 0.0005}, "0.001 · 4, and nothing divides"),
        ({"undivided step": ...}, "still open"),
        ({"other": 1}, "a number for each of divided score"),
    ],
)
def test_steps_name_the_fault(change, message):
    assert message in diagnosis(checks.check_steps(RIGHT | change))


def fitting(rate, c, optimizer):
    return rate / c if optimizer == "adam" else rate / c**2


def test_the_fitting_rate_passes():
    assert checks.check_fitting_rate(fitting)
    assert checks.check_fitting_rate(lambda rate, c, optimizer: rate * c ** -{"adam": 1, "sgd": 2}[optimizer])
    assert checks.check_fitting_rate(lambda *given: torch.tensor(fitting(*given), dtype=torch.float64))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda rate, c, optimizer: rate, "a step of one length changes c · V more"),
        (lambda rate, c, optimizer: rate / c if optimizer == "adam" else rate, "and each step counts c times"),
        (lambda rate, c, optimizer: rate * c, "so it has to shrink"),
        (lambda rate, c, optimizer: rate / math.sqrt(c), "The root has no part"),
        (lambda rate, c, optimizer: rate / c, "With 'sgd', rate 0.5 and c = 3 it gives 0.1667, and the losses differ"),
        (lambda rate, c, optimizer: rate / c, "Right for Adam"),
        (lambda rate, c, optimizer: rate / c**2, "Right for plain gradient descent"),
        (lambda rate, c, optimizer: rate / c**3, "the losses differ by up to"),
        (lambda rate, c, optimizer: -rate, "A learning rate is a positive number"),
        (lambda rate, c, optimizer: 0.0, "A learning rate is a positive number"),
        (lambda rate, c, optimizer: math.nan, "finite number"),
        (lambda rate, c, optimizer: [rate], "one number"),
        (lambda rate, c, optimizer: None, "Is the `return` missing?"),
    ],
)
def test_the_fitting_rate_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_fitting_rate(wrong))
