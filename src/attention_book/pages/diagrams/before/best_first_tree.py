"""The figure of a best-first search: every prefix that came on the list, and in which order they were taken from it."""

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ....analysis.seed_statistics import number
from ...figures.plotting import INK, ROLES
from ..shapes import SMALL, WIDTH, Point, box, said, sheet

_TALL, _GAP, _HEAD, _FOOT = 30, 9, 24, 40  # heights in points: a box, what is between two, above and below all
_CONTINUED, _ANSWER, _LEFT = "continued", "the answer", "left on the list"
_STYLES = {
    _CONTINUED: {"linewidth": 2.2},
    _ANSWER: {"linewidth": 2.2, "edgecolor": ROLES["output"].light},
    _LEFT: {"linewidth": 1, "linestyle": (0, (3, 2))},
}
_END = "</s>"
Words = tuple[str, ...]


class Listed(NamedTuple):
    """What became of a prefix on the list.

    Attributes:
        probability: of the prefix.
        taken: as which of all it was taken from the list, counted from 1; 0 if it was left there.
    """

    probability: float
    taken: int


def best_first(following: Callable[[Sequence[str]], Mapping[str, float]]) -> dict[Words, Listed]:
    """Always take the most probable prefix from the list and continue it, until the one that is taken has ended.

    Args:
        following: what can come after these words, with its probability.

    Returns:
        Every prefix that came on the list, in the order in which it came; the last to be taken is the answer.
    """
    listed: dict[Words, Listed] = {}
    agenda: list[tuple[float, Words]] = []
    words, probability, taken = (), 1.0, 0
    while words[-1:] != (_END,):
        for word, p in following(words).items():
            listed[*words, word] = Listed(probability * p, 0)
            heapq.heappush(agenda, (-probability * p, (*words, word)))
        cost, words = heapq.heappop(agenda)
        probability, taken = -cost, taken + 1
        listed[words] = Listed(probability, taken)
    return listed


def best_first_tree(listed: Mapping[Words, Listed]) -> Figure:
    """A column per number of tokens, a box per prefix, and a line from each to the prefix that it continues.

    Args:
        listed: what :func:`best_first` returns.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if a prefix has more than five tokens, for which there is no room.
    """
    columns = max(map(len, listed))
    if columns > 5:
        raise ValueError(f"there is room for prefixes of one to five tokens, and one has {columns}")
    most = max(sum(len(words) == length for words in listed) for length in range(1, columns + 1))
    column, height = WIDTH / columns, float(_HEAD + _FOOT + most * (_TALL + _GAP))
    wide = column - 28
    places = _places(listed, column, height)
    with sheet(height) as axes:
        for length in range(columns):
            title = f"{length + 1} token{'s' * (length > 0)}"
            said(axes, ((length + 0.5) * column, height - 10), title, weight="bold")
        for words, (x, y) in places.items():
            if words[:-1]:
                before, style = places[words[:-1]], _STYLES[_fate(words, listed)]
                line = {"linewidth": style["linewidth"] / 1.5, "linestyle": style.get("linestyle", "-"), "color": INK}
                ends = [before[0] + wide / 2, x - wide / 2], [before[1], y]
                axes.plot(*ends, gid="line " + " ".join(words), **line)
            _prefix(axes, (x, y), wide, words, listed)
        _legend(axes)
    return axes.figure


def best_first_told(listed: Mapping[Words, Listed]) -> str:
    """The figure of :func:`best_first_tree` in words."""
    order = sorted((one for one in listed if listed[one].taken), key=lambda one: listed[one].taken)
    taken = (f"{listed[one].taken}. {' '.join(one)} {_share(listed[one])}" for one in order)
    left = (f"{' '.join(one)} {_share(listed[one])}" for one in listed if not listed[one].taken)
    return (
        f"The prefixes in the order in which they are taken from the list: {'; '.join(taken)}, which is the answer. "
        f"Left on the list: {'; '.join(left)}."
    )


def _share(one: Listed) -> str:
    return number(one.probability, ".4g")


def _fate(words: Words, listed: Mapping[Words, Listed]) -> str:
    if not listed[words].taken:
        return _LEFT
    return _ANSWER if words[-1] == _END else _CONTINUED


def _places(listed: Mapping[Words, Listed], column: float, height: float) -> dict[Words, Point]:
    """Where each prefix stands: in a column from above, first by the place of what it continues, then as it came."""
    places: dict[Words, Point] = {}
    for length in range(1, max(map(len, listed)) + 1):
        level = [words for words in listed if len(words) == length]
        level.sort(key=lambda words: -places[words[:-1]][1] if words[:-1] else 0)
        for row, words in enumerate(level):
            places[words] = ((length - 0.5) * column, height - _HEAD - row * (_TALL + _GAP) - _TALL / 2)
    return places


def _prefix(axes: Axes, place: Point, wide: float, words: Words, listed: Mapping[Words, Listed]) -> None:
    (x, y), fate = place, _fate(words, listed)
    box(axes, place, (wide, _TALL), "prefix " + " ".join(words), **_STYLES[fate])
    if fate == _ANSWER:  # a second edge inside of the first: the answer is not told by its colour alone
        axes.add_patch(Rectangle((x - wide / 2 + 3, y - _TALL / 2 + 3), wide - 6, _TALL - 6, fill=False, linewidth=0.8))
    said(axes, (x + 6, y + 6), words[-1])
    said(axes, (x + 6, y - 7), _share(listed[words]))
    if listed[words].taken:
        said(axes, (x - wide / 2 + 12, y), str(listed[words].taken), weight="bold")


def _legend(axes: Axes) -> None:
    left = 4.0
    for fate, style in _STYLES.items():
        box(axes, (left + 10, 12), (20, 14), f"legend {fate}", **style)
        if fate == _ANSWER:
            axes.add_patch(Rectangle((left + 3, 8), 14, 8, fill=False, linewidth=0.8))
        said(axes, (left + 25, 12), fate, ha="left", fontsize=SMALL)
        left += 105
