"""The picture of the two stacks: every layer of the decoder reads the memory, which leaves the last encoder layer."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..figures.plotting import INK
from .shapes import arrow, box, said, sheet

_STEP, _BOX, _FOOT = 29.0, (106.0, 19.0), 34.0  # from one layer to the next; a box; room below the lowest layer
_THICK = 2.0
_ENCODER, _DECODER, _MIDDLE = 60.0, 275.0, 168.0  # where the columns and the line of the memory stand


def two_stacks(encoder_layers: int, decoder_layers: int) -> Figure:
    """Both stacks side by side, read upwards, with an arrow from the memory to each decoder layer."""
    tall = max(encoder_layers, decoder_layers)
    with sheet(_FOOT + tall * _STEP + 26) as axes:
        _column(axes, "encoder", _ENCODER, encoder_layers)
        _column(axes, "decoder", _DECODER, decoder_layers)
        _memory(axes, encoder_layers, decoder_layers)
        for layer in range(decoder_layers):
            y = _height(layer)
            arrow(axes, (_MIDDLE, y), (_DECODER - _BOX[0] / 2, y), linewidth=_THICK)
    return axes.figure


def two_stacks_told(encoder_layers: int, decoder_layers: int) -> str:
    """The figure of :func:`two_stacks` in words."""
    return (
        f"Left, a stack of {encoder_layers} encoder layers; right, a stack of {decoder_layers} decoder layers. Both "
        "are read upwards, from layer 0. A line, the memory, leaves the last encoder layer, and from it an arrow leads "
        f"to each of the {decoder_layers} decoder layers."
    )


def _height(layer: int) -> float:
    return _FOOT + (layer + 0.5) * _STEP


def _column(axes: Axes, name: str, x: float, layers: int) -> None:
    """The layers of one stack, an arrow into each from below, and what comes in at the bottom."""
    said(axes, (x, 8), {"encoder": "source rows", "decoder": "target rows"}[name])
    below = 16.0
    for layer in range(layers):
        y = _height(layer)
        arrow(axes, (x, below), (x, y - _BOX[1] / 2))
        box(axes, (x, y), _BOX, f"{name}-{layer}")
        said(axes, (x, y), f"{name} layer {layer}")
        below = y + _BOX[1] / 2
    if name == "decoder":
        arrow(axes, (x, below), (x, below + 14))


def _memory(axes: Axes, encoder_layers: int, decoder_layers: int) -> None:
    """The line from the top of the last encoder layer to the height of every decoder layer."""
    top = _height(encoder_layers - 1) + _BOX[1] / 2
    turn = top + 14
    line = {"color": INK, "linewidth": _THICK}
    axes.plot([_ENCODER, _ENCODER, _MIDDLE], [top, turn, turn], gid="memory-line", **line)
    heights = [turn, _height(0), _height(decoder_layers - 1)]
    axes.plot([_MIDDLE, _MIDDLE], [min(heights), max(heights)], **line)
    said(axes, (_ENCODER + 6, turn + 8), "memory", ha="left")
