"""What *tiles-timed* measured: processor time and memory of attention with its table, by tiles, and in torch."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ..reader import ResultReader

ARMS = {"all": "all pairs", "causal": "causal"}
"""The arms of the experiment, as the page calls them."""
HEADER = ("way", "all pairs", "causal")


@dataclass(frozen=True)
class TilesTimed(ResultReader):
    """The result, as its page reads it."""

    @property
    def lengths(self) -> list[int]:
        """Numbers of positions, the smallest first."""
        return self.setting["lengths"]

    @property
    def ways(self) -> dict[str, str]:
        """The ways of the experiment, as the page calls them."""
        by_tiles = {f"tiles_{n}": f"tiles of {n}" for n in self.setting["tiles"]}
        return {"table": "whole table", **by_tiles, "torch": "torch's own"}

    def times(self, arm: str, way: str) -> Float[np.ndarray, "lengths runs"]:
        """Processor times in milliseconds: a row per length, the runs of all seeds side by side."""
        return np.concatenate(list(self.of(f"{arm}_{way}_ms")), axis=1)

    def medians(self, arm: str, way: str) -> Float[np.ndarray, " lengths"]:
        """The median time for each length, in milliseconds."""
        return np.median(self.times(arm, way), axis=1)

    def megabytes(self, arm: str, way: str) -> Float[np.ndarray, " lengths"]:
        """The most memory held at one time for each length, in millions of bytes; the median over the seeds."""
        return np.median(self.of(f"{arm}_{way}_bytes"), axis=0) / 1e6

    def ratio(self, way: str, arm: str = "all") -> float:
        """How many times as long as with the whole table it takes for the longest length: the ratio of the medians."""
        return float(self.medians(arm, way)[-1] / self.medians(arm, "table")[-1])

    @property
    def largest_difference(self) -> float:
        """The largest difference of any output from that with the table."""
        return max(float(self.of(f"{arm}_{way}_difference").max()) for arm in ARMS for way in self.ways)

    def lines(self) -> dict[str, tuple[list[int], Float[np.ndarray, " lengths"]]]:
        """Lengths and megabytes of all pairs, by name."""
        return {name: (self.lengths, self.megabytes("all", way)) for way, name in self.ways.items()}

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = ["Most memory held at one time, in MB, by number of positions, logarithmic axes."]
        for name, (_, size) in self.lines().items():
            told.append(f"{name[0].upper()}{name[1:]}: {size[0]:.2f} for {self.lengths[0]:,}, {size[-1]:,.1f} for "
                        f"{self.lengths[-1]:,}.")  # fmt: skip
        return " ".join(told)

    def rows(self) -> list[tuple[str, ...]]:
        """A row per way for the longest length, for :data:`HEADER`: times with quartiles."""
        return [(name, *(_told(self.times(arm, way)[-1]) for arm in ARMS)) for way, name in self.ways.items()]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        small, large = (f"tiles_{n}" for n in self.setting["tiles"])
        return {
            "timed_longest": self.lengths[-1],
            "timed_runs": self.times("all", "table").shape[1],
            "timed_processor": self.result["machine"]["processor"],
            "timed_difference": self.largest_difference,
            "small_tile": self.setting["tiles"][0],
            "large_tile": self.setting["tiles"][1],
            "ratio_small": self.ratio(small),
            "ratio_large": self.ratio(large),
            "ratio_torch": 1 / self.ratio("torch"),
            "causal_share": float(self.medians("causal", large)[-1] / self.medians("all", large)[-1]),
            "causal_table": float(self.medians("causal", "table")[-1] / self.medians("all", "table")[-1]),
            "memory_table": self.megabytes("all", "table")[-1] / 1e3,
        }


def _told(times: Float[np.ndarray, " runs"]) -> str:
    low, middle, high = np.quantile(times, [0.25, 0.5, 0.75]) / 1000
    return f"{middle:.2f} s ({low:.2f} to {high:.2f})"


def read() -> TilesTimed:
    """The result on record."""
    return TilesTimed(experiments.read("tiles-timed"))
