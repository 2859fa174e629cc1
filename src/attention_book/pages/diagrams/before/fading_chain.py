"""The figure of a fading memory: a chain of one-number states, the factor of each step, and what is left of a move."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from matplotlib.figure import Figure

from ...figures.plotting import INK
from ..shapes import WIDTH, arrow, box, said, sheet

_FULL, _FLOOR, _BOX = 70, 24, (44, 24)  # in points: the height of 1, the baseline of the bars, a state


@dataclass(frozen=True)
class Chain:
    r"""A cell with one number, :math:`h_t = \tanh(\log 3 \cdot (h_{t-1} + x_t))`, that starts from 0.

    Args:
        words: a number for each word that it reads; two at least.

    Raises:
        ValueError: fewer than two words.
    """

    words: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.words) < 2:
            raise ValueError("a chain needs two words at least")

    @cached_property
    def states(self) -> list[float]:
        """The state after each word."""
        found = [0.0]
        for x in self.words:
            found.append(math.tanh(math.log(3) * (found[-1] + x)))
        return found[1:]

    @cached_property
    def factors(self) -> list[float]:
        """By how much each state moves with the one before, from the second on: log 3 · (1 − h²)."""
        return [math.log(3) * (1 - h**2) for h in self.states[1:]]

    @cached_property
    def left(self) -> list[float]:
        """What is left at each state of a small move of the first."""
        return [math.prod(self.factors[:n], start=1.0) for n in range(len(self.states))]


def fading_chain(chain: Chain) -> Figure:
    """Draw the states in a row, the factor above each arrow, and below each state a bar as high as what is left."""
    step = (WIDTH - _BOX[0] - 4) / (len(chain.states) - 1)
    middle = _FLOOR + _FULL + 46
    with sheet(middle + 34) as axes:
        axes.plot([2, WIDTH - 2], [_FLOOR, _FLOOR], color=INK, linewidth=1)
        for n, (h, left) in enumerate(zip(chain.states, chain.left, strict=True)):
            x = 2 + _BOX[0] / 2 + step * n
            box(axes, (x, middle), _BOX, f"state {n + 1}")
            said(axes, (x, middle), f"{h:.2f}")
            said(axes, (x, middle + 21), "h" + chr(ord("₁") + n))
            box(axes, (x, _FLOOR + _FULL * left / 2), (24, _FULL * left), f"left {n + 1}", facecolor=INK, linewidth=0)
            said(axes, (x, _FLOOR + _FULL * left + 9), f"{left:.2f}")
            if n:
                arrow(axes, (x - step + _BOX[0] / 2 + 1, middle), (x - _BOX[0] / 2 - 1, middle))
                said(axes, (x - step / 2, middle + 11), f"· {chain.factors[n - 1]:.2f}")
        said(axes, (WIDTH / 2, _FLOOR - 13), "left of a small move of the first state")
    return axes.figure


def fading_chain_told(chain: Chain) -> str:
    """The figure of :func:`fading_chain` in words."""
    lists = [", ".join(f"{value:.2f}" for value in values) for values in (chain.states, chain.factors, chain.left)]
    return (
        f"A chain of {len(chain.states)} states: {lists[0]}. The factors of the steps between them: {lists[1]}. "
        f"Bars for what is left of a small move of the first state: {lists[2]}."
    )
