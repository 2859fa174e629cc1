"""The figure of gaps: what the encoder is shown, what it is asked, and where nothing is asked."""

from dataclasses import dataclass

from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ...figures.plotting import ROLES
from ..shapes import arrow, box, said, sheet

_HEIGHT = 196
_BOX = (52.0, 22.0)
_LEFT, _STEP = 34.0, 54.0
_TRUE, _SHOWN, _ENCODER, _STATES, _ASKED = 14.0, 56.0, 96.0, 136.0, 174.0


@dataclass(frozen=True)
class Gapped:
    """A sentence with chosen positions.

    Attributes:
        words: as they are.
        shown: chosen position to what the encoder is shown there.
    """

    words: tuple[str, ...] = ("the", "girls", "write", "long", "letters", ".")
    shown: tuple[tuple[int, str], ...] = ((1, "<mask>"), (3, "coat"), (4, "letters"))

    def kind(self, at: int) -> str:
        """What happened at a position: "hidden", "replaced", "kept", or "not chosen"."""
        if at not in dict(self.shown):
            return "not chosen"
        word = dict(self.shown)[at]
        return "hidden" if word == "<mask>" else "kept" if word == self.words[at] else "replaced"


EXAMPLE = Gapped()
"""The sentence of the page, with more chosen positions than 15 %, so that every kind is seen."""


def gaps(gapped: Gapped = EXAMPLE) -> Figure:
    """Draw the sentence below, what is shown above it, the encoder, its states, and the words that are asked for."""
    output, mask = (to_rgb(ROLES[name].light) for name in ("output", "mask"))
    with sheet(_HEIGHT) as axes:
        middle = _LEFT + (len(gapped.words) - 1) / 2 * _STEP
        width = (len(gapped.words) - 1) * _STEP + _BOX[0]
        box(axes, (middle, _ENCODER), (width, 26), "encoder")
        said(axes, (middle, _ENCODER), "encoder: every word sees every word")
        for n, word in enumerate(gapped.words):
            x, kind = _LEFT + n * _STEP, gapped.kind(n)
            shown = dict(gapped.shown).get(n, word)
            said(axes, (x, _TRUE), word)
            style = {} if kind == "not chosen" else {"facecolor": (*mask, 0.18), "linewidth": 2}
            box(axes, (x, _SHOWN), _BOX, f"shown-{n}", **style)
            said(axes, (x, _SHOWN), shown)
            said(axes, (x, _SHOWN - 22), "" if kind == "not chosen" else kind, style="italic")
            arrow(axes, (x, _SHOWN + _BOX[1] / 2), (x, _ENCODER - 13))
            arrow(axes, (x, _ENCODER + 13), (x, _STATES - _BOX[1] / 2))
            asked = kind != "not chosen"
            box(axes, (x, _STATES), _BOX, f"state-{n}", facecolor=(*output, 0.4 if asked else 0.08))
            said(axes, (x, _STATES), f"state {n}")
            if asked:
                arrow(axes, (x, _STATES + _BOX[1] / 2), (x, _ASKED - 7))
                said(axes, (x, _ASKED + 2), f"{word}?")
    return axes.figure


def gaps_told(gapped: Gapped = EXAMPLE) -> str:
    """The figure of :func:`gaps` in words."""
    chosen = []
    for n, word in enumerate(gapped.words):
        if (kind := gapped.kind(n)) != "not chosen":
            shown = "" if kind == "kept" else f", shown as {dict(gapped.shown)[n]!r}"
            chosen.append(f"{word!r} is {kind}{shown}")
    rest = [repr(word) for n, word in enumerate(gapped.words) if gapped.kind(n) == "not chosen"]
    return (
        f"The sentence {' '.join(gapped.words)!r} goes through an encoder, in which every word sees every word. "
        f"Chosen positions: {'; '.join(chosen)}. At these {len(chosen)} states the true word is asked for. "
        f"Nothing is asked at {', '.join(rest)}."
    )
