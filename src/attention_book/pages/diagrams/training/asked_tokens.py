"""The figure of teacher forcing: what each row of the decoder reads, what it is asked for, and what that costs."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK
from ..shapes import WIDTH, arrow, box, said, sheet

_ROW, _READ, _WANTED, _BAR, _VALUE = 24, 38, 134, 184, 104
"""Points: the height of a row, the middles of the two columns of tokens, where bars begin, the room for them."""


@runtime_checkable
class Rows(Protocol):
    """What is drawn: :class:`attention_book.studies.training.told_the_truth.Asked` is one."""

    @property
    def read(self) -> Sequence[str]: ...

    @property
    def wanted(self) -> Sequence[str]: ...

    @property
    def probabilities(self) -> Sequence[float]: ...

    @property
    def losses(self) -> Sequence[float]: ...


def asked_tokens(rows: Rows) -> Figure:
    """A row per target token: the token read, an arrow to the token asked for, and a bar as long as its loss."""
    count = len(rows.wanted)
    longest = max(rows.losses)
    with sheet(_ROW * count + 26) as axes:
        top = _ROW * count + 14
        for x, name in ((_READ, "reads"), (_WANTED, "is asked for")):
            said(axes, (x, top), name, weight="bold")
        said(axes, (_BAR, top), "loss in nats", ha="left", weight="bold")
        for place in range(count):
            y = _ROW * (count - place - 0.5)
            box(axes, (_READ, y), (66, 18), f"read-{place}")
            said(axes, (_READ, y), rows.read[place])
            arrow(axes, (_READ + 35, y), (_WANTED - 37, y))
            box(axes, (_WANTED, y), (70, 18), f"wanted-{place}", linewidth=1.8)
            said(axes, (_WANTED, y), rows.wanted[place])
            wide = _VALUE * rows.losses[place] / longest
            box(axes, (_BAR + wide / 2, y), (wide, 14), f"loss-{place}", facecolor=INK, alpha=0.35)
            said(axes, (_BAR + wide + 4, y), number(rows.losses[place], ".2f"), ha="left")
            if place:
                start, end = (_WANTED - 30, y + _ROW - 9), (_READ + 30, y + 9)
                axes.plot(*zip(start, end, strict=True), color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
        assert _BAR + _VALUE + 4 < WIDTH
    return axes.figure


def asked_tokens_told(rows: Rows) -> str:
    """The figure of :func:`asked_tokens` in words."""
    each = (
        f"After reading {read}, it is asked for {wanted}: probability {number(p, '.2f')}, loss {number(loss, '.2f')}."
        for read, wanted, p, loss in zip(rows.read, rows.wanted, rows.probabilities, rows.losses, strict=True)
    )
    return " ".join(["The rows of the decoder, from above; each reads what the row above it was asked for.", *each])
