"""Derivatives from nudges: how their error depends on the step, and which step is best."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Points = Float[np.ndarray, " points"]


@dataclass(frozen=True)
class StepErrors:
    """The largest error of an entry, by step.

    Attributes:
        steps: the values of h, rising.
        errors: as many.
    """

    steps: Points
    errors: Points

    @property
    def best(self) -> float:
        """The step with the smallest error."""
        return float(self.steps[self.errors.argmin()])

    @property
    def least(self) -> float:
        """The smallest error."""
        return float(self.errors.min())

    def power(self, low: int | float, high: int | float) -> float:
        """The power of h that the error goes with between two steps: the slope of a line through the logarithms."""
        within = (self.steps > low) & (self.steps < high)
        return float(np.polyfit(np.log(self.steps[within]), np.log(self.errors[within]), 1)[0])


def step_errors(
    differences: Callable[[float], Float[np.ndarray, "*shape"]], wanted: Float[np.ndarray, "*shape"], steps: Points
) -> StepErrors:
    """How far finite differences are from derivatives that a formula gives, for each of several steps.

    Args:
        differences: gives the approximate derivatives for a step.
        wanted: what the formula says.
        steps: to be tried, rising.
    """
    return StepErrors(steps, np.array([np.abs(differences(h) - wanted).max() for h in steps], dtype=float))


def balanced_step(dtype: type) -> float:
    r"""The step near which central differences are best, :math:`\varepsilon^{1/3}`, for a type of NumPy's.

    There the error of cutting off the Taylor series, about h², is as large as that of rounding, about ε/h (Nocedal and
    Wright 2006, §8.1). The rule promises a power of ten, not more.
    """
    return float(np.finfo(dtype).eps ** (1 / 3))


def errors_told(lines: dict[str, StepErrors]) -> str:
    """Lines of errors in words, for readers who do not see the figure."""
    told = [f"{name}: smallest {it.least:.1e}, at h = {it.best:.1e}." for name, it in lines.items()]
    return " ".join(["Error of the finite differences against the step, both axes logarithmic.", *told])
