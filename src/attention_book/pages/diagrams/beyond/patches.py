"""A picture cut into patches, its pixels as one row per patch beside it; images of two bars, some with a label."""

import torch
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from ....models.one_stack.patches import cut_patches
from ...figures.plotting import INK
from ..shapes import Point, box, said, sheet

PATCH = 2
BAR_PATCH, BAR_SIDE = 3, 12
"""Sides of a patch and of an image of the experiment, in pixels."""
_CELL, _HEIGHT, _TOP = 15.0, 200, 172.0
_LEFT, _RIGHT, _ROW = 30.0, 226.0, 10.2
_BAR_CELL, _BAR_HEIGHT, _BAR_TOP, _BAR_LEFTS = 11.0, 164, 140.0, (18.0, 188.0)
_SMALL_CELL, _SMALL_HEIGHT, _SMALL_TOP, _SMALL_STEP = 3.2, 66, 60.0, 49.0
_DARK = {"facecolor": (0.5, 0.5, 0.5, 0.85), "linewidth": 0.4}
_LIGHT = {"linewidth": 0.4}


def seven() -> Float[Tensor, "8 8"]:
    """A seven of 8 × 8 pixels: 1 where there is ink, 0 elsewhere."""
    image = torch.zeros(8, 8)
    image[1, 1:7] = 1.0
    image[2:7, 5] = 1.0
    return image


def exchanged_bars() -> tuple[Float[Tensor, "12 12"], Float[Tensor, "12 12"]]:
    """Two images of the experiment without noise: two bars, then the same bars with their rows exchanged."""
    images = torch.zeros(2, BAR_SIDE, BAR_SIDE)
    for image, (lying, standing) in zip(images, ((1, 7), (7, 1)), strict=True):
        image[lying, 1:4] = 1.0
        image[standing : standing + 3, 10] = 1.0
    return images[0], images[1]


LABELLED = (
    ((0, 5), (3, 0)), ((5, 6), (8, 1)), ((4, 0), (1, 8)), ((2, 2), (8, 8)), ((9, 1), (3, 9)), ((8, 7), (5, 2)),
    ((3, 7), (6, 1)),
)  # fmt: skip
"""Images of the experiment: row and column at which the lying bar begins, then those of the standing one."""


def cut_picture() -> Figure:
    """Draw the seven with the edges of its patches, and the list of its patches, one row each.

    Left of each row of patches stands the number of its first one.
    """
    image = seven()
    rows = cut_patches(image[None], PATCH)[0]
    with sheet(_HEIGHT) as axes:
        said(axes, (_LEFT + 4 * _CELL, _TOP + 16), "the picture, 8 × 8")
        said(axes, (_RIGHT + 2 * _CELL, _TOP + 16), "16 rows of 4 pixels")
        _picture(axes, image, PATCH, (_LEFT, _TOP), _CELL)
        for down in range(8 // PATCH):
            place = _LEFT - 5, _TOP - (down + 0.5) * PATCH * _CELL
            said(axes, place, str(down * 8 // PATCH), ha="right", fontsize=9.8)
        for (patch, place), pixel in _cells(rows):
            centre = _RIGHT + (place + 0.5) * _CELL, _TOP - (patch + 0.5) * _ROW
            box(axes, centre, (_CELL, _ROW), f"row-{patch}-{place}", **(_DARK if pixel else _LIGHT))
        for patch in range(len(rows)):
            said(axes, (_RIGHT - 5, _TOP - (patch + 0.5) * _ROW), str(patch), ha="right", fontsize=9.8)
        middle = (_LEFT + 8 * _CELL + _RIGHT) / 2
        axes.annotate(
            "", (_RIGHT - 22, _TOP - 60), (middle - 24, _TOP - 60), arrowprops={"arrowstyle": "-|>", "color": INK}
        )
    return axes.figure


def same_patches() -> Figure:
    """Draw both images of `exchanged_bars` with the edges of their patches, each under its label."""
    with sheet(_BAR_HEIGHT) as axes:
        for image, left, label in zip(exchanged_bars(), _BAR_LEFTS, ("yes", "no"), strict=True):
            said(axes, (left + BAR_SIDE / 2 * _BAR_CELL, _BAR_TOP + 13), f"lying bar higher: {label}")
            _picture(axes, image, BAR_PATCH, (left, _BAR_TOP), _BAR_CELL, f"{label}-")
    return axes.figure


def labelled_images() -> Figure:
    """Draw the images of :data:`LABELLED` without noise, each but the last with its label under it."""
    with sheet(_SMALL_HEIGHT) as axes:
        for n, (lying, standing) in enumerate(LABELLED):
            left, size = 2 + n * _SMALL_STEP, BAR_SIDE * _SMALL_CELL
            centre = left + size / 2, _SMALL_TOP - size / 2
            box(axes, centre, (size, size), f"image-{n}", linewidth=1.2)
            for name, (row, column), shape in (("lying", lying, (3, 1)), ("standing", standing, (1, 3))):
                width, height = (_SMALL_CELL * length for length in shape)
                centre = left + column * _SMALL_CELL + width / 2, _SMALL_TOP - row * _SMALL_CELL - height / 2
                box(axes, centre, (width, height), f"{name}-{n}", **_DARK)
            said(axes, (left + size / 2, _SMALL_TOP - size - 10), _label(n))
    return axes.figure


def labelled_images_told() -> str:
    """The figure of labelled images in words."""
    told = [
        f"{_label(n)}: lying bar from row {lying[0]}, column {lying[1]}, standing bar from row {standing[0]}, column "
        f"{standing[1]}"
        for n, (lying, standing) in enumerate(LABELLED)
    ]
    return f"Seven images of 12 by 12 pixels with a lying and a standing bar, counted from 0. {'; '.join(told)}."


def _label(n: int) -> str:
    """What stands under an image of :data:`LABELLED`."""
    (lying, _), (standing, _) = LABELLED[n]
    return "?" if n == len(LABELLED) - 1 else "yes" if lying < standing else "no"


def _picture(axes: Axes, image: Tensor, side: int, corner: Point, cell: float, name: str = "") -> None:
    """The pixels of an image from its upper left corner, and over them the edges of its patches."""
    left, top = corner
    for (row, column), pixel in _cells(image):
        centre = left + (column + 0.5) * cell, top - (row + 0.5) * cell
        box(axes, centre, (cell, cell), f"{name}pixel-{row}-{column}", **(_DARK if pixel else _LIGHT))
    for patch in range(image.numel() // side**2):
        down, across = divmod(patch, image.shape[1] // side)
        centre = left + (across + 0.5) * side * cell, top - (down + 0.5) * side * cell
        box(axes, centre, (side * cell, side * cell), f"{name}patch-{patch}", linewidth=1.6)


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


def same_patches_told() -> str:
    """The figure of both images in words."""
    inked = [_inked(cut_patches(image[None], BAR_PATCH)[0]) for image in exchanged_bars()]
    return (
        "Two images of 12 by 12 pixels, cut into 16 patches of 3 by 3. Each has a lying and a standing bar of three "
        f"pixels. Left: the lying bar is higher; the patches with ink are {inked[0]}. Right: the bars have exchanged "
        f"their rows, and the standing bar is higher; the patches with ink are {inked[1]}. They are the same four "
        "patches, in other places."
    )


def _inked(rows: Tensor) -> str:
    """Numbers of the patches with ink."""
    *most, last = rows.any(dim=1).nonzero()[:, 0].tolist()
    return f"{', '.join(map(str, most))} and {last}"
