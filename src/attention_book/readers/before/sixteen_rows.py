"""What *sixteen-rows* measured: how long one row takes to decode, and sixteen side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import experiments
from ...analysis.seed_statistics import Measured, measured, seed_values

FAMILIES = {"recurrent": "recurrent, additive attention", "transformer": "Transformer, with a cache"}
"""The models of the experiment, as the page calls them."""


@dataclass(frozen=True)
class SixteenRows:
    """The result, as its page reads it.

    Attributes:
        result: as :func:`attention_book.experiments.read` returns it.
    """

    result: Mapping[str, Any]

    def timed(self, family: str, what: str) -> Measured:
        """Seconds for "one" row or for "many", or their "ratio", mean and standard deviation over seeds."""
        return measured(self.result, f"{family}_{what}")

    def most(self) -> float:
        """The largest ratio of any model and seed."""
        return float(max(seed_values(self.result, f"{family}_ratio").max() for family in FAMILIES))

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        setting = self.result["configuration"]
        return ["", f"one row of {setting['steps']} tokens (s)", f"{setting['rows']} rows (s)", "ratio"]

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
        return {
            "ratio_rnn": self.timed("recurrent", "ratio").value,
            "ratio_transformer": self.timed("transformer", "ratio").value,
        }


def read() -> SixteenRows:
    """The result on record."""
    return SixteenRows(experiments.read("sixteen-rows"))
