"""The checks of what else fits: they pass what is right in any form and name what is wrong."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.beyond import other_tokens as checks

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


def test_blind_pixels_by_counting_every_picture():
    """Every way to colour four pixels, each with probability 1/4, counted one by one."""
    chance = {n: 0.0 for n in range(5)}
    for coloured in itertools.product((True, False), repeat=4):
        chance[sum(coloured)] += math.prod(0.25 if one else 0.75 for one in coloured)
    assert checks.check_blind({"right": chance[1], "blank": chance[0], "bar": 1**4})
