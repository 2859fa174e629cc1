"""The figure of one step of the translator: from the pieces it reads, by its parts, to the piece that it writes."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from ...analysis.seed_statistics import number
from ...translation.token_probabilities import factors
from ...translation.translator import Translator
from ..figures.plotting import INK, ROLES
from .shapes import WIDTH, arrow, box, said, sheet

_HEIGHT = 404  # in points
_LEFT, _RIGHT, _COLUMN = 2.0, 176.0, 150.0  # where both columns begin, and how wide they are
_PIECES, _STACK, _MEMORY, _QUERY, _SCORES = 350, 252, 196, 130, 62  # heights
Likeliest = Sequence[tuple[str, float]]


class Step(NamedTuple):
    """One step of a translator.

    Attributes:
        sentence: the source as a text.
        read: its pieces.
        written: the pieces of the target that the decoder knows, the start token first.
        later: pieces that come after, which it must not see; the first of them is where the next piece will stand.
        weights: how much each piece of the source counts for the next one; they sum to 1.
        likeliest: pieces that may come next with their probabilities, the likeliest first.
    """

    sentence: str
    read: Sequence[str]
    written: Sequence[str]
    later: Sequence[str]
    weights: Float[np.ndarray, " pieces"]
    likeliest: Likeliest


def step_of(translator: Translator, sentence: str, known: int, later: int = 2, count: int = 3) -> Step:
    """A step of a translator's own translation.

    Args:
        translator: a Transformer; the weights are its last layer's cross-attention, averaged over the heads.
        sentence: one sentence.
        known: how many pieces it has written.
        later: how many of the pieces that follow are shown.
        count: how many candidates are.
    """
    told = translator.translate(sentence, return_attention=True)
    written, to_come = ["<s>", *told.target_tokens[:known]], told.target_tokens[known : known + later]
    likeliest = factors(translator, sentence, told.text, count)[known].likeliest
    weights = told.cross[-1].mean(axis=0, dtype=np.float64)[known]
    return Step(sentence, told.source_tokens, written, to_come, weights, likeliest)


def translator_flow(step: Step) -> Figure:
    """The encoder at the left, which reads; the decoder at the right, which writes the next piece and is fed it.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is nothing to read, written or to come, the weights are not one per piece with the sum 1,
            or the candidates are not in order.
    """
    _refuse_misfits(step)
    sentence, read, written, later, weights, likeliest = step
    with sheet(_HEIGHT) as axes:
        _reader(axes, sentence, read)
        fed = _writer(axes, written, later)
        _looks(axes, read, weights)
        _chooses(axes, likeliest, fed)
    return axes.figure


def flow_told(step: Step) -> str:
    """The figure of :func:`translator_flow` in words."""
    sentence, read, written, _, weights, likeliest = step
    looks = ", ".join(f"{number(weight, '.2f')} on {piece}" for piece, weight in zip(read, weights, strict=True))
    next_ones = ", ".join(f"{piece} {number(p, '.3f')}" for piece, p in likeliest)
    return (
        f"One step of the translator, in two columns. Left: the sentence “{sentence}” is cut into the subwords "
        f"{', '.join(read)}; an embedding turns each into a vector; the encoder, by self-attention, makes the memory, "
        f"one key and one value for each subword. Right: the decoder is fed {', '.join(written)}; later pieces are "
        f"masked. After self-attention its query goes by cross-attention to the memory, with these weights: {looks}. "
        f"The output becomes a probability for every subword: {next_ones}. The search takes {likeliest[0][0]}, and an "
        f"arrow leads from there back to the decoder's input, where it stands next."
    )


def _refuse_misfits(step: Step) -> None:
    _, read, written, later, weights, likeliest = step
    if not read or not written or not later or not likeliest:
        raise ValueError("a step needs pieces read, pieces written, pieces to come and candidates for the next one")
    if len(weights) != len(read) or min(weights) < 0 or abs(sum(weights) - 1) > 1e-3:
        raise ValueError(f"{len(read)} pieces need one weight each, with the sum 1, got {list(weights)}")
    shares = [p for _, p in likeliest]
    if shares != sorted(shares, reverse=True):
        raise ValueError(f"the likeliest piece comes first, got the probabilities {shares}")


def _places(left: float, pieces: Sequence[str]) -> list[tuple[float, float]]:
    """Centre and width of a box for each piece, side by side over a column; a long piece gets a wide box."""
    room = np.array([len(piece) + 2.0 for piece in pieces])
    edges = left + _COLUMN * np.concatenate([[0.0], np.cumsum(room) / room.sum()])
    return [((a + b) / 2, b - a - 2) for a, b in itertools.pairwise(edges)]


def _row(axes: Axes, pieces: Sequence[str], places: Sequence[tuple[float, float]], name: str, **style: object) -> None:
    """Pieces in boxes, each with its text."""
    for place, (piece, (x, width)) in enumerate(zip(pieces, places, strict=True)):
        box(axes, (x, _PIECES), (width, 20), f"{name}-{place}", **style)
        said(axes, (x, _PIECES), piece)


def _stack(axes: Axes, left: float, bottom: int, top: int, name: str, inside: str) -> None:
    """A part of the translator: a box with its name, fed from above through the embedding."""
    middle = left + _COLUMN / 2
    corner = FancyBboxPatch((left, bottom), _COLUMN, top - bottom, boxstyle="round,pad=0,rounding_size=6")
    corner.set(facecolor="none", edgecolor=INK, linewidth=1.2)
    axes.add_patch(corner)
    arrow(axes, (middle, _PIECES - 12), (middle, top))
    said(axes, (middle + 6, (_PIECES - 12 + top) / 2), "embedding", ha="left")
    axes.text(middle, top - 13, name, ha="center", va="center", weight="bold")
    said(axes, (middle, top - 29), inside)


def _reader(axes: Axes, sentence: str, read: Sequence[str]) -> None:
    middle = _LEFT + _COLUMN / 2
    axes.text(middle, _HEIGHT - 8, sentence, ha="center", va="center", style="italic", fontsize=11)
    arrow(axes, (middle, _HEIGHT - 16), (middle, _PIECES + 12))
    said(axes, (middle + 6, (_HEIGHT + _PIECES - 4) / 2), "subwords", ha="left")
    places = _places(_LEFT, read)
    _row(axes, read, places, "read")
    _stack(axes, _LEFT, _STACK, _STACK + 50, "encoder", "self-attention")
    arrow(axes, (middle, _STACK), (middle, _MEMORY + 12))
    said(axes, (middle + 6, (_STACK + _MEMORY + 12) / 2), "memory", ha="left")
    for place, (x, width) in enumerate(places):
        for side, role in ((-0.25, "key"), (0.25, "value")):
            colour = ROLES[role].light
            half = f"{role}-{place}"
            box(axes, (x + side * width, _MEMORY), (width / 2, 20), half, facecolor=colour, edgecolor="none")
        box(axes, (x, _MEMORY), (width, 20), f"memory-{place}")
    for line, (role, text) in enumerate({"key": "key of a subword", "value": "value of a subword"}.items()):
        y = _QUERY - 14 - 15 * line
        box(axes, (_LEFT + 6, y), (10, 10), f"legend-{role}", facecolor=ROLES[role].light, edgecolor="none")
        said(axes, (_LEFT + 16, y), text, ha="left")


def _writer(axes: Axes, written: Sequence[str], later: Sequence[str]) -> float:
    """The decoder; returns where the next piece will stand."""
    middle, known = _RIGHT + _COLUMN / 2, len(written)
    places = _places(_RIGHT, [*written, *later])
    _row(axes, written, places[:known], "written")
    _row(axes, later, places[known:], "later", edgecolor=ROLES["mask"].light, linestyle=(0, (3, 2)))
    said(axes, (_RIGHT + 1, _PIECES + 20), "written", ha="left")
    said(axes, (_RIGHT + _COLUMN - 1, _PIECES + 20), "masked", ha="right")
    _stack(axes, _RIGHT, _QUERY - 30, _STACK + 50, "decoder", "self-attention")
    arrow(axes, (middle, _STACK + 12), (middle, _QUERY + 6), color=ROLES["query"].light)
    said(axes, (middle + 6, (_STACK + _QUERY) / 2 + 20), "query", ha="left")
    said(axes, (middle + 8, _QUERY - 12), "cross-\nattention", ha="left")
    return places[known][0]


def _looks(axes: Axes, read: Sequence[str], weights: Float[np.ndarray, " pieces"]) -> None:
    """Lines from the memory to the decoder's query, as thick as their weights, which stand beside them."""
    middle = _RIGHT + _COLUMN / 2
    for place, ((x, _), weight) in enumerate(zip(_places(_LEFT, read), weights, strict=True)):
        colour = ROLES["weight"].light
        said(axes, (x, _MEMORY - 20), number(weight, ".2f"))
        line = axes.plot([x, middle], [_MEMORY - 28, _QUERY], color=colour, linewidth=0.4 + 7 * weight)
        line[0].set(gid=f"weight-{place}", solid_capstyle="butt")
    axes.plot(middle, _QUERY, marker=ROLES["query"].marker, markersize=9, color=ROLES["query"].light)


