"""What *one-pass* measured: the processor time of three ways to score a target that is known."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ..reader import ResultReader

WAYS = {"prefix_passes": "a pass over each prefix", "cached_steps": "a step per token, cached", "one_pass": "one pass"}
"""The ways of the experiment, as the page calls them."""


@dataclass(frozen=True)
class OnePass(ResultReader):
    """The result, as its page reads it."""

    @property
    def lengths(self) -> list[int]:
        """Numbers of target tokens, the smallest first."""
        return self.setting["lengths"]

    def times(self, way: str) -> Float[np.ndarray, "lengths runs"]:
        """Processor times in milliseconds: a row per length, the runs of all seeds side by side."""
        return np.concatenate(list(self.of(f"{way}_ms")), axis=1)

    def medians(self, way: str) -> Float[np.ndarray, " lengths"]:
        """The median time for each length, in milliseconds."""
        return np.median(self.times(way), axis=1)

    def ratio(self, way: str) -> float:
        """How many times as long as one pass it takes for the longest target: the ratio of the medians."""
        return float(self.medians(way)[-1] / self.medians("one_pass")[-1])

    def lines(self) -> dict[str, tuple[list[int], Float[np.ndarray, " lengths"]]]:
        """Lengths and median times, by name."""
        return {name: (self.lengths, self.medians(way)) for way, name in WAYS.items()}

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        first, last = self.lengths[0], self.lengths[-1]
        told = ["Median time by number of target tokens, logarithmic axes."]
        for name, (_, middle) in self.lines().items():
            told.append(f"{name.capitalize()}: {middle[0]:.0f} ms for {first} tokens, {middle[-1]:.0f} ms for {last}.")
        return " ".join(told)

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        return {
            "longest": self.lengths[-1],
            "n_times": self.times("one_pass").shape[1],
            "processor": self.result["machine"]["processor"],
            **{f"ratio_{way}": self.ratio(way) for way in WAYS},
        }


def read() -> OnePass:
    """The result on record."""
    return OnePass(experiments.read("one-pass"))
