"""The figure of what every head of a layer costs one kind of word, a row per model, the best linker a diamond."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK, STYLE

Heads = Float[np.ndarray, "seeds heads"]


def missed_head(right: Heads, rises: Heads) -> Figure:
    """A row per model and a mark per head: by how much a kind of word misses it.

    Args:
        right: the share of the kind's words that each head links rightly.
        rises: the rise of their loss without the head, in nats per word.

    Returns:
        The figure, not yet shown. The mark of the head with the most right links is a diamond, with its share above it.

    Raises:
        ValueError: if the shapes differ.
    """
    if right.shape != rises.shape:
        raise ValueError(f"right {right.shape} and rises {rises.shape} must have one shape")
    best = right.argmax(axis=1)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(3.5, 0.7 + 0.46 * len(right)), layout="constrained")
        axes = figure.add_subplot()
        for row, (chosen, costs) in enumerate(zip(best, rises, strict=True)):
            others = np.delete(costs, chosen)
            axes.plot(others, np.full(others.size, row), "o", color=INK, markerfacecolor="none", markersize=5)
            axes.plot(costs[chosen], row, "D", color=INK, markersize=6)
            share = f"{number(100 * right[row, chosen], '.0f')} %"
            axes.annotate(share, (costs[chosen], row), (0, 5), textcoords="offset points", ha="center", fontsize=8)
        axes.set(xlabel="rise without the head, in nats per clitic", yticks=range(len(right)))
        axes.set_yticklabels([f"model {row}" for row in range(len(right))])
        axes.set_ylim(len(right) - 0.5, -0.75)
        axes.margins(x=0.08)
        axes.grid(axis="x", color="#808080", alpha=0.25, linewidth=0.6)
    return figure


def missed_head_told(right: Heads, rises: Heads) -> str:
    """The figure of :func:`missed_head` in words, model by model."""
    told = []
    for row, (chosen, costs) in enumerate(zip(right.argmax(axis=1), rises, strict=True)):
        others = ", ".join(number(one, "+.2f") for one in np.delete(costs, chosen))
        told.append(
            f"Model {row}: the head that links most, {number(100 * right[row, chosen], '.0f')} %, "
            f"costs {number(costs[chosen], '+.2f')}, the others {others}."
        )
    return " ".join(told)
