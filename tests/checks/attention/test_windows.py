"""The checks of the page on windows: they pass what is right and name what is wrong."""

import math
from fractions import Fraction
from itertools import accumulate, chain, cycle

import numpy as np
import pytest
import torch

from attention_book.attention.mask_patterns import window_mask
from attention_book.attention.masks import causal_mask
from attention_book.checks.attention import windows as checks

from ..diagnosis import diagnosis


def holes(n, w, stride):
    position = torch.arange(n)
    back = position[:, None] - position[None, :]
    return (back >= 0) & (back < w * stride) & (back % stride == 0)


def back(n):
    return torch.arange(n)[:, None] - torch.arange(n)


def test_holes_pass():
    assert checks.check_holes(holes)
    assert checks.check_holes(lambda n, w, s: holes(n, w, s).numpy())
    assert checks.check_holes(lambda n, w, s: [[i - j in range(0, w * s, s) for j in range(n)] for i in range(n)])
    assert checks.check_holes(lambda n, w, s: causal_mask(n) & window_mask(n, n, w * s) & (back(n) % s == 0))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda n, w, s: ~holes(n, w, s), "polarity is flipped"),
        (lambda n, w, s: (back(n) < w * s) & (back(n) % s == 0), "the future is open"),
        (lambda n, w, s: (back(n).abs() < w * s) & (back(n) % s == 0), "looks both ways"),
        (lambda n, w, s: (back(n) >= 0) & (back(n) <= w * s) & (back(n) % s == 0), "one key too many"),
        (lambda n, w, s: (back(n) > 0) & (back(n) <= w * s) & (back(n) % s == 0), "does not see its own position"),
        (lambda n, w, s: (back(n) >= 0) & (back(n) % s == 0), "far past is still open"),
        (lambda n, w, s: window_mask(n, n, w), "an ordinary window"),
        (lambda n, w, s: window_mask(n, n, w * s), "there are no holes"),
        (lambda n, w, s: window_mask(n, n, w) & (back(n) % s == 0), "ends too soon"),
        (lambda n, w, s: holes(n, w, s).T, "it is transposed"),
        (lambda n, w, s: holes(n, w, s) & (torch.arange(n) != 2), "row 2 does not attend to column 2"),
        (lambda n, w, s: holes(n, w, s).float(), "numbers"),
        (lambda n, w, s: None, "Is the `return` missing"),
        (lambda n, w, s: holes(7, 3, 2), "wrong shape: expected (10, 10)"),
        (lambda n, w, s: ..., "Is the `return` missing"),
        (holes(4, 2, 2), "Expected a function"),
    ],
)
def test_holes_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_holes(wrong))


RIGHT = {"pairs": 34, "reach": 7, "more": 3, "layers": 33}


def test_counts_pass():
    assert checks.check_counts(RIGHT)
    assert checks.check_counts({name: float(number) for name, number in RIGHT.items()})
    assert checks.check_counts({name: np.int64(number) for name, number in RIGHT.items()})
    assert checks.check_counts({name: torch.tensor(number) for name, number in RIGHT.items()})
    assert checks.check_counts({name: Fraction(number) for name, number in RIGHT.items()})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"pairs": 40}, "`pairs` is not 40. The first rows have fewer keys"),
        ({"pairs": 55}, "without a window"),
        ({"pairs": 100}, "of the future too"),
        ({"pairs": 27}, "own position"),
        ({"pairs": 12}, "count"),
        ({"reach": 8}, "overlap"),
        ({"reach": 6}, "The position itself counts too"),
        ({"reach": 4}, "of one layer"),
        ({"reach": 10}, "one layer more"),
        ({"more": 4}, "counts already"),
        ({"more": 0}, "have felt more"),
        ({"layers": 25}, "w − 1 positions, not w"),
        ({"layers": 34}, "99 are to be added"),
        ({"layers": 32}, "still out of reach"),
        ({"layers": ...}, "`layers` is still open"),
        ({name: ... for name in RIGHT}, "put a number in place of each"),
        ({"other": 3}, "Give a dictionary with one number for each of pairs, reach, more, layers."),
        ({"pairs": "34"}, "one number"),
        ({"pairs": [34]}, "one number, got a list"),
    ],
)
def test_counts_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_counts(RIGHT | changed))


def by_walking(length, widths):
    left, layers = length - 1, 0
    while left > 0:
        left, layers = left - (widths[layers % len(widths)] - 1), layers + 1
    return layers


def by_sums(length, widths):
    steps = accumulate(chain([0], cycle(width - 1 for width in widths)))
    return next(layers for layers, gone in enumerate(steps) if gone >= length - 1)


def test_layers_needed_pass():
    assert checks.check_layers_needed(by_walking)
    assert checks.check_layers_needed(by_sums)
    assert checks.check_layers_needed(lambda n, w: by_walking(n, w) + 0.0)
    assert checks.check_layers_needed(lambda n, w: torch.tensor(by_walking(n, w)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda n, w: by_walking(n, [x + 1 for x in w]),
            "For 9 positions and the windows [3] it gives 3 and not 4. A further",
        ),
        (lambda n, w: by_walking(n + 1, w), "the position itself is felt"),
        (lambda n, w: by_walking(n, w[::-1]), "read from its end"),
        (lambda n, w: by_walking(n, [max(w)]), "Not every layer has the widest"),
        (lambda n, w: by_walking(n, w[:1]), "Only the first width"),
        (lambda n, w: (n - 1) // (sum(w) - len(w)) * len(w), "A part of the list"),
        (lambda n, w: max(1, by_walking(n, w)), "For 1 position and the windows [3] it gives 1 and not 0"),
        (lambda n, w: 100, "Add up how far back"),
        (lambda n, w: ..., "Is the `return` missing"),
        (lambda n, w: "3", "one number"),
        (lambda n, w: [3], "one number, got a list"),
        (lambda n, w: math.inf, "finite"),
        (3, "Expected a function"),
    ],
)
def test_layers_needed_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_layers_needed(wrong))
