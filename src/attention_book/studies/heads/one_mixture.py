"""What one mixture of two numbers tells of each: four tables by hand, and every way to divide the weight."""

from functools import partial

import numpy as np
from jaxtyping import Float

from ...analysis.seed_statistics import number

TABLES = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
"""All tables of two rows whose contents are 1 or −1; no content tells anything of the other one."""
HEADER = ("Ann", "Bob", "mixture z", "error², Ann", "error², Bob")
Line = tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]


def errors(a: float) -> Float[np.ndarray, "tables 2"]:
    """Squared errors of the best guesses for both contents, one row per table.

    Each guess is a fixed multiple of the mixture, the one that is best on average over the tables.

    Args:
        a: the weight of the first row; the second has 1 − a.
    """
    mixture = TABLES @ [a, 1 - a]
    factors = mixture @ TABLES / (mixture @ mixture)
    return (np.outer(mixture, factors) - TABLES) ** 2


def left(a: float) -> tuple[float, float]:
    """The share left of each content: its mean squared error, where a guess of 0 has 1."""
    ann, bob = (errors(a).mean(axis=0) / (TABLES**2).mean(axis=0)).tolist()
    return ann, bob


def rows(a: float = 0.5) -> list[tuple[str, ...]]:
    """A row per table, for :data:`HEADER`, and one of means."""
    told = partial(number, spec="g")
    found = [
        (*map(told, table), told(mixture), *map(told, missed))
        for table, mixture, missed in zip(TABLES, TABLES @ [a, 1 - a], errors(a), strict=True)
    ]
    return [*found, ("", "", "mean", *map(told, errors(a).mean(axis=0)))]


def lines() -> dict[str, Line]:
    """The weight of the first row, and the share left of each content and of both on average."""
    weights = np.linspace(0, 1, 21)
    ann, bob = np.array([left(a) for a in weights]).T
    return {"Ann": (weights, ann), "Bob": (weights, bob), "mean of both": (weights, (ann + bob) / 2)}


def lines_told() -> str:
    """:func:`lines` in words."""
    (_, ann), (_, bob), (_, mean) = lines().values()
    return (
        f"Shares left, over the weight of Ann's row from 0 to 1. Ann's falls from {ann[0]:.0f} to {ann[-1]:.0f}, and "
        f"Bob's rises from {bob[0]:.0f} to {bob[-1]:.0f}; they cross at {ann[10]:.2f}, where the weight is "
        f"{lines()['Ann'][0][10]:.2f}. The mean of both is {mean.min():.2f} everywhere."
    )
