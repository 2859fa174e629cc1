"""What *word-endings* measured: accuracies with true and with shuffled labels, and how much the split alone changes."""

from dataclasses import dataclass

from jaxtyping import Float
from numpy import array, ndarray

from ... import experiments
from ...analysis.seed_statistics import over_seeds
from ...examples.language_classifier import labelled_words, split
from ..reader import ResultReader

ACCURACIES = ("true_train", "true_held_out", "shuffled_train", "shuffled_held_out", "most_common")


@dataclass(frozen=True)
class WordEndings(ResultReader):
    """The result, as its pages read it."""

    def constant_on_training_words(self) -> Float[ndarray, " seeds"]:
        """How often the commoner language is right on the training words of each seed's split, which the seed gives."""
        _, labels = labelled_words()
        learned = (labels[split(len(labels), int(seed))[0]].double() for seed in self.result["seeds"])
        return array([max(float(y.mean()), 1 - float(y.mean())) for y in learned])

    def numbers(self) -> dict[str, int | str]:
        """What the text of the page about learning is given, by name."""
        constant = over_seeds(self.constant_on_training_words())
        return {"n_seeds": self.n_seeds, "most_common_train": f"{constant:.0%}"} | {
            name: f"{self.measured(name):.0%}" for name in ACCURACIES
        }

    def range_numbers(self) -> dict[str, int | float]:
        """What the text of the page about the book's numbers is given: held-out accuracies in per cent."""
        found = 100 * self.of("true_held_out")
        return {"n_seeds": self.n_seeds, "lowest": found.min(), "mean": found.mean(), "highest": found.max()}


def read() -> WordEndings:
    """The result on record."""
    return WordEndings(experiments.read("word-endings"))
