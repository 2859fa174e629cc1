"""The figure of four trainings: from neither of two changes to both, along two ways, with the gain of each step."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ..shapes import WIDTH, arrow, box, said, sheet

_HEIGHT = 150.0
_SIZE = (92.0, 38.0)  # of a box, in points
_PLACES = ((52.0, 75.0), (WIDTH / 2, 123.0), (WIDTH / 2, 27.0), (WIDTH - 52.0, 75.0))
_STEPS = ((0, 1, 1), (0, 2, 2), (1, 3, 2), (2, 3, 1))
"""From which training to which, and which change the step makes."""


def two_orders(scores: Mapping[str, float]) -> Figure:
    """A box per training with its score, an arrow per change with what it adds.

    Args:
        scores: of neither change, of the first, of the second and of both, in this order, each with its name.

    Raises:
        ValueError: if these are not four scores.
    """
    names, values = _four(scores)
    with sheet(_HEIGHT) as axes:
        for name, value, (x, y) in zip(names, values, _PLACES, strict=True):
            box(axes, (x, y), _SIZE, f"box-{name}")
            said(axes, (x, y + 8), name)
            said(axes, (x, y - 9), f"{value:.1f}", weight="bold")
        for start, end, change in _STEPS:
            (x, y), (right, above) = _PLACES[start], _PLACES[end]
            up = 1 if above > y else -1
            outer = max(y, above) > _PLACES[0][1]  # the upper two arrows have their gain above them, the others below
            if start == 0:
                line = (x + 18, y + up * _SIZE[1] / 2), (right - _SIZE[0] / 2, above)
            else:
                line = (x + _SIZE[0] / 2, y), (right - 18, above - up * _SIZE[1] / 2)
            arrow(axes, *line, mutation_scale=10)
            side = 15 if outer else -15
            middle = (line[0][0] + line[1][0]) / 2, (line[0][1] + line[1][1]) / 2 + side
            gain = f"{names[change]} {number(values[end] - values[start], '+.1f')}"
            said(axes, middle, gain, ha="right" if start == 0 else "left")
    return axes.figure


def two_orders_told(scores: Mapping[str, float]) -> str:
    """The figure of :func:`two_orders` in words, with its numbers."""
    names, values = _four(scores)
    ways = []
    for way in (1, 2):
        first, last = (number(values[end] - values[start], "+.1f") for start, end in ((0, way), (way, 3)))
        ways.append(
            f"from {names[0]}, {values[0]:.1f}, by {first} to {names[way]}, {values[way]:.1f}, "
            f"and by {last} to {names[3]}, {values[3]:.1f}"
        )
    return f"Four trainings in boxes, and two ways along arrows: {'; '.join(ways)}."


def _four(scores: Mapping[str, float]) -> tuple[list[str], list[float]]:
    if len(scores) != 4:
        raise ValueError(f"two changes give four scores, got {len(scores)}")
    return list(scores), list(scores.values())
