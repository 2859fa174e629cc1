"""The figure of words that attentions make alike: a grid of cosines after each attention, a row per kind of stack."""

from collections.abc import Mapping
from itertools import product

import torch
from jaxtyping import Float
from matplotlib.figure import Figure
from torch import Tensor

from ...figures.plotting import INK
from ..shapes import SMALL, WIDTH, box, said, sheet

_CELL, _GAP, _ROW, _HEAD = 7.6, 8.0, 78.0, 30.0  # in points


def means(cosines: Float[Tensor, "stages length length"]) -> list[float]:
    """At each stage the mean cosine between two different words."""
    others = ~torch.eye(cosines.shape[-1], dtype=torch.bool)
    return [round(one, 2) + 0.0 for one in cosines[:, others].mean(dim=1).tolist()]


def alike_words(kinds: Mapping[str, Float[Tensor, "stages length length"]]) -> Figure:
    """A row of grids per kind of stack: a cell has the more ink, the nearer its two words are in direction.

    Above the rows the attentions are counted; the number below a grid is its mean.

    Args:
        kinds: name to the cosines between any two words, before the first attention and after each.
    """
    stages, length = next(iter(kinds.values())).shape[:2]
    size = _CELL * length
    left = (WIDTH - stages * size - (stages - 1) * _GAP) / 2
    height = len(kinds) * _ROW + _HEAD
    with sheet(height) as axes:
        said(axes, (WIDTH / 2, height - 7), "number of attentions")
        for stage in range(stages):
            said(axes, (left + stage * (size + _GAP) + size / 2, height - 20), f"{stage}", fontweight="bold")
        for place, (name, cosines) in enumerate(kinds.items()):
            top = height - _HEAD - place * _ROW
            said(axes, (left, top - 9), name, ha="left", fontsize=SMALL)
            for stage, (table, mean) in enumerate(zip(cosines, means(cosines), strict=True)):
                x, y = left + stage * (size + _GAP), top - 19
                for row, column in product(range(length), repeat=2):
                    centre = x + (column + 0.5) * _CELL, y - (row + 0.5) * _CELL
                    shade = {"facecolor": INK, "alpha": max(0.0, 0.85 * float(table[row, column])), "linewidth": 0}
                    box(axes, centre, (_CELL, _CELL), f"cell-{place}-{stage}-{row}-{column}", **shade)
                box(axes, (x + size / 2, y - size / 2), (size, size), f"edge-{place}-{stage}", linewidth=0.7)
                said(axes, (x + size / 2, y - size - 9), f"{mean:.2f}")
    return axes.figure


def alike_words_told(kinds: Mapping[str, Float[Tensor, "stages length length"]]) -> str:
    """The figure of :func:`alike_words` in words, with its numbers."""
    told = (f"{name}: {', '.join(f'{mean:.2f}' for mean in means(cosines))}" for name, cosines in kinds.items())
    return f"Mean cosine between two words, before the first attention and after each. {'; '.join(told)}."
