"""Marks of one's own choice on the axes of a figure."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

Marks = Mapping[int | float, str] | Sequence[int | float]


def marked(
    figure: Figure,
    *,
    x: Marks | None = None,
    y: Marks | None = None,
    y_limits: tuple[int | float, int | float] | None = None,
    legend: bool = True,
) -> Figure:
    """The figure, with the marks of its axes where they are asked for, and no others.

    Args:
        figure: drawn by :func:`attention_book.pages.figures.plotting.curves`; it is changed.
        x, y: places on the axis, or places with what is written at each. An empty one leaves an axis without marks, and
            None leaves it as it is.
        y_limits: where the vertical axis begins and ends.
        legend: False to take the legend away, for a figure whose marks name the lines.
    """
    axes = figure.axes[0]
    if y_limits is not None:
        axes.set_ylim(y_limits)
    for marks, put in ((y, axes.set_yticks), (x, axes.set_xticks)):
        if isinstance(marks, Mapping):
            put(list(marks), list(marks.values()))
        elif marks is not None:
            put(marks)
    axes.minorticks_off()
    if not legend and axes.get_legend():
        axes.get_legend().remove()
    return figure
