"""The figure of a bigram model: an arrow from each word to every word that came after it, as thick as its share."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....counting.ngrams import END, START, NGramModel
from ...figures.plotting import ROLES
from ..shapes import WIDTH, Point, arrow, box, said, sheet

_HEIGHT, _MIDDLE = 206, 112  # in points
_BOX = (34, 20)
_ROWS = 88  # between the words of one column
Shares = Mapping[tuple[str, str], Fraction]


def bigram_shares(sentences: Sequence[Sequence[str]]) -> dict[tuple[str, str], Fraction]:
    """The share of each pair of words, (the word before, the word): a count divided by that of the word before.

    Args:
        sentences: the words of each, without start and end.

    Raises:
        ValueError: no sentences.
    """
    counts = NGramModel(sentences, 2, smoothing="none").counts
    return {
        (context[0], word): Fraction(count, following.total())
        for context, following in counts.items()
        if context
        for word, count in following.items()
    }


def bigram_graph(shares: Shares, columns: Sequence[Sequence[str]], missing: tuple[str, str]) -> Figure:
    """Draw the words in columns, an arrow for each share, and one dashed arrow that is not there.

    Args:
        shares: as :func:`bigram_shares` returns them.
        columns: the words from left to right, each column from above.
        missing: a pair of words without a share.

    Raises:
        ValueError: if a word of the shares is in no column, or the missing pair has a share.
    """
    words = {word for column in columns for word in column}
    if left_out := {word for pair in (*shares, missing) for word in pair} - words:
        raise ValueError(f"give {', '.join(sorted(left_out))} a place in `columns`")
    if missing in shares:
        raise ValueError(f"{' '.join(missing)} is not missing, it has the share {shares[missing]}")
    places = _places(columns)
    with sheet(_HEIGHT) as axes:
        for word, place in places.items():
            box(axes, place, _BOX, word)
            said(axes, place, word)
        column = {word: number for number, column in enumerate(columns) for word in column}
        for (before, word), share in shares.items():
            ends, width = (places[before], places[word]), 0.7 + 2.6 * float(share)
            if column[word] - column[before] in (1, -1):
                bend = 0.2 if (word, before) in shares else 0.0
                _beside(axes, *ends, bend, str(share), linewidth=width)
            else:
                _around(axes, *ends, -1, str(share), linewidth=width)
        style = {"color": ROLES["mask"].light, "linestyle": (0, (3, 3))}
        _around(axes, *(places[word] for word in missing), 1, "never seen", **style)
    return axes.figure


def bigram_graph_told(shares: Shares, missing: tuple[str, str]) -> str:
    """The figure of :func:`bigram_graph` in words."""
    after: dict[str, list[str]] = {}
    for (before, word), share in shares.items():
        after.setdefault(before, []).append(f"{word} with {share}")
    lines = (f"From {before}: {', '.join(said)}." for before, said in after.items())
    before, word = missing
    return " ".join(
        [
            f"A bigram model as boxes with words, from {START} on the left to {END} on the right, and arrows from each "
            "word to the words that came after it, each with its share.",
            *lines,
            f"A dashed arrow from {before} to {word} is marked as never seen.",
        ]
    )


def _places(columns: Sequence[Sequence[str]]) -> dict[str, Point]:
    """A place for each word; the words of a column stand above each other around the middle."""
    step = (WIDTH - _BOX[0] - 4) / (len(columns) - 1)
    return {
        word: (2 + _BOX[0] / 2 + step * number, _MIDDLE + _ROWS * ((len(column) - 1) / 2 - row))
        for number, column in enumerate(columns)
        for row, word in enumerate(column)
    }


def _beside(axes: Axes, start: Point, end: Point, bend: float, text: str, **style: object) -> None:
    """An arrow between neighbouring columns, bent to its right by a share of its length, with a text at its side."""
    (x0, y0), (x1, y1) = start, end
    forward = 1 if x1 > x0 else -1
    x0, x1 = x0 + forward * (_BOX[0] / 2 + 1), x1 - forward * (_BOX[0] / 2 + 1)
    across, up = y1 - y0, x0 - x1  # at right angles to the arrow, to its right
    length = math.hypot(across, up)
    place = [(a + b) / 2 + bend * n / 2 + 10 * n / length for a, b, n in ((x0, x1, across), (y0, y1, up))]
    arrow(axes, (x0, y0), (x1, y1), connectionstyle=f"arc3,rad={bend}", mutation_scale=8, **style)
    said(axes, (place[0], place[1]), text)


def _around(axes: Axes, start: Point, end: Point, side: int, text: str, **style: object) -> None:
    """An arrow that passes above the others (side 1), or below them (side −1), with a text at its middle."""
    (x0, y0), (x1, y1) = start, end
    y0, y1 = (y + side * (_BOX[1] / 2 + 1) for y in (y0, y1))
    bend = -side * 0.36 * (1 if x1 > x0 else -1)
    middle = (y0 + y1 - bend * (x1 - x0)) / 2
    arrow(axes, (x0, y0), (x1, y1), connectionstyle=f"arc3,rad={bend}", mutation_scale=8, **style)
    said(axes, ((x0 + x1 + bend * (y1 - y0)) / 2, middle + 10 * side), text)
