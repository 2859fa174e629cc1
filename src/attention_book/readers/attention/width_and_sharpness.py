"""What *width-and-sharpness* measured: the variance of scores and the largest weight, at ten widths."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured
from ..reader import ResultReader

DRAWN = {
    "undivided": "independent_undivided",
    "divided by √d_k": "independent_divided",
    "divided, correlated": "shared_divided",
}
"""The lines of the page's figure, by name."""


@dataclass(frozen=True)
class WidthAndSharpness(ResultReader):
    """The result, as its page reads it."""

    @property
    def widths(self) -> list[int]:
        """The widths d_k, the smallest first."""
        return self.setting["widths"]

    def at_width(self, kind: str, width: int) -> Measured:
        """A kind of number at a width, mean and standard deviation over the seeds."""
        return self.measured(f"{kind}/{width}")

    def means(self, kind: str) -> Float[np.ndarray, " widths"]:
        """The same at every width, means alone."""
        return np.array([self.at_width(kind, width).value for width in self.widths])

    def largest_deviation(self, kind: str) -> float:
        """The standard deviation over the seeds at the width where it is largest."""
        return max(self.at_width(kind, width).spread for width in self.widths)

    def standard_errors_off(self) -> float:
        """By how many standard errors the variance of independent scores misses d_k: the most of all widths."""
        off = [(width, self.measured(f"independent_variance/{width}", "error")) for width in self.widths]
        return max(abs(it.value - width) / it.spread for width, it in off)

    def lines(self) -> dict[str, tuple[list[int], Float[np.ndarray, " widths"]]]:
        """Widths and mean largest weight, by name."""
        return {name: (self.widths, self.means(kind)) for name, kind in DRAWN.items()}

    def told(self) -> str:
        """The lines of :meth:`lines` in words."""
        first, middle, last = (self.widths.index(width) for width in (1, 64, 512))
        told = [
            f"{name}: {y[first]:.3f} at width 1, {y[middle]:.3f} at 64, {y[last]:.3f} at 512"
            for name, (_, y) in self.lines().items()
        ]
        return f"Mean largest weight against the width. {'; '.join(told)}"

    def correlated_variance(self, width: int) -> float:
        """The derived variance of the scores of components with the correlation ρ, d_k + ρ² d_k (d_k − 1)."""
        return width + self.setting["shared"] ** 2 * width * (width - 1)

    def numbers(self) -> dict[str, float | int]:
        """What the page's text is given, by name."""
        mean = lambda kind, width: self.at_width(kind, width).value  # noqa: E731
        return {
            "draws": self.setting["draws"],
            "n_keys": self.setting["keys"],
            "n_seeds": self.n_seeds,
            "rho": self.setting["shared"],
            "undivided_512": mean("independent_undivided", 512),
            "divided_16": mean("independent_divided", 16),
            "divided_512": mean("independent_divided", 512),
            "shared_512": mean("shared_divided", 512),
            "shared_variance": mean("shared_variance", 512),
            "shared_derived": self.correlated_variance(512),
        }


def read() -> WidthAndSharpness:
    """The result on record."""
    return WidthAndSharpness(experiments.read("width-and-sharpness"))
