"""The figure of a memory that pairs are written to: arrows laid end to end, and what is read along a key."""

import itertools

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from ...figures.plotting import INK, ROLES, STYLE

KEYS = ((1.0, 0.0), (0.0, 1.0), (0.6, 0.8))
"""Three keys of length 1. The first two are at right angles; the third has no right angle to either."""
VALUES = (5.0, 2.0, 10.0)


def memories() -> Float[np.ndarray, "written d_k"]:
    """The memory of :data:`KEYS` and :data:`VALUES` before the first pair and after each: sums of value times key."""
    pairs = np.array(VALUES)[:, None] * np.array(KEYS)
    return np.vstack([np.zeros(2), np.cumsum(pairs, axis=0)])


def readings(written: int) -> Float[np.ndarray, " keys"]:
    """What the memory answers to each key after so many pairs: key · memory."""
    return np.array(KEYS) @ memories()[written]


def written_memory() -> Figure:
    """Draw the three pairs end to end, their sum, and what is read with each key."""
    places, keys = memories(), np.array(KEYS)
    read = readings(len(keys))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.4, 4.0), layout="constrained")
        axes = figure.add_subplot()
        arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0}
        for j, (start, end) in enumerate(itertools.pairwise(places)):
            colour = ROLES["value"].light
            axes.annotate("", end, start, arrowprops=arrow | {"color": colour, "linewidth": 2}, gid=f"pair-{j}")
            right = np.array([0.25, -0.75]) if j else np.array([-0.6, 0.3])
            axes.text(*((start + end) / 2 + right), f"{VALUES[j]:g} · k{j}", color=colour)
        axes.annotate("", places[-1], (0, 0), arrowprops=arrow | {"color": INK, "linewidth": 2.6}, gid="memory")
        axes.text(6.2, 4.9, "memory S", color=INK, rotation=42, ha="center", va="center")
        for j, (key, reading) in enumerate(zip(keys, read, strict=True)):
            foot, colour = reading * key, ROLES["key"].light
            axes.plot(*zip((0, 0), 15.4 * key, strict=True), color=colour, linewidth=0.8, linestyle=(0, (4, 3)))
            axes.plot(*zip(places[-1], foot, strict=True), color=INK, linewidth=0.8, linestyle=":")
            axes.plot(*foot, marker="o", color=colour, gid=f"reading-{j}")
            where = {0: (0.3, 0.45), 1: (0.4, 0.35), 2: (-0.4, 0.55)}[j]
            axes.text(*(foot + where), f"k{j} reads {reading:g}", color=colour, ha="right" if j == 2 else "left")
        axes.set(xlim=(-1, 16.5), ylim=(-1.6, 14), aspect="equal", xlabel="first number", ylabel="second number")
        axes.grid(color="#808080", alpha=0.25, linewidth=0.6)
    return figure


def written_memory_told() -> str:
    """The figure of :func:`written_memory` in words."""
    places, found = memories(), readings(len(KEYS))
    steps = "; ".join(
        f"{value:g} times key {j} leads to ({end[0]:g}, {end[1]:g})"
        for j, (value, end) in enumerate(zip(VALUES, places[1:], strict=True))
    )
    read = ", ".join(f"{reading:g} with key {j}" for j, reading in enumerate(found))
    wanted = ", ".join(f"{value:g}" for value in VALUES)
    return (
        f"Three arrows in a plane, laid end to end: {steps}. An arrow from the origin to that point is the memory. "
        f"Its shadow on the line of each key is what is read: {read}. The values were {wanted}."
    )
