"""The figures of captions and pictures: a picture as tokens of a stream, and pictures that a model drew."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ....experiments.beyond.captioned_pictures import EMPTY, SIDE, Caption, differs_in, pictures, words
from ...figures.plotting import ROLES
from ..shapes import WIDTH, Point, arrow, box, said, sheet

CAPTION: Caption = ("red", "bar", "left")
_FILL = (*to_rgb(ROLES["output"].light), 0.35)


def _picture(axes: Axes, corner: Point, cell: int | float, picture: str, name: str, numbered: bool = False) -> None:
    """The pixels of a picture: a letter where there is a colour."""
    left, top = corner
    for place, pixel in enumerate(picture):
        centre = left + (place % SIDE + 0.5) * cell, top - (place // SIDE + 0.5) * cell
        style = {} if pixel == EMPTY else {"facecolor": _FILL}
        box(axes, centre, (cell, cell), f"{name}-{place}", linewidth=0.5, **style)
        if numbered or pixel != EMPTY:
            said(axes, centre, str(place) if numbered else pixel)


def one_stream() -> Figure:
    """Draw a picture with its pixels numbered, and below it the stream that it becomes."""
    (picture,), caption = pictures(CAPTION), [*words(CAPTION), "</s>", "<s>"]
    with sheet(202) as axes:
        _picture(axes, (40, 196), 22, picture, "pixel", numbered=True)
        said(axes, (148, 174), "the picture: pixels 0 to 15", ha="left")
        said(axes, (148, 158), "red is R, empty is .", ha="left")
        arrow(axes, (84, 104), (84, 88))
        step = WIDTH / 8
        for n, token in enumerate([*caption, *picture]):
            row, column = divmod(n, 8)
            centre = (column + 0.5) * step, 68 - 26 * row
            style = {"facecolor": _FILL} if row and token != EMPTY else {}
            box(axes, centre, (step - 4, 20), f"token-{n}", linewidth=0.6, **style)
            said(axes, centre, token)
    return axes.figure


def one_stream_told() -> str:
    """The figure of :func:`one_stream` in words."""
    (picture,) = pictures(CAPTION)
    stream = " ".join([*words(CAPTION), "</s>", "<s>", *picture])
    return f"A picture of 4 times 4 pixels, numbered row by row from 0 to 15. Below it the stream: {stream}."


def drawn(pairs: Sequence[tuple[Caption, str]]) -> Figure:
    """Draw pictures under their captions, four to a row, with a word below that says whether the caption allows it.

    Args:
        pairs: captions, each with the picture that a model drew.
    """
    rows = -(-len(pairs) // 4)
    height, step = 112, WIDTH / 4
    with sheet(rows * height) as axes:
        for n, (caption, picture) in enumerate(pairs):
            row, column = divmod(n, 4)
            top, middle = (rows - row) * height, (column + 0.5) * step
            colour, shape, side = caption
            said(axes, (middle, top - 9), f"{colour} {shape},")
            said(axes, (middle, top - 21), side)
            _picture(axes, (middle - 30, top - 30), 15, picture, f"drawn-{n}")
            said(axes, (middle, top - 99), "wrong" if differs_in(caption, picture) else "allowed", gid=f"verdict-{n}")
    return axes.figure