def _chooses(axes: Axes, likeliest: Likeliest, fed: float) -> None:
    """Bars for the candidates, and the way of the first of them back to the decoder's input."""
    middle = _RIGHT + _COLUMN / 2
    arrow(axes, (middle, _QUERY - 6), (middle, _SCORES + 14), color=ROLES["output"].light)
    for place, (piece, p) in enumerate(likeliest):
        y = _SCORES - 16 * place
        said(axes, (_RIGHT + 44, y), piece, ha="right")
        box(axes, (_RIGHT + 48 + 30 * p, y), (60 * p, 10), f"probability-{place}", facecolor=ROLES["output"].light)
        said(axes, (_RIGHT + 52 + 60 * p, y), number(p, ".3f"), ha="left")
    said(axes, (_LEFT, _SCORES - 18), "a probability for\nevery subword: the\nsearch chooses one", ha="left")
    edge, top = WIDTH - 3, _PIECES + 32
    corners = [(WIDTH - 18, _SCORES), (edge, _SCORES), (edge, top), (fed, top), (fed, _PIECES + 11)]
    for start, end in itertools.pairwise(corners[:-1]):
        axes.plot(*zip(start, end, strict=True), color=INK, linewidth=1, linestyle=(0, (3, 2)))
    arrow(axes, corners[-2], corners[-1], linewidth=1)
