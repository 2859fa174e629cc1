"""The figure of a row of weights on two grids of whole numbers: with a unit of its own, and with a larger one."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK
from ..shapes import WIDTH, arrow, said, sheet

_HEIGHT, _LINE = 88.0, 34.0  # of a grid, and of its line above its lower edge, in points
_ABOVE = 20.0  # the weights stand so far above the line
_MARGIN = 24.0


def rounding_grids(row: Sequence[float], units: Mapping[str, float]) -> Figure:
    """A line with a stroke per whole number for each unit; an arrow takes each weight to the nearest stroke.

    Args:
        row: the weights.
        units: what 1 is worth on each grid, by the name of the grid.

    Raises:
        ValueError: if there is no weight, or a unit is not positive.
    """
    _check(row, units)
    wholes = {name: [round(weight / unit) for weight in row] for name, unit in units.items()}
    reach = 1.05 * max(*map(abs, row), *(abs(whole) * units[name] for name, each in wholes.items() for whole in each))
    with sheet(_HEIGHT * len(units)) as axes:

        def x(value: float) -> float:
            return WIDTH / 2 + value / reach * (WIDTH / 2 - _MARGIN)

        for place, (name, unit) in enumerate(reversed(units.items())):
            y = place * _HEIGHT + _LINE
            said(axes, (_MARGIN / 2, y + 46), f"{name}: a unit is {number(unit, '.2f')}", ha="left")
            axes.plot([x(-reach), x(reach)], [y, y], color=INK, linewidth=1)
            for whole in range(-int(reach / unit), int(reach / unit) + 1):
                axes.plot([x(whole * unit)] * 2, [y - 4, y + 4], color=INK, linewidth=0.8, gid=f"{name} {whole}")
            for weight, whole in zip(row, wholes[name], strict=True):
                axes.plot([x(weight)], [y + _ABOVE], "o", color=INK, markersize=4, fillstyle="none")
                arrow(axes, (x(weight), y + _ABOVE - 3), (x(whole * unit), y + 4), mutation_scale=7)
            for whole in set(wholes[name]):
                said(axes, (x(whole * unit), y - 13), number(whole))
            for weight, side in zip(sorted(row), _sides(sorted(row), reach), strict=True):
                aside = {"center": 0, "left": -3, "right": 3}[side]
                said(axes, (x(weight) + aside, y + _ABOVE + 11), number(weight, "g"), ha=side)
    return axes.figure


def rounding_grids_told(row: Sequence[float], units: Mapping[str, float]) -> str:
    """The figure of :func:`rounding_grids` in words, with its numbers."""
    _check(row, units)
    told = []
    for name, unit in units.items():
        steps = (f"{number(weight, 'g')} to {number(round(weight / unit))}" for weight in row)
        told.append(f"{name}, where a unit is {number(unit, '.2f')}: {', '.join(steps)}")
    drawn = "Weights above lines with a stroke per whole number, and an arrow from each to the nearest stroke."
    return f"{drawn} With {'; with '.join(told)}."


def _sides(row: Sequence[float], reach: float) -> list[str]:
    """Where the letters of each weight stand: of two close ones, the smaller weight has them to its left."""
    close = 0.12 * reach
    return [
        "right" if place + 1 < len(row) and row[place + 1] - weight < close
        else "left" if place and weight - row[place - 1] < close
        else "center"
        for place, weight in enumerate(row)
    ]  # fmt: skip


def _check(row: Sequence[float], units: Mapping[str, float]) -> None:
    if not row:
        raise ValueError("the row has no weights")
    if wrong := [name for name, unit in units.items() if not unit > 0]:
        raise ValueError(f"a unit must be positive: {wrong[0]}")
