"""The figure of the two square roots: one makes a word longer beside its position, one takes a sum's growth back."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .....analysis.seed_statistics import number
from ....figures.plotting import INK
from ...shapes import arrow, box, said, sheet

_HEIGHT, _UNIT = 276, 44.0  # in points: the sheet, and a length of 1
_CORNERS = ((12.0, 172.0), (176.0, 172.0))  # where the two triangles begin
_SUMS = ((82.0, 50.0, 12.0), (256.0, 50.0, 12.0))  # middle, floor and points per unit of the two distributions


class Roots(NamedTuple):
    """A word and its position, and a dot product of coin flips.

    Attributes:
        word: the numbers of the word's row, whose length is 1.
        position: the numbers of its position, at a right angle to the word.
    """

    word: Sequence[float]
    position: Sequence[float]

    @property
    def width(self) -> int:
        """How many numbers a word has, and how many products the dot product sums."""
        return len(self.word)

    @property
    def factors(self) -> tuple[float, float]:
        """What the word is multiplied by: nothing, and the root of the width."""
        return 1.0, math.sqrt(self.width)

    def share(self, factor: float) -> float:
        """The position's share of the squared length of the sum."""
        word, position = (float(np.square(x).sum()) for x in (np.multiply(factor, self.word), np.array(self.position)))
        return position / (word + position)

    @property
    def sums(self) -> Float[np.ndarray, " sums"]:
        """What a dot product of coin flips can be."""
        return 2.0 * np.arange(self.width + 1) - self.width

    @property
    def chances(self) -> Float[np.ndarray, " sums"]:
        """How probable each of these sums is."""
        return np.array([math.comb(self.width, heads) for heads in range(self.width + 1)]) / 2.0**self.width


def two_roots(roots: Roots) -> Figure:
    """Above, word + position without the factor and with it; below, dot products without the divisor and with it.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if the word is not of length 1, word and position are not at a right angle, or are too long.
    """
    if not math.isclose(np.linalg.norm(roots.word), 1, rel_tol=1e-6):
        raise ValueError("the word's row has to have the length 1")
    if abs(float(np.dot(roots.word, roots.position))) > 1e-6:
        raise ValueError("word and position have to be at a right angle, or the triangles are none")
    if roots.width > 4:
        raise ValueError(f"a width of {roots.width} does not fit: take 4 at most")
    with sheet(_HEIGHT) as axes:
        said(axes, (2, _HEIGHT - 8), "The root that multiplies, before a sum of two", ha="left", weight="bold")
        for corner, factor in zip(_CORNERS, roots.factors, strict=True):
            _triangle(axes, roots, corner, factor)
        said(axes, (2, 124), f"The root that divides, after a sum of {roots.width}", ha="left", weight="bold")
        for place, divisor in zip(_SUMS, roots.factors, strict=True):
            _distribution(axes, roots, place, divisor)
    return axes.figure


def roots_told(roots: Roots) -> str:
    """The figure of :func:`two_roots` in words."""
    bare, scaled = (number(100 * roots.share(factor), ".0f") for factor in roots.factors)
    root, long = f"{roots.factors[1]:.3g}", number(float(np.linalg.norm(roots.position)), ".2f")
    return (
        f"Above: a word of length 1 and its position of length {long}, at a right angle, and their sum; the position "
        f"has {bare} % of the squared length. Beside it the word is {root} long, and the position has {scaled} %. "
        f"Below: a dot product of {roots.width} coin flips, from −{roots.width} to {roots.width}, with a typical size "
        f"of {root}; beside it the same divided by {root}, with a typical size of 1."
    )


def _triangle(axes: Axes, roots: Roots, corner: tuple[float, float], factor: float) -> None:
    """The word to the right, the position up from its end, and the sum from the corner to the top."""
    (x, y), long = corner, _UNIT * float(np.linalg.norm(roots.position))
    end = x + _UNIT * factor
    arrow(axes, (x, y), (end, y), linewidth=3)
    arrow(axes, (end, y), (end, y + long), linewidth=1.6)
    arrow(axes, (x, y), (end, y + long), linewidth=1, linestyle=(0, (3, 2)))
    said(axes, ((x + end) / 2, y - 10), "word" if factor == 1 else f"√{roots.width} · word")
    said(axes, (end + 5, y + long / 2), "position", ha="left")
    said(axes, (x, y - 26), f"position: {number(100 * roots.share(factor), '.0f')} % of length²", ha="left")
    axes.plot([x, end, end], [y, y, y + long], linestyle="none", gid=f"triangle-{factor:g}")


def _distribution(axes: Axes, roots: Roots, place: tuple[float, float, float], divisor: float) -> None:
    """A bar per possible sum, as high as it is probable, and a bracket of the typical size each way."""
    middle, floor, unit = place
    for at, (total, chance) in enumerate(zip(roots.sums / divisor, roots.chances, strict=True)):
        size, style = (
            (unit * 1.2 / divisor, 120 * float(chance)),
            {"facecolor": INK, "edgecolor": "none", "alpha": 0.55},
        )
        box(axes, (middle + unit * total, floor + size[1] / 2), size, f"sum-{divisor:g}-{at}", **style)
    for total in sorted({-roots.width / divisor, 0.0, roots.width / divisor}):
        said(axes, (middle + unit * total, floor - 9), number(total, ".0f"))
    reach = unit * math.sqrt(roots.width) / divisor
    axes.plot([middle - reach, middle + reach], [floor - 20] * 2, color=INK, linewidth=1.6, gid=f"reach-{divisor:g}")
    told = "q · k" if divisor == 1 else f"q · k / √{roots.width}"
    size = number(math.sqrt(roots.width) / divisor, ".0f")
    said(axes, (middle, floor - 33), f"{told}: typical size {size}")
