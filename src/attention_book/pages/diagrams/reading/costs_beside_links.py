"""The figure of every head's error rate beside the cost of its removal, a mark per layer."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK, STYLE

_MARKS = ("o", "s", "^", "D")
Heads = Float[np.ndarray, "seeds layers heads"]
Values = Float[np.ndarray, " heads"]


def costs_beside_links(rates: Heads, costs: Heads, lines: bool = False, rings: bool = False) -> Figure:
    """A point per head of each seed: how badly it links, and by how much the loss rises without it.

    Args:
        rates: the alignment error rate of each head's links.
        costs: the rise of the loss without the head, in nats per token.
        lines: draw the line of least squares through each layer's heads, and a dashed one through all.
        rings: put a ring around the head of each seed that links best.

    Returns:
        The figure, not yet shown. The first layer's marks are open, the later layers' are filled.

    Raises:
        ValueError: if the shapes differ, or there are more layers than marks.
    """
    if rates.shape != costs.shape or rates.shape[1] > len(_MARKS):
        raise ValueError(f"rates {rates.shape} and costs {costs.shape} must have one shape, of at most four layers")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.9, 3.1), layout="constrained")
        axes = figure.add_subplot()
        for layer in range(rates.shape[1]):
            points = rates[:, layer].ravel(), costs[:, layer].ravel()
            fill = INK if layer else "none"
            axes.plot(*points, _MARKS[layer], color=INK, markerfacecolor=fill, markersize=5, label=f"layer {layer}")
            if lines:
                _line(axes, *points, gid=f"line-{layer}", linewidth=1.2)
        if lines:
            _line(axes, rates.ravel(), costs.ravel(), gid="line-all", linewidth=1.2, linestyle="--")
        if rings:
            best = np.arange(len(rates)), rates.reshape(len(rates), -1).argmin(axis=1)
            points = (values.reshape(len(rates), -1)[best] for values in (rates, costs))
            axes.plot(*points, "o", color=INK, markerfacecolor="none", markersize=10, label="best aligner", gid="rings")
        axes.set(xlabel="AER of the head's links", ylabel="cost in nats per token")
        axes.set_ylim(bottom=min(0.0, float(costs.min())))
        axes.grid(color="#808080", alpha=0.25, linewidth=0.6)
        axes.legend()
    return figure


def _line(axes: Axes, x: Values, y: Values, **style: object) -> None:
    ends = np.array([x.min(), x.max()])
    axes.plot(ends, np.polyval(np.polyfit(x, y, 1), ends), color=INK, label="_", **style)


def costs_beside_links_told(rates: Heads, costs: Heads, lines: bool = False) -> str:
    """The figure of :func:`costs_beside_links` in words: ranges and medians of each layer, and where lines go."""
    told = []
    for layer in range(rates.shape[1]):
        ranges = [
            f"{name} from {number(values.min(), '.2f')} to {number(values.max(), '.2f')}, median "
            f"{number(float(np.median(values)), '.2f')}"
            for name, values in (("AER", rates[:, layer]), ("cost", costs[:, layer]))
        ]
        told.append(f"layer {layer}, {'; '.join(ranges)}")
    if lines:
        each = [(f"layer {n}", rates[:, n], costs[:, n]) for n in range(rates.shape[1])] + [("all heads", rates, costs)]
        goes = [f"{name} {'falls' if np.polyfit(x.ravel(), y.ravel(), 1)[0] > 0 else 'rises'}" for name, x, y in each]
        told.append(f"to the left, with better links, the line through {', that through '.join(goes)}")
    return f"A point per head, {rates.size} in all. {'. '.join(part[0].upper() + part[1:] for part in told)}."
