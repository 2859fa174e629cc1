"""The figure of the one triangle: an empty table, three masks over one stream, and the use that each block is."""

from dataclasses import dataclass

from jaxtyping import Bool
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from torch import Tensor

from ....models.one_stack.decoder_only import stream_mask
from ...figures.plotting import ROLES
from ..shapes import WIDTH, box, said, sheet

_CELL, _GAP, _HEIGHT = 14.0, 7.0, 158
_LEFT, _TOP, _APART = 42.0, 121.0, 101.0
BLOCKS = {(0, 0): "1", (1, 0): "2", (1, 1): "3"}
"""The numbers of the blocks, by whose rows (0 for the source, 1 for the target) and whose columns they are."""


@dataclass(frozen=True)
class Panel:
    """One mask over the stream.

    Attributes:
        title: what stands above it.
        allowed: which token may attend to which.
        apart: drawn with a gap between source and target, as two stacks have two tables.
    """

    title: str
    allowed: Bool[Tensor, "length length"]
    apart: bool = False


SOURCE, TARGET = ("cats", ".", "</s>"), ("<s>", "gatos", ".")


def panels(source: int = len(SOURCE), target: int = len(TARGET)) -> list[Panel]:
    """The masks of one stack that is causal throughout, of one stack with a prefix, and of two stacks."""
    prefix = stream_mask(source, target, prefix=True)
    return [
        Panel("one, causal", stream_mask(source, target)),
        Panel("one, prefix", prefix),
        Panel("two stacks", prefix, apart=True),
    ]


def one_triangle() -> Figure:
    """Draw the three masks side by side, queries down and keys across, with the numbers of the blocks."""
    with sheet(_HEIGHT) as axes:
        for n, panel in enumerate(panels()):
            _draw(axes, panel, n, _LEFT + n * _APART)
        for row, token in enumerate(SOURCE + TARGET):
            said(axes, (_LEFT - 4, _centre(row, _TOP, -1, True)), token, ha="right")
        said(axes, (WIDTH / 2, 9), "down: the token that looks; across: the token looked at")
    return axes.figure


def empty_table() -> Figure:
    """Draw the table of one stack without its mask: a row and a column per token, and nothing in the cells."""
    left, length = (WIDTH - 6 * _CELL) / 2, len(SOURCE + TARGET)
    with sheet(_HEIGHT) as axes:
        for name, columns in (("source", (0, 1, 2)), ("target", (3, 4, 5))):
            said(axes, (_centre(columns[1], left, 1, False), _TOP + 9), name)
        for row, token in enumerate(SOURCE + TARGET):
            said(axes, (left - 4, _centre(row, _TOP, -1, False)), token, ha="right")
            for column in range(length):
                centre = _centre(column, left, 1, False), _centre(row, _TOP, -1, False)
                box(axes, centre, (_CELL, _CELL), f"empty-{row}-{column}", linewidth=0.4)
        said(axes, (WIDTH / 2, 9), "down: the token that looks; across: the token looked at")
    return axes.figure


def empty_table_told() -> str:
    """The empty table in words."""
    return f"A table with a row and a column for each of the six tokens {', '.join(SOURCE + TARGET)}. It is empty."


def _centre(place: int, start: float, step: int, apart: bool) -> float:
    """The middle of a row or a column."""
    return start + step * ((place + 0.5) * _CELL + (_GAP if apart and place >= len(SOURCE) else 0.0))


def _draw(axes: Axes, panel: Panel, n: int, left: float) -> None:
    length = len(panel.allowed)
    said(axes, (left + length * _CELL / 2, _TOP + 26), panel.title, weight="bold")
    for name, columns in (("source", range(len(SOURCE))), ("target", range(len(SOURCE), length))):
        middle = sum(_centre(c, left, 1, panel.apart) for c in columns) / len(columns)
        said(axes, (middle, _TOP + 9), name)
    colour = (*to_rgb(ROLES["weight"].light), 0.3)
    for row in range(length):
        for column in range(length):
            centre = _centre(column, left, 1, panel.apart), _centre(row, _TOP, -1, True)
            inside = bool(panel.allowed[row, column])
            if inside:
                box(axes, centre, (_CELL, _CELL), f"allowed-{n}-{row}-{column}", facecolor=colour, linewidth=0.4)
            else:
                said(axes, centre, "·")
    for (rows, columns), number in BLOCKS.items():
        own = [c + columns * len(SOURCE) for c in range(3)], [r + rows * len(SOURCE) for r in range(3)]
        x, y = _centre(own[0][0], left, 1, panel.apart), _centre(own[1][-1], _TOP, -1, True)
        said(axes, (x, y), number, weight="bold", gid=f"block-{n}-{number}")


def one_triangle_told() -> str:
    """The figure in words."""
    told = [f"Three masks over the six tokens {', '.join(SOURCE + TARGET)}: three of the source, three of the target."]
    for panel in panels():
        whole = bool(panel.allowed[: len(SOURCE), : len(SOURCE)].all())
        told.append(
            f"{panel.title.capitalize()}: block 1, source to source, is {'a full square' if whole else 'a triangle'}; "
            f"block 2, target to source, is full; block 3, target to target, is a triangle; "
            f"source to target is empty. {int(panel.allowed.sum())} of {panel.allowed.numel()} cells are allowed."
        )
    return " ".join(told)
