"""Dot products of drawn queries and keys: does their variance keep to what is derived, and when does it not?"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...analysis.score_variance import dot_product_variance, variance_with_error
from ...analysis.seed_statistics import Measured

Draw = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Prediction:
    """A variance that was predicted, and then measured.

    Attributes:
        case: what was drawn.
        predicted: the variance of q · k by derivation.
        measured: the variance of the sample, with its standard error.
    """

    case: str
    predicted: float
    measured: Measured

    @property
    def row(self) -> tuple[str, ...]:
        """A row of a table: the case, what was predicted, and what was measured."""
        return self.case, f"{self.predicted:,.0f}", f"{self.measured:,.0f}"


def unit_components(random: np.random.Generator) -> dict[str, Draw]:
    """Three ways to draw an array of a given shape with independent components of mean 0 and variance 1, by name."""
    return {
        "normal": lambda *shape: random.normal(size=shape),
        "uniform": lambda *shape: random.uniform(-math.sqrt(3), math.sqrt(3), shape),
        "±1": lambda *shape: random.choice([-1.0, 1.0], shape),
    }


def sample_variance(products: np.ndarray) -> Measured:
    """The variance of a sample of dot products, with its standard error (`variance_with_error`)."""
    return Measured(*variance_with_error(products), "error", len(products))


def drawn_variances(draws: int, widths: Iterable[int], random: np.random.Generator) -> dict[str, dict[int, Measured]]:
    """The variance of q · k for independent components, drawn in each of the ways of `unit_components`.

    Args:
        draws: how many pairs of a query and a key, for each way and width.
        widths: the values of d_k.
        random: what is drawn from.

    Returns:
        For each way to draw, the measured variance by width. It should be d_k.
    """
    widths = list(widths)
    return {
        kind: {d: sample_variance((draw(draws, d) * draw(draws, d)).sum(axis=1)) for d in widths}
        for kind, draw in unit_components(random).items()
    }


def furthest_from_width(found: Mapping[str, Mapping[int, Measured]]) -> float:
    """By how many standard errors the variances of `drawn_variances` miss d_k: the most of all."""
    return max(abs(it.value - d) / it.spread for by_width in found.values() for d, it in by_width.items())


def drawn_numbers(found: Mapping[str, Mapping[int, Measured]]) -> dict[str, float | int]:
    """What a page's text is given, by name: how many variances there are, and the most that one misses d_k by."""
    return {"n_found": sum(map(len, found.values())), "worst": furthest_from_width(found)}


def broken_assumptions(draws: int, d_k: int, random: np.random.Generator) -> list[Prediction]:
    """The variance of q · k where an assumption of its derivation does not hold, one at a time.

    The assumptions are mean 0 and variance 1 of each component, independence of q and k, and uncorrelated components
    of at least one of them. Four of the five cases change the variance; the fourth does not, since q still has
    uncorrelated components. All numbers drawn are standard normal.

    Args:
        draws: how many pairs of a query and a key.
        d_k: their width.
        random: what is drawn from.

    Returns:
        Each case with the variance by `dot_product_variance`, and the measured one. For k = q, which that formula does
        not cover, q · k is a sum of d_k squares of normal numbers, of variance 2 each (squares of ±1 would have none).
    """
    normal, one, zero, same = unit_components(random)["normal"], np.eye(d_k), np.zeros(d_k), np.ones((d_k, d_k))
    q, k, repeated = normal(draws, d_k), normal(draws, d_k), normal(draws, 1) * np.ones(d_k)
    cases = {
        "variance 4 instead of 1 (both)": (2 * q, 2 * k, (zero, 4 * one, zero, 4 * one)),
        "mean ½ instead of 0 (both)": (q + 0.5, k + 0.5, (zero + 0.5, one, zero + 0.5, one)),
        "k is q itself": (q, q, None),
        "all components of k equal one number": (q, repeated, (zero, one, zero, same)),
        "all of k equal one number, all of q another": (
            normal(draws, 1) * np.ones(d_k),
            repeated,
            (zero, same, zero, same),
        ),
    }
    return [
        Prediction(
            name,
            2.0 * d_k if moments is None else dot_product_variance(*moments),
            sample_variance((a * b).sum(axis=1)),
        )
        for name, (a, b, moments) in cases.items()
    ]
