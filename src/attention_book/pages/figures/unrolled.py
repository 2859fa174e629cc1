"""The figure of an encoder–decoder unrolled in time: one box a state, one arrow a step."""

from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .plotting import INK, STYLE

WIDTH = 338
"""Its width in points: on a phone it keeps its size, and its letters stay legible."""

_ARROW = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
_BOX_X, _BOX_Y, _ROW = 0.3, 0.36, 3.6
_SMALL = 9.9


def unrolled(source: Sequence[str], fed: Sequence[str], asked: Sequence[str], free: bool = False) -> Figure:
    """An encoder below, which reads, and a decoder above, which is fed and asked.

    Args:
        source: the tokens read; n of them make the boxes h_0 … h_n.
        fed: the tokens that the decoder is fed; m of them make the boxes s_0 … s_m.
        asked: the token asked for after each of them.
        free: whether dashed arrows lead from each answer to the next token fed.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is nothing to read, or as many tokens are not asked for as are fed.
    """
    if not source or not fed or len(fed) != len(asked):
        raise ValueError(f"{len(source)} tokens read, {len(fed)} fed and {len(asked)} asked for do not make a figure")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH / 72, 3.3))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        _chain(axes, "h", source, 0.0)
        _chain(axes, "s", fed, _ROW)
        n, half = len(source), _ROW / 2 - 0.1
        _path(axes, [(n, _BOX_Y), (n, half), (0, half), (0, _ROW - _BOX_Y)], width=3.5)
        axes.text(n / 2, half + 0.12, "all that is handed over: one vector", ha="center", va="bottom", fontsize=_SMALL)
        for name, height in (("encoder", 0.0), ("decoder", _ROW)):
            axes.text(-0.5, height + 0.55, name, va="bottom", weight="bold", fontsize=_SMALL)
        for place, token in enumerate(asked, start=1):
            axes.annotate("", (place, _ROW + 1.0), (place, _ROW + _BOX_Y), arrowprops=_ARROW)
            axes.text(place, _ROW + 1.08, token, ha="center", va="bottom", style="italic", fontsize=_SMALL)
            if free and place < len(asked):
                x, top, bottom = place + 0.5, _ROW + 1.22, _ROW - 1.17
                _path(axes, [(place + 0.33, top), (x, top), (x, bottom), (place + 0.68, bottom)], (0, (3, 2)))
        axes.set(xlim=(-0.6, max(n, len(fed)) + 0.6), ylim=(-1.5, _ROW + 1.6))
    return figure


def told(source: Sequence[str], fed: Sequence[str], asked: Sequence[str]) -> str:
    """The figure of :func:`unrolled` in words."""
    n, m = len(source), len(fed)
    return (
        f"An encoder and a decoder unrolled. The encoder reads {', '.join(source)} and has the states h0 to h{n}. One "
        f"arrow leads from h{n} to s0, the decoder's first state. The decoder is fed {', '.join(fed)}, has the states "
        f"s0 to s{m}, and is asked for {', '.join(asked)}."
    )


def _chain(axes: Axes, letter: str, tokens: Sequence[str], height: float) -> None:
    """States side by side, with a token from below for each but the first."""
    box = {"boxstyle": "square,pad=0.35", "facecolor": "none", "edgecolor": INK}
    for place in range(len(tokens) + 1):
        axes.text(place, height, f"${letter}_{{{place}}}$", ha="center", va="center", bbox=box, fontsize=13)
        if place:
            axes.annotate("", (place - _BOX_X, height), (place - 1 + _BOX_X, height), arrowprops=_ARROW)
            axes.annotate("", (place, height - _BOX_Y), (place, height - 0.95), arrowprops=_ARROW)
            axes.text(place, height - 1.0, tokens[place - 1], ha="center", va="top", fontsize=_SMALL)


def _path(
    axes: Axes, corners: Sequence[tuple[int | float, int | float]], dashes: str | tuple = "-", width: float = 1.0
) -> None:
    """A line around corners with an arrow head at its end."""
    x, y = zip(*corners[:-1], strict=True)
    axes.plot(x, y, color=INK, linewidth=width, linestyle=dashes)
    axes.annotate("", corners[-1], corners[-2], arrowprops={**_ARROW, "linewidth": width, "linestyle": dashes})
