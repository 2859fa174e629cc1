"""What *word-endings* measured: accuracies with true and with shuffled labels, and how much the split alone changes."""

from dataclasses import dataclass

from ... import experiments
from ..reader import ResultReader

ACCURACIES = ("true_train", "true_held_out", "shuffled_train", "shuffled_held_out", "most_common")


@dataclass(frozen=True)
class WordEndings(ResultReader):
    """The result, as its pages read it."""

    def numbers(self) -> dict[str, int | str]:
        """What the text of the page about learning is given, by name."""
        return {"n_seeds": self.n_seeds} | {name: f"{self.measured(name):.0%}" for name in ACCURACIES}

    def range_numbers(self) -> dict[str, int | float]:
        """What the text of the page about the book's numbers is given: held-out accuracies from … to …, in per cent."""
        found = 100 * self.of("true_held_out")
        return {"n_seeds": self.n_seeds, "lowest": found.min(), "highest": found.max()}


def read() -> WordEndings:
    """The result on record."""
    return WordEndings(experiments.read("word-endings"))
