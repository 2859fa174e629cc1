"""The figure of a judge and a generator that take turns: their two numbers as a path around the place of rest."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK
from ..shapes import WIDTH, Point, said, sheet

_CENTRE, _SCALE, _REACH = (WIDTH / 2, 124.0), 62.0, 1.7  # in points; points per unit; units that the axes reach
STEP = 8
"""Every so many rounds, the number of the round stands beside the path."""


def around(path: Sequence[Point]) -> Figure:
    """Draw the judge's number to the right and the generator's upwards, a dot per round.

    Args:
        path: the judge's and the generator's number after each round, at most `_REACH` in size.
    """
    places = np.asarray(_CENTRE) + _SCALE * np.asarray(path)
    (x, y), reach = _CENTRE, _SCALE * _REACH
    grey = {"color": "#808080", "linewidth": 0.6}
    with sheet(248) as axes:
        for name, ends in {
            "judge": ((x - reach, x + reach), (y, y)),
            "generator": ((x, x), (y - reach, y + reach)),
        }.items():
            axes.plot(*ends, **grey, linestyle="--", gid=f"axis-{name}")
        for at in (-1, 1):
            axes.plot([x + at * _SCALE] * 2, [y - 2, y + 2], **grey, gid=f"mark-judge{at:+}")
            axes.plot([x - 2, x + 2], [y + at * _SCALE] * 2, **grey, gid=f"mark-generator{at:+}")
            said(axes, (x + at * _SCALE, y + 9), number(at), gid=f"unit-judge{at:+}")
            said(axes, (x - 5, y + at * _SCALE), number(at), ha="right", gid=f"unit-generator{at:+}")
        axes.plot(*places.T, color=INK, linewidth=0.7, alpha=0.55, marker="o", markersize=2.5, gid="path")
        said(axes, (x + reach + 4, y), "judge w", ha="left")
        said(axes, (x, y + reach + 9), "generator g")
        for n in range(0, len(path), STEP):
            out = (places[n] - _CENTRE) / np.linalg.norm(places[n] - _CENTRE)
            said(axes, tuple(map(float, places[n] + 11 * out)), str(n), gid=f"round-{n}")
    return axes.figure


def around_told(path: Sequence[Point]) -> str:
    """The figure of :func:`around` in words."""
    far = np.linalg.norm(path, axis=1)
    places = "; ".join(f"round {n}: w {path[n][0]:.2f}, g {path[n][1]:.2f}" for n in range(0, len(path), STEP))
    return (
        f"The judge's number w and the generator's g over {len(path) - 1} rounds, as a path around the point (0, 0). "
        f"It stays between {far.min():.2f} and {far.max():.2f} away from that point. {places}."
    )
