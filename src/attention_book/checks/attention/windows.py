"""Checks for *Windows*: the mask of a window, pairs and reach counted by hand, and how many layers a length needs.

The oracles are laws: a query sees its last w keys, and each layer hands on what its keys have felt.
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
def check_window_mask(candidate: object) -> Report:
    """Does ``candidate(q_len, k_len, width)`` let each query see its last ``width`` keys, its own included?"""
    for q_len, k_len, width in ((6, 6, 3), (4, 4, 1), (3, 3, 9), (2, 6, 3), (1, 5, 2)):
        got = as_mask(attempt(candidate, q_len, k_len, width))
        got = expect_array(got, (q_len, k_len), "one row per query, one column per key", name="the mask", boolean=True)
        query = torch.arange(q_len)[:, None] + k_len - q_len
        key = torch.arange(k_len)[None, :]
        back = query - key  # how many positions before the query
        right = (back >= 0) & (back < width)
        if torch.equal(got, right):
            continue
        inputs = f"With {q_len} queries, {k_len} keys and a width of {width}"
        at_top_left = torch.arange(q_len)[:, None] - key
        known = {
            _POLARITY: ~right,
            "the future is open: a window for a decoder ends at the query.": (back < width),
            "it looks both ways: nothing after the query may be seen.": back.abs() < width,
            "each query sees one key too many: the width counts its own position.": (back >= 0) & (back <= width),
            "a query does not see its own position.": (back > 0) & (back <= width),
            "the far past is still open: this is the causal mask.": back >= 0,
            "it is transposed: rows are queries.": (-back >= 0) & (-back < width),
            "it is aligned at the top left: the queries are the newest positions.": (
                (at_top_left >= 0) & (at_top_left < width)
            ),
        }
        if fault := recognise(got, known, torch.equal):
            raise NotYet(fault if fault is _POLARITY else f"{inputs} {fault}")
        row, column = (got != right).nonzero()[0].tolist()
        verb = "attends" if got[row, column] else "does not attend"
        raise NotYet(f"{inputs}: row {row} {verb} to column {column} (counted from 0).")
    return Report(True, "Each query sees its last keys, itself included, also where keys came from a cache.")


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


@checking
def check_layers_needed(candidate: object) -> Report:
    """Does ``candidate(length, width)`` give the fewest layers through which the last position feels the first?

    A window of 1 is not asked about: through it no position feels another.
    """
    for length, width in ((9, 3), (8, 3), (1, 3), (5, 9), (9, 2), (20, 5)):
        mask = window_mask(length, length, width)
        right = next(n for n in range(length + 1) if bool(reachable(mask, n)[-1, 0]))
        got = expect_number(attempt(candidate, length, width), "the number of layers")
        if got == right:
            continue
        layers = (length - 1) / (width - 1)
        known = [
            (math.floor(layers), "A part of a layer is a whole layer: round up."),
            (layers, "A part of a layer is a whole layer: round up."),
            (math.ceil(length / width), "A further layer adds w − 1 positions, not w."),
            (math.ceil((length - 1) / width), "A further layer adds w − 1 positions, not w."),
            (right + 1, "One layer less is enough: the position itself is felt without any layer."),
        ]
        reason = recognise(got, known, near()) or "Count with `reachable(mask, layers)`."
        where = f"For {length} position{'s' * (length > 1)} and a window of {width}"
        raise NotYet(f"{where} it gives {got:g} and not {right}. {reason}")
    return Report(True, "It agrees with masks that were applied layer after layer.")
