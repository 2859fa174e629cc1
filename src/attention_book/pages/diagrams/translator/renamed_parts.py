"""The figure of an encoder layer under two names: our parts at the left, and where torch keeps their numbers."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from ...figures.plotting import INK, ROLES
from ..shapes import WIDTH, arrow, box, said, sheet

_STEP, _BOX = 25, 18  # in points: from one row to the next, and how high a box is
_OURS, _THEIRS = 142.0, 138.0  # widths of the boxes
_ROLES = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output"}


def renamed_parts(pairs: Sequence[tuple[str, str]]) -> Figure:
    """A box per part of ours from above, a box per parameter of torch's, and an arrow from each part to its place.

    Args:
        pairs: our name of each part and torch's, those that share a place of torch's next to each other.
    """
    height = _STEP * (len(pairs) + 1) + 4
    rows = {ours: height - _STEP * (n + 1.5) for n, (ours, _) in enumerate(pairs)}
    places = {theirs: [rows[ours] for ours, other in pairs if other == theirs] for _, theirs in pairs}
    left, right = _OURS / 2 + 1, WIDTH - _THEIRS / 2 - 1
    with sheet(height) as axes:
        said(axes, (left, height - 12), "this book", weight="bold")
        said(axes, (right, height - 12), "torch", weight="bold")
        for theirs, found in places.items():
            size = (_THEIRS, max(found) - min(found) + _BOX)
            middle = (right, (max(found) + min(found)) / 2)
            box(axes, middle, size, f"torch-{theirs}")
            said(axes, middle, theirs)
        for ours, y in rows.items():
            role = _ROLES.get(ours.rpartition(".")[2])
            colour = ROLES[role].light if role else INK
            box(axes, (left, y), (_OURS, _BOX), f"ours-{ours}", edgecolor=colour)
            said(axes, (left, y), ours)
            arrow(axes, (_OURS + 1, y), (WIDTH - _THEIRS - 1, y), color=colour)
    return axes.figure


def renamed_parts_told(pairs: Sequence[tuple[str, str]]) -> str:
    """The figure of :func:`renamed_parts` in words."""
    told = "; ".join(f"{ours} in {theirs}" for ours, theirs in pairs)
    return f"Where the numbers of an encoder layer of this book stand in torch's layer: {told}."
