"""The figure of one word that asks with one head or with two: whom it looks at, and what it finds."""

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ....examples.two_heads_by_hand import FEATURES, TOKENS, X, steps
from ...figures.plotting import ROLES
from ..shapes import WIDTH, box, said, sheet

_HEIGHT = 206  # in points
_PANEL, _GAP = 104.0, 13.0  # width of a panel, and between two of them
_MOST = 3  # panels
_WORDS, _QUERY = 34, 132  # heights


class Asked(NamedTuple):
    """What one head finds for the word in the middle.

    Attributes:
        title: which head it is.
        weights: on each of the words; they sum to 1.
        found: name to value of what it finds.
    """

    title: str
    weights: tuple[float, ...]
    found: dict[str, float]


def asked(word: str = "like") -> list[Asked]:
    """The single head of the example, and both of its two, for the query of a word."""
    place = TOKENS.index(word)
    one, two = steps(1), steps(2)
    panels = []
    for title, lines, head, names in (
        ("one head", one, 0, ("person", "number")),
        ("head 0", two, 0, ("person",)),
        ("head 1", two, 1, ("number",)),
    ):
        values = dict(zip(("person", "number"), lines["heads"][head, place].tolist(), strict=False))
        weights = tuple(lines["weights"][head, place].tolist())
        panels.append(Asked(title, weights, {name: values[name] for name in names}))
    return panels


def two_heads(panels: list[Asked], word: str = "like") -> Figure:
    """A panel per head: the words below with person and number, lines as thick as the weights, what is found above.

    Raises:
        ValueError: if there are no panels, or more than three, or a panel has not one weight per word, or its weights
            do not sum to 1.
    """
    if not 1 <= len(panels) <= _MOST:
        raise ValueError(f"the sheet has room for one to {_MOST} panels, got {len(panels)}")
    for panel in panels:
        if len(panel.weights) != len(TOKENS) or abs(sum(panel.weights) - 1) > 1e-6:
            raise ValueError(f"{len(TOKENS)} words need one weight each, with the sum 1, got {panel.weights}")
    with sheet(_HEIGHT) as axes:
        left = (WIDTH - len(panels) * (_PANEL + _GAP) + _GAP) / 2
        for place, panel in enumerate(panels):
            _panel(axes, left + place * (_PANEL + _GAP), panel, place, word)
    return axes.figure


def _panel(axes: Axes, left: float, panel: Asked, place: int, word: str) -> None:
    middle, step = left + _PANEL / 2, _PANEL / len(TOKENS)
    axes.text(middle, _HEIGHT - 8, panel.title, ha="center", va="center", weight="bold", fontsize=10)
    for line, (name, value) in enumerate(panel.found.items()):
        said(axes, (middle, _HEIGHT - 26 - 14 * line), f"{name} {number(value, '.2f')}", color=ROLES["output"].light)
    said(axes, (middle, _QUERY + 12), f"query of {word}")
    for i, (token, weight) in enumerate(zip(TOKENS, panel.weights, strict=True)):
        x = left + (i + 0.5) * step
        box(axes, (x, _WORDS), (step - 3, 20), f"word-{place}-{i}")
        said(axes, (x, _WORDS), token)
        said(axes, (x, _WORDS + 20), number(weight, ".2f"), color=ROLES["weight"].light)
        person, count = (X[i, FEATURES.index(name)] for name in ("person", "number"))
        said(axes, (x, _WORDS - 20), f"{person:.0f}, {count:.0f}" if person else "–")
        line = axes.plot([x, middle], [_WORDS + 28, _QUERY], color=ROLES["weight"].light, linewidth=0.4 + 8 * weight)
        line[0].set(gid=f"weight-{place}-{i}", solid_capstyle="butt")
    axes.plot(middle, _QUERY, marker=ROLES["query"].marker, markersize=9, color=ROLES["query"].light)


def two_heads_told(panels: list[Asked], word: str = "like") -> str:
    """The figure of :func:`two_heads` in words."""
    told = []
    for panel in panels:
        looks = ", ".join(f"{number(w, '.2f')} on {token}" for token, w in zip(TOKENS, panel.weights, strict=True))
        found = " and ".join(f"{name} {number(value, '.2f')}" for name, value in panel.found.items())
        told.append(f"{panel.title.capitalize()}: {looks}; it finds {found}.")
    count = f"{('Two', 'Three')[len(panels) - 2]} panels, each with" if len(panels) > 1 else "One panel, with"
    return f"{count} the query of {word} and its weights. {' '.join(told)}"
