"""The figure of two softmax Jacobians against the lead of a winner: a high narrow bump, and a low wide one."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .....analysis.seed_statistics import number
from .....attention.probability import softmax_jacobian
from ....figures.plotting import INK
from ....significant_digits import compact
from ...shapes import said, sheet

_HEIGHT, _LEFT, _FLOOR, _WIDE, _HIGH = 262, 34.0, 78.0, 290.0, 168.0  # in points: sheet, origin, and axes
_LOOKS = {"undivided": ("-", INK), "divided": ((0, (5, 2)), "none")}  # line, and what its marks are filled with


class Bumps(NamedTuple):
    """Draws of two scores, by the lead of the larger one, with a division of the scores and without.

    Attributes:
        leads: of each draw, an odd number of them, in rising order.
        divisor: C.
    """

    leads: Sequence[float | int]
    divisor: float | int

    def norms(self, leads: Sequence[float | int]) -> dict[str, Float[np.ndarray, " draws"]]:
        """The Frobenius norm of the Jacobian for some leads, undivided and divided."""
        return {
            arm: np.array([float(np.linalg.norm(softmax_jacobian(np.array([lead, 0.0]), c))) for lead in leads])
            for arm, c in zip(_LOOKS, (1.0, float(self.divisor)), strict=True)
        }

    @property
    def means(self) -> dict[str, float]:
        """The mean norm of the draws."""
        return {arm: float(found.mean()) for arm, found in self.norms(self.leads).items()}

    @property
    def middles(self) -> dict[str, float]:
        """The norm of the middle draw."""
        return {arm: float(np.median(found)) for arm, found in self.norms(self.leads).items()}

    @property
    def numbers(self) -> dict[str, float]:
        """What a page's text is given, by name.

        Both means, by how much the division multiplies the middle draw, and what percentage of the sum of all undivided
        norms the first draw makes up.
        """
        times = self.middles["divided"] / self.middles["undivided"]
        undivided = self.norms(self.leads)["undivided"]
        share = float(100 * undivided[0] / undivided.sum())
        return {
            **{f"{arm}_mean": mean for arm, mean in self.means.items()},
            "times_middle": times,
            "first_share": share,
        }

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row of a table for each draw: its lead and both norms."""
        columns = self.norms(self.leads).values()
        return [(f"{lead:g}", *map(compact, norms)) for lead, *norms in zip(self.leads, *columns, strict=True)]


def two_bumps(bumps: Bumps) -> Figure:
    """Both norms as curves over the lead, the draws as marks on them, and mean and middle draw below.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if the leads are not an odd number of rising ones from 0 on, or the divisor is not above 1.
    """
    leads = list(bumps.leads)
    if len(leads) % 2 == 0 or leads != sorted(set(leads)) or leads[0] < 0:
        raise ValueError(f"give an odd number of leads from 0 on, in rising order, got {leads}")
    if not bumps.divisor > 1:
        raise ValueError(f"a divisor above 1 makes another curve, got {bumps.divisor}")
    across, high = np.linspace(0, max(leads) + 1, 120), 0.5

    def place(x, y):
        return _LEFT + _WIDE * np.asarray(x) / across[-1], _FLOOR + _HIGH * np.asarray(y) / high

    with sheet(_HEIGHT) as axes:
        _frame(axes, leads, place)
        curves, marks = bumps.norms(across.tolist()), bumps.norms(leads)
        for line, (arm, (dash, fill)) in enumerate(_LOOKS.items()):
            axes.plot(*place(across, curves[arm]), color=INK, linestyle=dash, linewidth=1.6, gid=f"curve-{arm}")
            style = {"linestyle": "none", "marker": "o", "markersize": 6, "markeredgecolor": INK}
            axes.plot(*place(leads, marks[arm]), markerfacecolor=fill, gid=f"draws-{arm}", **style)
            y = 28 - 18 * line
            axes.plot([2, 30], [y, y], color=INK, linestyle=dash, linewidth=1.6)
            axes.plot([16], [y], markerfacecolor=fill, **style)
            name = arm if arm == "undivided" else f"{arm} by {bumps.divisor:g}"
            told = f"{name}: mean {number(bumps.means[arm], '.3f')}, middle draw {compact(bumps.middles[arm])}"
            said(axes, (38, y), told, ha="left")
    return axes.figure


def bumps_told(bumps: Bumps) -> str:
    """The figure of :func:`two_bumps` in words."""
    told = [
        f"{arm.capitalize()} norms at these leads: {', '.join(map(compact, found))}; mean "
        f"{number(bumps.means[arm], '.3f')}, middle draw {compact(bumps.middles[arm])}."
        for arm, found in bumps.norms(bumps.leads).items()
    ]
    leads = ", ".join(f"{lead:g}" for lead in bumps.leads)
    return " ".join(
        [
            "The norm of the Jacobian of two scores against the lead of the larger one: without the division a high, "
            f"narrow bump; with a division by {bumps.divisor:g} a low, wide one. Marks stand at the leads {leads}.",
            *told,
        ]
    )


def _frame(axes: Axes, leads: Sequence[float | int], place) -> None:
    (left, floor), (right, top) = place(0, 0), (_LEFT + _WIDE, _FLOOR + _HIGH)
    axes.plot([left, left, right], [top, floor, floor], color=INK, linewidth=1)
    for lead in leads:
        x, _ = place(lead, 0)
        said(axes, (x, floor - 10), f"{lead:g}")
    for norm in (0.0, 0.25, 0.5):
        _, y = place(0, norm)
        said(axes, (left - 4, y), f"{norm:g}", ha="right")
    said(axes, ((left + right) / 2, floor - 24), "lead of the larger score")
    said(axes, (left + 2, top + 8), "norm of the Jacobian", ha="left")
