"""What was measured with several seeds: a mean, a ± that says what it is, and differences taken before rounding."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Num

Seeds = Float[np.ndarray, " seeds"]
Curves = Float[np.ndarray, "seeds points"]
Kind = Literal["deviation", "error", "interval"]

NARROW = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
SAID = {
    "deviation": "mean ± standard deviation over {n} seeds",
    "error": "mean ± standard error, {n} seeds",
    "interval": "mean and 95 % interval, {n} seeds",
}
"""What a ± of each kind means, in words."""


def number(value: int | float, spec: str = "") -> str:
    """A number as the book prints it: a minus sign in place of a hyphen, and no minus before zero.

    Args:
        value: the number.
        spec: a format of Python's, such as ``".2f"`` or ``"+.1%"``.
    """
    text = format(float(value) if spec else value, spec)
    if not any(digit in text for digit in "123456789") and any(digit == "0" for digit in text):
        text = text.replace("-", "+" if spec.startswith("+") else "")
    return text.replace("-", MINUS).replace("%", f"{NARROW}%")


@dataclass(frozen=True)
class Measured:
    """A number that was measured several times, with the spread that says how far to trust it.

    ``f"{measured:.2f}"`` writes both numbers by one format, such as "−0.40 ± 0.05"; a ``+`` asks for the sign of the
    value, and a format that ends in ``%`` writes both as percentages.

    Attributes:
        value: the mean.
        spread: what stands behind ±, in the unit of the value; never negative.
        kind: what the spread is: "deviation", the standard deviation (n − 1) of the single measurements; "error", the
            standard error of their mean; "interval", half the width of the mean's 95 % confidence interval.
        n: how many measurements.
    """

    value: float
    spread: float
    kind: Kind
    n: int

    def __format__(self, spec: str) -> str:
        spread = spec.replace("+", "")
        if spec.endswith("%"):
            both = self.scaled(100)
            return f"{format(both, spec[:-1] + 'f')}{NARROW}%"
        return f"{number(self.value, spec)}{NARROW}±{NARROW}{number(self.spread, spread)}"

    def __str__(self) -> str:
        return format(self, ".3g")

    @property
    def said(self) -> str:
        """What the ± means, in words, such as "mean ± standard deviation over 5 seeds"."""
        return SAID[self.kind].format(n=self.n)

    @property
    def settled(self) -> bool:
        """Whether zero lies outside of value ± spread: for an interval, whether the sign is settled."""
        return abs(self.value) > self.spread

    def scaled(self, factor: int | float) -> "Measured":
        """The same in another unit: both numbers times ``factor``."""
        return replace(self, value=self.value * factor, spread=self.spread * abs(factor))


def over_seeds(values: Seeds, kind: Kind = "deviation") -> Measured:
    r"""The mean of one number per seed, with a spread of the kind asked for.

    With s the standard deviation (n − 1) of the n values, the spread is s, s/√n, or t s/√n, where t is the 0.975
    quantile of Student's distribution with n − 1 degrees of freedom.

    Args:
        values: one number per seed.
        kind: of the spread.

    Raises:
        ValueError: if there are fewer than two values, which have no spread.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or values.size < 2:
        raise ValueError(f"a spread needs one number per seed and at least two seeds, got the shape {values.shape}")
    from scipy import stats  # needed by the book alone

    n, deviation = values.size, float(values.std(ddof=1))
    error = deviation / math.sqrt(n)
    spread = {"deviation": deviation, "error": error, "interval": float(stats.t.ppf(0.975, n - 1)) * error}[kind]
    return Measured(float(values.mean()), spread, kind, n)


