"""The checks of *Drawing against a judge* take every right answer and name what is wrong with the others."""

import math

import numpy as np
import pytest
import torch

from attention_book.checks.beyond import two_players as checks
from attention_book.studies.beyond.two_players import (
    generators_loss,
    generators_step,
    in_turn,
    judges_loss,
    judges_step,
)

from ..diagnosis import diagnosis

ROUND = {"w": -1, "g": 1.8808}
FOLLOWS = {"a": True, "b": True, "c": False, "d": False, "e": False}


def test_the_round_passes_and_is_the_first_of_the_path():
    assert checks.check_round(ROUND) and checks.check_round({"w": -1.0, "g": 2 - 1 / (1 + math.exp(2))})
    assert in_turn(*checks.START, checks.RATE, 1)[-1] == pytest.approx(tuple(ROUND.values()), abs=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"w": 1}, "against its derivative"),
        ({"w": 0}, "is not 0"),
        ({"w": -2}, "and not 1"),
        ({"w": -0.5}, "g is 2"),
        ({"w": 3}, "is not 3"),
        ({"g": 2}, "new number"),
        ({"g": 2.1192}, "g falls"),
        ({"g": 1}, "and not 1"),
        ({"g": 1.5}, "is not 1/2"),
        ({"g": 1.1192}, "and not 2"),
        ({"g": ...}, "still to be predicted"),
        ({"w": "-1"}, "one number"),
    ],
)
def test_the_round_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_round(ROUND | change))


def test_the_conclusions_pass_and_each_wrong_one_is_answered_with_its_reason():
    assert checks.check_judge_follows(FOLLOWS)
    wrong = [FOLLOWS | {name: not right} for name, right in FOLLOWS.items()]
    reasons = {diagnosis(checks.check_judge_follows(answers)) for answers in wrong}
    assert len(reasons) == len(FOLLOWS) and all(told[0] in FOLLOWS for told in reasons)


def test_statements_a_b_and_d_hold_in_the_toy():
    assert generators_step(0.0, 1.7, 0.5) == 1.7 and judges_step(1.7, 0.0, 0.5) == 1.7
    assert generators_loss(1.0, 3.0) < generators_loss(1.0, 0.0)  # the worse number has the better loss
    assert judges_loss(-1.0, 3.0) < judges_loss(1.0, 3.0)  # the same number, a judge that sees the fault


def at_once(w, g, rate):
    return judges_step(w, g, rate), generators_step(w, g, rate)


def judge_first(w, g, rate):
    w = judges_step(w, g, rate)
    return w, generators_step(w, g, rate)


def generator_first(w, g, rate):
    g = generators_step(w, g, rate)
    return judges_step(w, g, rate), g


def half_old(w, g, rate):
    """The generator takes the new judge inside σ and the old one outside."""
    new = judges_step(w, g, rate)
    return new, g + rate * w / (1 + math.exp(-new * g))


def by_autograd(w, g, rate):
    """Both slopes by torch, at the old numbers."""
    w, g = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (w, g))
    value = torch.log(1 - torch.sigmoid(w * g))
    slope_w, slope_g = torch.autograd.grad(value, (w, g))
    return w + rate * slope_w, g - rate * slope_g


@pytest.mark.parametrize(
    "right",
    [
        at_once,
        by_autograd,
        lambda *x: list(at_once(*x)),
        lambda *x: tuple(torch.tensor(at_once(*x))),
        lambda *x: np.array(at_once(*x)),
        lambda *x: torch.tensor(at_once(*x)),
    ],
)
def test_steps_at_once_pass(right):
    assert checks.check_at_once(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (judge_first, "the judge's new number"),
        (generator_first, "the generator's new number"),
        (lambda *x: (judges_step(*x), 2 * x[1] - generators_step(*x)), "is not"),
        (half_old, "is not"),
        (lambda *x: at_once(*x)[::-1], "w first"),
        (lambda w, g, rate: (w, g), "nothing has moved"),
        (lambda w, g, rate: at_once(w, g, 2 * rate), "is not"),
        (lambda w, g, rate: None, "return"),
        (lambda w, g, rate: np.array([w, g, rate]), "2 values"),
        (lambda w, g, rate: torch.tensor(w), "2 values"),
    ],
)
def test_steps_at_once_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_at_once(wrong))


def test_the_praise_leaves_the_second_question_open():
    assert "outwards" not in checks.check_at_once(at_once).message


def test_at_once_the_numbers_move_outwards():
    w, g = 1.0, 1.0
    for _ in range(40):
        new_w, new_g = at_once(w, g, 0.5)
        assert new_w**2 + new_g**2 > w**2 + g**2
        w, g = new_w, new_g
