"""What *word-endings* measured: accuracies with true and with shuffled labels, and how much the split alone changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import experiments
from ...analysis.seed_statistics import Measured, measured, seed_values

ACCURACIES = ("true_train", "true_held_out", "shuffled_train", "shuffled_held_out", "most_common")


@dataclass(frozen=True)
class WordEndings:
    """The result, as its pages read it.

    Attributes:
        result: as :func:`attention_book.experiments.read` returns it.
    """

    result: Mapping[str, Any]

    @property
    def n_seeds(self) -> int:
        """How many splits were drawn."""
        return len(self.result["seeds"])

    def accuracy(self, name: str) -> Measured:
        """An accuracy, mean and standard deviation over the splits."""
        return measured(self.result, name)

    def numbers(self) -> dict[str, int | str]:
        """What the text of the page about learning is given, by name."""
        return {"n_seeds": self.n_seeds} | {name: f"{self.accuracy(name):.0%}" for name in ACCURACIES}

    def range_numbers(self) -> dict[str, int | float]:
        """What the text of the page about the book's numbers is given: held-out accuracies from … to …, in per cent."""
        found = 100 * seed_values(self.result, "true_held_out")
        return {"n_seeds": self.n_seeds, "lowest": found.min(), "highest": found.max()}


def read() -> WordEndings:
    """The result on record."""
    return WordEndings(experiments.read("word-endings"))
