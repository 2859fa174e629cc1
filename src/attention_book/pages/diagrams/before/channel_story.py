"""The figure of the noisy channel: the story it is named for, and how two models choose among translations."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.plotting import INK, ROLES
from ..shapes import arrow, box, said, sheet

_STORY, _ROW = 134, 24  # heights in points
_COLUMNS = (96, 180, 264)  # where the bars of P(y), P(x | y) and of the product begin
_LONGEST = 34  # of a bar


class Candidate(NamedTuple):
    """A translation y of the source x, with what both models say: P(y) and P(x | y)."""

    words: str
    fluency: float
    fit: float

    @property
    def product(self) -> float:
        """P(y) P(x | y), what the translation is chosen by."""
        return self.fluency * self.fit


def channel_story(source: str, candidates: Sequence[Candidate]) -> Figure:
    """Draw how a sentence went through the channel, and a row per candidate with both probabilities and their product.

    Args:
        source: the sentence x that came out.
        candidates: what may have gone in.

    Raises:
        ValueError: no candidates, a number that is no probability, or a product of 0 for every candidate.
    """
    if not candidates or not all(0 <= p <= 1 for one in candidates for p in one[1:]):
        raise ValueError("the figure needs candidates whose two numbers are probabilities")
    best = max(candidates, key=lambda one: one.product)
    if not best.product:
        raise ValueError("every product is 0: no candidate is better than another")
    with sheet(_STORY + _ROW * len(candidates)) as axes:
        top = _STORY + _ROW * len(candidates)
        _story(axes, source, top)
        for x, text in zip(_COLUMNS, ("P(y)", "P(x | y)", "product"), strict=True):
            said(axes, (x, top - 118), text, ha="left")
        said(axes, (2, top - 118), "y may be", ha="left")
        for row, one in enumerate(candidates):
            _row(axes, top - _STORY - _ROW * row - 8, row, one, one is best, candidates)
    return axes.figure


def channel_story_told(source: str, candidates: Sequence[Candidate]) -> str:
    """The figure of :func:`channel_story` in words."""
    rows = (
        f"{one.words}: P(y) = {fraction(one.fluency)}, P(x | y) = {fraction(one.fit)}, product {fraction(one.product)}."
        for one in candidates
    )
    best = max(candidates, key=lambda one: one.product)
    return " ".join(
        [
            "A Spanish sentence y, of which the language model knows how probable it is, goes through a noisy channel, "
            f"of which Model 1 knows P(x | y), and comes out as the English x, {source}. A dashed arrow leads back: "
            "which y was it? Below, three bars for each candidate.",
            *rows,
            f"The product of {best.words} is the largest.",
        ]
    )


def fraction(p: float) -> str:
    """A probability as a fraction with a small denominator, such as 1/12."""
    return str(Fraction(p).limit_denominator(1000))


def _story(axes: Axes, source: str, top: int) -> None:
    middle, size = top - 42, (84, 36)
    for x, name, lines in (
        (46, "spanish", "Spanish y:\n?"),
        (169, "channel", "noisy channel"),
        (292, "english", f"English x:\n{source}"),
    ):
        style = {"linestyle": (0, (4, 2))} if name == "channel" else {}
        box(axes, (x, middle), size, name, **style)
        said(axes, (x, middle), lines)
    said(axes, (2, top - 10), "language model: P(y)", ha="left")
    said(axes, (192, top - 10), "Model 1: P(x | y)")
    arrow(axes, (90, middle), (125, middle))
    arrow(axes, (213, middle), (248, middle))
    bend = {"connectionstyle": "arc3,rad=-0.22", "linestyle": (0, (3, 2))}
    arrow(axes, (282, middle - 20), (56, middle - 20), color=ROLES["output"].light, **bend)
    said(axes, (169, middle - 27), "which y was it?")


def _row(axes: Axes, y: int, row: int, one: Candidate, best: bool, candidates: Sequence[Candidate]) -> None:
    """The words of a candidate, and bars for its three numbers, as long as their part of the largest in the column."""
    said(axes, (2, y), one.words, ha="left", weight="bold" if best else "normal")
    for x, name in zip(_COLUMNS, ("fluency", "fit", "product"), strict=True):
        value, largest = getattr(one, name), max(getattr(other, name) for other in candidates)
        length = _LONGEST * value / largest if largest else 0.0
        style = {"facecolor": ROLES["output"].light} if name == "product" else {"facecolor": INK, "alpha": 0.35}
        style["edgecolor"] = "none"
        box(axes, (x + length / 2, y), (length, 10), f"{name}-{row}", **style)
        said(axes, (x + length + 3, y), fraction(value), ha="left")
