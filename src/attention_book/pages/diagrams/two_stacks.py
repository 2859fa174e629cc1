"""The picture of the two stacks: every layer of the decoder reads the memory, which leaves the last encoder layer.

A second picture marks the shortest and the longest way of a change of the source to the top of the decoder.
"""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..figures.plotting import INK
from .shapes import Point, arrow, box, said, sheet

_STEP, _BOX, _FOOT = 29.0, (106.0, 19.0), 34.0  # from one layer to the next; a box; room below the lowest layer
_THICK = 2.0
_ENCODER, _DECODER, _MIDDLE = 60.0, 275.0, 168.0  # where the columns and the line of the memory stand


def two_stacks(encoder_layers: int, decoder_layers: int) -> Figure:
    """Both stacks side by side, read upwards, with an arrow from the memory to each decoder layer."""
    tall = max(encoder_layers, decoder_layers)
    with sheet(_FOOT + tall * _STEP + 26) as axes:
        _column(axes, "encoder", _ENCODER, [f"encoder layer {layer}" for layer in range(encoder_layers)])
        _column(axes, "decoder", _DECODER, [f"decoder layer {layer}" for layer in range(decoder_layers)])
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


def two_ways(encoder_layers: int, decoder_layers: int) -> Figure:
    """Both stacks with the ways of a change of the source that lead through the fewest and the most attentions.

    The shortest way, dotted, passes beside the encoder's boxes. The longest, solid, goes through the boxes, and in
    each box stands through how many of its attentions.
    """
    encoder = [f"encoder {layer}: 1 of 1" for layer in range(encoder_layers)]
    decoder = [f"decoder {layer}: {2 if layer else 1} of 2" for layer in range(decoder_layers)]
    top, edge = _height(encoder_layers - 1) + _BOX[1] / 2, _DECODER - _BOX[0] / 2
    turn, last = top + 14, _height(decoder_layers - 1)
    with sheet(_FOOT + max(encoder_layers, decoder_layers) * _STEP + 40) as axes:
        _column(axes, "encoder", _ENCODER, encoder, _THICK)
        _column(axes, "decoder", _DECODER, decoder, _THICK)
        _way(axes, "longest", [(_ENCODER, top), (_ENCODER, turn), (_MIDDLE, turn), (_MIDDLE, _height(0))], "-", edge)
        beside, over, down = _ENCODER - _BOX[0] / 2 - 4, turn + 7, _MIDDLE + 7
        _way(axes, "shortest", [(26, 8), (beside, 8), (beside, over), (down, over), (down, last)], ":", edge)
        said(axes, (_MIDDLE - 5, turn - 8), "memory", ha="right")
        said(axes, (beside, over + 9), "shortest way: 1", ha="left")
        said(axes, (_MIDDLE - 5, _height(0)), f"longest\nway: {_most(encoder_layers, decoder_layers)}", ha="right")
    return axes.figure


def two_ways_told(encoder_layers: int, decoder_layers: int) -> str:
    """The figure of :func:`two_ways` in words."""
    most, last = _most(encoder_layers, decoder_layers), decoder_layers - 1
    return (
        f"Again {encoder_layers} encoder layers and {decoder_layers} decoder layers. A dotted line, the shortest way, "
        f"passes beside all encoder layers and leads from above them into decoder layer {last}: 1 attention. A solid "
        "line, the longest way, goes up through 1 of 1 attentions in each encoder layer, by the memory into decoder "
        f"layer 0, through 1 of 2 attentions there, and through 2 of 2 in each later decoder layer: {most} attentions."
    )


def _most(encoder_layers: int, decoder_layers: int) -> int:
    return encoder_layers + 2 * decoder_layers - 1


def _height(layer: int) -> float:
    return _FOOT + (layer + 0.5) * _STEP


def _column(axes: Axes, name: str, x: float, words: Sequence[str], thick: float = 1.2) -> None:
    """The layers of one stack, an arrow into each from below, and what comes in at the bottom.

    Arrows on the way of a change of the source are as thick as asked: none leads from the target's rows.
    """
    said(axes, (x, 8), {"encoder": "source rows", "decoder": "target rows"}[name])
    below = 16.0
    for layer, text in enumerate(words):
        y = _height(layer)
        arrow(axes, (x, below), (x, y - _BOX[1] / 2), linewidth=thick if layer or name == "encoder" else 1.2)
        box(axes, (x, y), _BOX, f"{name}-{layer}")
        said(axes, (x, y), text)
        below = y + _BOX[1] / 2
    if name == "decoder":
        arrow(axes, (x, below), (x, below + 14), linewidth=thick)


def _way(axes: Axes, name: str, points: Sequence[Point], style: str, edge: float) -> None:
    """A line through the points, and an arrow from the last one to the edge of the decoder's box beside it."""
    y = points[-1][1]
    axes.plot(*zip(*points, (edge - 9, y), strict=True), color=INK, linewidth=_THICK, linestyle=style, gid=name)
    arrow(axes, (edge - 9, y), (edge, y), linewidth=_THICK)


def _memory(axes: Axes, encoder_layers: int, decoder_layers: int) -> None:
    """The line from the top of the last encoder layer to the height of every decoder layer."""
    top = _height(encoder_layers - 1) + _BOX[1] / 2
    turn = top + 14
    line = {"color": INK, "linewidth": _THICK}
    axes.plot([_ENCODER, _ENCODER, _MIDDLE], [top, turn, turn], gid="memory-line", **line)
    heights = [turn, _height(0), _height(decoder_layers - 1)]
    axes.plot([_MIDDLE, _MIDDLE], [min(heights), max(heights)], **line)
    said(axes, (_ENCODER + 6, turn + 8), "memory", ha="left")
