"""Checks for *Windows*: a window with holes, pairs and reach counted by hand, and how many layers a length needs.

The oracles are laws: a query sees w keys, and each layer hands on what its keys have felt.
"""

import math
from functools import cache

import torch

from ...analysis.information_flow import reachable
from ...attention.mask_patterns import window_mask
from ..answers import each_answer
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, attempt, checking, expect_array, expect_number
from .masks import as_mask

_POLARITY = "The polarity is flipped: in this book True means that a query may attend to a key."


@checking
def check_holes(candidate: object) -> Report:
    """Does ``candidate(length, width, stride)`` let each query see every ``stride``-th key back, ``width`` of them?"""
    for length, width, stride in ((10, 3, 2), (6, 3, 1), (4, 1, 3), (9, 2, 4), (5, 9, 2)):
        got = as_mask(attempt(candidate, length, width, stride))
        got = expect_array(got, (length,) * 2, "a row per query, a column per key", name="the mask", boolean=True)
        back = torch.arange(length)[:, None] - torch.arange(length)[None, :]  # how many positions before the query
        every, near_enough = back % stride == 0, back < width * stride
        right = (back >= 0) & near_enough & every
        if torch.equal(got, right):
            continue
        inputs = f"With {length} positions, a width of {width} and a stride of {stride}"
        known = {
            _POLARITY: ~right,
            "the future is open: a window for a decoder ends at the query.": near_enough & every,
            "it looks both ways: nothing after the query may be seen.": (back.abs() < width * stride) & every,
            "each query sees one key too many: the width counts its own position.": (
                (back >= 0) & (back <= width * stride) & every
            ),
            "a query does not see its own position.": (back > 0) & (back <= width * stride) & every,
            "the far past is still open: each query sees at most `width` keys.": (back >= 0) & every,
            "it is an ordinary window: nothing is left out.": (back >= 0) & (back < width),
            "there are no holes: every key of the stretch is seen.": (back >= 0) & near_enough,
            "the window ends too soon: it has `width` keys, not `width` positions.": (back >= 0)
            & (back < width)
            & every,
            "it is transposed: rows are queries.": right.T,
        }
        if fault := recognise(got, known, torch.equal):
            raise NotYet(fault if fault is _POLARITY else f"{inputs} {fault}")
        row, column = (got != right).nonzero()[0].tolist()
        verb = "attends" if got[row, column] else "does not attend"
        raise NotYet(f"{inputs}: row {row} {verb} to column {column} (counted from 0).")
    return Report(
        True, "Each query sees its own position and every further one at the stride, and no more than its width."
    )


_LENGTH, _WIDTH, _LAYERS = 10, 4, 2
_ASKED = ("pairs", "reach", "more", "layers")


@cache
def _counts() -> dict[str, tuple[int, dict[int, str]]]:
    """For each question its answer, counted once, and what wrong numbers come from."""
    pairs = int(window_mask(_LENGTH, _LENGTH, _WIDTH).sum())
    reach = int(reachable(window_mask(40, 40, _WIDTH), _LAYERS)[-1].sum())
    step = _WIDTH - 1
    return {
        "pairs": (
            pairs,
            {
                _LENGTH * _WIDTH: "The first rows have fewer keys than the window is wide: there is nothing before 0.",
                _LENGTH * (_LENGTH + 1) // 2: "That is the causal mask without a window.",
                _LENGTH**2: "Those are all cells, of the future too.",
                int(window_mask(_LENGTH, _LENGTH, step).sum()): "The window counts the query's own position.",
            },
        ),
        "reach": (
            reach,
            {
                _WIDTH * _LAYERS: "The windows of two layers overlap: the oldest key of one is the newest of the next.",
                reach - 1: "The position itself counts too.",
                _WIDTH: "That is the reach of one layer.",
                reach + step: "That is one layer more.",
            },
        ),
        "more": (
            step,
            {
                _WIDTH: "The oldest position that is felt counts already: its window adds one position less.",
                0: "The new layer reads positions that have felt more than they are.",
            },
        ),
        "layers": (
            next(n for n in range(100) if bool(reachable(window_mask(100, 100, _WIDTH), n)[-1, 0])),
            {
                math.ceil(100 / _WIDTH): "Each layer adds w − 1 positions, not w.",
                math.ceil(100 / step): "The position itself is there before the first layer: 99 are to be added.",
                100 // step - 1: "Then the first position is still out of reach.",
            },
        ),
    }


@checking
def check_counts(answers: object) -> Report:
    """Are these the pairs and the reach of a window of 4?

    Args:
        answers: a number for each of ``pairs`` (10 positions), ``reach`` (two layers), ``more`` (for each further
            layer) and ``layers`` (from the last of 100 positions to the first).
    """
    right = _counts()
    for name, answer in each_answer(answers, _ASKED, "one number for each of", put="a number"):
        got, (wanted, mistakes) = expect_number(answer, f"`{name}`"), right[name]
        if got != wanted:
            reason = recognise(got, mistakes, near())
            raise NotYet(f"`{name}` is not {got:g}. {reason or 'Draw the rows of a small window and count.'}")
    return Report(True, "As counted in the masks themselves, cell by cell and layer by layer.")


def _layers(length: int, widths: list[int]) -> int:
    """Layers until their windows, one after the other, have gone back to the first of ``length`` positions."""
    layers, left = 0, length - 1
    while left > 0:
        left, layers = left - widths[layers % len(widths)] + 1, layers + 1
    return layers


@checking
def check_layers_needed(candidate: object) -> Report:
    """Does ``candidate(length, widths)`` give the fewest layers through which the last position feels the first?

    The layers take their windows from the list, over and over. At least one is above 1.
    """
    for length, widths in ((9, [3]), (8, [3]), (1, [3]), (20, [2, 5]), (12, [2, 5]), (12, [5, 2]), (9, [1, 2, 4])):
        felt, right = torch.eye(length, dtype=torch.bool)[-1], 0
        while not felt[0]:
            felt = felt.int() @ window_mask(length, length, widths[right % len(widths)]).int() > 0
            right += 1
        got = expect_number(attempt(candidate, length, list(widths)), "the number of layers")
        if got == right:
            continue
        known = [
            ((length - 1) // (sum(widths) - len(widths)) * len(widths), "A part of the list may be enough, or needed."),
            (_layers(length, [width + 1 for width in widths]), "A further layer adds w − 1 positions, not w."),
            (_layers(length + 1, widths), "One layer less is enough: the position itself is felt without any layer."),
            (_layers(length, widths[::-1]), "The list is read from its end. Layer 0 has the first width."),
            (_layers(length, [max(widths)]), "Not every layer has the widest window of the list."),
            (_layers(length, widths[:1]) if widths[0] > 1 else -1, "Only the first width of the list is used."),
            (right - 1, "A part of a layer is a whole layer: round up."),
            (right + 1, "One layer less is enough."),
        ]
        reason = recognise(got, known, near()) or "Add up how far back each layer goes."
        where = f"For {length} position{'s' * (length > 1)} and the windows {widths}"
        raise NotYet(f"{where} it gives {got:g} and not {right}. {reason}")
    return Report(True, "It agrees with masks that were applied layer after layer.")
