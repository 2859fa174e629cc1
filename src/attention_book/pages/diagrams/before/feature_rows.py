"""The figure of a log-linear model: a row of points per feature, their sum, and the shares that softmax makes of it."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from matplotlib.figure import Figure

from ...figures.plotting import INK
from ..shapes import WIDTH, arrow, box, said, sheet

_LEFT, _STEP, _CELL, _ROW, _FULL = 148, 92, (80, 22), 30, 60  # in points; the last is the height of the share 1
_FLOOR = 8
Factors = Mapping[str, Sequence[int]]


def shares_of(factors: Factors) -> list[Fraction]:
    """The share of each word, exactly: softmax of sums of logarithms is a product of factors over the products' sum.

    Args:
        factors: by the name of a feature, a factor per word, the exponential of the points that it gives.
    """
    products = [math.prod(column) for column in zip(*factors.values(), strict=True)]
    return [Fraction(product, sum(products)) for product in products]


def feature_rows(words: Sequence[str], factors: Factors) -> Figure:
    """Draw a row of points per feature, below them the sum, and below the sum a bar per word, as high as its share.

    Args:
        words: two words that may come next.
        factors: as for :func:`shares_of`; a factor of k is drawn as log k points.

    Raises:
        ValueError: if these are not two words, or a feature has another number of factors.
    """
    if len(words) != 2 or any(len(row) != 2 for row in factors.values()):
        raise ValueError("give two words, and two factors per feature")
    sums = [math.prod(column) for column in zip(*factors.values(), strict=True)]
    rows = {**{name: list(row) for name, row in factors.items()}, "sum": sums}
    top = _FLOOR + _FULL + 46 + _ROW * len(rows)
    columns = [_LEFT + _STEP * (n + 0.5) for n in range(2)]
    with sheet(top + 12) as axes:
        for x, word in zip(columns, words, strict=True):
            said(axes, (x, top), word, style="italic")
        for n, (name, row) in enumerate(rows.items()):
            y = top - 22 - _ROW * n - (8 if name == "sum" else 0)
            said(axes, (_LEFT - 6, y), name, ha="right")
            for x, word, factor in zip(columns, words, row, strict=True):
                box(axes, (x, y), _CELL, f"{name} {word}", linewidth=2 if name == "sum" else 1)
                said(axes, (x, y), _points(factor))
        line = y + _CELL[1] / 2 + 4
        axes.plot([_LEFT - 60, WIDTH - 2], [line, line], color=INK, linewidth=1)
        said(axes, (_LEFT - 6, _FLOOR + _FULL / 2), "softmax", ha="right")
        for x, word, share in zip(columns, words, shares_of(factors), strict=True):
            high = _FULL * float(share)
            arrow(axes, (x, y - _CELL[1] / 2 - 1), (x, _FLOOR + high + 16))
            box(axes, (x, _FLOOR + high / 2), (24, high), f"share {word}", facecolor=INK, linewidth=0)
            said(axes, (x, _FLOOR + high + 8), str(share))
    return axes.figure


def feature_rows_told(words: Sequence[str], factors: Factors) -> str:
    """The figure of :func:`feature_rows` in words."""
    lines = [
        f"{name}: {', '.join(f'{_points(k)} to {word}' for word, k in zip(words, row, strict=True))}."
        for name, row in factors.items()
    ]
    shares = ", ".join(f"{word} {share}" for word, share in zip(words, shares_of(factors), strict=True))
    return " ".join(["Rows of points, one per feature, are added.", *lines, f"Softmax of the sum gives {shares}."])


def _points(factor: int) -> str:
    return "0" if factor == 1 else f"log {factor}"
