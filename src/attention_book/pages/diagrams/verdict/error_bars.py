"""The figure of error categories: for each category a bar per translator, with its count."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from ...figures.plotting import INK
from ..shapes import WIDTH, box, said, sheet

Counts = Mapping[str, Mapping[str, int]]
LEFT, RIGHT = 128.0, WIDTH - 26.0
"""Where the bars begin, and where the longest ends, in points."""
_BAR, _GAP, _LEGEND = 11.5, 9.0, 20.0
_GREY = "#808080"
_STYLES = (
    {"facecolor": INK, "edgecolor": INK},
    {"facecolor": "none", "edgecolor": INK, "hatch": "/////", "linewidth": 0.8},
    {"facecolor": "none", "edgecolor": INK},
)


def error_bars(systems: Counts) -> Figure:
    """Draw a group of bars per category: the first translator's filled, the second's hatched, the third's hollow.

    Args:
        systems: for each translator, at most three, its count in each category; the same categories in one order.

    Raises:
        ValueError: more translators than styles, or other categories.
    """
    names = list(systems)
    categories = list(systems[names[0]])
    if len(names) > len(_STYLES) or any(list(counts) != categories for counts in systems.values()):
        raise ValueError(f"at most {len(_STYLES)} translators have bars, all with the same categories")
    group = len(names) * _BAR + _GAP
    height = len(categories) * group + _LEGEND * len(names) + 4
    scale = (RIGHT - LEFT) / max(1, *(count for counts in systems.values() for count in counts.values()))
    with sheet(height) as axes:
        for place, name in enumerate(names):
            y = height - _LEGEND * (place + 0.5)
            box(axes, (LEFT + 8, y), (16, _BAR - 1), f"legend-{place}", **_STYLES[place])
            said(axes, (LEFT + 24, y), name, ha="left")
        for row, category in enumerate(categories):
            top = height - _LEGEND * len(names) - row * group - _GAP / 2
            said(axes, (LEFT - 8, top - len(names) * _BAR / 2), category, ha="right")
            for place, name in enumerate(names):
                count, y = systems[name][category], top - (place + 0.5) * _BAR
                width = count * scale
                box(axes, (LEFT + width / 2, y), (width, _BAR - 2), f"bar-{row}-{place}", **_STYLES[place])
                said(axes, (LEFT + width + 4, y), str(count), ha="left")
        bottom, top = 2, height - _LEGEND * len(names)
        axes.plot([LEFT, LEFT], [bottom, top], color=_GREY, linewidth=0.7)
    return axes.figure


def error_bars_told(systems: Counts) -> str:
    """The figure of :func:`error_bars` in words."""
    parts = [
        f"{name}: {', '.join(f'{category} {n}' for category, n in counts.items())}" for name, counts in systems.items()
    ]
    return f"For each translator the number of sentences in each category. {'. '.join(parts)}."
