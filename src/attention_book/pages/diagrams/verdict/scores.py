"""The verdict's two figures: a dot per system with its interval, and a line per system by the length of the source."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from ....analysis.seed_statistics import Measured
from ...figures.plotting import INK, STYLE
from ..shapes import SMALL

_MARKERS = ("o", "s", "^", "D", "v", "x")
_LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
_INCHES = 338 / 72  # as wide as a phone shows without making letters smaller


def score_dots(scores: Mapping[str, tuple[Measured, Measured]], metrics: tuple[str, str]) -> Figure:
    """A row per system: a full dot for its first score, a hollow one for its second, with intervals and numbers.

    Args:
        scores: the label of each system with its two scores.
        metrics: what the scores are called.

    Raises:
        ValueError: if there is no system.
    """
    if not scores:
        raise ValueError("there is no system to draw")
    with mpl.rc_context(STYLE | {"font.size": SMALL}):
        figure = Figure(figsize=(_INCHES, 1.1 + 0.34 * len(scores)), layout="constrained")
        axes = figure.add_subplot()
        for number, metric in enumerate(metrics):
            face = (INK, "none")[number]
            for place, (name, both) in enumerate(scores.items()):
                one, at = both[number], place + (-0.13, 0.13)[number]
                axes.plot([one.value - one.spread, one.value + one.spread], [at, at], color=INK, linewidth=1)
                label = metric if place == 0 else None
                axes.plot(
                    [one.value], [at], ("o", "s")[number], color=INK, markerfacecolor=face, markersize=5,
                    linestyle="none", label=label, gid=f"{metric}-{name}",
                )  # fmt: skip
                axes.text(one.value + one.spread + 0.8, at, f"{one.value:.1f}", va="center", fontsize=SMALL)
        axes.margins(x=0.17)
        axes.set_yticks(range(len(scores)), list(scores))
        axes.set_xlabel("score on the test sentences, 0 to 100")
        axes.invert_yaxis()
        axes.grid(axis="x", color="#808080", alpha=0.25, linewidth=0.6)
        figure.legend(loc="outside upper center", ncols=2)
    return figure


def score_dots_told(scores: Mapping[str, tuple[Measured, Measured]], metrics: tuple[str, str]) -> str:
    """The figure of :func:`score_dots` in words, with its numbers."""
    rows = (f"{name}: {metrics[0]} {one:.1f}, {metrics[1]} {two:.1f}" for name, (one, two) in scores.items())
    return f"A dot per score with its interval, a row per system. {'; '.join(rows)}."


def length_lines(lines: Mapping[str, Sequence[Measured]], groups: Sequence[str]) -> Figure:
    """A line per system over groups of source lengths, with an interval at each point; the points stand side by side.

    Args:
        lines: the label of each system with one score per group.
        groups: what the groups are called.

    Raises:
        ValueError: if a system has not one score per group, or there are more systems than markers.
    """
    if not 0 < len(lines) <= len(_MARKERS):
        raise ValueError(f"between 1 and {len(_MARKERS)} systems can be told apart, got {len(lines)}")
    for name, scores in lines.items():
        if len(scores) != len(groups):
            raise ValueError(f"{name} has {len(scores)} scores for {len(groups)} groups")
    with mpl.rc_context(STYLE | {"font.size": SMALL}):
        figure = Figure(figsize=(_INCHES, 4.3), layout="constrained")
        axes = figure.add_subplot()
        for place, (name, scores) in enumerate(lines.items()):
            shift = 0.09 * (place - (len(lines) - 1) / 2)
            x = [group + shift for group in range(len(groups))]
            axes.errorbar(
                x, [one.value for one in scores], [one.spread for one in scores], color=INK, linewidth=1,
                elinewidth=0.6, linestyle=_LINES[place], marker=_MARKERS[place], markersize=4.5, label=name,
                markerfacecolor=INK if place % 2 else "none", gid=f"line-{name}",
            )  # fmt: skip
        axes.set_xticks(range(len(groups)), list(groups))
        axes.set(xlabel="words of the source", ylabel="BLEU")
        axes.grid(axis="y", color="#808080", alpha=0.25, linewidth=0.6)
        figure.legend(loc="outside upper center", ncols=2)
    return figure


def length_lines_told(lines: Mapping[str, Sequence[Measured]], groups: Sequence[str]) -> str:
    """The figure of :func:`length_lines` in words, with its numbers."""
    rows = (f"{name}: {', '.join(f'{one.value:.1f}' for one in scores)}" for name, scores in lines.items())
    return f"BLEU by words of the source, {', '.join(groups)}, a line per system. {'; '.join(rows)}."
