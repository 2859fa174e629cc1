"""The checks of what else fits: they pass what is right in any form and name what is wrong."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.beyond import other_tokens as checks
from attention_book.studies.beyond.two_players import generators_step, judges_step

from ..diagnosis import diagnosis

SEES = {"tokens": 16, "above": 6, "neighbour": 11}
DOT = {"third": Fraction(1, 3), "picture": 0.2}
BLIND = {"right": 27 / 64, "blank": Fraction(81, 256), "bar": 1}
LENGTHS = {"stream": 1280, "pixels": 65536, "cells": 4096}


def test_what_is_right_passes():
    assert checks.check_sees(SEES) and checks.check_sees({name: torch.tensor(x) for name, x in SEES.items()})
    assert checks.check_dot(DOT) and checks.check_dot({"third": 0.3333, "picture": np.float64(0.2)})
    assert checks.check_dot({"third": 0.33, "picture": 0.2})
    assert checks.check_blind(BLIND) and checks.check_blind({"right": 0.42, "blank": torch.tensor(0.316), "bar": 1.0})
    assert checks.check_lengths(LENGTHS) and checks.check_lengths(LENGTHS | {"pixels": 65536.0})


@pytest.mark.parametrize(
    ("check", "right", "changed", "message"),
    [
        (checks.check_sees, SEES, {"tokens": 15}, "sees itself"),
        (checks.check_sees, SEES, {"tokens": 17}, "still to come"),
        (checks.check_sees, SEES, {"tokens": 26}, "hidden"),
        (checks.check_sees, SEES, {"above": 1}, "left neighbour"),
        (checks.check_sees, SEES, {"tokens": 8}, "a part is missing"),
        (checks.check_sees, SEES, {"tokens": 9}, "come first"),
        (checks.check_sees, SEES, {"above": 4}, "rows of six pixels"),
        (checks.check_sees, SEES, {"above": 7}, "to the left"),
        (checks.check_sees, SEES, {"neighbour": 6}, "above"),
        (checks.check_sees, SEES, {"neighbour": 12}, "itself"),
        (checks.check_dot, DOT, {"picture": 1 / 25}, "at the left"),
        (checks.check_lengths, LENGTHS, {"stream": 1282}, "only"),
        (checks.check_dot, DOT, {"third": 1 / 5}, "known to be empty"),
        (checks.check_dot, DOT, {"third": 2 / 3}, "stays empty"),
        (checks.check_dot, DOT, {"picture": 1 / 3}, "4/5 and 3/4"),
        (checks.check_dot, DOT, {"third": 1 / 4}, "not one"),
        (checks.check_blind, BLIND, {"right": 27 / 256}, "all four"),
        (checks.check_blind, BLIND, {"right": 1}, "second pixel"),
        (checks.check_blind, BLIND, {"right": 1 - (3 / 4) ** 4}, "two or more included"),
        (checks.check_blind, BLIND, {"blank": 0}, "no pixel sees"),
        (checks.check_blind, BLIND, {"blank": 37 / 64}, "two dots or more"),
        (checks.check_blind, BLIND, {"bar": 1 / 256}, "probability 1"),
        (checks.check_lengths, LENGTHS, {"stream": 1024}, "add the text"),
        (checks.check_lengths, LENGTHS, {"pixels": 256}, "256 columns"),
        (checks.check_lengths, LENGTHS, {"cells": 64}, "a row and a column"),
        (checks.check_lengths, LENGTHS, {"cells": ...}, "still to be predicted"),
    ],
)
def test_numbers_that_are_wrong_are_named(check, right, changed, message):
    assert message in diagnosis(check(right | changed))


def by_loops(words, rows):
    stream = list(words)
    stream.append("</s>")
    stream.append("<s>")
    for row in rows:
        for pixel in row:
            stream.append(pixel)
    return stream


@pytest.mark.parametrize(
    "right",
    [
        by_loops,
        lambda w, r: [*w, "</s>", "<s>", *"".join(r)],
        lambda w, r: tuple(by_loops(w, r)),
        lambda w, r: np.array(by_loops(w, r)),
    ],
)
def test_streams_pass(right):
    assert checks.check_stream(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda w, r: [*w, "</s>", "<s>", *r], "not each row"),
        (lambda w, r: [*w, "</s>", "<s>", "".join(r)], "not the whole picture"),
        (lambda w, r: [*w, "</s>", "<s>", *(row[c] for c in range(len(r[0])) for row in r)], "row by row"),
        (lambda w, r: [*w, "</s>", "<s>", *(x[c] for x in r for c in range(len(r)) if c < len(x))], "more columns"),
        (lambda w, r: [*w, "</s>", "<s>", *(r[i][j] for i in range(len(r)) for j in range(len(r)))], "more columns"),
        (lambda w, r: by_loops(w, r)[: len(w) + 18], "is not"),
        (lambda w, r: [w, "</s>", "<s>", list("".join(r))], "one flat list"),
        (lambda w, r: [*w, "</s>", "<s>", list("".join(r))], "one flat list"),
        (lambda w, r: [*w, *"".join(r)], "stand between"),
        (lambda w, r: [*w, "<s>", "</s>", *"".join(r)], "ends the caption"),
        (lambda w, r: [*w, "<s>", *"".join(r)], "ends with `</s>`"),
        (lambda w, r: [*w, "</s>", *"".join(r)], "starts with `<s>`"),
        (lambda w, r: [*"".join(r), "</s>", "<s>", *w], "caption comes first"),
        (lambda w, r: [*by_loops(w, r), "</s>"], "needs no end"),
        (lambda w, r: " ".join(by_loops(w, r)), "list of tokens"),
        (lambda w, r: by_loops(w, r)[::-1], "is not"),
    ],
)
def test_streams_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_stream(wrong))


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


def test_blind_pixels_by_counting_every_picture():
    """Every way to colour four pixels, each with probability 1/4, counted one by one."""
    chance = {n: 0.0 for n in range(5)}
    for coloured in itertools.product((True, False), repeat=4):
        chance[sum(coloured)] += math.prod(0.25 if one else 0.75 for one in coloured)
    assert checks.check_blind({"right": chance[1], "blank": chance[0], "bar": 1**4})


def test_the_praise_leaves_the_second_question_open():
    assert "outwards" not in checks.check_at_once(at_once).message


def test_at_once_the_numbers_move_outwards():
    w, g = 1.0, 1.0
    for _ in range(40):
        new_w, new_g = at_once(w, g, 0.5)
        assert new_w**2 + new_g**2 > w**2 + g**2
        w, g = new_w, new_g
