"""A figure for arms that were run with several seeds: one row per arm, one dot per seed."""

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from .legible import plain_log_marks
from .plotting import INK, ROLES, STYLE


def seed_dots(rows: Mapping[str, ArrayLike], *, x_label: str, marked: str, logarithmic: bool = True) -> Figure:
    """A row of dots per arm from above, their mean as a stroke.

    Args:
        rows: the label of each arm with one number per seed.
        x_label: what the axis measures, with its unit.
        marked: the label of the arm whose mean is drawn as a line through all rows.
        logarithmic: whether equal factors are equally far apart, and not equal differences.

    Raises:
        ValueError: if there is no arm of that label, or a number on a logarithmic axis is not positive.
    """
    if marked not in rows:
        raise ValueError(f"there is no row {marked!r}; there are {', '.join(rows)}")
    values = {label: np.asarray(numbers, dtype=float) for label, numbers in rows.items()}
    if logarithmic and not all((numbers > 0).all() for numbers in values.values()):
        raise ValueError("a logarithmic axis shows positive numbers only")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.9, 0.8 + 0.27 * len(rows)), layout="constrained")
        axes = figure.add_subplot()
        axes.set_xscale("log" if logarithmic else "linear")
        for place, (label, numbers) in enumerate(values.items()):
            colour = ROLES["output"].light if label == marked else INK
            axes.plot(numbers, np.full(numbers.size, place), "o", color=colour, markersize=4, alpha=0.7)
            axes.plot([numbers.mean()], [place], "|", color=colour, markersize=13, gid=f"mean-{label}")
        axes.axvline(values[marked].mean(), color=ROLES["output"].light, linewidth=1)
        axes.set_yticks(range(len(values)), list(values))
        axes.set_xlabel(x_label)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.grid(axis="x", color="#808080", alpha=0.25, linewidth=0.6)
        if logarithmic:
            plain_log_marks(axes.xaxis)
    return figure
