"""The figure of one softmax over source and target: one bar of exponentials, and the two bars that it is cut into."""

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ...figures.plotting import INK, ROLES
from ..shapes import box, said, sheet

EXPONENTIALS = {"source": (2, 4), "target": (2,)}
VALUES = {"source": (12, 0), "target": (12,)}
"""One number per key, by the side that the key belongs to."""
_LEFT, _UNIT, _HIGH, _APART = 65.0, 26.0, 22.0, 72.0


def total(*sides: str) -> int:
    """The sum of the exponentials of these sides."""
    return sum(sum(EXPONENTIALS[side]) for side in sides)


def output(*sides: str) -> float:
    """What attention over the keys of these sides gives."""
    pairs = [pair for side in sides for pair in zip(EXPONENTIALS[side], VALUES[side], strict=True)]
    return sum(part * value for part, value in pairs) / total(*sides)


def shared_softmax() -> Figure:
    """Draw the whole bar above, cut between the sides, and a bar per side below; a bar is as long as its sum."""
    whole, width = total("source", "target"), _UNIT * total("source")
    with sheet(132) as axes:
        said(axes, (_LEFT + whole * _UNIT / 2, 120), f"one attention: sum {whole}, output {output(*VALUES):g}")
        _bar(axes, "source", _LEFT, 100, "one")
        _bar(axes, "target", _LEFT + width, 100, "one")
        axes.plot([_LEFT + width] * 2, [84, 112], color=INK, linewidth=2.5, gid="cut")
        for side, left in (("source", 14.0), ("target", 14.0 + width + _APART)):
            middle = left + total(side) * _UNIT / 2
            said(axes, (middle, 62), f"{side}: sum {total(side)}, output {output(side):g}")
            _bar(axes, side, left, 42, "two")
        shares = [f"{total(side)}/{whole} · {output(side):g}" for side in VALUES]
        said(axes, (169, 12), f"{' + '.join(shares)} = {output(*VALUES):g}")
    return axes.figure


def _bar(axes: Axes, side: str, left: float, y: int, name: str) -> None:
    colour = (*to_rgb(ROLES["weight"].light), 0.3) if side == "source" else "none"
    for n, (part, value) in enumerate(zip(EXPONENTIALS[side], VALUES[side], strict=True)):
        centre = left + part * _UNIT / 2, y
        box(axes, centre, (part * _UNIT, _HIGH), f"{name}-{side}-{n}", facecolor=colour)
        said(axes, centre, f"{part} · {value}")
        left += part * _UNIT


def shared_softmax_told() -> str:
    """The figure in words."""
    each = "; ".join(
        f"over the {side} alone, a bar of length {total(side)}, with the output {output(side):g}" for side in VALUES
    )
    whole = total("source", "target")
    return (
        f"Bars as long as the exponentials in them, each written beside its value. Above, one bar of length {whole}, "
        f"with the output {output(*VALUES):g}, cut after the {total('source')} of the source. Below, {each}."
    )
