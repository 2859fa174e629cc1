"""The figure of tiles: a table of scores that is never whole, the tile that is in memory, and what is kept beside."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ....attention.tiles import cuts, is_future
from ...figures.plotting import ROLES
from ..shapes import arrow, box, said, sheet

_HEIGHT = 254  # in points
_LEFT, _TOP, _CELL = 76.0, 206.0, 15.0
_STRIP = 17.0
_STATE = (304.0, 62.0)  # centre and width of the boxes on the right
Tile = tuple[int, int]


@dataclass(frozen=True)
class Tiling:
    """A causal table of scores, cut into square tiles that are read row by row.

    Attributes:
        length: how many queries, and keys.
        side: of a tile.
        now: the tile that is being read, counted from 1.
    """

    length: int = 12
    side: int = 3
    now: int = 5

    @property
    def cuts(self) -> list[slice]:
        """The positions of each tile."""
        return cuts(self.length, self.side)

    @property
    def order(self) -> dict[Tile, int]:
        """Row and column of every tile that is read, in the order of reading, with its number from 1."""
        places = [(i, j) for i, rows in enumerate(self.cuts) for j, columns in enumerate(self.cuts)
                  if not is_future(rows, columns)]  # fmt: skip
        return {place: number for number, place in enumerate(places, start=1)}

    @property
    def skipped(self) -> list[Tile]:
        """The tiles that are never read."""
        every = ((i, j) for i in range(len(self.cuts)) for j in range(len(self.cuts)))
        return [place for place in every if place not in self.order]

    @property
    def current(self) -> Tile:
        """Row and column of the tile that is being read."""
        return next(place for place, number in self.order.items() if number == self.now)


BY_TILES = Tiling()
"""The case of the page."""


def tiles(tiling: Tiling = BY_TILES) -> Figure:
    """Draw the keys and the values above, the queries on the left, the tiles, and what is kept per row of tiles."""
    with sheet(_HEIGHT) as axes:
        row, column = tiling.current
        for name, role, height in (("values", "value", 2), ("keys", "key", 1)):
            y = _TOP + (height - 0.5) * (_STRIP + 3)
            said(axes, (_LEFT - 6, y), name, ha="right")
            for n, part in enumerate(tiling.cuts):
                centre = (_LEFT + (part.start + part.stop) / 2 * _CELL, y)
                box(axes, centre, (_width(part), _STRIP), f"{name}-{n}", **_style(role, n == column))
        said(axes, (_LEFT - _STRIP - 9, _TOP - tiling.length * _CELL / 2), "queries", ha="right")
        for n, part in enumerate(tiling.cuts):
            y = _TOP - (part.start + part.stop) / 2 * _CELL
            centre = (_LEFT - 3 - _STRIP / 2, y)
            box(axes, centre, (_STRIP, _width(part)), f"queries-{n}", **_style("query", n == row))
            _kept_parts(axes, y, n, row)
        for place in tiling.skipped:
            centre, size = _tile(tiling, place)
            box(axes, centre, size, f"skipped-{place[0]}-{place[1]}", linestyle=(0, (2, 3)), linewidth=0.7)
        for place, number in tiling.order.items():
            _read(axes, tiling, place, number)
        for place in tiling.skipped:
            said(axes, _tile(tiling, place)[0], "never\nread")
        said(axes, (_LEFT + tiling.length * _CELL / 2, 12), "bold: in memory now")
    return axes.figure


def _width(part: slice) -> float:
    return (part.stop - part.start) * _CELL


def _style(role: str, now: bool) -> dict[str, object]:
    """Pale and thin, or full and bold for what is in memory."""
    return {"facecolor": (*to_rgb(ROLES[role].light), 0.4 if now else 0.1), "linewidth": 2.4 if now else 0.6}


def _tile(tiling: Tiling, place: Tile) -> tuple[tuple[float, float], tuple[float, float]]:
    """Centre and size of a tile."""
    rows, columns = (tiling.cuts[n] for n in place)
    centre = _LEFT + (columns.start + columns.stop) / 2 * _CELL, _TOP - (rows.start + rows.stop) / 2 * _CELL
    return centre, (_width(columns), _width(rows))


def _read(axes: Axes, tiling: Tiling, place: Tile, number: int) -> None:
    """One tile with its cells; those of the future are empty."""
    rows, columns = (tiling.cuts[n] for n in place)
    alpha = 0.4 if number == tiling.now else 0.16 if number < tiling.now else 0.0
    colour = (*to_rgb(ROLES["weight"].light), alpha)
    for i in range(rows.start, rows.stop):
        for j in range(columns.start, min(columns.stop, i + 1)):
            centre = (_LEFT + (j + 0.5) * _CELL, _TOP - (i + 0.5) * _CELL)
            box(axes, centre, (_CELL, _CELL), f"cell-{i}-{j}", facecolor=colour, linewidth=0.3)
    centre, size = _tile(tiling, place)
    bold = 2.6 if number == tiling.now else 0.9
    box(axes, centre, size, f"tile-{place[0]}-{place[1]}", linewidth=bold)
    said(axes, (centre[0] - size[0] / 2 + 8.5, centre[1] - size[1] / 2 + 7.5), str(number), weight="bold")


def _kept_parts(axes: Axes, y: float, n: int, row: int) -> None:
    """What is kept of one row of tiles: its output, the three numbers of a partial mean, or nothing yet."""
    x, width = _STATE
    if n < row:
        text, style = "outputs", _style("output", False)
    elif n == row:
        text, style = "largest,\ntotal, sum", _style("output", True)
        arrow(axes, (_LEFT + 12 * _CELL + 2, y), (x - width / 2 - 2, y))
    else:
        text, style = "to come", {"linestyle": (0, (2, 3)), "linewidth": 0.7}
    box(axes, (x, y), (width, 30), f"kept-{n}", **style)
    said(axes, (x, y), text)


def tiles_told(tiling: Tiling = BY_TILES) -> str:
    """The figure of :func:`tiles` in words."""
    row, column = tiling.current
    rows, columns = (tiling.cuts[n] for n in (row, column))
    return (
        f"A table of {tiling.length} queries by {tiling.length} keys, cut into {len(tiling.cuts)} × {len(tiling.cuts)} "
        f"tiles of {tiling.side} × {tiling.side}. {len(tiling.order)} tiles are read, numbered row by row; "
        f"{len(tiling.skipped)} lie wholly in the future and are never read. Tile {tiling.now} is in memory: queries "
        f"{rows.start} to {rows.stop - 1}, with the keys and values {columns.start} to {columns.stop - 1}. Of its row "
        f"of tiles, the largest score, the total and the sum of values are kept. Rows of tiles above, with their "
        f"outputs: {row}. Rows of tiles below, to come: {len(tiling.cuts) - row - 1}."
    )
