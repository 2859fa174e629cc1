"""Figures of vectors in the plane: arrows from the origin, and points within the shape that others span."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from .plotting import INK, ON_COLOUR, ROLES, STYLE


def arrows(
    vectors: Mapping[str, tuple[Sequence[int | float], str]],
    onto: str | None = None,
    joined: tuple[str, str] | None = None,
) -> Figure:
    """Vectors drawn as arrows from the origin, at one scale in both directions.

    Args:
        vectors: name of each vector to its two coordinates and its role, a key of `plotting.ROLES`.
        onto: the name of a vector on whose line every other one casts its shadow, at right angles to the line.
        joined: the names of two vectors whose tips a thin line joins.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is no vector, one has not two coordinates, ``onto`` names none that has a length, or
            ``joined`` names none.
    """
    points = _points([point for point, _ in vectors.values()])
    shadows = np.zeros((0, 2)) if onto is None else _shadows(points, list(vectors), onto)
    with mpl.rc_context(STYLE):
        figure, axes = _plane(np.vstack([points, shadows, [[0.0, 0.0]]]))
        for place, (tip, shadow) in enumerate(zip(points, shadows, strict=False)):
            axes.plot(*np.array([tip, shadow]).T, color=INK, linestyle=":", linewidth=1, gid=f"fall-{place}")
            axes.plot(*np.array([shadow, [0.0, 0.0]]).T, color=INK, alpha=0.35, linewidth=6, gid=f"shadow-{place}")
        if joined is not None:
            tips = np.array([points[list(vectors).index(name)] for name in joined])
            axes.plot(*tips.T, color=INK, linewidth=1, gid="joined")
        for (name, (_, role)), (x, y) in zip(vectors.items(), points, strict=True):
            look = ROLES[role]
            line = dict(arrowstyle="-|>", color=look.light, linestyle=look.line, linewidth=1.8, shrinkA=0, shrinkB=0)
            axes.annotate("", (x, y), (0, 0), arrowprops=line)
            axes.annotate(name, (x, y), (4, 4), textcoords="offset points", color=look.light)
    return figure


def inside(corners: Mapping[str, Sequence[int | float]], points: Mapping[str, Sequence[int | float]]) -> Figure:
    """Values as the corners of a polygon, and outputs as points, to see whether they lie in it.

    Args:
        corners: name of each value to its two coordinates, in the order in which the polygon's sides join them.
        points: name of each output to its two coordinates.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there are fewer than three corners, or something has not two coordinates.
    """
    if len(corners) < 3:
        raise ValueError(f"a polygon needs three corners, got {len(corners)}")
    values, outputs = _points(list(corners.values())), _points(list(points.values()))
    with mpl.rc_context(STYLE):
        figure, axes = _plane(np.vstack([values, outputs]))
        value, output = ROLES["value"], ROLES["output"]
        closed = np.vstack([values, values[:1]])
        axes.fill(*values.T, color=value.light, alpha=0.12, linewidth=0)
        axes.plot(*closed.T, color=value.light, linestyle=value.line, marker=value.marker, markersize=7)
        axes.plot(*outputs.T, color=output.light, linestyle="none", marker=output.marker, markersize=7)
        for names, where in ((corners, values), (points, outputs)):
            for name, point in zip(names, where, strict=True):
                axes.annotate(name, point, (7, 6), textcoords="offset points", color=ON_COLOUR)
    return figure


def points_told(named: Mapping[str, Sequence[int | float]]) -> str:
    """Points in words, such as "first (1.00, 2.00); second (0.50, 3.00)".

    Args:
        named: name of each point to its two coordinates.
    """
    return "; ".join(f"{name} ({x:.2f}, {y:.2f})" for name, (x, y) in named.items())


def _shadows(points: np.ndarray, names: Sequence[str], onto: str) -> np.ndarray:
    if onto not in names or not points[names.index(onto)].any():
        raise ValueError(f"shadows fall on the line of a vector that has a length; {onto!r} is none of {names}")
    line = points[names.index(onto)]
    return np.outer(points @ line / (line @ line), line)


def _points(points: Sequence[Sequence[int | float]]) -> np.ndarray:
    array = np.array(points, dtype=float)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"points of the plane have two coordinates; got an array of shape {array.shape}")
    return array


def _plane(points: np.ndarray):
    """Axes that hold all points with some room, at one scale in both directions."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.12 * max(*(high - low), 1e-9)
    figure = Figure(figsize=(4.6, 4.0), layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlim=(low[0] - room, high[0] + 2 * room), ylim=(low[1] - room, high[1] + 1.5 * room), aspect="equal")
    axes.set(xlabel="component 1", ylabel="component 2")
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.axvline(0, color=INK, linewidth=0.6)
    return figure, axes
