"""Is one arm ahead of another, when both were run with the same seeds? The difference within each seed tells."""

import math

import numpy as np
from jaxtyping import Float


def paired_interval(
    first: Float[np.ndarray, " seeds"], second: Float[np.ndarray, " as_many"], confidence: float = 0.95
) -> tuple[float, float]:
    r"""The mean of ``first − second`` over seeds, and half the width of its confidence interval.

    .. math:: \bar d \pm t \frac{s_d}{\sqrt{n}}

    t is the quantile of Student's distribution with n − 1 degrees of freedom, :math:`s_d` the standard deviation
    (n − 1) of the n differences. Seeds that are easy are easy for both arms, and drop out of the differences.

    Args:
        first, second: one number a seed, in the same order of the same seeds.
        confidence: of the interval; it assumes that the differences are roughly normal.

    Raises:
        ValueError: different numbers of seeds, or fewer than two.
    """
    if first.shape != second.shape or first.size < 2:
        raise ValueError(f"{first.size} and {second.size} seeds: both arms need the same seeds, at least two")
    from scipy.stats import t  # needed by the book alone

    differences = first - second
    quantile = float(t.ppf((1 + confidence) / 2, differences.size - 1))
    return float(differences.mean()), quantile * float(differences.std(ddof=1)) / math.sqrt(differences.size)
