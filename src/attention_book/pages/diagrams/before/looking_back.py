"""The figures of a decoder that looks back: one state beside all states, and weights beside the true links."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK, ROLES
from ..shapes import WIDTH, arrow, box, said, sheet

_DEEP, _TALL = 96, 20  # from a row of words to the other, and how tall a box is, in points


class Look(NamedTuple):
    """Where a decoder looks while it writes a sentence.

    Attributes:
        source: what the encoder has read, the end token last.
        target: the words that the decoder writes.
        weights: a row per target word, a column per source token; each row sums to 1.
        links: pairs (source place, target place) that truly belong together.
    """

    source: Sequence[str]
    target: Sequence[str]
    weights: Float[np.ndarray, "target source"]
    links: Collection[tuple[int, int]] = ()


def look_of(source: Sequence[str], target: Sequence[str], weights: object, links: Collection = ()) -> Look:
    """A look from weights of any library.

    Raises:
        ValueError: if the weights are not one row per target word and one column per source token, or no shares; if a
            link leads to a place that is not there.
    """
    rows = np.asarray(weights, dtype=float)
    if rows.shape != (len(target), len(source)):
        raise ValueError(f"{len(target)} words and {len(source)} tokens do not fit weights of shape {rows.shape}")
    if rows.min() < 0 or not np.allclose(rows.sum(axis=1), 1, atol=1e-3):
        raise ValueError("each row of weights must hold shares with the sum 1")
    if any(not (0 <= i < len(source) and 0 <= j < len(target)) for i, j in links):
        raise ValueError(f"links are (source place, target place), got {sorted(links)}")
    return Look(list(source), list(target), rows, sorted(links))


def one_state_or_all(look: Look) -> Figure:
    """Two decoders for one sentence: above, each word is written from the last state; below, from a mixture of all.

    Returns:
        The figure, not yet shown.
    """
    with sheet(2 * _DEEP + 116) as axes:
        above, below = _DEEP + 72, 14
        said(axes, (0, above + _DEEP + 22), "without attention: every word from one state", ha="left", weight="bold")
        tops, bottoms = _rows(axes, look, above, "without")
        for j, x in enumerate(bottoms):
            _line(axes, (tops[-1], above + _DEEP - _TALL / 2), (x, above + _TALL / 2), INK, 1.2, f"without-line-{j}")
        said(axes, (0, below + _DEEP + 22), "with attention: every word from all states", ha="left", weight="bold")
        _weighed(axes, look, *_rows(axes, look, below, "with"), below)
    return axes.figure


def links_and_weights(look: Look) -> Figure:
    """Source above, target below; lines as thick as the weights, and dashed lines where words truly belong together.

    Returns:
        The figure, not yet shown.
    """
    with sheet(_DEEP + 68) as axes:
        tops, bottoms = _rows(axes, look, 46, "word", chain=False)
        _weighed(axes, look, tops, bottoms, 46)
        for i, j in look.links:
            ends = (tops[i] + 7, 46 + _DEEP - _TALL / 2), (bottoms[j] + 7, 46 + _TALL / 2)
            _line(axes, *ends, INK, 1.4, f"link-{i}-{j}", linestyle=(0, (3, 2)))
        for x, colour, width, style, text in (
            (4, ROLES["weight"].light, 6, "-", "attention weight"),
            (170, INK, 1.4, (0, (3, 2)), "true link"),
        ):
            axes.plot([x, x + 24], [10, 10], color=colour, linewidth=width, linestyle=style)
            said(axes, (x + 30, 10), text, ha="left")
    return axes.figure


def one_state_or_all_told(look: Look) -> str:
    """The figure of :func:`one_state_or_all` in words."""
    return (
        f"Two pictures of a translator that reads “{' '.join(look.source)}” and writes “{' '.join(look.target)}”. "
        f"Above, without attention: lines lead from the last state alone, that of {look.source[-1]}, to every word. "
        "Below, with attention: lines lead from every state to every word, as thick as the weights. "
        f"{_weights_told(look)}"
    )


def links_and_weights_told(look: Look) -> str:
    """The figure of :func:`links_and_weights` in words."""
    links = ", ".join(f"{look.source[i]} with {look.target[j]}" for i, j in look.links)
    return (
        f"“{' '.join(look.source)}” above, “{' '.join(look.target)}” below. Lines as thick as the attention weights "
        f"join them. {_weights_told(look)} Dashed lines join what truly belongs together: {links}."
    )


def _weights_told(look: Look) -> str:
    each = []
    for word, row in zip(look.target, look.weights, strict=True):
        place = int(row.argmax())
        each.append(f"{word}, {number(row[place], '.2f')} on {look.source[place]}")
    return f"The largest weight of each word: {'; '.join(each)}."


def _middles(words: Sequence[str]) -> list[float]:
    step = (WIDTH - 4) / len(words)
    return [2 + (place + 0.5) * step for place in range(len(words))]


def _rows(
    axes: Axes, look: Look, bottom: int | float, name: str, chain: bool = True
) -> tuple[Sequence[float], Sequence[float]]:
    """Both rows of words in boxes, each state made of the one before; returns where their middles are."""
    found = []
    for words, y, role, row in (
        (look.source, bottom + _DEEP, "key", "source"),
        (look.target, bottom, "query", "target"),
    ):
        middles = _middles(words)
        wide = middles[1] - middles[0] - 16 if len(words) > 1 else 80
        for place, (x, word) in enumerate(zip(middles, words, strict=True)):
            box(axes, (x, y), (wide, _TALL), f"{name}-{row}-{place}", edgecolor=ROLES[role].light, linewidth=1.6)
            said(axes, (x, y), word)
            if chain and place:
                arrow(axes, (middles[place - 1] + wide / 2, y), (x - wide / 2, y), linewidth=1)
        found.append(middles)
    return found[0], found[1]


def _line(axes: Axes, start: tuple, end: tuple, colour: str, width: int | float, name: str, **style: object) -> None:
    line = axes.plot(*zip(start, end, strict=True), color=colour, linewidth=width, **style)
    line[0].set(gid=name, solid_capstyle="butt")


def _weighed(axes: Axes, look: Look, tops: Sequence[float], bottoms: Sequence[float], bottom: int | float) -> None:
    """Lines from every state above to every word below, as thick as the weights."""
    for j, row in enumerate(look.weights):
        for i, weight in enumerate(row.tolist()):
            ends = (tops[i], bottom + _DEEP - _TALL / 2), (bottoms[j], bottom + _TALL / 2)
            _line(axes, *ends, ROLES["weight"].light, 0.3 + 8 * weight, f"weight-{i}-{j}", alpha=0.85)
