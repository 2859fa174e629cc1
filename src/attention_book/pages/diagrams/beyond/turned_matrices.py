"""The figure of a layer's matrices in two layouts: ours with one row per output, GPT-2's with one column per output."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ....models.one_stack.decoder_only import DecoderOnly
from ....translation.export.gpt2_layout import layout_names, to_gpt2_layout
from ...figures.plotting import INK, ROLES
from ..shapes import SMALL, arrow, box, said, sheet

_SIDE, _STRIPE = 20.0, 5.0  # in points: the width of the model, and the weights of one output
_NAME, _APART = 15, 6.0  # room for a name above a matrix, and between two matrices
_LEFT, _RIGHT, _TOP = 14.0, 206.0, 22
_ROLES = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output"}
Shape = tuple[int, int]


@dataclass(frozen=True)
class Turned:
    """A matrix of the layout, and which of ours it holds.

    Attributes:
        name: the layout's, without what all names of the layer begin with.
        shape: (in, out).
        ours: the shape of each of our matrices, (out, in), by its name.
    """

    name: str
    shape: Shape
    ours: dict[str, Shape]


def turned(model: DecoderOnly) -> list[Turned]:
    """The matrices of a model's first layer, in the order of the layout."""
    layout, own, start = to_gpt2_layout(model), model.state_dict(), "transformer.h.0."
    return [
        Turned(
            name.removeprefix(start).removesuffix(".weight"),
            tuple(layout[name].shape),
            {part.split(".")[-2]: tuple(own[part].shape) for part in parts},
        )
        for name, parts in layout_names(model.config.n_layers).items()
        if name.startswith(start) and layout[name].dim() == 2
    ]


def turned_matrices(found: list[Turned]) -> Figure:
    """Draw our matrices on the left and the layout's on the right, to scale, with the weights of one output filled."""
    scale = _SIDE / found[0].shape[0]
    height = _TOP + sum(_height(matrix, scale) for matrix in found)
    with sheet(height) as axes:
        said(axes, (_LEFT, height - 9), "this book: (out, in)", weight="bold", ha="left")
        said(axes, (_RIGHT, height - 9), "GPT-2: (in, out)", weight="bold", ha="left")
        top = height - _TOP
        for matrix in found:
            _draw(axes, matrix, scale, top)
            top -= _height(matrix, scale)
    return axes.figure


def _height(matrix: Turned, scale: float) -> float:
    """How much room a matrix of the layout takes, with ours beside it."""
    ours = sum(rows * scale + _APART for rows, _ in matrix.ours.values())
    return _NAME + max(ours, matrix.shape[0] * scale + _APART)


def _draw(axes: Axes, matrix: Turned, scale: float, top: float) -> None:
    inputs, alone = matrix.shape[0], len(matrix.ours) == 1
    said(axes, (_RIGHT, top - _NAME / 2), f"{matrix.name} {matrix.shape}", ha="left")
    y, x, middle = top - _NAME, _RIGHT, top - _NAME - inputs * scale / 2
    for name, (rows, columns) in matrix.ours.items():
        wide, high = columns * scale, rows * scale
        colour = ROLES[_ROLES[name]].light if name in _ROLES else INK
        filled = {"facecolor": (*to_rgb(colour), 0.5), "edgecolor": "none"}
        box(axes, (_LEFT + wide / 2, y - _STRIPE / 2), (wide, _STRIPE), f"row-{name}", **filled)
        box(axes, (_LEFT + wide / 2, y - high / 2), (wide, high), f"ours-{name}", edgecolor=colour)
        place = (_LEFT, top - _NAME / 2) if alone else (_LEFT + wide + 6, y - high / 2)
        said(axes, place, f"{name} {(rows, columns)}", ha="left", fontsize=SMALL)
        box(axes, (x + _STRIPE / 2, middle), (_STRIPE, inputs * scale), f"column-{name}", **filled)
        box(axes, (x + high / 2, middle), (high, inputs * scale), f"theirs-{name}", edgecolor=colour)
        y, x = y - high - _APART, x + high
    level = top - _NAME - _SIDE / 2
    arrow(axes, (_LEFT + wide + 8 if alone else _RIGHT - 58, level), (_RIGHT - 8, level))


def turned_matrices_told(found: list[Turned]) -> str:
    """The figure of :func:`turned_matrices` in words."""
    told = ["The matrices of one layer, ours as (out, in) and GPT-2's as (in, out)."]
    for matrix in found:
        ours = ", ".join(f"{name} {shape}" for name, shape in matrix.ours.items())
        joined = "side by side in" if len(matrix.ours) > 1 else "in"
        told.append(f"{ours}, transposed, {joined} {matrix.name} {matrix.shape}.")
    same = [matrix for matrix in found if matrix.shape in matrix.ours.values()]
    told.append(
        "The weights of one output are a row of ours and a column of GPT-2's. "
        f"The same shape on both sides: {', '.join(matrix.name for matrix in same)}."
    )
    return " ".join(told)
