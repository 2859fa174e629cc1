"""Do shared features win? Cross-entropy of n-grams and of log-linear models, counted and trained in few sentences."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...analysis.seed_statistics import difference, over_seeds
from ...counting.log_linear import LogLinearModel, last_two_words, with_ending
from ...counting.ngrams import NGramModel
from ...little_language import language as little_language

FEATURES = {"last two words": last_two_words, "with the ending": with_ending}


@dataclass(frozen=True)
class SharedFeatures:
    """What was found, as a page prints it; all in nats per token.

    Attributes:
        new: cross-entropy on new sentences, one per sample, by model, such as ``"2-gram, counted"`` or
            ``"with the ending, 2 epochs"``.
        seen: the same of the last epoch on the sample itself, for log-linear models.
    """

    new: Mapping[str, list[float]]
    seen: Mapping[str, list[float]]

    def rows(self) -> list[tuple[str, str]]:
        """A row per model, mean and standard deviation."""
        return [(name, f"{over_seeds(np.array(values)):.3f}") for name, values in self.new.items()]

    def numbers(self) -> dict[str, int | float | str]:
        """What the page's text is given, by name."""
        compared = ("2-gram, counted", "last two words, 2 epochs", "with the ending, 2 epochs")
        bigram, without, early = (np.array(self.new[name]) for name in compared)
        return {
            "n_samples": len(bigram),
            "lead_told": f"{difference(bigram, early, 'deviation'):.3f}",
            "ending_told": f"{difference(without, early, 'deviation'):.3f}",
            "train_5": np.mean(self.seen["with the ending, 5 epochs"]),
            "test_5": np.mean(self.new["with the ending, 5 epochs"]),
        }


def measure(
    sentences: int = 400,
    seeds: Iterable[int] = (1, 2, 3),
    orders: Iterable[int] = (2, 3),
    epochs: Iterable[int] = (2, 5),
) -> SharedFeatures:
    """Count and train in samples of the little language's Spanish, and measure on 200 other sentences.

    Args:
        sentences: how many there are in a sample.
        seeds: of the samples.
        orders: of the n-grams.
        epochs: for which log-linear models are trained.
    """
    held_out = little_language.sample(200, 1001, "es")
    others = [pair.target_words for pair in held_out]
    new: dict[str, list[float]] = {}
    seen: dict[str, list[float]] = {}
    for seed in seeds:
        sample = little_language.sample(sentences, seed, "es", exclude={pair.source for pair in held_out})
        words = [pair.target_words for pair in sample]
        for order in orders:
            new.setdefault(f"{order}-gram, counted", []).append(NGramModel(words, order).cross_entropy(others))
        for name, features in FEATURES.items():
            for rounds in epochs:
                model, label = LogLinearModel(words, features), f"{name}, {rounds} epochs"
                seen.setdefault(label, []).append(model.fit(words, rounds)[-1])
                new.setdefault(label, []).append(model.cross_entropy(others))
    return SharedFeatures(new, seen)
