"""The figure of expectation–maximisation on pairs of two words: who claims whom, round by round."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....analysis.seed_statistics import number
from ....counting.ibm1 import IBMModel1, Sentences
from ...figures.plotting import ROLES
from ..shapes import WIDTH, box, said, sheet

_ROW = 112  # the height of a round in points
_BOX = 18  # the height of a word


class Claims(NamedTuple):
    """Who claims whom in one round.

    Attributes:
        after: how many rounds have made the table that the claims are made from.
        shares: for each pair of sentences, the share of each word of x (row) in each word of y (column); columns sum
            to 1. The empty word is left out.
    """

    after: int
    shares: Sequence[Float[np.ndarray, "x y"]]


def claims_by_round(pairs: Sequence[Sentences], rounds: Sequence[int]) -> list[Claims]:
    """The claims of Model 1 on its pairs.

    Args:
        pairs: (x, y), the words of both sentences.
        rounds: after how many rounds, rising.
    """
    model, done, found = IBMModel1(pairs), 0, []
    for after in rounds:
        if after > done:
            model.fit(after - done)
            done = after
        tables = [np.array([[model.t(word, given) for word in y] for given in x]) for x, y in pairs]
        found.append(Claims(after, [table / table.sum(axis=0) for table in tables]))
    return found


def three_doors(pairs: Sequence[Sentences], claims: Sequence[Claims]) -> Figure:
    """Draw each pair as a door with its two signs, a row per round; a line is as thick as the claim.

    Args:
        pairs: (x, y), the words of both sentences.
        claims: as :func:`claims_by_round` returns them.

    Raises:
        ValueError: if a pair does not fit its claims.
    """
    for one in claims:
        shapes = [(len(x), len(y)) for x, y in pairs]
        if [share.shape for share in one.shares] != shapes:
            raise ValueError(f"pairs of {shapes} words need tables of these shapes")
    with sheet(_ROW * len(claims)) as axes:
        for row, one in enumerate(claims):
            top = _ROW * (len(claims) - row)
            said(axes, (2, top - 8), _heading(one), ha="left", weight="bold")
            for door, ((x, y), shares) in enumerate(zip(pairs, one.shares, strict=True)):
                _door(axes, door, len(pairs), top - 16, x, y, shares, f"{row}-{door}")
    return axes.figure


def three_doors_told(pairs: Sequence[Sentences], claims: Sequence[Claims]) -> str:
    """The figure of :func:`three_doors` in words."""
    parts = [f"{len(pairs)} doors, each with two English words above two Spanish ones, and lines between them."]
    for one in claims:
        told = [
            f"{word} is claimed "
            + " and ".join(f"{number(s, '.2f')} by {given}" for given, s in zip(x, column, strict=True))
            for (x, y), shares in zip(pairs, one.shares, strict=True)
            for word, column in zip(y, shares.T, strict=True)
        ]
        parts.append(f"{_heading(one)[:1].upper()}{_heading(one)[1:]}: {'; '.join(told)}.")
    return " ".join(parts)


def _heading(one: Claims) -> str:
    return f"after {one.after} round{'s' if one.after > 1 else ''}" if one.after else "at first"


def _door(
    axes: Axes,
    door: int,
    doors: int,
    top: int,
    x: Sequence[str],
    y: Sequence[str],
    shares: Float[np.ndarray, "x y"],
    name: str,
) -> None:
    """One door: its words, the lines between them, and below each word of y its largest claim."""
    width = WIDTH / doors
    left, high, low = width * door, top - _BOX / 2 - 2, top - 62
    box(axes, (left + width / 2, (high + low) / 2), (width - 6, high - low + _BOX + 6), f"door-{name}", linewidth=0.5)
    above, below = ([left + width * (i + 0.5) / len(words) for i in range(len(words))] for words in (x, y))
    for i, j in np.ndindex(shares.shape):
        line = axes.plot([above[i], below[j]], [high - 7, low + 7], color=ROLES["weight"].light)[0]
        line.set(gid=f"claim-{name}-{i}-{j}", linewidth=0.3 + 6 * shares[i, j], solid_capstyle="butt")
    for place, word in zip(above, x, strict=True):
        said(axes, (place, high), word)
    for j, (place, word) in enumerate(zip(below, y, strict=True)):
        said(axes, (place, low), word)
        said(axes, (place, low - 19), number(shares[:, j].max(), ".2f"))
