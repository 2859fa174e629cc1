"""The figure of three places for the square root: after the dot product, inside of the matrix, or nowhere."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .....analysis.seed_statistics import number
from ....figures.plotting import INK, ROLES
from ...shapes import arrow, box, said, sheet

_LANE, _TOP, _BOTTOM = 88, 18, 6  # heights in points
_ZERO, _UNIT = 196.0, 7.6  # where a score of 0 stands, and points per unit of a score


class Arm(NamedTuple):
    """A way to begin, and to train, with the division or without.

    Attributes:
        name: such as "divided".
        width: d_k.
        divisor: what the dot products are divided by.
        shrink: how many times smaller the matrix of the queries begins.
    """

    name: str
    width: int
    divisor: float = 1.0
    shrink: float = 1.0

    @property
    def spread(self) -> float:
        """The standard deviation of the scores at the start, where an unshrunk matrix makes queries of variance 1."""
        return math.sqrt(self.width) / self.divisor / self.shrink

    @property
    def step(self) -> float:
        """How far one step of one length in the matrix moves a score: √d_k where nothing is divided, as a unit is."""
        return math.sqrt(self.width) / self.divisor


def three_arms(width: int) -> list[Arm]:
    """The arms *divided*, *folded* and *undivided* of a width d_k."""
    root = math.sqrt(width)
    return [Arm("divided", width, divisor=root), Arm("folded", width, shrink=root), Arm("undivided", width)]


def places_of_the_root(arms: Sequence[Arm]) -> Figure:
    """A lane per arm: from the matrix to the scores, how wide they begin, and how far a step moves them.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is no arm, or scores or steps exceed 16 units.
    """
    if not arms:
        raise ValueError("there is no arm to draw")
    if max(max(arm.spread, arm.step) for arm in arms) > 16:
        raise ValueError("scores or steps beyond 16 do not fit: take a width of at most 256")
    with sheet(_TOP + _LANE * len(arms) + _BOTTOM) as axes:
        top = axes.get_ylim()[1]
        said(axes, (_ZERO - 6, top - 8), "scores at the start, one step", ha="left")
        for place, arm in enumerate(arms):
            _lane(axes, arm, top - _TOP - _LANE * (place + 0.5))
    return axes.figure


def places_told(arms: Sequence[Arm]) -> str:
    """The figure of :func:`places_of_the_root` in words."""
    lanes = []
    for arm in arms:
        matrix = f"a matrix {arm.shrink:g} times smaller" if arm.shrink != 1 else "the matrix as it is"
        divided = f"dot products divided by {arm.divisor:g}" if arm.divisor != 1 else "dot products not divided"
        lanes.append(
            f"{arm.name.capitalize()}: {matrix}, {divided}; the scores begin with a standard deviation of "
            f"{number(arm.spread, '.0f')}, and one step moves them by {number(arm.step, '.0f')}."
        )
    return " ".join([f"From the query's matrix to the scores, for width {arms[0].width}.", *lanes])


def _lane(axes: Axes, arm: Arm, y: float) -> None:
    said(axes, (2, y + 32), arm.name, ha="left", weight="bold")
    root = f"÷ {arm.shrink:g}" if arm.shrink != 1 else ""
    side = 32 if arm.shrink == 1 else 14
    box(axes, (22, y), (side, side), f"matrix-{arm.name}", facecolor=ROLES["query"].light, edgecolor="none")
    said(axes, (22, y - 26), f"W {root}".rstrip() + (" at the start" if root else ""), ha="left" if root else "center")
    arrow(axes, (42, y), (64, y))
    said(axes, (80, y), "q · k")
    if arm.divisor != 1:
        arrow(axes, (96, y), (112, y))
        box(axes, (132, y), (38, 22), f"divisor-{arm.name}", linewidth=1.4)
        said(axes, (132, y), f"÷ {arm.divisor:g}")
        arrow(axes, (153, y), (176, y))
    else:
        arrow(axes, (96, y), (176, y))
    wide, length = _UNIT * arm.spread, _UNIT * arm.step
    box(axes, (_ZERO + wide / 2, y + 10), (wide, 12), f"spread-{arm.name}", facecolor=INK, alpha=0.55, edgecolor="none")
    said(axes, (_ZERO, y + 25), f"SD {number(arm.spread, '.0f')}", ha="left")
    axes.plot([_ZERO, _ZERO + length], [y - 12, y - 12], color=INK, linewidth=2.2, gid=f"step-{arm.name}")
    axes.plot([_ZERO + length], [y - 12], color=INK, marker=">", markersize=6, linestyle="none")
    said(axes, (_ZERO, y - 25), f"step {number(arm.step, '.0f')}", ha="left")
