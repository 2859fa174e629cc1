"""Curves that an experiment measured once a seed: their mean, its error, and where two of them cross."""

import math
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Num

Curves = Float[np.ndarray, "seeds points"]


class Estimate(NamedTuple):
    """A mean over seeds, and the standard error of that mean."""

    mean: Any
    error: Any


def seed_curves(result: dict[str, Any], name: str) -> Curves:
    """The metric ``name``, a list in each seed of a result, as one array.

    Args:
        result: as :func:`attention_book.experiments.read` returns it.
        name: of the metric.

    Raises:
        KeyError: if a seed does not have it.
    """
    return np.array([seed[name] for seed in result["seeds"].values()], dtype=float)


def mean_with_error(values: Float[np.ndarray, "seeds *points"]) -> Estimate:
    """Mean over the seeds, and its standard error s/√(number of seeds)."""
    return Estimate(values.mean(axis=0), values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def crossing(x: Num[np.ndarray, " points"], first: Curves, second: Curves) -> Estimate | None:
    """Where the first curve, the smaller one in absolute value to begin with, becomes the larger one.

    Between two points both axes are taken as logarithmic. Each seed has a crossing of its own; their spread gives the
    error.

    Args:
        x: the positive places at which the curves were measured, rising.
        first, second: one row a seed, without zeros.

    Returns:
        The mean place, or None if some seed's curves do not cross in that direction.
    """
    places = []
    for lead in np.log(np.abs(first / second)):
        ups = np.flatnonzero((lead[:-1] < 0) & (lead[1:] >= 0))
        if not ups.size:
            return None
        i = ups[0]
        share = lead[i] / (lead[i] - lead[i + 1])
        places.append(float(x[i] * (x[i + 1] / x[i]) ** share))
    return mean_with_error(np.array(places))
