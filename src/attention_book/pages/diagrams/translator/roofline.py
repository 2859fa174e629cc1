"""The figure of what limits a step: the roof of two limits, and what the steps reached below it."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from ...figures.plotting import INK, curves

Line = tuple[ArrayLike, ArrayLike]


def roofline(lines: dict[str, Line], batches: Sequence[int], labelled: str) -> Figure:
    """Draw operations per second over operations per byte, with the batch beside the points of one line.

    Args:
        lines: by name, what each reaches; all on logarithmic axes.
        batches: the batch of each point of the labelled line.
        labelled: the name of that line.
    """
    axes = {"x_label": "operations per byte of weights", "y_label": "billions of operations per second"}
    figure = curves(lines, **axes, x_scale="log", y_scale="log")
    figure.axes[0].set_ylim(bottom=0.6 * min(min(reached) for _, reached in lines.values()))
    for x, y, batch in zip(*lines[labelled], batches, strict=True):
        text = f"batch {batch}" if batch == batches[0] else str(batch)
        figure.axes[0].annotate(text, (x, y), xytext=(4, -11), textcoords="offset points", color=INK)
    return figure


def roofline_told(lines: dict[str, Line], batches: Sequence[int]) -> str:
    """The figure of :func:`roofline` in words.

    Args:
        lines: as there; the first one is the roof.
        batches: as there.
    """
    (_, (ends, heights)), *rest = lines.items()
    told = [
        f"Billions of operations per second over operations per byte, logarithmic axes. The limit rises from "
        f"{heights[0]:.0f} at {ends[0]:g} operations per byte to {heights[1]:.0f} at {ends[1]:.1f}, and is flat from "
        f"there."
    ]
    for name, (_, reached) in rest:
        told.append(f"{name[0].upper()}{name[1:]}: {reached[0]:.0f} at batch {batches[0]}, {reached[-1]:.0f} at batch "
                    f"{batches[-1]}.")  # fmt: skip
    return " ".join(told)
