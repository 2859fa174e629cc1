"""How far is one model ahead of another? A dot per seed, their mean with its 95 % interval below, and a line at 0."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ....analysis.seed_statistics import Seeds, number, over_seeds
from ...figures.plotting import INK
from ..shapes import WIDTH, said, sheet

LEFT, RIGHT = 78.0, WIDTH - 92.0
"""Where the dots of a panel may begin and end, in points."""
DOT = 5.0
"""How wide a dot is, in points."""
_ROW, _HEAD, _FOOT, _REACH = 35.0, 22.0, 24.0, 7.0  # a row, the title, the axis; how far the axis leads past the dots
_GREY = "#808080"


@dataclass(frozen=True)
class Panel:
    """Differences between models and one rival, taken seed by seed.

    Attributes:
        title: what was taken from what, and on which side of 0 a model is ahead.
        rows: the name of each model, with one difference per seed.
        spec: the format of the means, such as ``"+.1f"``.
        unit: of the differences, for the words of the figure.
    """

    title: str
    rows: Mapping[str, Seeds]
    spec: str
    unit: str


def seed_leads(*panels: Panel) -> Figure:
    """Draw panels from above, a row per model: its dots, stacked where they would touch, and its interval in numbers.

    Raises:
        ValueError: if there is no panel, a panel has no row, or a row has fewer than two seeds.
    """
    if not panels or not all(panel.rows for panel in panels):
        raise ValueError("there is no row to draw")
    heights = [_HEAD + _ROW * len(panel.rows) + _FOOT for panel in panels]
    with sheet(sum(heights)) as axes:
        for place, panel in enumerate(panels):
            _draw(axes, panel, sum(heights[place:]), f"panel-{place}")
    return axes.figure


def seed_leads_told(*panels: Panel) -> str:
    """The figure of :func:`seed_leads` in words, with every number."""
    told = ["A point per seed, and below the points a bar, the 95 % interval of their mean."]
    for panel in panels:
        rows = []
        for name, values in panel.rows.items():
            mean = over_seeds(values, "interval")
            dots = ", ".join(number(float(value), panel.spec) for value in values)
            where = "leaves 0 out" if mean.settled else "contains 0"
            rows.append(f"{name}: {dots}; mean {format(mean, panel.spec)}, which {where}")
        told.append(f"{panel.title[0].upper()}{panel.title[1:]}, in {panel.unit}. {'. '.join(rows)}.")
    return " ".join(told)


def levels(places: Sequence[float]) -> list[int]:
    """How many dots lie below each dot: as few as keep dots of one level from touching.

    Args:
        places: where the dots stand, in points.
    """
    last: list[float] = []  # the rightmost dot of each level
    found = [0] * len(places)
    for dot in np.argsort(places, kind="stable"):
        free = (level for level, at in enumerate(last) if places[dot] - at >= DOT)
        found[dot] = next(free, len(last))
        last[found[dot] : found[dot] + 1] = [places[dot]]
    return found


def _draw(axes: Axes, panel: Panel, top: float, name: str) -> None:
    means = {row: over_seeds(values, "interval") for row, values in panel.rows.items()}
    ends = [sign * mean.spread + mean.value for mean in means.values() for sign in (-1, 1)]
    drawn = np.concatenate([[0.0], ends, *panel.rows.values()])
    low, high = drawn.min(), drawn.max()

    def x(value: float) -> float:
        return LEFT + (value - low) / ((high - low) or 1.0) * (RIGHT - LEFT)

    said(axes, (WIDTH / 2, top - _HEAD / 2), panel.title)
    floor = top - _HEAD - _ROW * len(panel.rows)
    axes.plot([x(0)] * 2, [floor, top - _HEAD], color=INK, linewidth=1, linestyle="--", gid=f"{name}-zero")
    axes.plot([LEFT - _REACH, RIGHT + _REACH], [floor] * 2, color=_GREY, linewidth=0.7)
    for tick in MaxNLocator(4).tick_values(low, high):
        if low <= tick <= high:
            axes.plot([x(tick)] * 2, [floor, floor - 3], color=_GREY, linewidth=0.7)
            said(axes, (x(tick), floor - 11), number(round(float(tick), 9), "g"))
    for place, (row, values) in enumerate(panel.rows.items()):
        foot = top - _HEAD - _ROW * (place + 1) + 8
        places = [x(float(value)) for value in values]
        heights = [foot + 6 + DOT * level for level in levels(places)]
        style = {"color": INK, "linestyle": "none", "marker": "o", "markersize": DOT, "markeredgewidth": 0}
        axes.plot(places, heights, gid=f"{name}-dots-{place}", **style)
        mean = means[row]
        bar = [x(mean.value - mean.spread), x(mean.value + mean.spread)]
        axes.plot(bar, [foot] * 2, color=INK, linewidth=2, gid=f"{name}-bar-{place}")
        axes.plot([x(mean.value)], [foot], "|", color=INK, markersize=9, gid=f"{name}-mean-{place}")
        said(axes, (2, foot + 5), row.replace(", ", ",\n"), ha="left")
        said(axes, (WIDTH - 2, foot + 5), format(mean, panel.spec), ha="right")
