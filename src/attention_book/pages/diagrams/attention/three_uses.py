"""The figure of the three uses of attention: for each a table of weights, between tokens that ask and that answer."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from ....attention.masks import causal_mask
from ...figures.plotting import INK, ROLES
from ..shapes import arrow, box, said, sheet

_HEIGHT, _CELL = 316, 24.0  # in points
_LEFT, _RIGHT, _COLUMN = 2.0, 172.0, 164.0  # where both columns begin, and how wide they are
_WORDS, _SELF, _CROSS = 290, 212, 96  # heights; of a table: its upper edge
_BOTTOM = 20  # of the decoder


class UseShape(NamedTuple):
    """One use of attention: who asks, who answers, and what is hidden.

    Attributes:
        name: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.
        queries: the tokens that ask, one per row.
        keys: the tokens that answer, one per column.
        may: True where a row may look at a column.
    """

    name: str
    queries: Sequence[str]
    keys: Sequence[str]
    may: Bool[np.ndarray, "rows columns"]


def use_shapes(source: Sequence[str], target: Sequence[str]) -> list[UseShape]:
    """The three uses for one pair of sentences without padding.

    Args:
        source: the tokens that the encoder reads.
        target: the tokens that the decoder is fed, the start token first.

    Raises:
        ValueError: if one of them is empty.
    """
    if not source or not target:
        raise ValueError("both sides need a token")
    n, m = len(source), len(target)
    return [
        UseShape("encoder_self", source, source, np.ones((n, n), dtype=bool)),
        UseShape("decoder_self", target, target, causal_mask(m).numpy()),
        UseShape("cross", target, source, np.ones((m, n), dtype=bool)),
    ]


def three_uses(source: Sequence[str], target: Sequence[str]) -> Figure:
    """The encoder with its table at the left, the decoder with its two at the right, and the memory between them.

    Args:
        source, target: as for :func:`use_shapes`; up to four short tokens fit.

    Returns:
        The figure, not yet shown.
    """
    encoder, decoder, cross = use_shapes(source, target)
    with sheet(_HEIGHT) as axes:
        middles = [left + _COLUMN / 2 for left in (_LEFT, _RIGHT)]
        for middle, name, words in zip(middles, ("source", "target"), (source, target), strict=True):
            _row_of_words(axes, middle, name, words)
            arrow(axes, (middle, _WORDS - 11), (middle, _WORDS - 27))
        _stack(axes, _LEFT, _under(encoder, _SELF), _WORDS - 27, "encoder")
        _stack(axes, _RIGHT, _BOTTOM, _WORDS - 27, "decoder")
        _table(axes, encoder, _LEFT, _SELF, "to itself")
        _table(axes, decoder, _RIGHT, _SELF, "to itself")
        start = _under(decoder, _SELF)
        arrow(axes, (_RIGHT + 20, start), (_RIGHT + 20, _CROSS + 2), color=ROLES["query"].light)
        _table(axes, cross, _RIGHT, _CROSS, "to the source")
        _memory(axes, encoder, len(target))
        arrow(axes, (middles[1], _BOTTOM), (middles[1], 2), color=ROLES["output"].light)
        said(axes, (middles[1] - 8, 8), "one output per row", ha="right")
        for y, (role, text) in zip((22, 7), {"query": "rows: queries", "key": "columns: keys"}.items(), strict=True):
            said(axes, (_LEFT + 4, y), text, ha="left", color=ROLES[role].light)
    return axes.figure


def three_uses_told(source: Sequence[str], target: Sequence[str]) -> str:
    """The figure of :func:`three_uses` in words."""
    told = [_told(use) for use in use_shapes(source, target)]
    return (
        f"Three tables of weights. The encoder reads {', '.join(source)} and attends to itself: {told[0]} Its output "
        f"is the memory, one vector per source token. The decoder is fed {', '.join(target)} and attends to itself: "
        f"{told[1]} Then it attends to the source; W^K and W^V make keys and values of the memory: {told[2]}"
    )


def _told(use: UseShape) -> str:
    hidden = [f"{use.keys[k]} from {use.queries[q]}" for q, k in np.argwhere(~use.may)]
    shape = f"{len(use.queries)} rows for {', '.join(use.queries)}, {len(use.keys)} columns for {', '.join(use.keys)}"
    return f"{shape}; {'hidden: ' + ', '.join(hidden) if hidden else 'nothing is hidden'}."


def _row_of_words(axes: Axes, middle: int | float, name: str, words: Sequence[str]) -> None:
    """The tokens of one side in boxes, and above them which side it is."""
    widths = np.array([6.0 * len(word) + 10 for word in words])
    left = middle - widths.sum() / 2
    said(axes, (middle, _WORDS + 18), name, style="italic")
    for place, (word, end, width) in enumerate(zip(words, np.cumsum(widths), widths, strict=True)):
        x = left + end - width / 2
        box(axes, (x, _WORDS), (width - 2, 18), f"{name}-{place}")
        said(axes, (x, _WORDS), word)


def _stack(axes: Axes, left: int | float, bottom: int | float, top: int | float, name: str) -> None:
    corner = FancyBboxPatch((left, bottom), _COLUMN, top - bottom, boxstyle="round,pad=0,rounding_size=6")
    corner.set(facecolor="none", edgecolor=INK, linewidth=1.2)
    axes.add_patch(corner)
    said(axes, (left + _COLUMN / 2, top - 12), name, weight="bold")


def _table(axes: Axes, use: UseShape, left: int | float, top: int | float, title: str) -> None:
    """A table of weights: queries at its left, keys above it, the masked cells dashed and crossed."""
    x = left + 46
    said(axes, (x, top + 28), title, ha="left")
    for column, key in enumerate(use.keys):
        said(axes, (x + (column + 0.5) * _CELL, top + 9), key, color=ROLES["key"].light)
    for row, query in enumerate(use.queries):
        y = top - (row + 0.5) * _CELL
        said(axes, (x - 6, y), query, ha="right", color=ROLES["query"].light)
        for column in range(len(use.keys)):
            centre, name = (x + (column + 0.5) * _CELL, y), f"{use.name}-{row}-{column}"
            if use.may[row, column]:
                box(axes, centre, (_CELL - 2, _CELL - 2), name, facecolor=ROLES["weight"].light, edgecolor="none")
            else:
                dashes = {"edgecolor": ROLES["mask"].light, "linestyle": (0, (3, 2))}
                box(axes, centre, (_CELL - 3, _CELL - 3), name, **dashes)
                said(axes, centre, "×", color=ROLES["mask"].light)
    size = f"{len(use.queries)} × {len(use.keys)}"
    said(axes, (x + len(use.keys) * _CELL + 4, top - len(use.queries) * _CELL / 2), size, ha="left")


def _under(use: UseShape, top: int | float) -> int | float:
    """A little under the table of a use."""
    return top - _CELL * len(use.queries) - 8


def _memory(axes: Axes, encoder: UseShape, rows: int) -> None:
    """The encoder's output under it, and the matrices that make the decoder's keys and values of it."""
    middle, y, width = _LEFT + _COLUMN / 2, _CROSS - rows * _CELL / 2, 30.0
    top = _under(encoder, _SELF)
    arrow(axes, (middle, top), (middle, y + 12))
    left = middle - width * len(encoder.keys) / 2
    for place, word in enumerate(encoder.keys):
        centre = (left + (place + 0.5) * width, y)
        box(axes, centre, (width, 20), f"memory-{place}")
        said(axes, centre, word)
    start = left + width * len(encoder.keys) + 1
    for side, role, matrix in ((1, "key", "$W^K$"), (-1, "value", "$W^V$")):
        arrow(axes, (start, y + 4 * side), (_RIGHT - 1, y + 4 * side), color=ROLES[role].light)
        said(axes, ((start + _RIGHT) / 2 - 3, y + 14 * side), matrix, color=ROLES[role].light)
    said(axes, (middle, y - 20), "memory, E")
