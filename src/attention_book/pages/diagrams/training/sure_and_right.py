"""The figure of confidence beside the share of right tokens: two marks on a line per model."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from ...figures.plotting import INK
from ..shapes import WIDTH, said, sheet

Shares = Mapping[str, tuple[float, float]]
LEFT, RIGHT = 128.0, WIDTH - 22.0
"""Where the axis begins and ends, in points."""
LOW, HIGH = 0.5, 0.9
"""The shares at both ends of the axis."""
_ROW, _FOOT, _HEAD = 26.0, 40.0, 22.0


def sure_and_right(models: Shares) -> Figure:
    """Draw a row per model: a hollow circle at its confidence, a square at its share of right tokens.

    Args:
        models: name of each model to both shares.

    Raises:
        ValueError: if a share lies beyond the axis.
    """
    height = _FOOT + len(models) * _ROW + _HEAD
    with sheet(height) as axes:
        said(axes, (WIDTH / 2, height - 11), "○ how sure: confidence   ■ how right: right tokens")
        for number in range(round((HIGH - LOW) / 0.1) + 1):
            x = _at(LOW + number / 10)
            axes.plot([x, x], [_FOOT - 8, height - _HEAD], color="#808080", linewidth=0.5, alpha=0.6)
            said(axes, (x, _FOOT - 17), f"{LOW + number / 10:.0%}")
        for row, (name, (sure, right)) in enumerate(models.items()):
            y = height - _HEAD - (row + 0.5) * _ROW
            said(axes, (LEFT - 8, y), name, ha="right")
            axes.plot([_at(sure), _at(right)], [y, y], color=INK, linewidth=1.2, gid=f"between-{row}")
            paper = {"markerfacecolor": "none", "markeredgewidth": 1.4}
            axes.plot([_at(sure)], [y], color=INK, marker="o", markersize=8, gid=f"sure-{row}", **paper)
            axes.plot([_at(right)], [y], color=INK, marker="s", markersize=7, gid=f"right-{row}")
        said(axes, (WIDTH / 2, 9), "a circle right of its square: surer than right")
    return axes.figure


def _at(share: float) -> float:
    """Where a share stands on the axis."""
    if not LOW <= share <= HIGH:
        raise ValueError(f"shares from {LOW} to {HIGH} have a place on the axis, got {share}")
    return LEFT + (share - LOW) / (HIGH - LOW) * (RIGHT - LEFT)


def sure_and_right_told(models: Shares) -> str:
    """The figure of :func:`sure_and_right` in words."""
    parts = [f"{name}: {sure:.0%} sure, {right:.0%} right" for name, (sure, right) in models.items()]
    return f"For each model its confidence and its share of right tokens. {'; '.join(parts)}."
