"""The figure of dot products that grow with their width: how they are spread, and what softmax makes of such scores."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .....analysis.seed_statistics import number
from .....attention.probability import softmax
from ....figures.plotting import INK, ROLES
from ...shapes import box, said, sheet

DEVIATIONS = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""Where the scores of the five keys lie, in standard deviations of a dot product."""
_ROW, _TOP, _BOTTOM = 74, 20, 18  # heights in points: of a row, and of what stands above and below all rows
_ZERO, _UNIT, _DENSITY = 82.0, 3.1, 92.0  # where a dot product of 0 stands, points per unit, points per density
_BARS, _STEP, _WHOLE = 196.0, 32.0, 40.0  # where weights begin, from bar to bar, the height of the weight 1


class Spread(NamedTuple):
    """Scores of queries and keys whose components are +1 or −1, each by a fair coin of its own.

    Attributes:
        width: d_k, the number of components.
        divisor: what the dot products are divided by.
    """

    width: int
    divisor: float = 1.0

    @property
    def deviation(self) -> float:
        """The standard deviation of a score."""
        return math.sqrt(self.width) / self.divisor

    @property
    def places(self) -> Float[np.ndarray, " sums"]:
        """The scores that can occur, in rising order."""
        return (2.0 * np.arange(self.width + 1) - self.width) / self.divisor

    @property
    def chances(self) -> Float[np.ndarray, " sums"]:
        """How probable each of them is."""
        return np.array([math.comb(self.width, heads) for heads in range(self.width + 1)]) / 2.0**self.width

    @property
    def weights(self) -> Float[np.ndarray, " keys"]:
        """What softmax gives to five keys with scores at `DEVIATIONS`."""
        return softmax(self.deviation * np.array(DEVIATIONS))


def wide_scores(spreads: Sequence[Spread]) -> Figure:
    """A row per width: the distribution of a score at the left, the weights of five keys at the right.

    Args:
        spreads: the rows, from above.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is no row, or a standard deviation exceeds 8, for which there is no room.
    """
    if not spreads:
        raise ValueError("there is no row to draw")
    if max(it.deviation for it in spreads) > 8:
        raise ValueError("scores with a standard deviation above 8 do not fit: take a width of at most 64")
    with sheet(_TOP + _ROW * len(spreads) + _BOTTOM) as axes:
        top = axes.get_ylim()[1]
        said(axes, (_ZERO, top - 9), "how scores are spread")
        said(axes, (_BARS + 2 * _STEP, top - 9), "weights of five keys")
        for row, spread in enumerate(spreads):
            floor = top - _TOP - _ROW * (row + 1) + 18
            _distribution(axes, spread, row, floor)
            _weights(axes, spread, row, floor)
        said(axes, (2, 8), "bracket: one standard deviation each way", ha="left")
    return axes.figure


def scores_told(spreads: Sequence[Spread]) -> str:
    """The figure of :func:`wide_scores` in words."""
    rows = [
        f"{_title(it).capitalize()}: scores have a standard deviation of {number(it.deviation, '.0f')}, and weights "
        f"of {', '.join(number(weight, '.2f') for weight in it.weights)}."
        for it in spreads
    ]
    first = (
        "Each row has the distribution of a dot product at the left, and at the right the weights that softmax gives "
        "to five keys whose scores lie at −1, −½, 0, ½ and 1 standard deviation."
    )
    return " ".join([first, *rows])


def _title(spread: Spread) -> str:
    divided = f", divided by {number(spread.divisor, '.0f')}" if spread.divisor != 1 else ""
    return f"width {spread.width}{divided}"


def _distribution(axes: Axes, spread: Spread, row: int, floor: float) -> None:
    """A bar per possible score, whose area is its probability, with a bracket of one standard deviation each way."""
    said(axes, (2, floor + _ROW - 28), _title(spread), ha="left")
    apart = 2 / spread.divisor
    for at, (place, chance) in enumerate(zip(spread.places, spread.chances, strict=True)):
        height, x = _DENSITY * chance / apart, _ZERO + _UNIT * place
        if height > 0.05:
            style = {"facecolor": INK, "edgecolor": "none", "alpha": 0.55}
            box(axes, (x, floor + height / 2), (0.8 * _UNIT * apart, height), f"chance-{row}-{at}", **style)
    reach = _UNIT * spread.deviation
    for end in (-reach, reach):
        axes.plot([_ZERO + end] * 2, [floor - 10, floor - 4], color=INK, linewidth=1.2)
    axes.plot([_ZERO - reach, _ZERO + reach], [floor - 7] * 2, color=INK, linewidth=1.2, gid=f"deviation-{row}")
    said(axes, (_ZERO + reach + 4, floor - 8), f"± {number(spread.deviation, '.0f')}", ha="left")


def _weights(axes: Axes, spread: Spread, row: int, floor: float) -> None:
    for key, weight in enumerate(spread.weights):
        x, height = _BARS + _STEP * key, _WHOLE * float(weight)
        box(axes, (x, floor + height / 2), (18, height), f"weight-{row}-{key}", facecolor=ROLES["weight"].light)
        said(axes, (x, floor + height + 8), number(weight, ".2f"))
