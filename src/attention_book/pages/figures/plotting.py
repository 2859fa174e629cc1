"""Figures that answer a question: one colour a role, readable in light and dark, and told in words as well.

A figure is drawn with Matplotlib and shown as SVG inside the page. Its text and axes take the page's text colour, the
colours of the roles come from the page's style sheet, and its background is the page's. Matplotlib itself knows no
style sheet, so figures are drawn in the colours of `ROLES` and `INK`, and `figure_html` replaces them.
"""

import hashlib
import html
import io
import itertools
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from .legible import least_width, plain_log_marks


@dataclass(frozen=True)
class Role:
    """How one role looks: its colour on light and on dark pages, and the line style and marker that go with it."""

    light: str
    dark: str
    line: str | tuple
    marker: str


ROLES = {
    "query": Role("#0b57d0", "#3f9bff", "-", "o"),
    "key": Role("#861f08", "#ff6038", "--", "s"),
    "value": Role("#1b7f5c", "#2be38c", "-.", "^"),
    "weight": Role("#86147f", "#d070a4", ":", "D"),
    "mask": Role("#2f3338", "#e3e9ef", (0, (5, 1)), "x"),
    "output": Role("#8b7301", "#ffdf00", (0, (3, 1, 1, 1)), "v"),
}
INK = "#010203"  # becomes the page's text colour
ON_COLOUR = "#010204"  # becomes text in the page's colour with a rim in the colour of its background
IN_FULL = {name: f"#0103{n:02x}" for n, name in enumerate(ROLES)}  # the other way round: on cells of nearly full colour
_PAPER = "var(--figure-paper, #ffffff)"

STYLE = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.size": 10,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "patch.edgecolor": INK,
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "attention-book",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
_shown = itertools.count()


def _rimmed(fill: str, rim: str) -> str:
    return f"fill: {fill}; stroke: {rim}; stroke-width: 2.5px; stroke-linejoin: round; paint-order: stroke"


def _as_numbers(values: ArrayLike) -> np.ndarray:
    return np.asarray(values.detach() if hasattr(values, "detach") else values, dtype=float)


def heatmap(
    weights: ArrayLike,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    x_label: str = "keys",
    y_label: str = "queries",
    role: str = "weight",
    largest: float = 1.0,
    zeros: bool = False,
) -> Figure:
    """A matrix of non-negative numbers as cells, the stronger the larger; small matrices also carry their numbers.

    Args:
        weights: the matrix, (rows, columns); NumPy, torch, or nested lists. Booleans count as 0 and 1.
        row_labels: one label per row, such as the target tokens.
        column_labels: one label per column, such as the source tokens.
        x_label, y_label: what columns and rows are.
        role: whose colour the cells take, a key of `ROLES`.
        largest: the value that gets the full colour; 1 for attention weights, so that figures can be compared. Three
            times the largest cell keeps all cells pale, and their numbers easy to read.
        zeros: whether the numbers keep the zeros at their ends, 0.40 and not 0.4.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if the labels do not fit the matrix, or a number is negative, not finite or above `largest`.
    """
    matrix = _as_numbers(weights)
    if matrix.shape != (len(row_labels), len(column_labels)):
        raise ValueError(
            f"a matrix of shape {matrix.shape} does not fit {len(row_labels)} row labels "
            f"and {len(column_labels)} column labels"
        )
    if not np.all((matrix >= 0) & (matrix <= largest * (1 + 1e-6))):
        raise ValueError(f"cells must lie between 0 and {largest}, got {np.nanmin(matrix)} to {np.nanmax(matrix)}")
    rows, columns = matrix.shape
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(max(2.6, 1.3 + 0.48 * columns), max(1.6, 1.0 + 0.4 * rows)), layout="constrained")
        axes = figure.add_subplot()
        ramp = ListedColormap([(*to_rgb(ROLES[role].light), share) for share in np.linspace(0, 1, 64)])
        mesh = axes.pcolormesh(matrix, cmap=ramp, vmin=0, vmax=largest, edgecolors=INK, linewidth=0.4)
        axes.set_xticks(np.arange(columns) + 0.5, column_labels, rotation=45 if max(map(len, column_labels)) > 3 else 0)
        axes.set_yticks(np.arange(rows) + 0.5, row_labels)
        axes.set(xlabel=x_label, ylabel=y_label)
        axes.invert_yaxis()
        axes.tick_params(length=0)
        if columns <= 10:
            for row, column in np.ndindex(rows, columns):
                text = f"{matrix[row, column]:.2f}"
                text = text if zeros else text.rstrip("0").rstrip(".")
                colour = IN_FULL[role] if matrix[row, column] > 0.6 * largest else ON_COLOUR
                axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour, fontsize=9)
        else:
            bar = figure.colorbar(mesh, ax=axes, ticks=[0, largest / 2, largest], shrink=0.8)
            bar.solids.set(edgecolor="none", antialiased=False)
    return figure


