"""The checks of what else fits: they pass what is right in any form and name what is wrong."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.beyond import other_tokens as checks
from attention_book.experiments.beyond import captioned_pictures

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


def possible(pictures, drawn):
    return [picture for picture in pictures if picture.startswith(drawn)]


def by_counting(pictures, drawn):
    left = possible(pictures, drawn)
    return sum(picture[len(drawn)] != "." for picture in left) / len(left)


def by_a_product(pictures, drawn):
    """The share that begins with the drawn pixels and a coloured one, over the share that begins with the drawn."""
    begins = [picture[: len(drawn)] == drawn for picture in pictures]
    goes_on = [one and picture[len(drawn)] != "." for one, picture in zip(begins, pictures, strict=True)]
    return np.mean(goes_on) / np.mean(begins)


@pytest.mark.parametrize(
    "right",
    [
        by_counting,
        by_a_product,
        lambda p, d: torch.tensor([picture[len(d)] != "." for picture in possible(p, d)]).double().mean(),
        lambda p, d: Fraction(sum(x[len(d)] != "." for x in possible(p, d)), len(possible(p, d))),
    ],
)
def test_chances_pass(right):
    assert checks.check_chance(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda p, d: sum(x[len(d)] != "." for x in possible(p, d)), "divide by"),
        (lambda p, d: 1 - by_counting(p, d), "stays empty"),
        (lambda p, d: sum(x[len(d)] != "." for x in possible(p, d)) / len(p), "still possible"),
        (lambda p, d: np.mean([x[len(d)] != "." for x in p]), "no longer possible"),
        (lambda p, d: np.mean([x[len(d)] == "R" for x in possible(p, d)]), "every colour"),
        (lambda p, d: np.mean([x[len(d) - 1] != "." for x in possible(p, d)]), "drawn last"),
        (lambda p, d: 1 / len(possible(p, d)), "is not"),
        (lambda p, d: by_counting(p, ""), "no longer possible"),
        (lambda p, d: None, "return"),
        (lambda p, d: "1/4", "number"),
    ],
)
def test_chances_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_chance(wrong))


def test_the_four_numbers_of_the_page_are_the_chances_of_the_experiments_pictures():
    dots = captioned_pictures.pictures(("red", "dot", "left"))
    assert dots == checks._DOTS and [by_counting(dots, "." * 4 * row) for row in range(4)] == [1 / 4, 1 / 3, 1 / 2, 1]


def test_blind_pixels_by_counting_every_picture():
    """Every way to colour four pixels, each with probability 1/4, counted one by one."""
    chance = {n: 0.0 for n in range(5)}
    for coloured in itertools.product((True, False), repeat=4):
        chance[sum(coloured)] += math.prod(0.25 if one else 0.75 for one in coloured)
    assert checks.check_blind({"right": chance[1], "blank": chance[0], "bar": 1**4})