def difference(first: Seeds, second: Float[np.ndarray, " as_many"], kind: Kind = "interval") -> Measured:
    r"""Is one arm ahead of another, when both were run with the same seeds? The mean of ``first − second``.

    .. math:: \bar d \pm t \frac{s_d}{\sqrt{n}}

    The difference is taken within each seed and before anything is rounded: seeds that are easy are easy for both arms,
    and drop out. The interval is that of the paired t-test; it assumes that the differences are roughly normal.

    Args:
        first, second: one number per seed, the same seeds in the same order.
        kind: of the spread.

    Raises:
        ValueError: different numbers of seeds, or fewer than two.
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape or first.size < 2:
        raise ValueError(f"{first.size} and {second.size} seeds: both arms need the same seeds, at least two")
    return over_seeds(first - second, kind)


def paired_p_value(first: Seeds, second: Float[np.ndarray, " as_many"]) -> float:
    r"""How often chance alone would make two equal arms differ as much as these, by the paired t-test.

    With :math:`\bar d` and :math:`s_d` the mean and the standard deviation (n − 1) of the differences within each seed,
    it is the probability that Student's t with n − 1 degrees of freedom is at least as large, either way, as

    .. math:: t = \frac{\bar d}{s_d / \sqrt{n}}

    Args:
        first, second: one number per seed, the same seeds in the same order.

    Returns:
        A probability. Differences that are all alike give 0, or 1 if they are all 0.

    Raises:
        ValueError: different numbers of seeds, or fewer than two.
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape or first.size < 2:
        raise ValueError(f"{first.size} and {second.size} seeds: both arms need the same seeds, at least two")
    from scipy import stats  # needed by the book alone

    differences = first - second
    error = differences.std(ddof=1) / np.sqrt(differences.size)
    if error == 0:
        return float(differences.mean() == 0)
    return float(2 * stats.t.sf(abs(differences.mean()) / error, differences.size - 1))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    r"""Each p-value made larger, so that all of them can be held against one level (Holm 1979).

    Sorted from the smallest, :math:`p_{(1)} \le \dots \le p_{(m)}`, the adjusted values are

    .. math:: \tilde p_{(k)} = \max_{j \le k}\, \min\bigl(1,\ (m - j + 1)\, p_{(j)}\bigr)

    If every difference whose adjusted value is at most α is called real, then the probability that one or more of the
    true zeros is called real is at most α, however the tests depend on each other.

    Args:
        p_values: the p-value of each test by name.

    Returns:
        The adjusted values by name, in the order given.

    Raises:
        ValueError: if one is no probability.

    Pitfall: a p-value that would be small enough at its own place is not called real if one before it failed; that is
    what the maximum does.
    """
    for name, p in p_values.items():
        if not 0 <= p <= 1:
            raise ValueError(f"the p-value of {name} must be from 0 to 1, got {p}")
    adjusted, largest = {}, 0.0
    for place, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[name]))
        adjusted[name] = largest
    return {name: adjusted[name] for name in p_values}


def seed_values(result: Mapping[str, Any], metric: str) -> Float[np.ndarray, "seeds *points"]:
    """A metric of a result as one array, one row per seed: a number, or a list, in each.

    Args:
        result: as :func:`attention_book.experiments.read` returns it.
        metric: its name.

    Raises:
        KeyError: if a seed does not have it.
    """
    return np.array([seed[metric] for seed in result["seeds"].values()], dtype=float)


def measured(result: Mapping[str, Any], metric: str, kind: Kind = "deviation") -> Measured:
    """A metric of a result, one number per seed, as mean and spread.

    Args:
        result, metric: as for :func:`seed_values`.
        kind: of the spread.

    Raises:
        ValueError: if there are fewer than two seeds.
    """
    return over_seeds(seed_values(result, metric), kind)


def crossing(x: Num[np.ndarray, " points"], first: Curves, second: Curves) -> Measured | None:
    """Where the first curve, the smaller one in absolute value to begin with, becomes the larger one.

    Between two points both axes are taken as logarithmic. Each seed has a crossing of its own, and the standard error
    of their mean is the spread.

    Args:
        x: the positive places at which the curves were measured, rising.
        first, second: one row per seed, without zeros.

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
    return over_seeds(np.array(places), "error")
