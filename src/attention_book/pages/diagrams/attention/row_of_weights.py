"""The figure of one row of weights: where it looks on average, and how far around that place."""

import math
from collections.abc import Sequence

from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK, ROLES
from ..shapes import WIDTH, arrow, box, said, sheet

_BASE, _TALL = 70, 80  # in points: the foot of the bars, a bar of weight 1
_STEP = WIDTH / 4.6


def offset_and_spread(weights: Sequence[float], query: int) -> tuple[float, float]:
    """Mean and standard deviation of the distances from a query's position to the keys'."""
    offset = sum(a * (j - query) for j, a in enumerate(weights))
    return offset, math.sqrt(sum(a * (j - query - offset) ** 2 for j, a in enumerate(weights)))


def row_of_weights(weights: Sequence[float], query: int) -> Figure:
    """A bar per key, the query's own position, the offset from there, and the spread around it.

    Raises:
        ValueError: if the weights do not sum to 1, or the query's position is not one of the keys'.
    """
    if abs(sum(weights) - 1) > 1e-6 or not 0 <= query < len(weights):
        raise ValueError(f"weights sum to 1 and the query stands at a key, got {list(weights)} and {query}")
    offset, spread = offset_and_spread(weights, query)
    step = _STEP * 4 / len(weights)

    def at(position: float | int) -> float:
        return WIDTH / 2 + (position - (len(weights) - 1) / 2) * step

    with sheet(_BASE + max(weights) * _TALL + 18) as axes:
        for key, weight in enumerate(weights):
            size, middle = (30, max(weight * _TALL, 0.8)), _BASE + weight * _TALL / 2
            box(axes, (at(key), middle), size, f"weight-{key}", facecolor=ROLES["weight"].light, edgecolor="none")
            said(axes, (at(key), _BASE + weight * _TALL + 10), number(weight, ".2f"))
            distance = key - query
            own = "query" if distance == 0 else number(distance, "+.0f")
            said(axes, (at(key), _BASE - 10), f"key {key}: {own}")
        axes.plot([at(-0.5), at(len(weights) - 0.5)], [_BASE, _BASE], color=INK, linewidth=1)
        mean = at(query + offset)
        arrow(axes, (at(query), 44), (mean, 44))
        axes.plot([at(query)] * 2, [38, _BASE - 18], color=INK, linewidth=1, linestyle=(0, (3, 2)))
        said(axes, (at(query) + 6, 44), f"offset {number(offset, '.2f')}", ha="left")
        ends = (mean - spread * step, mean + spread * step)
        axes.plot(ends, [24, 24], color=INK, linewidth=4, solid_capstyle="butt", gid="spread")
        said(axes, (sum(ends) / 2, 10), f"spread: {number(spread, '.2f')} to either side")
    return axes.figure


def row_told(weights: Sequence[float], query: int) -> str:
    """The figure of :func:`row_of_weights` in words."""
    offset, spread = offset_and_spread(weights, query)
    bars = ", ".join(f"{number(weight, '.2f')} on key {key}" for key, weight in enumerate(weights))
    return (
        f"Bars for the weights of a query at position {query}: {bars}. An arrow from the query leads to the "
        f"offset, {number(offset, '.2f')}. A bar around that place shows the spread, {number(spread, '.2f')} to "
        f"either side."
    )
