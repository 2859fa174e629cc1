"""What the diagrams are drawn with: a sheet measured in points, boxes, arrows, and grids of cells.

A sheet is at most 338 points wide, so that on a phone a diagram keeps its size, and its letters stay legible. Whatever
is drawn has a name, by which a test finds it again.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..figures.plotting import INK, STYLE

WIDTH = 338
"""The width of a sheet in points."""
SMALL = 9.9
"""The size of the letters beside the shapes, in points."""
Point = tuple[int | float, int | float]
_ARROW = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}


@contextmanager
def sheet(height: int | float, width: int | float = WIDTH) -> Iterator[Axes]:
    """Axes measured in points from the lower left corner, in the book's style; ``axes.figure`` is the figure."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width / 72, height / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(0, height))
        axes.set_axis_off()
        yield axes


def box(axes: Axes, centre: Point, size: Point, name: str, **style: object) -> Rectangle:
    """A box around a centre, found again by its name; it is empty with a thin edge unless the style says otherwise."""
    style = {"facecolor": "none", "edgecolor": INK, "linewidth": 1} | style
    (x, y), (width, height) = centre, size
    drawn = Rectangle((x - width / 2, y - height / 2), width, height, gid=name, **style)
    axes.add_patch(drawn)
    return drawn


def said(axes: Axes, place: Point, text: str, **style: object) -> None:
    """Small letters around a place, or beside it with ``ha="left"`` or ``ha="right"``."""
    axes.text(*place, text, **{"ha": "center", "va": "center", "fontsize": SMALL} | style)


def arrow(axes: Axes, start: Point, end: Point, **style: object) -> None:
    """An arrow from one point to another."""
    axes.annotate("", end, start, arrowprops={**_ARROW, **style})


def grid(axes: Axes, corner: Point, shape: tuple[int, int], cell: int | float, name: str, **style: object) -> None:
    """Cells of a matrix in rows from above, from its upper left corner; each is named by its row and column."""
    (left, top), (rows, columns) = corner, shape
    for row in range(rows):
        for column in range(columns):
            centre = (left + (column + 0.5) * cell, top - (row + 0.5) * cell)
            box(axes, centre, (cell, cell), f"{name}-{row}-{column}", **style)
