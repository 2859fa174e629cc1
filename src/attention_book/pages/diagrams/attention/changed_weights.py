"""The figure of one row of attention whose weights are changed: what it takes from each value, and what it puts out."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ....attention.dot_product import scaled_dot_product_attention
from ...figures.plotting import ROLES
from ..shapes import WIDTH, box, said, sheet

_PANEL = 152  # the height of a panel, in points


class Row(NamedTuple):
    """One row of attention over a few values.

    Attributes:
        name: what is done to its weights.
        words: the tokens that answer.
        weights: one per token.
        values: one number per token.
        output: the values, weighted and added.
    """

    name: str
    words: Sequence[str]
    weights: Sequence[float]
    values: Sequence[float]
    output: float


def four_rows(query: float, memory: dict[str, tuple[float, float]], other: dict[str, tuple[float, float]]) -> list[Row]:
    """One query with its own weights, with even weights, silenced, and with another memory.

    Args:
        query: one number; the width of a key is 1.
        memory: key and value of each token.
        other: those of another sentence.
    """
    rows = []
    for name, asked, read in (
        ("as trained", query, memory),
        ("even weights", 0.0, memory),
        ("silenced", query, memory),
        ("another memory", query, other),
    ):
        keys, values = (torch.tensor(numbers).double()[:, None] for numbers in zip(*read.values(), strict=True))
        output, weights = scaled_dot_product_attention(torch.tensor([[asked]]).double(), keys, values)
        kept = 0.0 if name == "silenced" else 1.0
        taken = (kept * weights[0]).tolist()
        rows.append(Row(name, list(read), taken, values[:, 0].tolist(), kept * output.item()))
    return rows


def changed_weights(rows: Sequence[Row]) -> Figure:
    """A panel per row, two side by side: values in boxes, lines as thick as the weights, and the output.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is no row, or a row's output is not its weighted values.
    """
    if not rows:
        raise ValueError("there is no row to draw")
    for row in rows:
        made = sum(w * v for w, v in zip(row.weights, row.values, strict=True))
        if abs(made - row.output) > 1e-6:
            raise ValueError(f"the row {row.name!r} puts out {made:g}, and {row.output:g} is given")
    lines = (len(rows) + 1) // 2
    with sheet(lines * _PANEL) as axes:
        for place, row in enumerate(rows):
            middle = WIDTH * (0.25 + 0.5 * (place % 2))
            _panel(axes, row, place, middle, (lines - place // 2) * _PANEL)
    return axes.figure


def changed_weights_told(rows: Sequence[Row]) -> str:
    """The figure of :func:`changed_weights` in words."""
    told = []
    for row in rows:
        parts = [
            f"{number(weight, '.2f')} of {word} with the value {value:g}"
            for word, weight, value in zip(row.words, row.weights, row.values, strict=True)
        ]
        told.append(f"{row.name.capitalize()}: {', '.join(parts)}; output {row.output:g}.")
    return " ".join(told)


def _panel(axes: Axes, row: Row, place: int, middle: float, top: int) -> None:
    """One row: its name, the values of the tokens, the lines from them and the output below."""
    end = (middle, top - 118)
    said(axes, (middle, top - 10), row.name, weight="bold")
    for n, (word, weight, value) in enumerate(zip(row.words, row.weights, row.values, strict=True)):
        x = middle + 50 * (n - (len(row.words) - 1) / 2)
        said(axes, (x, top - 29), word)
        colour = ROLES["value"].light
        box(axes, (x, top - 47), (32, 18), f"value-{place}-{n}", edgecolor=colour, linewidth=1.6)
        said(axes, (x, top - 47), f"{value:g}")
        said(axes, (x, top - 65), number(weight, ".2f"))
        if weight:
            line = axes.plot([x, end[0]], [top - 73, end[1]], color=ROLES["weight"].light, linewidth=0.4 + 7 * weight)
            line[0].set(gid=f"weight-{place}-{n}", solid_capstyle="butt")
    box(axes, (end[0], end[1] - 11), (44, 20), f"output-{place}", edgecolor=ROLES["output"].light, linewidth=1.6)
    said(axes, (end[0], end[1] - 11), f"{row.output:g}")
