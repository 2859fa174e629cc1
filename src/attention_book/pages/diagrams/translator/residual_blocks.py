"""The figure of an encoder block in both orders: which boxes stand on the stream, and which beside it."""

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.plotting import INK
from ..shapes import Point, arrow, box, said, sheet

SUBLAYERS = ("self-attention", "feed-forward")
TITLES = {"pre": "pre-norm", "post": "post-norm"}
LABELS = {"norm": "LayerNorm", "add": "+"}
_HEIGHT, _COLUMN = 268, 166.0  # in points
_COLUMNS = {"pre": 0.0, "post": 172.0}  # where each begins
_STREAM, _BRANCH = 36.0, 118.0  # of a column: where the stream runs, and where the boxes beside it stand
_DASHED = {"linestyle": (0, (3, 2))}


class Place(NamedTuple):
    """One box of a block.

    Attributes:
        name: ``"norm"``, ``"add"``, or one of `SUBLAYERS`.
        on_stream: whether everything that enters the block passes it; otherwise it stands on a branch.
    """

    name: str
    on_stream: bool


def places(norm: str) -> list[Place]:
    """The boxes of an encoder block in the order in which they run.

    Args:
        norm: ``"pre"`` or ``"post"``.

    Raises:
        ValueError: for another word.
    """
    if norm not in TITLES:
        raise ValueError(f'norm must be "pre" or "post", got {norm!r}')
    found = []
    for sublayer in SUBLAYERS:
        found += [Place("norm", False)] if norm == "pre" else []
        found += [Place(sublayer, False), Place("add", True)]
        found += [Place("norm", True)] if norm == "post" else []
    return found


def residual_blocks() -> Figure:
    """Pre-norm at the left, post-norm at the right, each read from the top; the thick line is the stream."""
    with sheet(_HEIGHT) as axes:
        for norm, left in _COLUMNS.items():
            _block(axes, norm, left)
    return axes.figure


def residual_blocks_told() -> str:
    """The figure of :func:`residual_blocks` in words."""
    told = []
    for norm, title in TITLES.items():
        names = [f"{one.name} ({'on the stream' if one.on_stream else 'on a branch'})" for one in places(norm)]
        told.append(f"{title}: {', '.join(names)}.")
    return f"An encoder block in two orders, from its input to its output. {' '.join(told)}"


def _block(axes: Axes, norm: str, left: int | float) -> None:
    """One column: boxes on the stream interrupt the thick line, the others hang on thin lines beside it."""
    stream, branch = left + _STREAM, left + _BRANCH
    said(axes, (left + _COLUMN / 2, _HEIGHT - 9), TITLES[norm], weight="bold")
    said(axes, (stream, _HEIGHT - 26), "x")
    y, reached = _HEIGHT - 48, _HEIGHT - 33  # the height of the next thing, and to where the stream is drawn
    on_branch = False
    for n, place in enumerate(places(norm)):
        name = f"{norm}-{n}-{place.name}"
        if not place.on_stream:
            if not on_branch:  # it leaves the stream
                axes.plot([stream, branch], [y, y], color=INK, linewidth=1.2)
                on_branch, y = True, y - 22
            arrow(axes, (branch, y + 22), (branch, y + 11))
            box(axes, (branch, y), (84, 22), name, **(_DASHED if place.name == "norm" else {}))
            said(axes, (branch, y), LABELS.get(place.name, place.name))
            y -= 33
        elif place.name == "add":
            y += 10
            axes.plot([branch, branch], [y + 12, y], color=INK, linewidth=1.2)
            arrow(axes, (branch, y), (stream + 9, y))
            _on_stream(axes, stream, (reached, y), (18, 18), name, {})
            said(axes, (stream, y), "+", weight="bold", fontsize=12)
            on_branch, reached, y = False, y - 9, y - 26
        else:
            y -= 4
            _on_stream(axes, stream, (reached, y), (66, 20), name, _DASHED)
            said(axes, (stream, y), LABELS["norm"])
            reached, y = y - 10, y - 26
    arrow(axes, (stream, reached), (stream, 3), linewidth=3)
    said(axes, (stream + 12, 8), "to the next block", ha="left")


def _on_stream(axes: Axes, x: int | float, heights: Point, size: Point, name: str, style: dict) -> None:
    """The stream down to a box, and the box."""
    reached, y = heights
    axes.plot([x, x], [reached, y + size[1] / 2], color=INK, linewidth=3, gid=f"{name}-stream")
    box(axes, (x, y), size, name, **style)
