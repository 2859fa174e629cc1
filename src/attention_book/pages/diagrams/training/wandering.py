"""The figure of two walks in a bowl: at a rate that stays, with the mean of the last places, and at one that falls."""

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.plotting import INK
from ..shapes import WIDTH, arrow, said, sheet

Places = Float[np.ndarray, "_ 2"]
_HEIGHT, _ROOM = 232.0, 8.0  # in points: the sheet, and what stays free around a panel
_TOP, _BOTTOM = 206.0, 38.0  # of the panels
RINGS = (1.0, 2.0, 3.0)
"""Distances from the lowest point at which the bowl has a ring, as lines of equal loss on a map."""


def wandering(stays: Places, kept: Places, falls: Places) -> Figure:
    """Draw both walks at one scale, each in a panel of its own, over rings of equal loss.

    Args:
        stays, falls: the places of each walk, from its start on; the lowest point of the bowl is (0, 0).
        kept: the places of the first walk whose mean is drawn.
    """
    all_places = np.vstack([stays, falls, [[RINGS[-1], RINGS[-1]], [-RINGS[-1], -RINGS[-1]]]])
    low, high = all_places.min(axis=0), all_places.max(axis=0)
    scale = float(min((WIDTH / 2 - 2 * _ROOM) / (high - low)[0], (_TOP - _BOTTOM) / (high - low)[1]))
    with sheet(_HEIGHT) as axes:
        for number, (name, path) in enumerate((("stays", stays), ("falls", falls))):
            centre = np.array([WIDTH * (2 * number + 1) / 4, (_TOP + _BOTTOM) / 2])
            said(axes, (float(centre[0]), _HEIGHT - 14), f"the rate {'stays' if name == 'stays' else 'falls to 0'}")

            def put(places: Places, centre=centre) -> Places:
                return centre + scale * (np.asarray(places) - (low + high) / 2)

            _panel(axes, name, put, path)
            if name == "stays":
                mean = put(kept.mean(axis=0, keepdims=True))
                style = {"linestyle": "none", "marker": "o", "markersize": 7, "markerfacecolor": "none"}
                axes.plot(*put(kept).T, color=INK, gid="kept", **style)
                axes.plot(*mean.T, color=INK, marker="s", markersize=8, gid="mean")
                said(axes, (float(centre[0]), 26), f"○ its last {len(kept)} snapshots")
                said(axes, (float(centre[0]), 11), "■ their average")
            else:
                axes.plot(*put(path[-1:]).T, color=INK, marker="s", markersize=8, gid="end")
                said(axes, (float(centre[0]), 26), "■ its last place")
    return axes.figure


def _panel(axes: Axes, name: str, put, path: Places) -> None:
    """The rings, the lowest point, the path and its start."""
    around = np.linspace(0, 2 * np.pi, 73)
    for ring in RINGS:
        circle = put(ring * np.column_stack([np.cos(around), np.sin(around)]))
        axes.plot(*circle.T, color="#808080", linewidth=0.6, alpha=0.6, gid=f"ring-{name}-{ring:g}")
    axes.plot(*put(path).T, color=INK, linewidth=0.7, alpha=0.55, gid=f"path-{name}")
    for way, cross in {"across": np.array([[-1, 0], [1, 0]]), "up": np.array([[0, -1], [0, 1]])}.items():
        gid = f"lowest-{name}-{way}"
        axes.plot(*put(RINGS[-1] * cross).T, color="#808080", linewidth=0.6, linestyle="--", gid=gid)
    x, y = put(path[:1])[0]
    arrow(axes, (x, y + 17), (x, y + 2), mutation_scale=8)
    said(axes, (x + 8, y + 23), "start", ha="right")


def wandering_told(stays: Places, kept: Places, falls: Places) -> str:
    """The figure of :func:`wandering` in words, with how far the ends are from the lowest point."""
    far = [float(np.linalg.norm(place)) for place in (stays[-1], kept.mean(axis=0), falls[-1])]
    return (
        f"Two walks of {len(stays) - 1} steps in a round bowl, from the same start and with the same batches. At a "
        "rate that stays, the walk reaches the lowest point and goes on wandering around it; its last place is "
        f"{far[0]:.2f} away, and the average of its last {len(kept)} snapshots {far[1]:.2f}. At a rate that falls to 0 "
        f"the walk settles {far[2]:.2f} away."
    )
