"""The figure of one query that looks something up: its scores with the keys, the weights, and the mixture of values."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK, ROLES
from ..shapes import WIDTH, Point, arrow, box, said, sheet

_HEIGHT = 328  # in points
_LEFT, _RIGHT = 52.0, WIDTH - 2.0  # between them stand the columns, one per key
_WORDS, _QUERY, _KEYS, _SCORES, _SOFTMAX, _WEIGHTS, _VALUES, _OUTPUT = 268, 312, 246, 204, 175, 146, 104, 14  # heights


class Lookup(NamedTuple):
    """One query, and what it finds.

    Attributes:
        words: whose keys and values they are, one per column.
        asks: what is about to happen when the query asks, such as "before gustan".
        query: the query.
        keys: one row per word.
        scores: one number per word.
        weights: the softmax of the scores.
        values: one row per word.
        output: the values, mixed by the weights.
    """

    words: Sequence[str]
    asks: str
    query: Float[np.ndarray, " d_k"]
    keys: Float[np.ndarray, "n d_k"]
    scores: Float[np.ndarray, " n"]
    weights: Float[np.ndarray, " n"]
    values: Float[np.ndarray, "n d_v"]
    output: Float[np.ndarray, " d_v"]


def lookup_of(
    words: Sequence[str],
    asks: str,
    query: object,
    keys: object,
    scores: object,
    weights: object,
    values: object,
    output: object,
) -> Lookup:
    """A lookup from arrays of any library, or nested lists.

    Raises:
        ValueError: if there is not one key, score, weight and value per word, the weights are no shares with the sum 1,
            or the output is not the mixture of the values.
    """
    arrays = [np.asarray(part, dtype=float) for part in (query, keys, scores, weights, values, output)]
    made = Lookup(list(words), asks, *arrays)
    counts = {len(part) for part in (made.words, made.keys, made.scores, made.weights, made.values)}
    if len(counts) != 1:
        raise ValueError(f"each word needs a key, a score, a weight and a value, got {sorted(counts)} of them")
    if made.weights.min() < 0 or abs(made.weights.sum() - 1) > 1e-6:
        raise ValueError(f"weights are shares with the sum 1, got {made.weights.tolist()}")
    if not np.allclose(made.weights @ made.values, made.output):
        raise ValueError(f"these weights mix the values to {made.weights @ made.values}, not to {made.output}")
    return made


def soft_lookup(lookup: Lookup) -> Figure:
    """A column per word: its key, which meets the query; score and weight; its value, on the way into the output.

    Returns:
        The figure, not yet shown.
    """
    with sheet(_HEIGHT) as axes:
        middles = _middles(len(lookup.words))
        wide = (_RIGHT - _LEFT) / len(lookup.words) - 8
        _labels(axes)
        _compare(axes, lookup, middles, wide)
        _weigh(axes, lookup, middles, wide)
        _mix(axes, lookup, middles, wide)
    return axes.figure


def lookup_told(lookup: Lookup) -> str:
    """The figure of :func:`soft_lookup` in words."""
    rows = zip(lookup.words, lookup.keys, lookup.scores, lookup.weights, lookup.values, strict=True)
    columns = "; ".join(
        f"{word}: key {vector(k)}, score {number(score, '.2f')}, weight {number(weight, '.3f')}, value {vector(v)}"
        for word, k, score, weight, v in rows
    )
    return (
        f"One query, {lookup.asks}: {vector(lookup.query)}. Arrows lead from it to the keys, one column per word. "
        f"{columns}. Softmax turns the row of scores into the row of weights. Lines as thick as the weights lead from "
        f"the values to the output, {vector(lookup.output, 2)}."
    )


def vector(numbers: Float[np.ndarray, " d"], decimals: int = 1) -> str:
    """Numbers in brackets, whole ones without decimals."""
    told = (number(x, f".{decimals}f") if x % 1 else number(int(x)) for x in numbers.tolist())
    return f"({', '.join(told)})"


def _middles(n: int) -> list[float]:
    """Where the middle of each column is."""
    step = (_RIGHT - _LEFT) / n
    return [_LEFT + (place + 0.5) * step for place in range(n)]


def _labels(axes: Axes) -> None:
    rows = {
        "query": _QUERY,
        "keys": _KEYS,
        "scores": _SCORES,
        "weights": _WEIGHTS,
        "values": _VALUES,
        "output": _OUTPUT,
    }
    for text, y in rows.items():
        said(axes, (0, y), text, ha="left")


def _framed(axes: Axes, centre: Point, wide: int | float, text: str, role: str, name: str) -> None:
    """A text in a box with an edge in the colour of a role."""
    box(axes, centre, (wide, 20), name, edgecolor=ROLES[role].light, linewidth=1.6)
    said(axes, centre, text)


def _compare(axes: Axes, lookup: Lookup, middles: Sequence[int | float], wide: float) -> None:
    """The query above, an arrow to each key, and the score below the key."""
    centre = (_LEFT + _RIGHT) / 2
    _framed(axes, (centre, _QUERY), 176, f"{lookup.asks}: {vector(lookup.query)}", "query", "query")
    columns = zip(middles, lookup.words, lookup.keys, lookup.scores, strict=True)
    for place, (x, word, key, score) in enumerate(columns):
        arrow(axes, (centre, _QUERY - 10), (x, _WORDS + 8), color=ROLES["query"].light)
        said(axes, (x, _WORDS), word, style="italic")
        _framed(axes, (x, _KEYS), wide, vector(key), "key", f"key-{place}")
        arrow(axes, (x, _KEYS - 10), (x, _SCORES + 8))
        said(axes, (x, _SCORES), number(score, ".2f"))


def _weigh(axes: Axes, lookup: Lookup, middles: Sequence[int | float], wide: float) -> None:
    """All scores go into one softmax; below it a bar per weight, with its number."""
    box(axes, ((_LEFT + _RIGHT) / 2, _SOFTMAX), (_RIGHT - _LEFT - 8, 17), "softmax", linestyle=(0, (3, 2)))
    said(axes, ((_LEFT + _RIGHT) / 2, _SOFTMAX), "softmax: exponentials, divided by their sum")
    for place, (x, weight) in enumerate(zip(middles, lookup.weights, strict=True)):
        arrow(axes, (x, _SCORES - 7), (x, _SOFTMAX + 9))
        said(axes, (x, _WEIGHTS + 8), number(weight, ".3f"))
        colour, long = ROLES["weight"].light, wide * weight
        box(axes, (x, _WEIGHTS - 6), (long, 10), f"weight-{place}", facecolor=colour, edgecolor="none")


def _mix(axes: Axes, lookup: Lookup, middles: Sequence[int | float], wide: float) -> None:
    """The values, and lines as thick as their weights to the output."""
    centre = (_LEFT + _RIGHT) / 2
    for place, (x, value, weight) in enumerate(zip(middles, lookup.values, lookup.weights, strict=True)):
        _framed(axes, (x, _VALUES), wide, vector(value), "value", f"value-{place}")
        line = axes.plot([x, centre], [_VALUES - 10, _OUTPUT + 18], color=ROLES["weight"].light)
        line[0].set(gid=f"line-{place}", linewidth=0.5 + 10 * weight, solid_capstyle="butt")
    said(axes, (_RIGHT, (_VALUES + _OUTPUT) / 2 - 10), "weight × value,\nadded up", ha="right")
    axes.plot(centre, _OUTPUT + 16, marker="v", markersize=8, color=INK)
    _framed(axes, (centre, _OUTPUT), 120, vector(lookup.output, 2), "output", "output")