def curves(
    lines: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_label: str,
    y_label: str,
    roles: Mapping[str, str] | None = None,
    x_scale: str = "linear",
    y_scale: str = "linear",
    y_limits: tuple[int | float, int | float] | None = None,
    legend_columns: int = 1,
) -> Figure:
    """Lines over a common axis, told apart by dash and marker as well as by colour.

    Args:
        lines: name of each line to its x and y values.
        x_label, y_label: what the axes measure, with units.
        roles: name of a line to its role, a key of `ROLES`; other lines take the page's text colour.
        x_scale, y_scale: "linear" or "log".
        y_limits: the smallest and the largest y shown; all that is drawn if None.
        legend_columns: in how many columns the names of the lines stand.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is no line, or a line's x and y differ in length.
    """
    if not lines:
        raise ValueError("there is no line to draw")
    styles = itertools.cycle([(role.line, role.marker) for role in ROLES.values()])
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.25, 3.3), layout="constrained")  # on a phone its letters keep 9 pixels
        axes = figure.add_subplot()
        for name, (x, y) in lines.items():
            x, y = _as_numbers(x), _as_numbers(y)
            if x.shape != y.shape:
                raise ValueError(f"line {name!r} has {x.size} x values and {y.size} y values")
            line, marker = next(styles)
            colour = INK
            if role := (roles or {}).get(name):
                colour, line, marker = ROLES[role].light, ROLES[role].line, ROLES[role].marker
            every = max(1, x.size // 12)
            axes.plot(x, y, color=colour, linestyle=line, marker=marker, markevery=every, markersize=4, label=name)
        axes.set(xlabel=x_label, ylabel=y_label, xscale=x_scale, yscale=y_scale)
        for axis, scale in ((axes.xaxis, x_scale), (axes.yaxis, y_scale)):
            if scale == "log":
                plain_log_marks(axis)
        if y_limits:
            axes.set_ylim(*y_limits)
        axes.grid(color="#808080", alpha=0.25, linewidth=0.6)
        if len(lines) > 1:
            axes.legend(ncols=legend_columns)
    return figure


def mark_x(figure: Figure, x: int | float) -> Figure:
    """Draw a grey line at a place on the horizontal axis, such as where training ends; returns the same figure."""
    figure.axes[0].axvline(x, color="#808080", linewidth=1)
    return figure


def figure_html(figure: Figure, *, alt: str, caption: str) -> str:
    """The figure as an HTML element that reads well on a light page, on a dark page, and aloud.

    Args:
        figure: the Matplotlib figure.
        alt: what the figure shows, in words and with its numbers, for readers who do not see it.
        caption: the question it answers, then what to see; `\\(…\\)` is typeset as a formula.

    Returns:
        A `figure` element with the drawing as SVG. Its ids differ from those of every other figure shown. It is never
        shown so small that its letters cannot be read; where there is less room, it scrolls.

    Raises:
        ValueError: if `alt` or `caption` is blank, or a legend has a frame, which would be a light box on a dark page.
    """
    if not alt.strip() or not caption.strip():
        raise ValueError("a figure needs both an alt text and a caption")
    legends = [axes.get_legend() for axes in figure.axes]
    if any(legend.get_frame_on() for legend in legends if legend):
        raise ValueError("a legend has a frame, a light box on a dark page: draw it under `mpl.rc_context(STYLE)`")
    target = io.StringIO()
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # The browser draws the text, with the reader's fonts: what Matplotlib's own font lacks does not matter.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font")
        warnings.filterwarnings("ignore", message=r"Matplotlib currently does not support .* natively")
        figure.savefig(target, format="svg", metadata=dict.fromkeys(["Creator", "Date", "Format", "Type"]))
    drawing = target.getvalue()
    drawing = drawing[drawing.index("<svg") :].strip()
    mark = f"figure-{next(_shown)}-{hashlib.sha256(drawing.encode()).hexdigest()[:8]}-"
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{mark}", drawing)
    drawing = drawing.replace(f"fill: {ON_COLOUR}", _rimmed("currentColor", _PAPER)).replace(INK, "currentColor")
    for name, role in ROLES.items():
        drawing = drawing.replace(f"fill: {IN_FULL[name]}", _rimmed(_PAPER, role.light))
        drawing = drawing.replace(role.light, f"var(--role-{name}, {role.light})")
    label = f'role="img" aria-label="{html.escape(alt.strip())}" style="min-width: {least_width(drawing)}px"'
    drawing = drawing.replace("<svg ", f"<svg {label} ", 1)
    words = f"<figcaption>{html.escape(caption.strip())}</figcaption>"
    drawing = f'<div class="figure-drawing" style="overflow-x: auto">{drawing}</div>'
    return f'<figure class="book-figure">\n{drawing}\n{words}\n</figure>'


def show(figure: Figure, *, alt: str, caption: str) -> None:
    """Display a figure below the cell, in a notebook and in the book. See `figure_html` for the arguments."""
    from IPython.display import HTML, display

    display(HTML(figure_html(figure, alt=alt, caption=caption)))
