"""What *fed-itself* measured: errors after true beginnings and after its own, and the harm of one wrong word."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Curves, Measured, Seeds, difference, number, over_seeds
from ..reader import ResultReader

NAMES = {"truth_same": "after a true beginning", "itself": "after its own, right so far"}
"""What stood before the words examined, as the page calls it; both are of the same sentences."""
_FEWEST = 10  # words of each seed at a place of the figure


@dataclass(frozen=True)
class FedItself(ResultReader):
    """The result, as its page reads it."""

    def error_by_place(self, name: str) -> Float[np.ndarray, " places"]:
        """Percentage of words that cannot be right, over all seeds, at the places where each seed has ten words."""
        counts = self.of("itself_n")
        right = (self.of(name) * counts).sum(0) / np.maximum(counts.sum(0), 1)
        return 100 * (1 - right[counts.min(0) >= _FEWEST])

    def error_lines(self) -> dict[str, tuple[Float[np.ndarray, " places"], Float[np.ndarray, " places"]]]:
        """Places, from 1 on, and :meth:`error_by_place`, by name."""
        lines = {label: self.error_by_place(name) for name, label in NAMES.items()}
        return {label: (np.arange(1.0, len(line) + 1), line) for label, line in lines.items()}

    def error_told(self) -> str:
        """:meth:`error_lines` in words."""
        told = ["Share of words that cannot be right, by place."]
        for label, (places, line) in self.error_lines().items():
            each = (f"{x:.0f} % at {place:.0f}" for place, x in zip(places, line, strict=True))
            told.append(f"{label.capitalize()}: {', '.join(each)}.")
        return " ".join(told)

    def errors(self, name: str) -> Seeds:
        """Share of words that cannot be right from the second on, one number per seed: before the first none is fed."""
        both = zip(self.of(name)[:, 1:], self.of("itself_n")[:, 1:], strict=True)
        return 1 - np.array([np.average(share, weights=counts) for share, counts in both])

    def exposure(self) -> Measured:
        """How much more often words after its own beginning cannot be right, with a standard deviation."""
        return difference(self.errors("itself"), self.errors("truth_same"), "deviation")

    def lost(self) -> Curves:
        """Nats of surprise that one wrong word adds to each of the true words after it."""
        return self.of("loss_after") - self.of("loss_before")

    def lost_rows(self) -> list[tuple[str, ...]]:
        """A row per word after the wrong one: the loss without it, with it, and the difference."""
        means = zip(self.of("loss_before").mean(0), self.of("loss_after").mean(0), self.lost().T, strict=True)
        return [
            (str(place), number(before, ".2f"), number(after, ".2f"), f"{over_seeds(lost):+.2f}")
            for place, (before, after, lost) in enumerate(means, start=1)
        ]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        whole, forced = self.of("whole"), self.of("forced")
        return {
            "fed_seeds": self.n_seeds,
            "fed_width": self.setting["model"]["width"],
            "fed_pairs": round(self.of("pairs").mean(), -2),
            "fed_examined": self.setting["examined"],
            "fed_most": self.setting["most_translations"],
            **{f"error_{name}": f"{over_seeds(self.errors(name)):.1%}" for name in NAMES},
            "error_difference": f"{self.exposure().scaled(100):.1f} points",
            "whole": f"{over_seeds(whole):.0%}",
            "forced": f"{over_seeds(forced):.0%}",
            "hurt_5": self.lost().mean(0)[4],
            **{f"times_{place}": np.exp(self.lost().mean(0)[place - 1]) for place in (1, 2)},
        }


def read() -> FedItself:
    """The result on record."""
    return FedItself(experiments.read("fed-itself"))
