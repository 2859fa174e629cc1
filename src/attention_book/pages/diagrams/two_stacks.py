"""The picture of the two stacks: which layer of the encoder does each layer of the decoder read?"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..figures.plotting import INK
from .shapes import arrow, box, said, sheet

WIRINGS = ("rungs", "memory")
"""Each decoder layer reads the encoder layer beside it, or all read what leaves the last encoder layer."""
_STEP, _BOX, _FOOT = 29.0, (106.0, 19.0), 34.0  # from one layer to the next; a box; room below the lowest layer
_THICK = 2.0
_ENCODER, _DECODER, _MIDDLE = 60.0, 275.0, 168.0  # where the columns and the line of the memory stand


def read_by(decoder_layer: int, encoder_layers: int, wiring: str) -> int | None:
    """The encoder layer whose rows a decoder layer reads; None where there is none.

    Args:
        decoder_layer: counted from 0, as the answer is.
        encoder_layers: how many there are.
        wiring: one of :data:`WIRINGS`.

    Raises:
        ValueError: for another wiring.
    """
    if wiring not in WIRINGS:
        raise ValueError(f"wiring must be one of {', '.join(WIRINGS)}, got {wiring!r}")
    if wiring == "memory":
        return encoder_layers - 1
    return decoder_layer if decoder_layer < encoder_layers else None


def two_stacks(encoder_layers: int, decoder_layers: int, wiring: str) -> Figure:
    """Both stacks side by side, read upwards, with an arrow to each decoder layer from what it reads, or a mark."""
    tall = max(encoder_layers, decoder_layers)
    with sheet(_FOOT + tall * _STEP + 14) as axes:
        _column(axes, "encoder", _ENCODER, encoder_layers)
        _column(axes, "decoder", _DECODER, decoder_layers)
        if wiring == "memory":
            _memory(axes, encoder_layers, decoder_layers)
        for layer in range(decoder_layers):
            y, left = _height(layer), _DECODER - _BOX[0] / 2
            source = read_by(layer, encoder_layers, wiring)
            if source is None:
                said(axes, (left - 14, y), "?", weight="bold", gid=f"nothing-{layer}", fontsize=13)
                continue
            start = _MIDDLE if wiring == "memory" else _ENCODER + _BOX[0] / 2
            arrow(axes, (start, y), (left, y), linewidth=_THICK)
    return axes.figure


def two_stacks_told(encoder_layers: int, decoder_layers: int, wiring: str) -> str:
    """The figure of :func:`two_stacks` in words."""
    sources = [read_by(layer, encoder_layers, wiring) for layer in range(decoder_layers)]
    told = "; ".join(
        f"decoder layer {layer}: {'a question mark' if source is None else f'encoder layer {source}'}"
        for layer, source in enumerate(sources)
    )
    return (
        f"Left, a stack of {encoder_layers} encoder layers; right, a stack of {decoder_layers} decoder layers. Both "
        f"are read upwards, from layer 0. Arrows say what each decoder layer reads. {told}."
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
