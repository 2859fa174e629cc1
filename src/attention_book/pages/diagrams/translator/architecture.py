"""Figure 1 of Vaswani et al. 2017 redrawn: encoder and decoder, each box with its name in our code and its links."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from ...figures.linked import Link
from ...figures.plotting import INK, ROLES
from ..shapes import arrow, said, sheet
from .parts import HEIGHT, Part, Placed, draw, links_of, three_arrows

_HEIGHT = 470  # in points
_BOX, _ENCODER, _DECODER, _MIDDLE = 130.0, 84.0, 254.0, 169.0  # width of a box, and where the columns stand
_INPUT, _FORK, _GAP = 9, 22, 8  # height of the words below; room under an attention and under any other box
_SUM = "translator/residuals-and-normalisation#residuals-and-normalisation-definition"
_FEED_FORWARD = "translator/residuals-and-normalisation#residuals-and-normalisation-feed-forward"


def _add(name: str) -> Part:
    return Part(name, "Add & Norm", _SUM, "AddAndNorm", "AddAndNorm")


def _embedding(side: str) -> tuple[Part, Part]:
    roots, clock = "attention/two-square-roots#two-roots-one-table", "attention/positions#positions-sinusoidal"
    return (
        Part(f"{side}-embedding", "Embedding", roots, f"{side}_embedding", "Transformer.src_embedding"),
        Part(f"{side}-positions", "+ Positional encoding", clock, "sinusoidal_positions", "sinusoidal_positions"),
    )


def _feed_forward(side: str) -> Part:
    return Part(f"{side}-feed-forward", "Feed-forward", _FEED_FORWARD, "FeedForward", "FeedForward")


def _attention(name: str, title: str, section: str) -> Part:
    return Part(name, title, section, "MultiHeadAttention", "MultiHeadAttention")


ENCODER = (
    *_embedding("src"),
    _attention("encoder-self", "Multi-head attention", "attention/multi-head#multi-head-loop"),
    _add("encoder-add-attention"),
    _feed_forward("encoder"),
    _add("encoder-add-feed-forward"),
)
"""The left column from below."""
DECODER = (
    *_embedding("tgt"),
    _attention("decoder-self", "Masked attention", "attention/masks#masks-softmax"),
    _add("decoder-add-self"),
    _attention("decoder-cross", "Cross-attention", "attention/three-uses#three-uses-equation"),
    _add("decoder-add-cross"),
    _feed_forward("decoder"),
    _add("decoder-add-feed-forward"),
    Part("linear", "Linear", "translator/from-rows-to-words#blocks-output", "output", "Transformer.output"),
    Part("softmax", "Softmax", "attention/scaled-dot-product#sdp-softmax", "softmax", "softmax"),
)
"""The right column from below."""
_LAYER = {"encoder": slice(2, 6), "decoder": slice(2, 8)}  # which parts are repeated N times
_FORKED = {"encoder-self", "decoder-self"}
_MORE = {"decoder-cross": 6, "linear": 16}  # more room under these


def placed(column: Sequence[Part], x: float) -> list[Placed]:
    """The parts of a column one above the other, with room for the arrows between them."""
    found, y = [], float(_INPUT + 6)
    for part in column:
        y += _FORK if part.name in _FORKED else _GAP + _MORE.get(part.name, 0)
        found.append(Placed(part, x, y + HEIGHT / 2, _BOX))
        y += HEIGHT
    return found


def architecture() -> tuple[Figure, list[Link]]:
    """The figure, and the links to lay over it; from the encoder's embedding up, then from the decoder's."""
    encoder, decoder = placed(ENCODER, _ENCODER), placed(DECODER, _DECODER)
    with sheet(_HEIGHT) as axes:
        for name, column, outside in (("encoder", encoder, -1), ("decoder", decoder, 1)):
            x, layer = column[0].x, column[_LAYER[name]]
            said(axes, (x, _INPUT), {"encoder": "source ids", "decoder": "target ids, shifted"}[name])
            _frame(axes, name, layer, outside)
            _upwards(axes, column)
            for one in column:
                masked = {"edgecolor": ROLES["mask"].light, "linestyle": (0, (4, 2))}
                draw(axes, one, **(masked if one.part.name == "decoder-self" else {}))
            for sublayer, add in zip(layer[::2], layer[1::2], strict=True):
                _residual(axes, sublayer, add, outside)
        _memory(axes, encoder[-1], next(one for one in decoder if one.part.name == "decoder-cross"))
        last = decoder[-1]
        arrow(axes, (last.x, last.top), (last.x, _HEIGHT - 15), color=ROLES["output"].light)
        said(axes, (last.x, _HEIGHT - 8), "probabilities, one row per token")
        _legend(axes, _HEIGHT - 30)
    return axes.figure, links_of([*encoder, *decoder])


def _upwards(axes: Axes, column: Sequence[Placed]) -> None:
    """Arrows from the words through the boxes; an attention to itself is fed three times."""
    below = float(_INPUT + 6)
    for one in column:
        if one.part.name in _FORKED:
            three_arrows(axes, one, below)
        else:
            from_decoder = one.part.name == "decoder-cross"
            colour = ROLES["query"].light if from_decoder else INK
            arrow(axes, (one.x, below), (one.x, one.bottom), color=colour)
        below = one.top


def _frame(axes: Axes, name: str, layer: Sequence[Placed], outside: int) -> None:
    """What is repeated N times, and the name of its class."""
    bottom, top = layer[0].bottom - _FORK + 3, layer[-1].top + 5
    left = layer[0].x - _BOX / 2 - 5 - 12 * (outside < 0)
    corner = FancyBboxPatch((left, bottom), _BOX + 22, top - bottom, boxstyle="round,pad=0,rounding_size=6")
    corner.set(facecolor="none", edgecolor=INK, linewidth=1.2, gid=f"{name}-layer")
    axes.add_patch(corner)
    said(axes, (left + 4, top + 8), f"{name}:", ha="left", weight="bold")
    said(axes, (left + _BOX + 18, top + 8), "N layers", ha="right", weight="bold")


def _residual(axes: Axes, sublayer: Placed, add: Placed, outside: int) -> None:
    """The way around a sublayer, to the sum behind it."""
    edge = sublayer.x + outside * _BOX / 2
    beside, start = edge + outside * 9, sublayer.bottom - (14 if sublayer.part.name in _FORKED else 5)
    axes.plot([sublayer.x, beside, beside], [start, start, add.y], color=INK, linewidth=1)
    arrow(axes, (beside, add.y), (edge, add.y), linewidth=1)


def _memory(axes: Axes, last: Placed, cross: Placed) -> None:
    """The encoder's output, on its way to the keys and values of every decoder layer."""
    above = last.top + 24
    axes.plot([last.x, last.x, _MIDDLE, _MIDDLE], [last.top, above, above, cross.y - 5], color=INK, linewidth=1.2)
    said(axes, (last.x + 2, above + 8), "memory", ha="left")
    for shift, role in ((5, "value"), (-5, "key")):
        arrow(axes, (_MIDDLE, cross.y + shift), (cross.x - _BOX / 2, cross.y + shift), color=ROLES[role].light)


