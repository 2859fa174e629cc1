"""One training, seen twice: the loss of the validation sentences above, the chrF of their translations below."""

from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from ...figures.plotting import INK, STYLE
from ..shapes import SMALL

Record = Sequence[int | float]
"""The target tokens so far, the training loss, the validation loss and the validation chrF."""
_INCHES = 338 / 72  # as wide as a phone shows without making letters smaller


def two_moments(records: Sequence[Record], a_pass: int | float) -> Figure:
    """Draw both curves over one axis of passes, a dashed line at the lowest loss and a dotted one at the highest chrF.

    A ring in each curve marks the top of the climb, the highest loss after the lowest.

    Args:
        records: one per validation.
        a_pass: how many target tokens a pass through the pairs has.

    Raises:
        ValueError: if there is no validation.
    """
    passes, losses, scores = _curves(records, a_pass)
    with mpl.rc_context(STYLE | {"font.size": SMALL}):
        figure = Figure(figsize=(_INCHES, 4.4), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        top = _top(losses)
        for axes, values, label, gid in ((above, losses, "loss", "loss"), (below, scores, "chrF", "chrf")):
            axes.plot(
                passes[top], values[top], color=INK, marker="o", markersize=9, fillstyle="none", linestyle="none",
                gid=f"top-{gid}",
            )  # fmt: skip
            axes.plot(passes, values, color=INK, linewidth=1.2, marker="o", markersize=3, gid=gid)
            axes.set_ylabel(f"validation {label}")
            axes.grid(axis="y", color="#808080", alpha=0.25, linewidth=0.6)
            for place, line, name in ((_lowest(losses), "--", "lowest"), (_highest(scores), ":", "best")):
                axes.axvline(passes[place], color=INK, linewidth=1.1, linestyle=line, gid=f"{name}-{gid}")
        for place, name in ((_lowest(losses), "lowest loss"), (_highest(scores), "highest chrF")):
            above.annotate(
                name, (passes[place], 1), (0, 4), xycoords=("data", "axes fraction"), textcoords="offset points",
                ha="left" if place < len(passes) / 3 else "right", va="bottom",
            )  # fmt: skip
        above.annotate(
            "top of the climb", (passes[top], losses[top]), (0, 7), textcoords="offset points", ha="center", va="bottom"
        )
        below.set_xlim(left=0)
        below.set_xlabel("passes through the pairs")
    return figure


def two_moments_told(records: Sequence[Record], a_pass: int | float) -> str:
    """The figure of :func:`two_moments` in words, with its numbers."""
    passes, losses, scores = _curves(records, a_pass)
    low, top, high = _lowest(losses), _top(losses), _highest(scores)
    return (
        f"Two curves over {passes[-1]:.0f} passes. The validation loss begins at {losses[0]:.1f}, is lowest after "
        f"{passes[low]:.0f} passes at {losses[low]:.1f}, climbs to {losses[top]:.1f} after {passes[top]:.0f}, and ends "
        f"at {losses[-1]:.1f}. The validation chrF begins at {scores[0]:.0f}, is {scores[low]:.0f} where the loss is "
        f"lowest, {scores[top]:.0f} at the top of the climb, and highest after {passes[high]:.0f} passes at "
        f"{scores[high]:.0f}."
    )


def _curves(records: Sequence[Record], a_pass: int | float) -> tuple[list[float], list[int | float], list[int | float]]:
    if not records:
        raise ValueError("there is no validation to draw")
    tokens, _, losses, scores = (list(column) for column in zip(*records, strict=True))
    return [number / a_pass for number in tokens], losses, scores


def _lowest(losses: Sequence[int | float]) -> int:
    return min(range(len(losses)), key=losses.__getitem__)


def _top(losses: Sequence[int | float]) -> int:
    return max(range(_lowest(losses), len(losses)), key=losses.__getitem__)


def _highest(scores: Sequence[int | float]) -> int:
    return max(range(len(scores)), key=scores.__getitem__)
