"""The learning curve: a score by the number of pairs on a logarithmic axis, and longer runs beside it."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from ...figures.plotting import INK, STYLE
from ..shapes import SMALL

_LOOKS = (("o", "-", INK), ("s", "--", INK), ("D", "-.", "none"), ("^", ":", "none"))
_LONG = ("s", "o", "p", "v")
_LABEL = 4.5  # points of the score that a label is high
_BESIDE = 1.08  # by which factor a curve stands to the right of the one before, so that their dots are told apart
_INCHES = 338 / 72  # as wide as a phone shows without making letters smaller


def learning_curves(
    curves: Mapping[str, Mapping[int, Sequence[float]]],
    long: Mapping[str, tuple[int, float, float]],
    score: str = "chrF",
) -> Figure:
    """A line per curve over the numbers of pairs, its dots the seeds; longer runs stand alone, with their names.

    Dots of one number of pairs stand a little beside each other, a curve further to the right than the one before.

    Args:
        curves: the label of each, with its scores by the number of pairs, one per seed.
        long: the label of each longer run with its pairs, its score and its million tokens.
        score: what the vertical axis measures.

    Raises:
        ValueError: if there is no curve, or more curves or longer runs than looks.
    """
    if not 0 < len(curves) <= len(_LOOKS) or len(long) > len(_LONG):
        raise ValueError(
            f"1 to {len(_LOOKS)} curves and up to {len(_LONG)} longer runs can be told apart, "
            f"got {len(curves)} and {len(long)}"
        )
    sizes = sorted({size for points in curves.values() for size in points})
    with mpl.rc_context(STYLE | {"font.size": SMALL}):
        figure = Figure(figsize=(_INCHES, 4.4), layout="constrained")
        axes = figure.add_subplot()
        for place, ((name, points), (marker, line, face)) in enumerate(zip(curves.items(), _LOOKS, strict=False)):
            means = [float(np.mean(seeds)) for seeds in points.values()]
            beside = _BESIDE ** (place - (len(curves) - 1) / 2)
            sizes_here = [size * beside for size in points]
            axes.plot(sizes_here, means, color=INK, linewidth=1.1, linestyle=line, gid=f"mean-{name}")
            x = [at for at, seeds in zip(sizes_here, points.values(), strict=True) for _ in seeds]
            axes.plot(
                x, [score for seeds in points.values() for score in seeds], marker, color=INK, markerfacecolor=face,
                markersize=4, linestyle="none", label=name, gid=f"seeds-{name}",
            )  # fmt: skip
        labels = _spread([value for _, value, _ in long.values()], _LABEL)
        for (name, (pairs, value, tokens)), marker, at in zip(long.items(), _LONG, labels, strict=False):
            axes.plot(
                [pairs], [value], marker, color=INK, markerfacecolor="none", markersize=7, linestyle="none",
                gid=f"long-{name}",
            )  # fmt: skip
            axes.annotate(
                f"{name}, {tokens:.0f} M tokens", (pairs, value), (pairs / 2.2, at), ha="right", va="center",
                arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.5, "shrinkB": 5},
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks(list(sizes), [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set(xlabel="pairs (logarithmic)", ylabel=f"{score} on the test sentences")
        axes.grid(axis="y", color="#808080", alpha=0.25, linewidth=0.6)
        figure.legend(loc="outside upper center", ncols=2, columnspacing=1.2, handletextpad=0.3)
    return figure


def _spread(values: Sequence[float], apart: float) -> list[float]:
    """Places for labels beside values: in their order, as near as may be, and never closer to each other than apart."""
    order = sorted(range(len(values)), key=values.__getitem__)
    places = [0.0] * len(values)
    for rank, place in enumerate(order):
        below = places[order[rank - 1]] + apart if rank else values[place] - apart / 2
        places[place] = max(values[place] - apart / 2, below)
    return places


def learning_curves_told(
    curves: Mapping[str, Mapping[int, Sequence[float]]],
    long: Mapping[str, tuple[int, float, float]],
    score: str = "chrF",
) -> str:
    """The figure of :func:`learning_curves` in words, with its numbers."""
    lines = "; ".join(
        f"{name}: " + ", ".join(f"{np.mean(seeds):.1f} with {size:,} pairs" for size, seeds in points.items())
        for name, points in curves.items()
    )
    others = "; ".join(
        f"{name}: {value:.1f} after {tokens:.0f} million tokens" for name, (_, value, tokens) in long.items()
    )
    told = f"{score} by the number of pairs, as means over the seeds. {lines}."
    return f"{told} Longer runs: {others}." if others else told
