"""The figure of a query among the keys of a memory: the nearest ones, each with the word that followed it."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK
from ..shapes import WIDTH, said, sheet

_SCALE = 33.0  # points per unit
_HEIGHT = 180.0
Key = tuple[float, float, str]
"""Where a key stands, and the word that followed it."""


def weights_of(keys: Sequence[Key], query: tuple[float, float], k: int, temperature: float) -> list[tuple[int, float]]:
    """The k nearest keys, the nearest first, each with its weight: the softmax of minus d² over T.

    Raises:
        ValueError: if there are fewer than k keys, or the temperature is not positive.
    """
    if len(keys) < k or not temperature > 0:
        raise ValueError(f"need {k} keys and a positive temperature, got {len(keys)} and {temperature}")
    apart = [_squared_distance(key, query) for key in keys]
    near = sorted(range(len(keys)), key=apart.__getitem__)[:k]
    grown = np.exp([(apart[near[0]] - apart[place]) / temperature for place in near])
    return list(zip(near, (grown / grown.sum()).tolist(), strict=True))


def _squared_distance(key: Key, query: tuple[float, float]) -> float:
    return (key[0] - query[0]) ** 2 + (key[1] - query[1]) ** 2


def keys_around(keys: Sequence[Key], query: tuple[float, float], k: int, temperature: float) -> Figure:
    """Keys as points with their words, the query as a cross, and a line to each of the k nearest with its weight.

    Args:
        keys: at most about ten, in a field of 10 by 6 around the query.
        query: the place of the query.
        k: how many keys count.
        temperature: T of :func:`weights_of`.
    """
    found = dict(weights_of(keys, query, k, temperature))

    def place(x: float, y: float) -> tuple[float, float]:
        return WIDTH / 2 + (x - query[0]) * _SCALE, _HEIGHT / 2 + (y - query[1]) * _SCALE

    with sheet(_HEIGHT) as axes:
        middle = place(*query)
        for each, (x, y, word) in enumerate(keys):
            there, counts = place(x, y), each in found
            if counts:
                gid = f"line-{each}"
                axes.plot(*zip(middle, there, strict=True), color=INK, linewidth=0.6 + 5 * found[each], gid=gid)
            style = {
                "color": INK,
                "markersize": 6,
                "fillstyle": "full" if counts else "none",
                "gid": f"key-{each}",
            }
            axes.plot([there[0]], [there[1]], "o", **style)
            told = f"{word}, {number(found[each], '.2f')}" if counts else word
            if abs(y - query[1]) < 0.5:
                side, aside = ("left", 9) if x > query[0] else ("right", -9)
                said(axes, (there[0] + aside, there[1]), told, ha=side)
            else:
                said(axes, (there[0], there[1] + (13 if y > query[1] else -13)), told)
        axes.plot([middle[0]], [middle[1]], "X", color=INK, markersize=9, gid="query")
        said(axes, (middle[0] - 10, middle[1] + 4), "query", ha="right")
    return axes.figure


def keys_around_told(keys: Sequence[Key], query: tuple[float, float], k: int, temperature: float) -> str:
    """The figure of :func:`keys_around` in words, with its numbers."""
    found = weights_of(keys, query, k, temperature)
    near = "; ".join(
        f"{keys[place][2]}, at the squared distance {_squared_distance(keys[place], query):g}, "
        f"with the weight {weight:.2f}"
        for place, weight in found
    )
    chosen = {place for place, _ in found}
    rest = ", ".join(word for place, (_, _, word) in enumerate(keys) if place not in chosen)
    left = f" The others, too far away to count: {rest}." if rest else ""
    return f"A query among {len(keys)} keys. Lines lead to the nearest {k}: {near}.{left}"
