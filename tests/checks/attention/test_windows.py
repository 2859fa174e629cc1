"""The checks of the page on windows: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.analysis.information_flow import reachable
from attention_book.attention.mask_patterns import window_mask
from attention_book.attention.masks import causal_mask
from attention_book.checks.attention import windows as checks

from ..diagnosis import diagnosis


def back(q_len, k_len):
    return torch.arange(q_len)[:, None] + k_len - q_len - torch.arange(k_len)[None, :]


def test_window_mask_passes():
    assert checks.check_window_mask(window_mask)
    assert checks.check_window_mask(lambda q, k, w: window_mask(q, k, w).numpy())
    assert checks.check_window_mask(lambda q, k, w: [[0 <= i + k - q - j < w for j in range(k)] for i in range(q)])
    assert checks.check_window_mask(lambda q, k, w: causal_mask(q, k) & causal_mask(q, k).triu(k - q - w + 1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda q, k, w: ~window_mask(q, k, w), "polarity is flipped"),
        (lambda q, k, w: back(q, k) < w, "the future is open"),
        (lambda q, k, w: back(q, k).abs() < w, "looks both ways"),
        (lambda q, k, w: window_mask(q, k, w + 1), "one key too many"),
        (lambda q, k, w: (back(q, k) > 0) & (back(q, k) <= w), "does not see its own position"),
        (lambda q, k, w: causal_mask(q, k), "far past is still open"),
        (lambda q, k, w: (back(q, k) <= 0) & (back(q, k) > -w), "it is transposed"),
        (lambda q, k, w: window_mask(q, q, w) if q == k else window_mask(k, k, w)[:q], "aligned at the top left"),
        (lambda q, k, w: window_mask(q, k, w) & (torch.arange(k) != 2), "row 2 does not attend to column 2"),
        (lambda q, k, w: window_mask(q, k, w).float(), "numbers"),
        (lambda q, k, w: None, "Is the `return` missing"),
        (lambda q, k, w: window_mask(6, 6, 3), "wrong shape: expected (4, 4)"),
        (lambda q, k, w: ..., "Is the `return` missing"),
        (window_mask(4, 4, 2), "Expected a function"),
    ],
)
def test_window_mask_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_window_mask(wrong))


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


def by_formula(length, width):
    return math.ceil((length - 1) / (width - 1))


def by_walking(length, width):
    felt, layers = length - 1, 0
    while felt > 0:
        felt, layers = felt - (width - 1), layers + 1
    return layers


def by_masks(length, width):
    mask = window_mask(length, length, width)
    return next(n for n in range(length) if reachable(mask, n)[-1, 0])


def test_layers_needed_pass():
    assert checks.check_layers_needed(by_formula)
    assert checks.check_layers_needed(by_walking)
    assert checks.check_layers_needed(by_masks)
    assert checks.check_layers_needed(lambda n, w: -(-(n - 1) // (w - 1)) + 0.0)
    assert checks.check_layers_needed(lambda n, w: torch.tensor(by_formula(n, w)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda n, w: math.ceil(n / w), "For 9 positions and a window of 3 it gives 3 and not 4. A further layer adds"),
        (lambda n, w: math.ceil((n - 1) / w), "adds w − 1 positions, not w"),
        (lambda n, w: (n - 1) / (w - 1), "For 8 positions and a window of 3 it gives 3.5 and not 4. A part of a layer"),
        (lambda n, w: (n - 1) // (w - 1), "round up"),
        (lambda n, w: by_formula(n, w) + 1, "One layer less is enough"),
        (lambda n, w: max(1, by_formula(n, w)), "For 1 position and a window of 3 it gives 1 and not 0"),
        (lambda n, w: 100, "Count with `reachable"),
        (lambda n, w: ..., "Is the `return` missing"),
        (lambda n, w: "3", "one number"),
        (lambda n, w: [3], "one number, got a list"),
        (lambda n, w: math.inf, "finite"),
        (3, "Expected a function"),
    ],
)
def test_layers_needed_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_layers_needed(wrong))
