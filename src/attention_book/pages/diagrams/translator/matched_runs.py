"""The figure of BLEU's counts: which runs of one to four words of a translation stand in the reference."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from ....translation.ngram_scores import runs_found
from ...figures.plotting import INK, ROLES
from ..shapes import WIDTH, box, said, sheet

_COUNTS = 52  # in points: the column at the right with the counts
_LANE, _BAR, _GAP = 9, 5, 12  # a lane of bars, a bar, and the space between two lengths of runs
_LETTER, _BETWEEN = 5.0, 4.0  # about the width of a letter, and the least space between two words


def matched_runs(translation: Sequence[str], reference: Sequence[str]) -> Figure:
    """Draw the words in a row, and below them a bar per run: full if the reference has the run, hollow if not.

    Args:
        translation, reference: their words.

    Raises:
        ValueError: if the words are too many for one row.
    """
    lefts, rights = _places(translation)
    lanes = 1 + 2 + 3 + 4
    height = lanes * _LANE + 4 * _GAP + 24
    with sheet(height) as axes:
        for word, left, right in zip(translation, lefts, rights, strict=True):
            said(axes, ((left + right) / 2, height - 10), word)
        top = height - 24
        for n in (1, 2, 3, 4):
            found = runs_found(translation, reference, n)
            for i, hit in enumerate(found):
                left, right, middle = lefts[i] + 1, rights[i + n - 1] - 1, top - (i % n + 0.5) * _LANE
                style = {"facecolor": ROLES["output"].light, "edgecolor": "none"} if hit else {"linestyle": "--"}
                name = f"run-{n}-{i}-{'found' if hit else 'missed'}"
                box(axes, ((left + right) / 2, middle), (right - left, _BAR), name, **style)
            said(axes, (WIDTH - 2, top - n * _LANE / 2), f"{sum(found)} of {len(found)}", ha="right")
            top -= n * _LANE + _GAP
            if n < 4:
                axes.plot([0, WIDTH], [top + _GAP / 2] * 2, color=INK, linewidth=0.3)
    return axes.figure


def matched_runs_told(translation: Sequence[str], reference: Sequence[str]) -> str:
    """The figure of :func:`matched_runs` in words."""
    parts = [f"The translation, {' '.join(translation)}, with a bar under each run of its words."]
    for n in (1, 2, 3, 4):
        found = runs_found(translation, reference, n)
        missed = [f"“{' '.join(translation[i : i + n])}”" for i, hit in enumerate(found) if not hit]
        runs = "single words" if n == 1 else f"runs of {n} words"
        without = f"; not {', '.join(missed)}" if missed else ""
        parts.append(f"{runs.capitalize()}: {sum(found)} of {len(found)} stand in the reference{without}.")
    return " ".join(parts)


def _places(words: Sequence[str]) -> tuple[list[float], list[float]]:
    """Where the words begin and end: each as wide as its letters, with what is left over shared among them."""
    widths = [len(word) * _LETTER + _BETWEEN for word in words]
    spare = WIDTH - _COUNTS - sum(widths)
    if spare < 0:
        raise ValueError(f"{len(words)} words are too many for one row")
    lefts, rights, at = [], [], 0.0
    for width in widths:
        lefts.append(at)
        at += width + spare / len(widths)
        rights.append(at)
    return lefts, rights
