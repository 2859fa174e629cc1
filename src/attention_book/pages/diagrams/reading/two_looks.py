"""The figure of two translators and one sentence: each one's weights as lines between the words."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import ROLES
from ..before.looking_back import Look
from ..shapes import WIDTH, said, sheet

_PANEL, _DEEP = 132, 78  # the height of a panel, and from the source to the target, in points
_LEAST = 0.05
"""A weight below this has no line."""


def two_looks(looks: Mapping[str, Look]) -> Figure:
    """A panel per translator: the source above, what it writes below, and a line as thick as each weight.

    Args:
        looks: each translator's look by its name; all of one source and one target.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is no look, or they are not of the same sentences.
    """
    if len({(tuple(look.source), tuple(look.target)) for look in looks.values()}) != 1:
        raise ValueError("the figure is of one source and one translation, written by all translators")
    with sheet(len(looks) * _PANEL) as axes:
        for place, (name, look) in enumerate(looks.items()):
            _panel(axes, name, look, place, (len(looks) - place) * _PANEL)
    return axes.figure


def two_looks_told(looks: Mapping[str, Look]) -> str:
    """The figure of :func:`two_looks` in words."""
    told = []
    for name, look in looks.items():
        each = []
        for word, row in zip(look.target, look.weights, strict=True):
            place = int(row.argmax())
            each.append(f"{word}, {number(float(row[place]), '.2f')} on {look.source[place]}")
        told.append(f"{name.capitalize()}, the largest weight of each word: {'; '.join(each)}.")
    source, target = next((look.source, look.target) for look in looks.values())
    return f"“{' '.join(source)}” above, “{' '.join(target)}” below, once per translator. {' '.join(told)}"


def _panel(axes: Axes, name: str, look: Look, panel: int, top: int) -> None:
    """One translator: its name, the source, the lines, and the target."""
    above, below = top - 34, top - 34 - _DEEP
    said(axes, (0, top - 12), name, ha="left", weight="bold")
    middles = {}
    for row, words, y in (("source", look.source, above), ("target", look.target, below)):
        step = WIDTH / len(words)
        middles[row] = [(place + 0.5) * step for place in range(len(words))]
        for x, word in zip(middles[row], words, strict=True):
            said(axes, (x, y), word)
    for j, row in enumerate(look.weights):
        for i, weight in enumerate(row.tolist()):
            if weight >= _LEAST:
                ends = [middles["source"][i], middles["target"][j]], [above - 8, below + 8]
                line = axes.plot(*ends, color=ROLES["weight"].light, linewidth=0.3 + 7 * weight, alpha=0.85)
                line[0].set(gid=f"weight-{panel}-{i}-{j}", solid_capstyle="butt")
