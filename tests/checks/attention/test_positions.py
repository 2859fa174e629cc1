"""The checks of *Does attention notice the order?* and *Positions*: they pass what is right and name what is wrong."""

import numpy as np
import pytest
import torch
from oracles import naive_sinusoids

from attention_book.attention.positions import shift_rotation, sinusoidal_positions
from attention_book.checks.attention import positions as checks

from ..diagnosis import diagnosis

RIGHT_ORDER = {"a": "moved", "b": "moved", "c": "same", "d": "changed", "e": "changed", "f": "changed"}


def test_order_passes_and_prints():
    assert checks.check_order(RIGHT_ORDER)
    assert [line[:3] for line in checks.parts().splitlines()] == [f"{letter}: " for letter in RIGHT_ORDER]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"b": "changed"}, 'Not "changed" for b, self-attention in which no row sees itself: measured, its output'),
        ({"c": "moved"}, "The rows move, and the largest one stays."),
        ({"a": "same"}, "Each row is a query, and takes its answer along."),
        ({"d": "moved"}, "Each word now meets the vector of another place."),
        ({"e": "same"}, "another word asks there now"),
        ({"e": "moved"}, 'its output is "changed"'),
        ({"f": "same"}, 'its output is "changed". The mask stays'),
        ({"c": ...}, "Part c is still open"),
        ({"c": True}, 'Answer c with "same", "moved" or "changed", not True.'),
        ({"g": "same"}, "for each of the letters a, b, c, d, e, f"),
    ],
)
def test_order_gives_the_reason(change, told):
    assert told in diagnosis(checks.check_order(RIGHT_ORDER | change))


@pytest.mark.parametrize(
    "right",
    [
        lambda fn, x, order: torch.allclose(fn(x[order]), fn(x)[order], atol=1e-5),
        lambda fn, x, order: bool((fn(x[order]) - fn(x)[order]).abs().max() < 1e-4),
        lambda fn, x, order: np.allclose(fn(x[order]).numpy(), fn(x).numpy()[order], atol=1e-5),
        lambda fn, x, order: all(torch.allclose(fn(x[order])[n], fn(x)[at], atol=1e-5) for n, at in enumerate(order)),
    ],
)
def test_only_moves_passes(right):
    assert checks.check_only_moves(right)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda fn, x, order: bool((fn(x[order]) == fn(x)).all()), "the old outputs come in the new order"),
        (lambda fn, x, order: bool((fn(x[order]) == fn(x)[order]).all()), "up to rounding errors"),
        (lambda fn, x, order: torch.allclose(fn(x[order]), fn(x), atol=1e-5), "the old outputs come in the new order"),
        (lambda fn, x, order: torch.allclose(fn(x[order])[order], fn(x), atol=1e-5), "and True is right"),
        (lambda fn, x, order: True, "attention under a causal mask it says True, and False is right"),
        (lambda fn, x, order: torch.allclose(fn(x[order]).sum(0), fn(x).sum(0), atol=1e-4), "stay where they were"),
        (lambda fn, x, order: False, "the exponential of each number it says False"),
        (lambda fn, x, order: fn(x[order]) == fn(x)[order], "`True` or `False` is wanted"),
        (lambda fn, x, order: None, "returned None"),
    ],
)
def test_only_moves_says_of_which_function(wrong, told):
    assert told in diagnosis(checks.check_only_moves(wrong))


def table(first=torch.sin, second=torch.cos, exponent=2, start=0, inverse=False):
    def candidate(length, d_model):
        place = torch.arange(start, start + length, dtype=torch.float64)[:, None]
        power = 10000 ** (exponent * torch.arange(d_model // 2, dtype=torch.float64) / d_model)
        angle = place * power if inverse else place / power
        return torch.stack([first(angle), second(angle)], dim=-1).flatten(-2)

    return candidate


def test_sinusoids_pass():
    for right in (naive_sinusoids, sinusoidal_positions, table()):
        assert checks.check_sinusoids(right)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (table(torch.cos, torch.sin), "Sine and cosine have changed places"),
        (lambda n, d: torch.cat(table()(n, d).view(n, -1, 2).unbind(-1), dim=-1), "then all cosines"),
        (table(start=1), "counted from 0"),
        (table(exponent=4), "even already"),
        (table(exponent=1), "lacks its 2"),
        (table(inverse=True), "upside down"),
        (lambda n, d: table()(n, d).T, "is it transposed?"),
        (lambda n, d: 2 * table()(n, d), "A wrong number at row 0, column 1 (counted from 0): got 2, expected 1."),
        (lambda n, d: table()(n, d).numpy(), "Expected the table to be a torch tensor"),
        (lambda n, d: None, "Is the `return` missing?"),
    ],
)
def test_sinusoids_name_what_is_wrong(wrong, told):
    assert told in diagnosis(checks.check_sinusoids(wrong))


def shifted(change=lambda x: x, one_speed=False):
    def candidate(vector, offset):
        speeds = torch.tensor([1.0 if one_speed else 10000 ** (-2 * i / len(vector)) for i in range(len(vector) // 2)])
        angle = change(offset) * speeds.double()
        sin, cos = vector[0::2], vector[1::2]
        turned = [sin * angle.cos() + cos * angle.sin(), cos * angle.cos() - sin * angle.sin()]
        return torch.stack(turned, dim=-1).flatten()

    return candidate


def test_shifts_pass():
    assert checks.check_shift(shifted())
    assert checks.check_shift(lambda vector, offset: shift_rotation(offset, len(vector)) @ vector)


def position(offset, width):
    """The vector of a position, negative ones too."""
    angle = torch.tensor([offset * 10000 ** (-2 * i / width) for i in range(width // 2)], dtype=torch.float64)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (shifted(lambda x: -x), "turns the wrong way"),
        (shifted(one_speed=True), "All pairs turn at the speed of the first"),
        (lambda vector, offset: position(offset, len(vector)), "It is the vector of position `offset`"),
        (lambda vector, offset: vector + position(offset, len(vector)), "It adds the vector of position `offset`"),
        (lambda vector, offset: vector, "A wrong number at element 0"),
        (lambda vector, offset: vector[:-1], "The vector has the wrong shape"),
    ],
)
def test_shifts_name_what_is_wrong(wrong, told):
    assert told in diagnosis(checks.check_shift(wrong))


def test_an_inner_product_that_rises_passes():
    omega = 10000 ** (-2 * np.arange(16) / 32)
    products = np.cos(np.outer(np.arange(61), omega)).sum(1)
    pairs = [(n, m) for n in range(1, 31) for m in range(2 * n, 61) if products[m] > products[n] + 1e-6]
    assert pairs
    for near, far in pairs:
        report = checks.check_not_falling(near, far)
        assert report and f"{products[far]:.3f} at {far}." in report.message


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((1, 2), "which is less"),
        ((1, 60), "which is less"),
        ((5, 5), "5 is not further than 5"),
        ((9, 3), "3 is not further than 9"),
        ((5, 6), "6 is less than twice 5"),
        ((9, 17), "17 is less than twice 9"),
        ((0, 4), "whole numbers from 1 to 60"),
        ((3, 61), "whole numbers from 1 to 60"),
        ((2.5, 4), "whole numbers from 1 to 60"),
        ((..., 4), "Both distances are wanted"),
        (("3", 4), "Expected `near` to be one number"),
    ],
)
def test_an_inner_product_that_does_not_rise_is_told(answer, told):
    assert told in diagnosis(checks.check_not_falling(*answer))
