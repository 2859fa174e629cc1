"""The figure of a beam search: every candidate of every step, and which of them live on, end, or are dropped."""

import math
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ....analysis.seed_statistics import number
from ....translation.beam_tree import DROPPED, FINISHED, KEPT, BeamTree, Candidate
from ...figures.plotting import INK, ROLES
from ..shapes import SMALL, WIDTH, Point, box, said, sheet

_TALL, _GAP, _HEAD, _FOOT = 30, 9, 24, 40  # heights in points: a box, what is between two, above and below all
_STYLES = {
    KEPT: {"linewidth": 2.2},
    FINISHED: {"linewidth": 2.2, "edgecolor": ROLES["output"].light},
    DROPPED: {"linewidth": 1, "linestyle": (0, (3, 2))},
}
Placed = dict[tuple[int, int], Point]


def beam_levels(tree: BeamTree, spelt: Callable[[Sequence[int]], str]) -> Figure:
    """A column per step of the search, a box per candidate, and a line from each to the prefix that it continues.

    Args:
        tree: the search; the candidates of a step stand from above in the order of their parents, then by rank.
        spelt: turns ids into words.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if the search has no step, or more than five, for which there is no room.
    """
    if not 1 <= len(tree.steps) <= 5:
        raise ValueError(f"there is room for one to five steps, and this search has {len(tree.steps)}")
    most = max(len(step.candidates) for step in tree.steps)
    height = float(_HEAD + _FOOT + most * (_TALL + _GAP))
    column = WIDTH / len(tree.steps)
    wide = column - 15
    places = _places(tree, column, height)
    with sheet(height) as axes:
        for level, step in enumerate(tree.steps):
            said(axes, ((level + 0.5) * column, height - 10), f"step {level + 1}", weight="bold")
            for rank, one in enumerate(step.candidates):
                if level:
                    _line(axes, tree, places, (level, rank), wide)
                _candidate(axes, places[level, rank], wide, one, spelt)
        _legend(axes)
    return axes.figure


def levels_told(tree: BeamTree, spelt: Callable[[Sequence[int]], str]) -> str:
    """The figure of :func:`beam_levels` in words."""
    told = ["A beam search step by step, with the probability of each candidate."]
    for level, step in enumerate(tree.steps, start=1):
        each = (f"{spelt(one.tokens)} {_probability(one)}, {one.fate}" for one in step.candidates)
        told.append(f"Step {level}: {'; '.join(each)}.")
    return " ".join(told)


def _probability(one: Candidate) -> str:
    return number(math.exp(one.log_prob), ".4g")


def _places(tree: BeamTree, column: float, height: float) -> Placed:
    """Where each candidate stands, by level and rank."""
    places: Placed = {}
    for level, step in enumerate(tree.steps):
        family = sorted(range(len(step.candidates)), key=lambda rank: (_elder(tree, places, level, rank), rank))
        for row, rank in enumerate(family):
            places[level, rank] = ((level + 0.5) * column, height - _HEAD - row * (_TALL + _GAP) - _TALL / 2)
    return places


def _parent(tree: BeamTree, level: int, rank: int) -> int:
    """The rank, among all candidates of the step before, of the prefix that one continues."""
    before = [place for place, one in enumerate(tree.steps[level - 1].candidates) if one.fate == KEPT]
    return before[tree.steps[level].candidates[rank].parent]


def _elder(tree: BeamTree, places: Placed, level: int, rank: int) -> float:
    return -places[level - 1, _parent(tree, level, rank)][1] if level else 0.0


def _line(axes: Axes, tree: BeamTree, places: Placed, child: tuple[int, int], wide: float) -> None:
    level, rank = child
    (x0, y0), (x1, y1) = places[level - 1, _parent(tree, level, rank)], places[child]
    style = _STYLES[tree.steps[level].candidates[rank].fate]
    line = {"linewidth": style["linewidth"] / 1.5, "linestyle": style.get("linestyle", "-"), "color": INK}
    axes.plot([x0 + wide / 2, x1 - wide / 2], [y0, y1], gid=f"line-{level}-{rank}", **line)


def _candidate(axes: Axes, place: Point, wide: float, one: Candidate, spelt: Callable) -> None:
    x, y = place
    name = "-".join([one.fate, *map(str, one.tokens)])
    box(axes, place, (wide, _TALL), name, **_STYLES[one.fate])
    if one.fate == FINISHED:  # a second edge inside of the first: the end is not told by its colour alone
        axes.add_patch(Rectangle((x - wide / 2 + 3, y - _TALL / 2 + 3), wide - 6, _TALL - 6, fill=False, linewidth=0.8))
    said(axes, (x, y + 6), spelt(one.tokens[-1:]))
    said(axes, (x, y - 7), _probability(one))


def _legend(axes: Axes) -> None:
    left = 4.0
    for fate, text in ((KEPT, "kept"), (FINISHED, "finished"), (DROPPED, "dropped")):
        box(axes, (left + 10, 12), (20, 14), f"legend-{fate}", **_STYLES[fate])
        if fate == FINISHED:
            axes.add_patch(Rectangle((left + 3, 8), 14, 8, fill=False, linewidth=0.8))
        said(axes, (left + 25, 12), text, ha="left", fontsize=SMALL)
        left += 92
