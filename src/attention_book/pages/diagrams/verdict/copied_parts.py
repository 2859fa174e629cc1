"""Two figures of *Another language, little data*: which parts begin with the parent's weights, and what came of it."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ...figures.plotting import INK, STYLE
from ..shapes import SMALL, arrow, box, said, sheet

PARTS = {"src_embedding": "English\ntable", "encoder": "encoder\nlayers", "decoder": "decoder\nlayers"}
OWN = "Hindi\ntable"
"""The part that the parent does not have."""
_ROW, _TOP, _BOX, _STEP, _LEFT = 66.0, 8.0, (68.0, 34.0), 82.0, 46.0
_INCHES = 338 / 72  # as wide as a phone shows without making letters smaller


def copied_parts(starts: Mapping[str, Sequence[str]]) -> Figure:
    """A row of four parts per way to start: shaded if it is copied from the parent, dashed if it is drawn anew.

    Args:
        starts: the label of each with the parts that are copied, named as in `PARTS`.

    Raises:
        ValueError: if a part is none of `PARTS`.
    """
    if wrong := {part for parts in starts.values() for part in parts} - PARTS.keys():
        raise ValueError(f"no part {', '.join(sorted(wrong))}; there are: {', '.join(PARTS)}")
    height = _ROW * len(starts) + _TOP
    with sheet(height) as axes:
        for row, (label, copied) in enumerate(starts.items()):
            top = height - row * _ROW
            said(axes, (_LEFT - _BOX[0] / 2, top - 12), f"copied: {label}", ha="left")
            for place, (part, name) in enumerate([*PARTS.items(), ("", OWN)]):
                centre = (_LEFT + place * _STEP, top - 42)
                style = {"facecolor": (*to_rgb(INK), 0.2)} if part in copied else {"linestyle": "--"}
                box(axes, centre, _BOX, f"{row}-{part or 'own'}", **style)
                said(axes, centre, name, fontsize=SMALL, linespacing=1.1)
                if place:
                    arrow(axes, (centre[0] - _STEP + _BOX[0] / 2, centre[1]), (centre[0] - _BOX[0] / 2, centre[1]))
    return axes.figure


def copied_parts_told(starts: Mapping[str, Sequence[str]]) -> str:
    """The figure of :func:`copied_parts` in words."""
    rows = []
    for label, copied in starts.items():
        names = {part: name.replace("\n", " ") for part, name in [*PARTS.items(), ("", OWN)]}
        taken = [name for part, name in names.items() if part in copied]
        anew = [name for part, name in names.items() if part not in copied]
        rows.append(f"{label}: copied {', '.join(taken) or 'nothing'}; drawn anew {', '.join(anew)}.")
    return f"Four parts in a row, from the English table to the Hindi table. {' '.join(rows)}"


def start_dots(scores: Mapping[str, Sequence[float]], floor: str) -> Figure:
    """A row per way to start with a dot per seed, and a dashed line at the score of the one that learns nothing.

    Args:
        scores: the label of each with its scores, one per seed.
        floor: the label of the row whose mean is the line.

    Raises:
        ValueError: if no row has that label.
    """
    if floor not in scores:
        raise ValueError(f"there is no row {floor!r}; there are {', '.join(scores)}")
    with mpl.rc_context(STYLE | {"font.size": SMALL}):
        figure = Figure(figsize=(_INCHES, 0.9 + 0.3 * len(scores)), layout="constrained")
        axes = figure.add_subplot()
        for place, (label, seeds) in enumerate(scores.items()):
            marker, face = ("D", "none") if label == floor else ("o", INK)
            axes.plot(
                list(seeds), [place] * len(seeds), marker, color=INK, markerfacecolor=face, markersize=4.5,
                alpha=0.8, gid=f"seeds-{label}",
            )  # fmt: skip
        axes.axvline(float(np.mean(scores[floor])), color=INK, linewidth=0.8, linestyle="--", gid="floor")
        axes.set_yticks(range(len(scores)), list(scores))
        axes.set_xlabel("chrF on the test sentences")
        axes.set_xlim(0, 1.06 * max(map(max, scores.values())))
        axes.invert_yaxis()
        axes.grid(axis="x", color="#808080", alpha=0.25, linewidth=0.6)
    return figure


def start_dots_told(scores: Mapping[str, Sequence[float]]) -> str:
    """The figure of :func:`start_dots` in words, with its numbers."""
    rows = (f"{label}: {', '.join(f'{score:.1f}' for score in seeds)}" for label, seeds in scores.items())
    return f"chrF of each way to start, a dot per seed. {'; '.join(rows)}."
