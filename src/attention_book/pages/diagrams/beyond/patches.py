"""A picture cut into patches: its pixels on the left, the same pixels as one row per patch on the right."""

import torch
from jaxtyping import Float
from matplotlib.figure import Figure
from torch import Tensor

from ....models.one_stack.patches import cut_patches
from ...figures.plotting import INK
from ..shapes import box, said, sheet

PATCH = 2
_CELL, _HEIGHT, _TOP = 15.0, 196, 168.0
_LEFT, _RIGHT, _ROW = 30.0, 226.0, 9.8
_DARK = {"facecolor": (0.5, 0.5, 0.5, 0.85), "linewidth": 0.4}
_LIGHT = {"linewidth": 0.4}


def seven() -> Float[Tensor, "8 8"]:
    """A seven of 8 × 8 pixels: 1 where there is ink, 0 elsewhere."""
    image = torch.zeros(8, 8)
    image[1, 1:7] = 1.0
    image[2:7, 5] = 1.0
    return image


def cut_picture() -> Figure:
    """Draw the seven with the edges of its patches, and the list of its patches, one row each."""
    image = seven()
    rows = cut_patches(image[None], PATCH)[0]
    across = image.shape[1] // PATCH
    with sheet(_HEIGHT) as axes:
        said(axes, (_LEFT + 4 * _CELL, _TOP + 16), "the picture, 8 × 8")
        said(axes, (_RIGHT + 2 * _CELL, _TOP + 16), "16 rows of 4 pixels")
        for (row, column), pixel in _cells(image):
            centre = _LEFT + (column + 0.5) * _CELL, _TOP - (row + 0.5) * _CELL
            box(axes, centre, (_CELL, _CELL), f"pixel-{row}-{column}", **(_DARK if pixel else _LIGHT))
        side = PATCH * _CELL
        for patch in range(len(rows)):
            centre = _LEFT + (patch % across + 0.5) * side, _TOP - (patch // across + 0.5) * side
            box(axes, centre, (side, side), f"patch-{patch}", linewidth=1.6)
        for (patch, place), pixel in _cells(rows):
            centre = _RIGHT + (place + 0.5) * _CELL, _TOP - (patch + 0.5) * _ROW
            box(axes, centre, (_CELL, _ROW), f"row-{patch}-{place}", **(_DARK if pixel else _LIGHT))
        for patch in range(len(rows)):
            if patch % 3 == 0:
                said(axes, (_RIGHT - 5, _TOP - (patch + 0.5) * _ROW), str(patch), ha="right")
        middle = (_LEFT + 8 * _CELL + _RIGHT) / 2
        axes.annotate(
            "", (_RIGHT - 22, _TOP - 60), (middle - 24, _TOP - 60), arrowprops={"arrowstyle": "-|>", "color": INK}
        )
    return axes.figure


def _cells(table: Tensor) -> list[tuple[tuple[int, int], bool]]:
    """Row and column of each cell, and whether it has ink."""
    return [((i, j), bool(cell)) for i, row in enumerate(table.tolist()) for j, cell in enumerate(row)]


def cut_picture_told() -> str:
    """The figure in words."""
    rows = cut_patches(seven()[None], PATCH)[0].int().tolist()
    inked = "; ".join(f"patch {n}: {' '.join(map(str, row))}" for n, row in enumerate(rows) if any(row))
    return (
        "A seven of 8 by 8 pixels, cut into 16 patches of 2 by 2. Beside it the patches as 16 rows of 4 pixels, in "
        f"reading order. Rows with ink: {inked}. The other rows are zeros."
    )
