"""Figures of what a mask does to weights: to one row of them, and to a whole table read in two ways."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from ....analysis.seed_statistics import number
from ....attention.probability import softmax
from ...figures.plotting import IN_FULL, INK, ROLES
from ..shapes import WIDTH, Point, box, said, sheet

_LABELS = 96  # how wide the words at the left are, in points
_BAR = 84  # how high a bar for a weight of 1 is
_DASHED = {"linestyle": (0, (3, 2)), "linewidth": 1}


class MaskedRow(NamedTuple):
    """One query and the keys that it is compared with.

    Attributes:
        query: the token whose row this is.
        keys: the tokens of the keys.
        scores: of the query with each key.
        mask: True where the query may attend.
    """

    query: str
    keys: Sequence[str]
    scores: Sequence[int | float]
    mask: Sequence[bool]

    @property
    def exponentials(self) -> list[float]:
        """The exponential of each score, 0 where the key is hidden."""
        return [math.exp(score) * may for score, may in zip(self.scores, self.mask, strict=True)]

    @property
    def weights(self) -> list[float]:
        """The exponentials, divided by their sum."""
        return [one / sum(self.exponentials) for one in self.exponentials]

    @property
    def unmasked(self) -> list[float]:
        """The weights as they would be without a mask."""
        return self._replace(mask=[True] * len(self.keys)).weights


def masked_row(row: MaskedRow) -> Figure:
    """From scores by the mask to weights, a column per key; dashed bars are the weights without the mask.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if scores and mask do not have a number for each key, or every key is hidden.
    """
    if not len(row.keys) == len(row.scores) == len(row.mask):
        raise ValueError(f"{len(row.keys)} keys need as many scores and cells of the mask, got {row.scores, row.mask}")
    if not any(row.mask):
        raise ValueError("a row needs a key that is not hidden")
    with sheet(258) as axes:
        said(axes, (2, 246), f"query: {row.query}", ha="left", weight="bold")
        names = {210: "score", 176: "mask", 148: "exponential", 132: f"(sum {number(sum(row.exponentials), '.1f')})"}
        for y, name in {**names, 70: "weight", 54: "(dashed: without\nthe mask)"}.items():
            said(axes, (2, y), name, ha="left", va="top" if y == 54 else "center")
        step = (WIDTH - _LABELS) / len(row.keys)
        for place in range(len(row.keys)):
            _column(axes, row, place, _LABELS + (place + 0.5) * step, step - 8)
    return axes.figure


def _column(axes: Axes, row: MaskedRow, place: int, x: int | float, width: int | float) -> None:
    may, weight, before = row.mask[place], row.weights[place], row.unmasked[place]
    box(axes, (x, 233), (width, 18), f"key-{place}", edgecolor=ROLES["key"].light)
    said(axes, (x, 233), row.keys[place])
    said(axes, (x, 210), number(row.scores[place], "g"))
    _truth(axes, (x, 176), (width, 20), f"mask-{place}", may)
    said(axes, (x, 148), number(row.exponentials[place], ".2f") if may else "0")
    colour, half = ROLES["weight"].light, width / 2 - 2
    for side, share, name in ((-1, before, "before"), (1, weight, "weight")):
        middle, height = x + side * half / 2, _BAR * share
        style = _DASHED if side < 0 else {"facecolor": colour, "edgecolor": "none"}
        box(axes, (middle, 20 + height / 2), (half - 1, height), f"{name}-{place}", **style)
        style = {} if side < 0 else {"weight": "bold"}
        said(axes, (middle + side, 20 + height + 7), _share(share), **style)
    axes.plot([x - width / 2, x + width / 2], [20, 20], color=INK, linewidth=1)


def _truth(axes: Axes, centre: Point, size: Point, name: str, value: bool) -> None:
    """A cell of a mask: full if it is True, a dashed frame if it is False."""
    if value:
        box(axes, centre, size, name, facecolor=ROLES["mask"].light)
        said(axes, centre, "True", color=IN_FULL["mask"])
    else:
        box(axes, centre, size, name, **_DASHED)
        said(axes, centre, "False")


def row_told(row: MaskedRow) -> str:
    """The figure of :func:`masked_row` in words."""
    told = [f"The row of weights of the query {row.query}, from scores to weights, a column per key."]
    for place, key in enumerate(row.keys):
        score, weight = number(row.scores[place], "g"), _share(row.weights[place])
        state = (
            f"allowed, exponential {number(row.exponentials[place], '.2f')}"
            if row.mask[place]
            else "hidden by the mask, so its exponential is left out"
        )
        told.append(f"{key}: score {score}, {state}, weight {weight}; without the mask {_share(row.unmasked[place])}.")
    return " ".join(told)


def read_both_ways(mask: Bool[Tensor, "length length"], words: Sequence[str]) -> Figure:
    """A mask, and the weights that come of it if True means "may attend" and if it means the opposite; equal scores.

    A row without keys has question marks, because programs differ in what they give it.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if the mask has not one row and one column per word.
    """
    if mask.shape != (len(words), len(words)):
        raise ValueError(f"a mask for {len(words)} words is square, got {tuple(mask.shape)}")
    room, gap = 34, 12
    cell = (WIDTH - room - 2 * gap - 4) / (3 * len(words))
    top = len(words) * cell + 4
    with sheet(top + 50) as axes:
        for row, word in enumerate(words):
            said(axes, (2, top - (row + 0.5) * cell), word, ha="left")
        tables = {"the mask": mask, "True: may attend": _open_weights(mask), "True: may not": _open_weights(~mask)}
        for panel, (title, values) in enumerate(tables.items()):
            left = room + panel * (len(words) * cell + gap)
            said(axes, (left + len(words) * cell / 2, top + 40), title, weight="bold")
            for column, word in enumerate(words):
                said(axes, (left + (column + 0.5) * cell, top + 18), word)
            for row in range(len(words)):
                for column in range(len(words)):
                    centre = (left + (column + 0.5) * cell, top - (row + 0.5) * cell)
                    _cell(axes, centre, cell, f"{panel}-{row}-{column}", values[row, column])
    return axes.figure


def _cell(axes: Axes, centre: Point, size: int | float, name: str, value: Tensor) -> None:
    if value.dtype == torch.bool:
        return _truth(axes, centre, (size - 2, size - 2), name, bool(value))
    shade = 0.45 * float(value.nan_to_num())
    box(axes, centre, (size, size), f"shade-{name}", facecolor=ROLES["weight"].light, alpha=shade)
    box(axes, centre, (size, size), name)
    said(axes, centre, _share_or_mark(float(value)))


def _share_or_mark(share: float) -> str:
    return "?" if math.isnan(share) else _share(share)


def _open_weights(mask: Bool[Tensor, "length length"]) -> Float[Tensor, "length length"]:
    """:func:`keep_weights`, with NaN in a row without keys."""
    return keep_weights(mask).masked_fill(~mask.any(dim=-1, keepdim=True), math.nan)


def keep_weights(mask: Bool[Tensor, "length length"]) -> Float[Tensor, "length length"]:
    """The weights of equal scores under a mask where True means "may attend"; an empty row has none."""
    return softmax(torch.zeros(mask.shape).masked_fill(~mask, -math.inf))


def readings_told(mask: Bool[Tensor, "length length"], words: Sequence[str]) -> str:
    """The figure of :func:`read_both_ways` in words."""

    def rows(table: Tensor, told) -> str:
        return " ".join(
            f"{word}: {', '.join(map(told, row))}." for word, row in zip(words, table.tolist(), strict=True)
        )

    return (
        f"Three tables with a row and a column for each of {', '.join(words)}. The mask: {rows(mask, str)} The weights "
        f"if True means may attend: {rows(_open_weights(mask), _share_or_mark)} The weights if True means may not "
        f"attend: {rows(_open_weights(~mask), _share_or_mark)}"
    )


def _share(share: float) -> str:
    return number(share, ".2f") if share else "0"