def _legend(axes: Axes, top: int | float) -> None:
    said(axes, (2, top), "Two links per box:", ha="left")
    said(axes, (2, top - 14), "name: its section", ha="left")
    said(axes, (2, top - 28), "code: its class", ha="left")
    for line, role in enumerate(("query", "key", "value")):
        y = top - 48 - 14 * line
        arrow(axes, (2, y), (22, y), color=ROLES[role].light)
        said(axes, (27, y), {"query": "queries", "key": "keys", "value": "values"}[role], ha="left")


def architecture_told() -> str:
    """The figure of :func:`architecture` in words."""

    def listed(parts: Sequence[Part]) -> str:
        return ", ".join(f"{part.title.removeprefix('+ ')} ({part.code})" for part in parts)

    inside = {name: listed(column[_LAYER[name]]) for name, column in (("encoder", ENCODER), ("decoder", DECODER))}
    return (
        f"Two columns, read from below. Left: the source ids go through {listed(ENCODER[:2])} and through N encoder "
        f"layers of {inside['encoder']}. What comes out is the memory. Right: the target ids, shifted by one place, "
        f"go through {listed(DECODER[:2])} and through N decoder layers of {inside['decoder']}; the cross-attention "
        f"takes its keys and values from the memory. Then {listed(DECODER[8:])} give the probabilities, one row per "
        "token. A line leads around each sublayer to the Add & Norm behind it."
    )
