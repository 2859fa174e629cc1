"""The figure of a step that two ranks share: from the gradients of their tokens to one sum, and back to both."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..shapes import WIDTH, arrow, box, said, sheet

_HEIGHT = 282  # in points
_COLUMNS = (85.0, 253.0)
_CELL = 26.0
_Y = {"title": 272, "cells": 246, "mean": 190, "part": 136, "sum": 82, "step": 24}
_BOX = (118, 26)


@dataclass(frozen=True)
class SharedStep:
    """A step in which a model of one parameter is trained by several ranks.

    Attributes:
        gradients: per rank, the derivative of the loss of each of its tokens.
    """

    gradients: Sequence[Sequence[int]]

    @property
    def tokens(self) -> int:
        """How many all ranks have together."""
        return sum(map(len, self.gradients))

    @property
    def means(self) -> list[Fraction]:
        """The gradient of each rank's own mean loss."""
        return [Fraction(sum(own), len(own)) for own in self.gradients]

    @property
    def shares(self) -> list[Fraction]:
        """The share of all tokens that each rank has."""
        return [Fraction(len(own), self.tokens) for own in self.gradients]

    @property
    def parts(self) -> list[Fraction]:
        """What each rank adds to the sum."""
        return [share * mean for share, mean in zip(self.shares, self.means, strict=True)]

    @property
    def gradient(self) -> Fraction:
        """The sum: the gradient of the mean loss of all tokens."""
        return sum(self.parts, Fraction(0))

    @property
    def mean_of_means(self) -> Fraction:
        """What comes out if all ranks count alike."""
        return sum(self.means, Fraction(0)) / len(self.means)


BY_HAND = SharedStep(((2, 4, 6), (8,)))
"""The case of the page: three tokens and one."""


def shared_step(step: SharedStep = BY_HAND) -> Figure:
    """Draw two ranks side by side, their tokens above; in the middle the sum; below, the same step on both.

    Raises:
        ValueError: for another number of ranks than two.
    """
    if len(step.gradients) != 2:
        raise ValueError(f"the figure has two ranks, not {len(step.gradients)}")
    with sheet(_HEIGHT) as axes:
        widest = max(map(len, step.gradients))
        for rank, x in enumerate(_COLUMNS):
            _rank(axes, step, rank, x, widest)
        middle = WIDTH / 2
        box(axes, (middle, _Y["sum"]), (96, 26), "sum", linewidth=2)
        said(axes, (middle, _Y["sum"]), f"sum: {step.gradient}", weight="bold")
    return axes.figure


def _rank(axes: Axes, step: SharedStep, rank: int, x: int | float, widest: int) -> None:
    """One column, from the rank's tokens to its step."""
    own = step.gradients[rank]
    said(axes, (x, _Y["title"]), f"rank {rank}", weight="bold")
    for place in range(widest):
        centre = (x + (place - (widest - 1) / 2) * _CELL, _Y["cells"])
        real = place < len(own)
        box(axes, centre, (_CELL, 22), f"token-{rank}-{place}", **({} if real else {"linestyle": (0, (2, 2))}))
        said(axes, centre, str(own[place]) if real else "pad")
    count = f"{len(own)} token{'s' if len(own) > 1 else ''}"
    for name, text in (("mean", f"{count}, mean {step.means[rank]}"), ("part", f"adds {step.parts[rank]}"),
                       ("step", f"step with {step.gradient}")):  # fmt: skip
        box(axes, (x, _Y[name]), _BOX, f"{name}-{rank}")
        said(axes, (x, _Y[name]), text)
    arrow(axes, (x, _Y["cells"] - 12), (x, _Y["mean"] + 14))
    arrow(axes, (x, _Y["mean"] - 14), (x, _Y["part"] + 14))
    said(axes, (x + 8, (_Y["mean"] + _Y["part"]) / 2), f"times {step.shares[rank]}", ha="left")
    toward = WIDTH / 2 + (-30 if x < WIDTH / 2 else 30)
    arrow(axes, (x, _Y["part"] - 14), (toward, _Y["sum"] + 14))
    arrow(axes, (toward, _Y["sum"] - 14), (x, _Y["step"] + 14))


def shared_step_told(step: SharedStep = BY_HAND) -> str:
    """The figure of :func:`shared_step` in words."""
    told = []
    for rank, own in enumerate(step.gradients):
        tokens = f"{len(own)} token{'s' if len(own) > 1 else ''}"
        numbers = f"with the gradients {', '.join(map(str, own))}, mean {step.means[rank]}"
        told.append(f"Rank {rank} has {tokens} {numbers if len(own) > 1 else f'with the gradient {own[0]}'}; times "
                    f"{step.shares[rank]} it adds {step.parts[rank]}.")  # fmt: skip
    return f"{' '.join(told)} The sum is {step.gradient}, and both ranks take the same step with {step.gradient}."
