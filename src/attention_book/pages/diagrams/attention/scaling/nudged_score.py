"""The figure of a softmax Jacobian as a table: what a nudge of each score does to each weight."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....figures.plotting import INK, ROLES
from ...shapes import arrow, box, said, sheet

_HEIGHT, _CELL, _LEFT, _TOP, _BARS = 240, 54.0, 132.0, 188.0, 84.0  # in points; bars end at the left of the table
Entry = Fraction


def entries(exponentials: Sequence[int]) -> list[list[Entry]]:
    """The Jacobian of softmax for scores whose exponentials are whole numbers, as fractions: p_i δ_ij − p_i p_j.

    Args:
        exponentials: e to the power of each score, all positive.
    """
    p = _weights(exponentials)
    return [[p[i] * (i == j) - p[i] * p[j] for j in range(len(p))] for i in range(len(p))]


def nudged_score(exponentials: Sequence[int], score: int) -> Figure:
    """The weights as bars, and beside them the table of derivatives, one column framed.

    Args:
        exponentials: e to the power of each score, all positive; two or three of them.
        score: whose column is framed, counted from 0.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there are not two or three positive numbers, or no such score.
    """
    if not 2 <= len(exponentials) <= 3 or min(exponentials) <= 0:
        raise ValueError(f"two or three positive numbers fit, got {list(exponentials)}")
    if not 0 <= score < len(exponentials):
        raise ValueError(f"there is no score {score} among {len(exponentials)}, counted from 0")
    n, p, table = len(exponentials), _weights(exponentials), entries(exponentials)
    largest = max(abs(float(entry)) for row in table for entry in row)
    with sheet(_HEIGHT) as axes:
        for i in range(n):
            y = _TOP - (i + 0.5) * _CELL
            length = _BARS * float(p[i])
            style = {"facecolor": ROLES["weight"].light}
            box(axes, (_LEFT - 26 - length / 2, y), (length, 18), f"weight-{i}", **style)
            said(axes, (_LEFT - 14, y), f"{p[i]}")
            said(axes, (_LEFT - 30 - length, y), f"p{'₁₂₃'[i]}", ha="right")
            for j in range(n):
                _cell(axes, (_LEFT + (j + 0.5) * _CELL, y), table[i][j], largest, f"{i}-{j}")
        _around(axes, n, score)
    return axes.figure


def nudged_told(exponentials: Sequence[int], score: int) -> str:
    """The figure of :func:`nudged_score` in words."""
    p, table = _weights(exponentials), entries(exponentials)
    rows = "; ".join(f"row {i + 1}: {', '.join(map(_signed, row))}" for i, row in enumerate(table))
    column = ", ".join(_signed(row[score]) for row in table)
    return (
        f"Weights as bars: {', '.join(map(str, p))}. Beside them a table with a row per weight and a column per score, "
        f"a disc in each cell as large as its entry. {rows.capitalize()}. Every row and every column sums to 0. The "
        f"framed column {score + 1} is what a nudge of score {score + 1} does to the weights: {column}."
    )


def _weights(exponentials: Sequence[int]) -> list[Fraction]:
    return [Fraction(e, sum(exponentials)) for e in exponentials]


def _signed(entry: Entry) -> str:
    return f"{'+' if entry > 0 else '−'}{abs(entry)}"


def _cell(axes: Axes, centre: tuple[float, float], entry: Entry, largest: float, name: str) -> None:
    """A square with a disc whose area is the size of the entry: full for a gain, empty for a loss."""
    (x, y), radius = centre, 13 * np.sqrt(abs(float(entry)) / largest)
    box(axes, centre, (_CELL, _CELL), f"cell-{name}", linewidth=0.6)
    colour = ROLES["weight"].light
    turn = np.linspace(0, 2 * np.pi, 60)
    rim = radius * np.cos(turn)
    fill = colour if entry > 0 else "none"
    axes.fill(
        x + rim, y + 9 + radius * np.sin(turn), facecolor=fill, edgecolor=colour, linewidth=1.4, gid=f"disc-{name}"
    )
    said(axes, (x, y - 17), _signed(entry))


def _around(axes: Axes, n: int, score: int) -> None:
    """What the rows and columns are, and the frame of one column with the arrow of its nudge."""
    middle = _LEFT + (score + 0.5) * _CELL
    style = {"linewidth": 2.4, "edgecolor": INK}
    box(axes, (middle, _TOP - n * _CELL / 2), (_CELL, n * _CELL), "nudged", **style)
    for j in range(n):
        said(axes, (_LEFT + (j + 0.5) * _CELL, _TOP + 10), f"s{'₁₂₃'[j]}")
    arrow(axes, (middle, _TOP + 34), (middle, _TOP + 18))
    said(axes, (middle, _TOP + 42), f"a nudge of score {score + 1}")
    said(axes, (_LEFT - 26, _TOP + 10), "weights", ha="right")
    said(axes, (_LEFT - 20, _TOP - n * _CELL - 14), "full: the weight gains, empty: it loses", ha="left")
