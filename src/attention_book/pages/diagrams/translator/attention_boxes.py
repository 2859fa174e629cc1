"""Figure 2 of Vaswani et al. 2017 redrawn: scaled dot-product attention, and the multi-head attention around it."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.linked import Link
from ...figures.plotting import INK, ROLES
from ..shapes import arrow, said, sheet
from .parts import Part, Placed, draw, links_of

_HEIGHT = 262  # in points
_LEFT, _RIGHT, _STEP = 84.0, 254.0, 41.0  # where the columns stand; from one box to the next
_NARROW, _WIDE, _LINEAR = 106.0, 146.0, 44.0  # widths of boxes
_FIRST = 45.0  # height of the lowest box
_INPUTS = ("query", "key", "value")
_ATTENTION, _ALL = "attention/scaled-dot-product", "scaled_dot_product_attention"


def _inside(name: str, title: str, section: str, code: str, companion: str = _ALL) -> Part:
    return Part(f"attention-{name}", title, section, code, companion)


ATTENTION = (
    _inside("scores", "MatMul", f"{_ATTENTION}#sdp-all-queries", "q @ k.T"),
    _inside("scale", "Scale", "attention/square-root-of-d-k#square-root-variance", "/ sqrt(d_k)"),
    _inside("mask", "Mask (optional)", "attention/masks#masks-softmax", "where"),
    _inside("softmax", "Softmax", f"{_ATTENTION}#sdp-softmax", "softmax", "softmax"),
    _inside("mix", "MatMul", "attention/what-a-score-can-do#sdp-average", "weights @ v"),
)
"""The left column from below."""


def _head(name: str, title: str, section: str, code: str, companion: str = "MultiHeadAttention") -> Part:
    return Part(f"heads-{name}", title, section, code, companion)


_LOOP = "attention/multi-head#multi-head-loop"
LINEAR = tuple(_head(role, "Linear", _LOOP, f"w_{role[0]}") for role in _INPUTS)
"""The three projections of the right column, side by side."""
HEADS = (
    _head("attention", "Attention, h times", f"{_ATTENTION}#sdp-all-queries", "dot_product", _ALL),
    _head("concat", "Concat", "attention/splitting-heads#multi-head-merge", "merge_heads"),
    _head("linear", "Linear", _LOOP, "w_o"),
)
"""The right column above the projections, from below."""


def attention_boxes() -> tuple[Figure, list[Link]]:
    """The figure, and the links to lay over it: the left column from below, then the right one."""
    left = [Placed(part, _LEFT, _FIRST + _STEP * row, _NARROW) for row, part in enumerate(ATTENTION)]
    linear = [Placed(part, x, _FIRST, _LINEAR) for part, x in zip(LINEAR, _side_by_side(_RIGHT, 50.0), strict=True)]
    right = [Placed(part, _RIGHT, _FIRST + _STEP * (row + 1), _WIDE) for row, part in enumerate(HEADS)]
    with sheet(_HEIGHT) as axes:
        said(axes, (_LEFT, _HEIGHT - 8), "scaled dot-product attention", weight="bold")
        said(axes, (_RIGHT, _HEIGHT - 8), "multi-head attention", weight="bold")
        _draw_attention(axes, left)
        _draw_heads(axes, linear, right)
    return axes.figure, links_of([*left, *linear, *right])


def _side_by_side(middle: float, apart: float) -> list[float]:
    return [middle - apart, middle, middle + apart]


def _draw_attention(axes: Axes, column: list[Placed]) -> None:
    places = dict(zip(_INPUTS, (_LEFT - 25, _LEFT + 25, _LEFT + _NARROW / 2 + 14), strict=True))
    for role, x in places.items():
        said(axes, (x, 6), f"{role[0].upper()}", color=ROLES[role].light, weight="bold")
        if role != "value":
            arrow(axes, (x, 13), (x, column[0].bottom), color=ROLES[role].light)
    last, x = column[-1], places["value"]
    axes.plot([x, x], [13, last.y], color=ROLES["value"].light, linewidth=1.2)
    arrow(axes, (x, last.y), (last.x + _NARROW / 2, last.y), color=ROLES["value"].light)
    colours = {"attention-softmax": ROLES["weight"].light}
    _chain(axes, column, colours)
    arrow(axes, (last.x, last.top), (last.x, last.top + 20), color=ROLES["output"].light)


def _draw_heads(axes: Axes, linear: list[Placed], column: list[Placed]) -> None:
    for role, one in zip(_INPUTS, linear, strict=True):
        colour = ROLES[role].light
        said(axes, (one.x, 6), f"{role[0].upper()}", color=colour, weight="bold")
        arrow(axes, (one.x, 13), (one.x, one.bottom), color=colour)
        arrow(axes, (one.x, one.top), (one.x, column[0].bottom), color=colour)
        draw(axes, one)
    one = column[0]
    right = one.x + _WIDE / 2
    for shift in (3, 6):  # the upper and right edges of other heads, which stand behind the first
        x, y = [one.x - _WIDE / 2 + shift, right + shift, right + shift], [one.top + shift] * 2 + [one.bottom + shift]
        axes.plot(x, y, color=INK, linewidth=0.6)
    _chain(axes, column, {})
    last = column[-1]
    arrow(axes, (last.x, last.top), (last.x, last.top + 20), color=ROLES["output"].light)


def _chain(axes: Axes, column: list[Placed], colours: Mapping[str, str]) -> None:
    """The boxes of a column, and an arrow from each to the next."""
    for one, above in zip(column, [*column[1:], None], strict=True):
        draw(axes, one)
        if above is not None:
            arrow(axes, (one.x, one.top), (one.x, above.bottom), color=colours.get(one.part.name, INK))


def attention_boxes_told() -> str:
    """The figure of :func:`attention_boxes` in words."""
    steps = ", ".join(f"{part.title} ({part.code})" for part in ATTENTION)
    projections = ", ".join(f"{role} by {part.code}" for role, part in zip(_INPUTS, LINEAR, strict=True))
    rest = ", ".join(f"{part.title} ({part.code})" for part in HEADS)
    return (
        f"Two columns, read from below. Left, scaled dot-product attention: Q and K enter at the bottom, and one above "
        f"the other stand {steps}; V enters at the last of them. Right, multi-head attention: Q, K and V each go "
        f"through a linear layer ({projections}), then through {rest}."
    )
