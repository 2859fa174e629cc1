"""The figure of what each token of a sentence costs and how hard it pulls in training, the dearest token first."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ...figures.plotting import INK
from ..shapes import WIDTH, box, said, sheet

_ROW, _MIDDLE, _GAP, _BAR = 22, WIDTH / 2, 40, 92
"""Points: the height of a row, the middle of the tokens, from there to where bars begin, the length of a full bar."""


@runtime_checkable
class Pulled(Protocol):
    """What is drawn: :class:`attention_book.studies.training.told_the_truth.Asked` is one."""

    @property
    def wanted(self) -> Sequence[str]: ...

    @property
    def losses(self) -> Sequence[float]: ...

    @property
    def pulls(self) -> Sequence[float]: ...


def dearest_first(rows: Pulled) -> list[tuple[str, float, float]]:
    """Token, loss and pull of each row, from the largest loss to the smallest."""
    return sorted(zip(rows.wanted, rows.losses, rows.pulls, strict=True), key=lambda row: -row[1])


def pulled_tokens(rows: Pulled) -> Figure:
    """A row per token: to its left a bar for its loss, the longest one full; to its right one for its pull, 1 full."""
    ordered = dearest_first(rows)
    most = ordered[0][1]
    with sheet(_ROW * len(ordered) + 24) as axes:
        top = _ROW * len(ordered) + 12
        said(axes, (_MIDDLE - _GAP, top), "loss in nats", ha="right", weight="bold")
        said(axes, (_MIDDLE + _GAP, top), "pull", ha="left", weight="bold")
        for place, (token, loss, pull) in enumerate(ordered):
            y = _ROW * (len(ordered) - place - 0.5)
            box(axes, (_MIDDLE, y), (66, 18), f"token-{place}", linewidth=1.8)
            said(axes, (_MIDDLE, y), token)
            for name, value, full, side in (("loss", loss, most, -1), ("pull", pull, 1.0, 1)):
                wide = _BAR * value / full
                centre = (_MIDDLE + side * (_GAP + wide / 2), y)
                box(axes, centre, (wide, 14), f"{name}-{place}", facecolor=INK, alpha=0.35)
                end = _MIDDLE + side * (_GAP + wide + 4)
                said(axes, (end, y), number(value, ".2f"), ha="left" if side > 0 else "right")
    return axes.figure


def pulled_tokens_told(rows: Pulled) -> str:
    """The figure of :func:`pulled_tokens` in words."""
    each = (
        f"{token}: loss {number(loss, '.2f')}, pull {number(pull, '.2f')}." for token, loss, pull in dearest_first(rows)
    )
    return " ".join(["The tokens of the sentence, the costliest first.", *each])
