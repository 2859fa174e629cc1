"""The figure of five sentences cut into batches twice: in the order drawn, and sorted by length."""

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ....data.batch_cutting import cells, cut_by_tokens, padding_share, sorted_in_buckets
from ...figures.plotting import INK
from ..shapes import box, said, sheet

FIVE = [5, 9, 4, 8, 5]
"""Tokens of five sentences, ``</s>`` counted, in the order drawn."""
BUDGET = 18
_CELL, _LEFT, _SECOND = 14.0, 20.0, 192.0
_LABEL, _GAP = 16.0, 7.0
_FILLED = (*to_rgb(INK), 0.32)


def both_cuts() -> dict[str, list[list[int]]]:
    """The lengths in each batch, for both orders."""
    orders = {"as drawn": sorted_in_buckets(FIVE, 1), "sorted": sorted_in_buckets(FIVE, len(FIVE))}
    cut = {name: cut_by_tokens(FIVE, order, BUDGET) for name, order in orders.items()}
    return {name: [[FIVE[place] for place in group] for group in groups] for name, groups in cut.items()}


def _size(lengths: list[int]) -> int:
    return cells(lengths, range(len(lengths)))


def _padded(groups: list[list[int]]) -> int:
    return sum(_size(group) - sum(group) for group in groups)


def _panel(axes: Axes, name: str, groups: list[list[int]], left: float, top: float) -> None:
    said(axes, (left - 14, top - 7), name, ha="left", weight="bold")
    y = top - 20
    for n, lengths in enumerate(groups):
        longest = max(lengths)
        said(axes, (left - 14, y - 7), f"{len(lengths)} × {longest} = {_size(lengths)} cells", ha="left")
        y -= _LABEL
        for row, length in enumerate(lengths):
            said(axes, (left - 8, y - _CELL / 2), str(length))
            for place in range(longest):
                centre = (left + (place + 0.5) * _CELL, y - _CELL / 2)
                real = place < length
                fill, dashes = (_FILLED, "-") if real else ("none", (0, (2, 2)))
                kind = "token" if real else "padding"
                gid = f"{name}-{n}-{row}-{place}-{kind}"
                box(axes, centre, (_CELL - 2, _CELL - 2), gid, facecolor=fill, linestyle=dashes, linewidth=0.7)
            y -= _CELL
        y -= _GAP


def two_cuts() -> Figure:
    """Both cuts side by side: a row per sentence, a shaded cell per token, an empty dashed cell per padding."""
    cut = both_cuts()
    height = 24 + max(sum(_LABEL + _GAP + _CELL * len(group) for group in groups) for groups in cut.values())
    with sheet(height) as axes:
        for left, (name, groups) in zip((_LEFT, _SECOND), cut.items(), strict=True):
            _panel(axes, name, groups, left, height - 2)
    return axes.figure


def two_cuts_told() -> str:
    """The figure of :func:`two_cuts` in words."""
    told = [f"Sentences of {', '.join(map(str, FIVE))} tokens in batches of at most {BUDGET} cells."]
    for name, groups in both_cuts().items():
        each = "; ".join(f"{', '.join(map(str, group))} tokens, {_size(group)} cells" for group in groups)
        whole = sum(map(_size, groups))
        told.append(
            f"{name.capitalize()}, {len(groups)} batches: {each}. Of {whole} cells {_padded(groups)} are padding."
        )
    return " ".join(told)


def numbers() -> dict[str, int | float]:
    """Batches, cells, padding and its share for both orders, by name for the page's text."""
    found: dict[str, int | float] = {}
    for name, groups in both_cuts().items():
        told = name.split()[-1]
        places = cut_by_tokens(FIVE, sorted_in_buckets(FIVE, 1 if told == "drawn" else len(FIVE)), BUDGET)
        found |= {f"{told}_cells": sum(map(_size, groups)), f"{told}_padded": _padded(groups)}
        found |= {f"{told}_batches": len(groups), f"{told}_share": 100 * padding_share(FIVE, places)}
    return found
