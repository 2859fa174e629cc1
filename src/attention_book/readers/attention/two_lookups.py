"""What *two-lookups* measured: how many heads it takes to fetch one thing, or two, from a table."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import experiments
from ...analysis.seed_statistics import Measured
from ..reader import ResultReader

HEADER = ("heads × d_k", "one row asked for", "two rows asked for")
SOLVED = 0.99
"""A seed has solved its task if it gives a larger share of right answers."""


@dataclass(frozen=True)
class TwoLookups(ResultReader):
    """The result, as its page reads it."""

    @property
    def parameters(self) -> int:
        """Parameters of the attention, which all arms of all seeds share."""
        return self.shared("parameters")

    def heads(self, lookups: int) -> list[int]:
        """With how many heads so many contents of numbers were asked for."""
        tasks = self.setting["tasks"]
        (heads,) = (task["heads"] for task in tasks if (task["kind"], task["lookups"]) == ("numbers", lookups))
        return heads

    def left(self, lookups: int, heads: int) -> Measured:
        """The share of the variance that is left over, mean and standard deviation over the seeds."""
        return self.measured(f"numbers_{lookups}_{heads}/loss")

    def rows(self) -> list[tuple[str, ...]]:
        """A row per number of heads, for :data:`HEADER`; a dash where nothing was tried."""
        width = self.setting["d_model"]
        told = lambda lookups, h: f"{self.left(lookups, h):.3f}" if h in self.heads(lookups) else "–"  # noqa: E731
        return [(f"{h} × {width // h}", told(1, h), told(2, h)) for h in self.heads(2)]

    def solved(self, heads: int) -> list[Mapping[str, Any]]:
        """The seeds that answer (nearly) all questions for two symbols."""
        return [seed for seed in self.seeds if seed[f"symbols_2_{heads}/right"] > SOLVED]

    def failed(self, heads: int) -> list[float]:
        """The losses, in nats per symbol, of the seeds that do not answer the questions for two symbols."""
        solved = self.solved(heads)
        return [seed[f"symbols_2_{heads}/loss"] for seed in self.seeds if seed not in solved]

    def extremes(self) -> float:
        """In what share of its questions one head gives the two names its largest and its smallest weight.

        The mean over the seeds in which one head has solved the task.
        """
        return float(np.mean([seed["symbols_2_1/extremes"] for seed in self.solved(1)]))

    def numbers(self) -> dict[str, float | int]:
        """What the page's text is given, by name."""
        return {
            "n_seeds": self.n_seeds,
            "solved_one": len(self.solved(1)),
            "solved_two": len(self.solved(2)),
            "extremes": 100 * self.extremes(),
            "failed_one": len(self.failed(1)),
            "failed_two": len(self.failed(2)),
            "failed_least": min(self.failed(1) + self.failed(2)),
            "failed_most": max(self.failed(1) + self.failed(2)),
            "log_2": math.log(2),
        }


def read() -> TwoLookups:
    """The result on record."""
    return TwoLookups(experiments.read("two-lookups"))
