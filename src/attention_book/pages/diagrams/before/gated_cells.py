"""The figure of the two cells with gates, side by side: what flows from the old state to the new one, through what."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.plotting import IN_FULL, INK, ROLES
from ..shapes import Point, arrow, box, said, sheet

_HEIGHT, _PANEL = 330, 172  # in points: of the sheet, and from one cell to the next
_TOP, _SUM, _BEND, _READ, _BOTTOM = 284, 204, 144, 92, 44  # heights of what stands side by side in both cells
GATE, BENT, SUM, TIMES, END = "gate", "tanh", "sum", "matrix", "end"
_UP = {GATE: 14, BENT: 11, SUM: 10, TIMES: 10, END: 0}  # from the centre of a shape to its upper edge
_ASIDE = {GATE: 19, BENT: 25, SUM: 10, TIMES: 10, END: 0}  # and to its side
_WIDE = 18  # how far from its centre a wide box may be entered from below


class Part(NamedTuple):
    """A thing in a cell.

    Attributes:
        kind: `GATE`, `BENT`, `SUM`, `TIMES` or `END`.
        label: the letters in it.
        words: what it is called in words.
        place: its centre in points, counted from the cell's lower left corner.
    """

    kind: str
    label: str
    words: str
    place: Point


class Flow(NamedTuple):
    """A way through a cell.

    Attributes:
        parts: names of the parts that it passes, from its beginning to its end.
        carries: whether this is the way on which the cell remembers; it is drawn thick.
    """

    parts: Sequence[str]
    carries: bool = False


class Cell(NamedTuple):
    """A cell: its name, its parts by name, and the ways between them."""

    title: str
    parts: Mapping[str, Part]
    flows: Sequence[Flow]


GRU = Cell(
    "GRU",
    {
        "old": Part(END, "$h_{t-1}$", "the old state", (28, _BOTTOM)),
        "x": Part(END, "$x_t$", "the word", (144, _BOTTOM)),
        "z": Part(GATE, "z", "the gate z", (28, _BEND)),
        "matrix": Part(TIMES, "W", "a matrix", (60, _READ)),
        "r": Part(GATE, "r", "the gate r", (114, _READ)),
        "n": Part(BENT, "n: tanh", "the proposal n, made by tanh", (128, _BEND)),
        "rest": Part(GATE, "1−z", "the gate 1 − z", (84, _SUM)),
        "sum": Part(SUM, "+", "the sum", (28, _SUM)),
        "new": Part(END, "$h_t$", "the new state", (28, _TOP)),
    },
    (
        Flow(("old", "z", "sum", "new"), carries=True),
        Flow(("old", "matrix", "r", "n")),
        Flow(("x", "n")),
        Flow(("n", "rest", "sum")),
    ),
)
LSTM = Cell(
    "LSTM",
    {
        "old": Part(END, "$c_{t-1}$", "the old memory", (28, _BOTTOM)),
        "state": Part(END, "$h_{t-1}$", "the old state", (112, _BOTTOM)),
        "x": Part(END, "$x_t$", "the word", (144, _BOTTOM)),
        "f": Part(GATE, "f", "the gate f", (28, _BEND)),
        "g": Part(BENT, "g: tanh", "the proposal g, made by tanh", (128, _BEND)),
        "i": Part(GATE, "i", "the gate i", (84, _SUM)),
        "sum": Part(SUM, "+", "the sum", (28, _SUM)),
        "new": Part(END, "$c_t$", "the new memory", (28, _TOP)),
        "bent": Part(BENT, "tanh", "tanh", (74, _SUM + 42)),
        "o": Part(GATE, "o", "the gate o", (128, _SUM + 42)),
        "out": Part(END, "$h_t$", "the new state", (128, _TOP)),
    },
    (
        Flow(("old", "f", "sum", "new"), carries=True),
        Flow(("state", "g")),
        Flow(("x", "g")),
        Flow(("g", "i", "sum")),
        Flow(("sum", "bent", "o", "out")),
    ),
)


def gated_cells(cells: Sequence[Cell] = (GRU, LSTM)) -> Figure:
    """Cells side by side, each read from its lower edge, the state before the word, to its upper edge, that after it.

    Args:
        cells: at most two.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if a way passes a part that its cell does not have, or there are more than two cells.
    """
    if len(cells) > 2:
        raise ValueError(f"two cells stand side by side at most, got {len(cells)}")
    for cell in cells:
        if unknown := {name for flow in cell.flows for name in flow.parts} - set(cell.parts):
            raise ValueError(f"the {cell.title} has no part {', '.join(sorted(unknown))}")
    with sheet(_HEIGHT) as axes:
        for number, cell in enumerate(cells):
            _draw(axes, cell, number * _PANEL)
        gate = ROLES["weight"].light
        axes.plot(12, 10, marker="D", markersize=9, markerfacecolor="none", markeredgecolor=gate, gid="legend-gate")
        said(axes, (22, 10), "a gate: between 0 and 1, set by word and old state", ha="left")
    return axes.figure


def cells_told(cells: Sequence[Cell] = (GRU, LSTM)) -> str:
    """The figure of :func:`gated_cells` in words."""
    told = ["Cells with gates, drawn as flows from the state before a word to the state after it."]
    for cell in cells:
        told.append(f"{cell.title}:")
        for flow in cell.flows:
            first, *middle, last = (cell.parts[name].words for name in flow.parts)
            through = f" through {', then '.join(middle)}" if middle else ""
            told.append(f"{first} flows{through} to {last}{' (the thick line)' if flow.carries else ''};")
        told[-1] = told[-1][:-1] + "."
    told.append("A gate lets a share between 0 and 1 through, set by the word and the old state.")
    return " ".join(told)


def _draw(axes: Axes, cell: Cell, left: int) -> None:
    placed = {name: (part.place[0] + left, part.place[1]) for name, part in cell.parts.items()}
    axes.text(left + 78, _HEIGHT - 14, cell.title, ha="center", va="center", weight="bold", fontsize=12)
    for flow in cell.flows:
        width = 3.5 if flow.carries else 1.2
        for start, end in zip(flow.parts, flow.parts[1:], strict=False):
            _way(axes, placed[start], placed[end], cell.parts[start].kind, cell.parts[end].kind, width)
    for name, part in cell.parts.items():
        _shape(axes, part, placed[name], f"{cell.title}-{name}")


def _way(axes: Axes, start: Point, end: Point, leaves: str, meets: str, width: float) -> None:
    """A line upwards and then sideways, from edge to edge; into a wide box it leads straight up where it can."""
    (x0, y0), (x1, y1) = start, end
    sideways = abs(x1 - x0) > (_WIDE if meets == BENT and y1 > y0 else 2)
    turns = sideways and y1 != y0
    first = (x0, y0 + _UP[leaves]) if turns or not sideways else (x0 + _ASIDE[leaves] * (1 if x1 > x0 else -1), y0)
    if turns:
        axes.plot([x0, x0], [first[1], y1], color=INK, linewidth=width)
        first = (x0, y1)
    stop = (x1 - _ASIDE[meets] * (1 if x1 > x0 else -1), y1) if sideways else (x0, y1 - _UP[meets])
    arrow(axes, first, stop, linewidth=width)


def _shape(axes: Axes, part: Part, place: Point, name: str) -> None:
    x, y = place
    if part.kind == END:
        said(axes, (x, y - 12 if y < _READ else y + 8), part.label, fontsize=12, gid=name)
        return
    style = {"fontsize": 11}
    if part.kind == GATE:
        wide, high = _ASIDE[GATE], _UP[GATE]
        corners = [(x - wide, y), (x, y + high), (x + wide, y), (x, y - high)]
        axes.fill(*zip(*corners, strict=True), facecolor=ROLES["weight"].light, edgecolor=INK, linewidth=1, gid=name)
        style["color"] = IN_FULL["weight"]
    elif part.kind == SUM:
        axes.plot(x, y, marker="o", markersize=2 * _UP[SUM], markerfacecolor="none", markeredgecolor=INK, gid=name)
    else:
        box(axes, place, (2 * _ASIDE[part.kind], 2 * _UP[part.kind]), name)
    said(axes, place, part.label, **style)
