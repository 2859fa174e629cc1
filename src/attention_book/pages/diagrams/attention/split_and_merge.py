"""The figure of heads that are split and merged: where each number of a sentence goes, told by its place in memory."""

import numpy as np
from jaxtyping import Int
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ....examples.two_heads_by_hand import TOKENS
from ...figures.plotting import ROLES
from ..shapes import arrow, box, said, sheet

H, D = 2, 4  # heads, and the width of each
_HEIGHT = 238  # in points
_CELL, _GAP = 16.5, 10.0
_LEFT, _RIGHT = 30.0, 192.0  # where both columns begin
_UPPER, _LOWER = 198.0, 84.0  # upper edges of the grids
Numbers = Int[np.ndarray, "rows columns"]


def numbered() -> dict[str, Numbers]:
    """Each grid of the figure: which place in memory its numbers have.

    Returns:
        ``queries`` (words × 8) and the ``split`` heads (2 · words × 4), numbered as the queries lie in memory; the
        ``outputs`` of the heads (2 · words × 4) and the ``merged`` rows (words × 8), numbered as the outputs lie.
    """
    n = len(TOKENS)
    queries = np.arange(n * H * D).reshape(n, H * D)
    split = queries.reshape(n, H, D).swapaxes(0, 1)
    outputs = np.arange(n * H * D).reshape(H, n, D)
    merged = outputs.swapaxes(0, 1).reshape(n, H * D)
    return {
        "queries": queries,
        "split": split.reshape(H * n, D),
        "outputs": outputs.reshape(H * n, D),
        "merged": merged,
    }


def split_and_merge() -> Figure:
    """Left: a row of queries per word is cut into heads. Right: what the heads found is laid side by side again."""
    grids, n = numbered(), len(TOKENS)
    middle = _CELL * H * D / 2 + _GAP / 2
    with sheet(_HEIGHT) as axes:
        for row, word in enumerate(TOKENS):
            for top in (_UPPER, _LOWER):
                said(axes, (_LEFT - 4, top - (row + 0.5) * _CELL), word, ha="right")
        for name, left, role in (("queries", _LEFT, "query"), ("merged", _RIGHT, "output")):
            for head in range(H):
                part = grids[name][:, head * D : (head + 1) * D]
                _numbers(axes, (left + _GAP / 2 + head * D * _CELL, _UPPER), part, f"{name}-{head}", role, head)
        for name, left, role in (("split", _LEFT, "query"), ("outputs", _RIGHT, "output")):
            for head in range(H):
                part, x = grids[name][head * n : (head + 1) * n], left + head * (D * _CELL + _GAP)
                _numbers(axes, (x, _LOWER), part, f"{name}-{head}", role, head)
                said(axes, (x + D * _CELL / 2, _LOWER - n * _CELL - 9), f"head {head}")
        said(axes, (_LEFT + middle, _UPPER + 10), f"queries, {n} × {H * D}")
        said(axes, (_RIGHT + middle, _UPPER + 10), f"side by side, {n} × {H * D}")
        bottom, top = _UPPER - n * _CELL - 4, _LOWER + 18
        arrow(axes, (_LEFT + middle, bottom), (_LEFT + middle, top))
        said(axes, (_LEFT + middle - 6, (bottom + top) / 2), "split: view,\ntranspose", ha="right")
        arrow(axes, (_RIGHT + middle, top), (_RIGHT + middle, bottom))
        said(axes, (_RIGHT + middle - 6, (bottom + top) / 2), "merge: transpose,\nreshape", ha="right")
        said(axes, (_LEFT + middle, _LOWER + 9), f"{H} heads, {n} × {D} each")
        said(axes, (_RIGHT + middle, _LOWER + 9), f"{H} heads, {n} × {D} each")
        y = _LOWER - n * _CELL / 2
        arrow(axes, (_LEFT + 2 * middle + 1, y), (_RIGHT - 1, y))
        said(axes, ((_LEFT + 2 * middle + _RIGHT) / 2, 6), "attention in each head, with its keys and values")
        arrow(axes, (_RIGHT + middle, _UPPER + 18), (_RIGHT + middle, _HEIGHT - 1))
        said(axes, (_RIGHT + middle + 6, _HEIGHT - 10), "@ w_o", ha="left")
    return axes.figure


def _numbers(axes: Axes, corner: tuple[float, float], part: Numbers, name: str, role: str, head: int) -> None:
    """A grid with its numbers in the colour of a role; head 1 is paler than head 0."""
    colour = (*to_rgb(ROLES[role].light), (0.34, 0.1)[head])
    for (row, column), place in np.ndenumerate(part):
        centre = (corner[0] + (column + 0.5) * _CELL, corner[1] - (row + 0.5) * _CELL)
        box(axes, centre, (_CELL, _CELL), f"{name}-{row}-{column}", facecolor=colour, linewidth=0.6)
        said(axes, centre, str(place))


def split_and_merge_told() -> str:
    """The figure of :func:`split_and_merge` in words."""
    grids, n = numbered(), len(TOKENS)

    def rows(name: str, head: int) -> str:
        part = grids[name][head * n : (head + 1) * n]
        return "; ".join(f"{word} {', '.join(map(str, row))}" for word, row in zip(TOKENS, part, strict=True))

    heads = " ".join(f"Head {head} holds {rows('split', head)}." for head in range(H))
    merged = "; ".join(f"{word} {', '.join(map(str, row))}" for word, row in zip(TOKENS, grids["merged"], strict=True))
    return (
        f"Left: the queries of {n} words, {H * D} numbers each, numbered as they lie in memory. They are split into "
        f"{H} heads of {n} × {D}. {heads} Each head attends with its keys and values. Right: what the heads found, "
        f"numbered anew, head after head, is merged into rows of {H * D}: {merged}. Then the rows are multiplied by "
        f"the matrix w_o."
    )
