"""The figure of a decoder of two rows: what it sees with a mask, without one, and when it writes alone."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.plotting import INK, ROLES
from ..shapes import WIDTH, arrow, box, said, sheet

_SIZE = (44, 20)  # of the box of a token
_INPUT, _ASKED = 36, 126  # heights


class Panel(NamedTuple):
    """A decoder at work.

    Attributes:
        title: when.
        inputs: what the rows are fed.
        asked: what they are asked for, one token per row.
        seen: pairs of a row and an input that it may attend to.
        losses: the least loss of each row in nats; empty if nobody compares.
    """

    title: str
    inputs: Sequence[str]
    asked: Sequence[str]
    seen: Sequence[tuple[int, int]]
    losses: Sequence[str] = ()


def copying_decoder(word: str, surprise: str) -> list[Panel]:
    """A decoder that is to write one word and then ``</s>``: trained with a mask, trained without, and writing alone.

    Args:
        word: the word.
        surprise: the loss of a row that cannot know it, as it is to be printed.
    """
    inputs, asked, causal = ["<s>", word], [word, "</s>"], [(0, 0), (1, 0), (1, 1)]
    return [
        Panel("with the mask", inputs, asked, causal, [surprise, "0"]),
        Panel("without it", inputs, asked, [*causal, (0, 1)], ["0", "0"]),
        Panel("writing alone", inputs[:1], ["?"], [(0, 0)]),
    ]


def decoder_rows(panels: Sequence[Panel]) -> Figure:
    """Inputs below, what is asked for above, and an arrow from each input to each row that may attend to it.

    An arrow from a later input is drawn thick, in the colour of values: it carries the answer.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if a panel does not ask each row for one token, or a row sees an input that is not there.
    """
    for panel in panels:
        rows = range(len(panel.inputs))
        if len(panel.asked) != len(rows) or any(row not in rows or given not in rows for row, given in panel.seen):
            raise ValueError(f"a panel needs a token for each row, and seen are its inputs only, got {panel}")
    with sheet(186) as axes:
        room = WIDTH / len(panels)
        for number, panel in enumerate(panels):
            _panel(axes, panel, number, room * (number + 0.5))
            if number:
                axes.plot([room * number] * 2, [4, 182], color=INK, linewidth=0.5, alpha=0.5)
    return axes.figure


def _panel(axes: Axes, panel: Panel, number: int, middle: int | float) -> None:
    said(axes, (middle, 177), panel.title, weight="bold")
    places = [middle + (row - (len(panel.inputs) - 1) / 2) * (_SIZE[0] + 8) for row in range(len(panel.inputs))]
    for row, given in panel.seen:
        later = given > row
        style = {"color": ROLES["value"].light, "linewidth": 3} if later else {}
        arrow(axes, (places[given], _INPUT + 10), (places[row], _ASKED - 10), **style)
    for row, x in enumerate(places):
        box(axes, (x, _INPUT), _SIZE, f"input-{number}-{row}")
        said(axes, (x, _INPUT), panel.inputs[row])
        box(axes, (x, _ASKED), _SIZE, f"asked-{number}-{row}", edgecolor=ROLES["output"].light)
        said(axes, (x, _ASKED), panel.asked[row])
        if panel.losses:
            said(axes, (x, _ASKED + 18), panel.losses[row])
        said(axes, (x, _INPUT - 20), f"row {row}")
    if panel.losses:
        said(axes, (middle, 161), "least loss per row:")


def rows_told(panels: Sequence[Panel]) -> str:
    """The figure of :func:`decoder_rows` in words."""
    told = []
    for panel in panels:
        rows = []
        for row, (given, asked) in enumerate(zip(panel.inputs, panel.asked, strict=True)):
            seen = " and ".join(panel.inputs[one] for at, one in sorted(panel.seen) if at == row)
            loss = f", least loss {panel.losses[row]}" if panel.losses else ""
            rows.append(f"row {row} is fed {given}, sees {seen} and is asked for {asked}{loss}")
        told.append(f"{panel.title.capitalize()}: {'; '.join(rows)}.")
    return " ".join(told)
