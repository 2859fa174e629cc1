"""The figure of decoding with and without a cache: for every step, which keys and values are computed, which read."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ...figures.plotting import ROLES
from ..shapes import box, said, sheet

_CELL = (24.5, 15.0)
_LEFT, _GAP = 46.0, 14.0
_PANEL = 152.0  # height of a panel, its title included
_FOOT = 22.0


@dataclass(frozen=True)
class Steps:
    """A translation, written step by step.

    Attributes:
        source: the tokens of the source.
        fed: the token that each step is fed, ``<s>`` first.
    """

    source: tuple[str, ...] = ("I", "like", "cats", ".", "</s>")
    fed: tuple[str, ...] = ("<s>", "Me", "gustan", "los", "gatos", ".")

    def computed(self, step: int, cached: bool) -> tuple[list[int], list[int]]:
        """The source positions and the target positions whose keys and values a step computes; steps count from 0."""
        every = list(range(len(self.source)))
        if not cached:
            return every, list(range(step + 1))
        return (every if step == 0 else []), [step]

    def count(self, cached: bool) -> int:
        """How many positions are computed in all steps together."""
        return sum(len(part) for step in range(len(self.fed)) for part in self.computed(step, cached))


I_LIKE_CATS = Steps()
"""The sentence of the book."""


def cached_steps(steps: Steps = I_LIKE_CATS) -> Figure:
    """Draw a panel without a cache and one with: a row per step, a column per position."""
    with sheet(2 * _PANEL + _FOOT) as axes:
        for panel, cached in enumerate((False, True)):
            _panel(axes, steps, cached, 2 * _PANEL + _FOOT - panel * _PANEL)
        said(axes, (169, 10), "dot: computed in this step; empty: read from the cache")
    return axes.figure


def _panel(axes: Axes, steps: Steps, cached: bool, top: float) -> None:
    """One panel, from its upper edge downwards."""
    name = "with" if cached else "without"
    said(axes, (_LEFT, top - 9), f"{name} a cache: {steps.count(cached)} positions", ha="left", weight="bold")
    width, height = _CELL
    own = _LEFT + len(steps.source) * width + _GAP
    for left, tokens in ((_LEFT, steps.source), (own, steps.fed)):
        for place, token in enumerate(tokens):
            text = token if len(token) < 5 else f"{token[:3]}…"
            said(axes, (left + (place + 0.5) * width, top - 27), text)
    for step in range(len(steps.fed)):
        y = top - 44 - step * height
        said(axes, (_LEFT - 6, y), f"step {step + 1}", ha="right")
        source, target = steps.computed(step, cached)
        for place in range(len(steps.source)):
            centre = (_LEFT + (place + 0.5) * width, y)
            _cell(axes, centre, f"{name}-source-{step}-{place}", place in source)
        for place in range(step + 1):
            _cell(axes, (own + (place + 0.5) * width, y), f"{name}-own-{step}-{place}", place in target)


def _cell(axes: Axes, centre: tuple[float, float], name: str, computed: bool) -> None:
    colour = (*to_rgb(ROLES["key"].light), 0.35 if computed else 0.06)
    box(axes, centre, _CELL, name, facecolor=colour, linewidth=1.4 if computed else 0.5)
    if computed:
        said(axes, centre, "●")


def cached_steps_told(steps: Steps = I_LIKE_CATS) -> str:
    """The figure of :func:`cached_steps` in words."""
    n = len(steps.fed)
    return (
        f"Two panels, each with {n} rows, one per step, and a column for each of the {len(steps.source)} source tokens "
        f"and {n} target tokens {' '.join(steps.fed)}. Without a cache, every step computes the keys and values of all "
        f"source tokens and of all target tokens so far: {steps.count(False)} positions. With a cache, step 1 computes "
        f"those of the source and of {steps.fed[0]}, each later step those of its own token, and all others are read: "
        f"{steps.count(True)} positions."
    )
