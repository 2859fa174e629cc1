"""What *sixteen-rows* measured: how long one row takes to decode, and sixteen side by side."""

from dataclasses import dataclass

from ... import experiments
from ...analysis.seed_statistics import Measured
from ..reader import ResultReader

FAMILIES = {"recurrent": "recurrent, additive attention", "transformer": "Transformer, with a cache"}
"""The models of the experiment, as the page calls them."""


@dataclass(frozen=True)
class SixteenRows(ResultReader):
    """The result, as its page reads it."""

    def timed(self, family: str, what: str) -> Measured:
        """Seconds for "one" row or for "many", or their "ratio", mean and standard deviation over seeds."""
        return self.measured(f"{family}_{what}")

    def most(self) -> float:
        """The largest ratio of any model and seed."""
        return float(max(self.of(f"{family}_ratio").max() for family in FAMILIES))

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        return ["", f"one row of {self.setting['steps']} tokens (s)", f"{self.setting['rows']} rows (s)", "ratio"]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per model: seconds for one row and for many, and the ratio."""
        return [
            (
                label,
                *(f"{self.timed(family, what):.2f}" for what in ("one", "many")),
                f"{self.timed(family, 'ratio'):.1f}",
            )
            for family, label in FAMILIES.items()
        ]

    def numbers(self) -> dict[str, float]:
        """What the page's text is given, by name."""
        return {"ratio_rnn": self.timed("recurrent", "ratio").value}


def read() -> SixteenRows:
    """The result on record."""
    return SixteenRows(experiments.read("sixteen-rows"))
