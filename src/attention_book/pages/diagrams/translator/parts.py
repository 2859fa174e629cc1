"""What both redrawn figures of the paper are made of: boxes of two names, each of which leads somewhere."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from ...figures.linked import Link
from ...figures.plotting import INK, ROLES
from ..shapes import arrow, box, said
from .companion import COMPANIONS, address
from .companion import HERE as TABLE_PAGE

HERE = "translator/blocks-and-stacks"
"""The page on which the figures stand."""
HEIGHT = 28.0
"""The height of a box with its two lines, in points."""


class Part(NamedTuple):
    """A box of a figure.

    Attributes:
        name: by which it is found again.
        title: what the paper calls it.
        section: page and label of the section about it.
        code: what it is in our code.
        companion: the row of the companion table that ``code`` leads to.
    """

    name: str
    title: str
    section: str
    code: str
    companion: str


class Placed(NamedTuple):
    """A part and where it stands, in points."""

    part: Part
    x: float
    y: float
    width: float

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y - HEIGHT / 2

    @property
    def top(self) -> float:
        """Its upper edge."""
        return self.y + HEIGHT / 2


def draw(axes: Axes, placed: Placed, **style: object) -> None:
    """A box with the paper's name above and the name in our code below."""
    box(axes, (placed.x, placed.y), (placed.width, HEIGHT), placed.part.name, **style)
    said(axes, (placed.x, placed.y + 6.5), placed.part.title)
    said(axes, (placed.x, placed.y - 6.5), placed.part.code, family="monospace")


def three_arrows(
    axes: Axes, placed: Placed, below: int | float, roles: Sequence[str] = ("value", "key", "query")
) -> None:
    """A line from below that forks into arrows for values, keys and queries, in their colours."""
    places = [placed.x + share * placed.width for share in (-0.3, 0, 0.3)]
    fork = placed.bottom - 9
    axes.plot([placed.x, placed.x], [below, fork], color=INK, linewidth=1.2)
    axes.plot([places[0], places[-1]], [fork, fork], color=INK, linewidth=1.2)
    for x, role in zip(places, roles, strict=True):
        arrow(axes, (x, fork), (x, placed.bottom), color=ROLES[role].light)


def links_of(placed: Iterable[Placed]) -> list[Link]:
    """Two links per box: its upper half leads to the section, its lower half to the row of the companion table."""
    rows, found = {names.ours: names for names in COMPANIONS}, []
    for one in placed:
        left = one.x - one.width / 2
        label = f"{one.part.title}: the section about it"
        found.append(Link(left, one.y, one.width, HEIGHT / 2, address(one.part.section, HERE), label))
        names = rows[one.part.companion]
        label = f"{one.part.title} in our code: {one.part.code}, {names.module}"
        row = address(f"{TABLE_PAGE}#{names.anchor}", HERE)
        found.append(Link(left, one.bottom, one.width, HEIGHT / 2, row, label))
    return found
