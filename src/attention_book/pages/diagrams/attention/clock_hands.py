"""Figures of positions as clock hands: sinusoidal pairs, one clock per pair, and rotary pairs, two hands per clock."""

import math
from collections.abc import Sequence

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle

from ....analysis.seed_statistics import number
from ....attention.positions import rotate_by_position, sinusoidal_positions
from ...figures.plotting import INK, ROLES
from ..shapes import WIDTH, arrow, said, sheet

_RADIUS = 20.0  # of a clock, in points
_LEFT = 44.0  # room for the names of the rows
Hand = tuple[int | float, int | float]


def position_clocks(positions: Sequence[int], d_model: int = 4) -> Figure:
    """A column per position and a clock per pair of coordinates; under each clock the pair, sine first.

    A hand stands upright at position 0 and turns clockwise, so its tip is at (sine, cosine).

    Args:
        positions: counted from 0; up to five fit.
        d_model: the width of a position's vector, even.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is no position, or one is negative.
    """
    table = _pairs(positions, d_model)
    pairs, step = d_model // 2, 98
    height = pairs * step + 26
    with sheet(height) as axes:
        across = (WIDTH - _LEFT) / len(positions)
        for column, position in enumerate(positions):
            x = _LEFT + (column + 0.5) * across
            said(axes, (x, height - 10), f"{position}", weight="bold")
            for pair in range(pairs):
                y = height - 46 - pair * step
                sine, cosine = table[column][pair]
                _clock(axes, (x, y), f"clock-{pair}-{column}")
                _hand(axes, (x, y), (sine, cosine), f"hand-{pair}-{column}", INK)
                for line, value in enumerate((sine, cosine)):
                    said(axes, (x, y - 31 - 13 * line), number(value, ".2f"))
        said(axes, (2, height - 10), "position", ha="left")
        for pair in range(pairs):
            said(axes, (2, height - 46 - pair * step), f"pair {pair}", ha="left")
    return axes.figure


def position_clocks_told(positions: Sequence[int], d_model: int = 4) -> str:
    """The figure of :func:`position_clocks` in words."""
    told = [
        f"at position {position} "
        + ", ".join(f"({number(sine, '.2f')}, {number(cosine, '.2f')})" for sine, cosine in row)
        for position, row in zip(positions, _pairs(positions, d_model), strict=True)
    ]
    return (
        f"Clocks, {d_model // 2} per position, one for each pair of coordinates; a hand stands upright at position 0 "
        f"and turns clockwise. The pairs of sine and cosine: {'; '.join(told)}."
    )


def rotary_clocks(places: Sequence[tuple[int, int]], query: Hand = (1.0, 0.0), key: Hand = (1.0, 0.0)) -> Figure:
    """A clock per choice of two positions: the query and the key, each turned by its own position, and their score.

    The first coordinate points to the right and the second upwards, and both turn counterclockwise, one radian per
    position: a head of width 2.

    Args:
        places: the position of the query and of the key, for each clock; up to three fit.
        query, key: before they are turned, of length 1.

    Returns:
        The figure, not yet shown.
    """
    height, radius = 150, 40.0
    with sheet(height) as axes:
        across = WIDTH / len(places)
        for column, (at_query, at_key) in enumerate(places):
            centre = (across * (column + 0.5), 82)
            q, k = turned(query, at_query), turned(key, at_key)
            _clock(axes, centre, f"face-{column}", radius)
            angles = [math.degrees(math.atan2(y, x)) for x, y in (k, q)]
            size = {"theta1": angles[0], "theta2": angles[1]}
            if at_query < at_key:
                size = {"theta1": angles[1], "theta2": angles[0]}
            axes.add_patch(Arc(centre, radius, radius, color=ROLES["weight"].light, linewidth=2, **size))
            for role, hand in (("query", q), ("key", k)):
                _hand(axes, centre, hand, f"{role}-{column}", ROLES[role].light, radius, dashed=role == "key")
            said(axes, (centre[0], 137), f"query at {at_query}", color=ROLES["query"].light)
            said(axes, (centre[0], 28), f"key at {at_key}", color=ROLES["key"].light)
            said(axes, (centre[0], 10), f"score {number(score(q, k), '.2f')}", weight="bold")
    return axes.figure


def rotary_clocks_told(places: Sequence[tuple[int, int]], query: Hand = (1.0, 0.0), key: Hand = (1.0, 0.0)) -> str:
    """The figure of :func:`rotary_clocks` in words."""
    told = []
    for at_query, at_key in places:
        q, k = turned(query, at_query), turned(key, at_key)
        both = [f"({number(x, '.2f')}, {number(y, '.2f')})" for x, y in (q, k)]
        told.append(
            f"the query at {at_query} points to {both[0]}, the key at {at_key} to {both[1]}, "
            f"and their score is {number(score(q, k), '.2f')}"
        )
    return f"Clocks with two hands, a query and a key, each turned by its position in radians: {'; '.join(told)}."


def turned(vector: Hand, position: int) -> Hand:
    """A vector of two numbers as rotary positions turn it."""
    x, y = rotate_by_position(torch.tensor([vector], dtype=torch.float64), start=position)[0].tolist()
    return x, y


def score(query: Hand, key: Hand) -> float:
    """The dot product of two hands."""
    return float(query[0] * key[0] + query[1] * key[1])


def _pairs(positions: Sequence[int], d_model: int) -> list[list[list[float]]]:
    """By position and pair: sine and cosine."""
    if not positions or min(positions) < 0:
        raise ValueError(f"positions are counted from 0, and there has to be one; got {list(positions)}")
    rows = sinusoidal_positions(max(positions) + 1, d_model).double()
    return [rows[position].unflatten(0, (-1, 2)).tolist() for position in positions]


def _clock(axes: Axes, centre: Hand, name: str, radius: float = _RADIUS) -> None:
    axes.add_patch(Circle(centre, radius, facecolor="none", edgecolor=INK, linewidth=0.8, gid=name))


def _hand(
    axes: Axes, centre: Hand, tip: Hand, name: str, colour: str, radius: float = _RADIUS, dashed: bool = False
) -> None:
    """A hand from the middle of a clock; its end without the head is drawn as a line, found again by its name."""
    end = (centre[0] + radius * tip[0], centre[1] + radius * tip[1])
    line = axes.plot(*zip(centre, end, strict=True), color=colour, linewidth=0.1)
    line[0].set(gid=name)
    arrow(axes, centre, end, color=colour, linewidth=1.8, linestyle="--" if dashed else "-")
