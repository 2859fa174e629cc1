"""One head's weights between words as cells, with the true links framed and the largest weight of each row marked."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from ...figures.plotting import IN_FULL, INK, ON_COLOUR, ROLES
from ..shapes import WIDTH, box, said, sheet

_CELL, _LEFT, _TOP, _EDGE = 28, 58, 50, 4


class Beside(NamedTuple):
    """What is drawn.

    Attributes:
        source: the words of the columns; ``</s>`` is the last.
        target: the words of the rows.
        weights: each row sums to 1.
        links: (column, row) of what truly belongs together.
    """

    source: Sequence[str]
    target: Sequence[str]
    weights: Float[np.ndarray, "target source"]
    links: Collection[tuple[int, int]]


def weights_beside_links(beside: Beside) -> Figure:
    """The cells in the colour of weights, hundredths in them; frames for the links, a dot for each largest weight.

    Raises:
        ValueError: if words, weights and links do not fit each other, or there are too many columns for a phone.
    """
    rows, columns = beside.weights.shape
    if (rows, columns) != (len(beside.target), len(beside.source)):
        raise ValueError(f"weights of {rows} rows and {columns} columns do not fit the words beside them")
    if any(not (0 <= i < columns and 0 <= j < rows) for i, j in beside.links):
        raise ValueError("a link leads to a place that is not there")
    if _LEFT + columns * _CELL + _EDGE > WIDTH:
        raise ValueError(f"{columns} columns are more than a sheet has room for")
    top = rows * _CELL + _EDGE
    with sheet(top + _TOP) as axes:
        for j, word in enumerate(beside.target):
            said(axes, (_LEFT - 5, top - (j + 0.5) * _CELL), word, ha="right")
        for i, word in enumerate(beside.source):
            said(axes, (_LEFT + (i + 0.45) * _CELL, top + 5), word, ha="left", va="bottom", rotation=50)
        for j, i in np.ndindex(rows, columns):
            weight, centre = float(beside.weights[j, i]), (_LEFT + (i + 0.5) * _CELL, top - (j + 0.5) * _CELL)
            size = (_CELL, _CELL)
            box(axes, centre, size, f"weight-{i}-{j}", facecolor=(ROLES["weight"].light, weight), linewidth=0.3)
            if weight >= 0.045:
                colour = IN_FULL["weight"] if weight > 0.6 else ON_COLOUR
                said(axes, centre, f"{100 * weight:.0f}", color=colour)
        for i, j in beside.links:
            centre = _LEFT + (i + 0.5) * _CELL, top - (j + 0.5) * _CELL
            box(axes, centre, (_CELL - 3, _CELL - 3), f"link-{i}-{j}", linewidth=2.2)
        for j, i in enumerate(beside.weights.argmax(axis=1).tolist()):
            place = _LEFT + (i + 0.5) * _CELL, top - (j + 0.84) * _CELL
            axes.plot(*place, marker="o", color=INK, markersize=3.5, gid=f"largest-{i}-{j}")
        return axes.figure


def weights_beside_links_told(beside: Beside) -> str:
    """The largest weights and the links in words."""
    each = []
    for j, (word, row) in enumerate(zip(beside.target, beside.weights, strict=True)):
        true = " and ".join(beside.source[i] for i, linked in sorted(beside.links) if linked == j)
        place = int(row.argmax())
        each.append(f"{word}: largest weight {row[place]:.2f} on {beside.source[place]}, true link {true}.")
    return " ".join(["The weights of one head, a row per word to be written.", *each])
