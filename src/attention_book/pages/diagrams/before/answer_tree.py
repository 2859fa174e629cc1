"""The figure of the chain rule: answers as a tree, whose branches are the choices of the next token."""

from collections.abc import Mapping
from fractions import Fraction

from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK
from ..shapes import WIDTH, Point, said, sheet

_ROW, _TOP = 40, 24  # in points
_END = "</s>"
Counts = Mapping[tuple[str, ...], int]


def factors_by_beginning(counts: Counts) -> dict[tuple[str, ...], Fraction]:
    """For each beginning of an answer, its last token's share among the answers that begin like it up to there.

    Args:
        counts: how often each answer was given, by its tokens without the end token, which is added.

    Raises:
        ValueError: no answers, or a count below 1.
    """
    if not counts or min(counts.values()) < 1:
        raise ValueError("a tree needs answers, each given at least once")
    times: dict[tuple[str, ...], int] = {}
    for answer, count in counts.items():
        tokens = (*answer, _END)
        for length in range(len(tokens) + 1):
            times[tokens[:length]] = times.get(tokens[:length], 0) + count
    return {begin: Fraction(count, times[begin[:-1]]) for begin, count in times.items() if begin}


def answer_tree(counts: Counts) -> Figure:
    """Draw the answers as a tree from left to right; a branch is as thick as its factor, and carries it.

    Args:
        counts: as for :func:`factors_by_beginning`.
    """
    factors, total = factors_by_beginning(counts), sum(counts.values())
    places = _places(factors, list(counts))
    with sheet(_ROW * len(counts) + _TOP) as axes:
        for begin, factor in factors.items():
            (x0, y0), (x1, y1) = places[begin[:-1]], places[begin]
            start, end = x0 + _half(begin[:-1]), x1 - _half(begin)
            line = axes.plot([start, end], [y0, y1], linewidth=0.6 + 3 * float(factor), color=INK)[0]
            line.set(gid=" ".join(begin), solid_capstyle="butt")
            said(axes, (end - 12, y1 + (9 if y1 >= y0 else -9)), number(float(factor), ".2f"))
            said(axes, (x1, y1), begin[-1])
        said(axes, places[()], "<s>")
        said(axes, (WIDTH - 20, _ROW * len(counts) + 10), "product")
        for answer, count in counts.items():
            said(axes, (WIDTH - 20, places[(*answer, _END)][1]), number(count / total, ".1f"))
    return axes.figure


def answer_tree_told(counts: Counts) -> str:
    """The figure of :func:`answer_tree` in words."""
    factors, total = factors_by_beginning(counts), sum(counts.values())
    lines = []
    for answer, count in counts.items():
        tokens = (*answer, _END)
        steps = (f"{token} {number(float(factors[tokens[: place + 1]]), '.2f')}" for place, token in enumerate(tokens))
        lines.append(f"{', '.join(steps)}: product {number(count / total, '.1f')}.")
    return " ".join(["A tree of answers; every branch is a choice of the next token, with its share.", *lines])


def _half(begin: tuple[str, ...]) -> int | float:
    """Half the width of a token's text, with some room."""
    return 3 * len(begin[-1] if begin else "<s>") + 4


def _places(factors: Mapping[tuple[str, ...], Fraction], answers: list[tuple[str, ...]]) -> dict[tuple, Point]:
    """A place for each beginning: ends one below the other, all else halfway between its first and last branch."""
    deepest = max(map(len, answers)) + 1
    step = (WIDTH - 90) / deepest
    places = {
        (*answer, _END): (16 + step * (len(answer) + 1), _ROW * (len(answers) - row - 0.5))
        for row, answer in enumerate(answers)
    }
    for begin in sorted((begin for begin in {(), *factors} if begin not in places), key=len, reverse=True):
        below = [place[1] for longer, place in places.items() if longer[:-1] == begin]
        places[begin] = (16 + step * len(begin), (min(below) + max(below)) / 2)
    return places
