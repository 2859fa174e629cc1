"""Figures of *Distillation* and *What helped?*: teachers who disagree, and the rungs of the ladder."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from ...figures.plotting import INK, STYLE
from ..shapes import SMALL, WIDTH, said, sheet

LEFT, RIGHT = 62.0, WIDTH - 22.0
"""Where the axis of probabilities begins and ends, in points."""
_ROW, _FOOT, _HEAD = 28.0, 42.0, 38.0
_INCHES = 338 / 72  # as wide as a phone shows without making letters smaller


def lesson(words: Sequence[str], teachers: Float[np.ndarray, "teachers words"], reference: str) -> Figure:
    """A row per word: a hollow circle per teacher, a square at their mean, and a cross where the reference puts it.

    Args:
        words: that may come next.
        teachers: the probability of each word, a row per teacher.
        reference: the word that the pair has.

    Raises:
        ValueError: if the reference is none of the words.
    """
    if reference not in words:
        raise ValueError(f"{reference!r} is none of the words {', '.join(words)}")
    height = _FOOT + len(words) * _ROW + _HEAD
    with sheet(height) as axes:
        said(axes, (WIDTH / 2, height - 11), "○ each teacher   ■ the mean of the teachers")
        said(axes, (WIDTH / 2, height - 26), "× the pair")
        for number in range(6):
            x = _at(number / 5)
            axes.plot([x, x], [_FOOT - 8, height - _HEAD], color="#808080", linewidth=0.5, alpha=0.6)
            said(axes, (x, _FOOT - 17), f"{number / 5:.1f}")
        for row, word in enumerate(words):
            y, told = height - _HEAD - (row + 0.5) * _ROW, teachers[:, row]
            said(axes, (LEFT - 12, y), word, ha="right")
            circle = {"markerfacecolor": "none", "markeredgewidth": 1.3, "linestyle": "none"}
            axes.plot(
                _at(told), np.full(len(told), y), color=INK, marker="o", markersize=8, gid=f"each-{row}", **circle
            )
            axes.plot([_at(told.mean())], [y], color=INK, marker="s", markersize=6, gid=f"mean-{row}")
            at = [_at(float(word == reference))]
            axes.plot(at, [y], color=INK, marker="x", markersize=9, markeredgewidth=1.6, gid=f"reference-{row}")
        said(axes, (WIDTH / 2, 8), "probability as the next word")
    return axes.figure


def _at(probability: float | np.ndarray) -> float | np.ndarray:
    """Where a probability stands on the axis."""
    return LEFT + probability * (RIGHT - LEFT)


def lesson_told(words: Sequence[str], teachers: Float[np.ndarray, "teachers words"], reference: str) -> str:
    """The figure of :func:`lesson` in words, with its numbers."""
    rows = [
        f"{word}: {', '.join(f'{p:.2f}' for p in told)}, mean {told.mean():.2f}"
        for word, told in zip(words, teachers.T, strict=True)
    ]
    return (
        f"The probability of each word, a circle per teacher and a square at the mean. {'; '.join(rows)}. "
        f"The pair puts all on {reference}."
    )


def rungs(scores: Mapping[str, Sequence[float]]) -> Figure:
    """A row per rung with a dot per model; a dashed line goes up from the first.

    Args:
        scores: the name of each rung with the BLEU of its models, the first rung first.
    """
    with mpl.rc_context(STYLE | {"font.size": SMALL}):
        figure = Figure(figsize=(_INCHES, 1.9), layout="constrained")
        axes = figure.add_subplot()
        for place, (name, values) in enumerate(scores.items()):
            axes.plot(
                list(values), [place] * len(values), "o", color=INK, markersize=5.5, alpha=0.8, gid=f"rung-{name}"
            )
        first = next(iter(scores.values()))
        axes.axvline(float(np.mean(first)), color=INK, linewidth=0.8, linestyle="--", gid="first")
        axes.set_yticks(range(len(scores)), list(scores))
        axes.set_ylim(-0.6, len(scores) - 0.4)
        axes.set_xlabel("BLEU on the validation sentences, greedy")
        axes.grid(axis="x", color="#808080", alpha=0.25, linewidth=0.6)
    return figure


def rungs_told(scores: Mapping[str, Sequence[float]]) -> str:
    """The figure of :func:`rungs` in words, with its numbers."""
    rows = (f"{name}: {', '.join(f'{score:.1f}' for score in values)}" for name, values in scores.items())
    return f"BLEU of each rung, from the lowest to the highest row. {'; '.join(rows)}."
