"""What *translators-compared* measured: three trained translators on the same sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from ... import experiments
from ...analysis.seed_statistics import Measured, number
from ..reader import ResultReader

WITH, WITHOUT, TRANSFORMER = "with attention", "without attention", "Transformer"
LABELS = {WITH: f"recurrent, {WITH}", WITHOUT: f"recurrent, {WITHOUT}"}
"""The translators as the page calls them, where it does not call them as the experiment does."""
HEADER = ("translator", "BLEU", "parameters", "target tokens trained on")


@dataclass(frozen=True)
class TranslatorsCompared(ResultReader):
    """The result, as its pages read it.

    Attributes:
        result: of *translators-compared*, as :func:`attention_book.experiments.read` returns it.
        counted: the noisy channel of *counting-tatoeba*: its scores on the same sentences.
    """

    counted: Mapping[str, Any]

    @property
    def systems(self) -> Mapping[str, Any]:
        """What was measured of each translator."""
        return self.found["systems"]

    @property
    def names(self) -> list[str]:
        """The translators, the one with the lowest BLEU first."""
        return sorted(self.systems, key=lambda name: self.systems[name]["bleu"])

    @property
    def samples(self) -> int:
        """How often the sentences were resampled."""
        return self.setting["bootstrap"]

    def score(self, name: str, metric: str) -> Measured:
        """BLEU or chrF on the test sentences, with half the width of the 95 % interval over resampled sentences."""
        found = self.systems[name]
        return Measured(found[metric], found[f"{metric}_half_width"], "interval", self.samples)

    def rows(self) -> list[tuple[str, ...]]:
        """A row per translator, under `HEADER`."""
        return [
            (
                LABELS.get(name, name),
                f"{self.score(name, 'bleu'):.1f}",
                f"{found['parameters']:,}",
                f"{found['trained_tokens']:,}",
            )
            for name, found in ((name, self.systems[name]) for name in self.names)
        ]

    @property
    def signatures(self) -> set[str]:
        """How BLEU was computed for each translator and for the noisy channel; one text, if for all alike."""
        scored = [*self.systems.values(), self.counted["all_references"]]
        return {found["bleu_signature"] for found in scored}

    @property
    def groups(self) -> list[str]:
        """The groups of sentences by name, such as "5–6", in words of the source."""
        return list(self.systems[WITH]["by_length"])

    def sentences(self) -> Int[np.ndarray, " groups"]:
        """How many test sentences each group has."""
        return np.array([self.systems[WITH]["by_length"][group]["sentences"] for group in self.groups])

    def bleu_by_length(self, name: str) -> Float[np.ndarray, " groups"]:
        """BLEU of a translator on each group."""
        return np.array([self.systems[name]["by_length"][group]["bleu"] for group in self.groups])

    def length_rows(self) -> list[tuple[str, ...]]:
        """How many sentences each group has, and a row per translator with its BLEU."""
        bleu = lambda name: (number(x, ".1f") for x in self.bleu_by_length(name))  # noqa: E731
        return [
            ("sentences", *map(str, self.sentences())),
            *((LABELS.get(name, name), *bleu(name)) for name in self.names),
        ]

    def gains(self) -> Float[np.ndarray, " groups"]:
        """By how much attention is ahead of none on each group, in BLEU."""
        return self.bleu_by_length(WITH) - self.bleu_by_length(WITHOUT)

    def gaps(self) -> Float[np.ndarray, " groups"]:
        """By how much the Transformer is ahead of the recurrent translator with attention, in BLEU."""
        return self.bleu_by_length(TRANSFORMER) - self.bleu_by_length(WITH)

    def lead_within(self) -> float:
        """What the ± of a lead in BLEU can be at most, of two translators that follow each other in :attr:`names`.

        The spread of a difference is at most the sum of both spreads. The record has no draw by itself, so the paired
        ±, which is smaller, cannot be computed from it.
        """
        spreads = [self.score(name, "bleu").spread for name in self.names]
        return max(sum(two) for two in pairwise(spreads))

    def numbers(self) -> dict[str, float | int | str]:
        """What the text of *On real sentences* is given, by name."""
        bleu = {name: found["bleu"] for name, found in self.systems.items()}
        gains = self.gains()
        return {
            "real_signature": self.systems[WITH]["bleu_signature"],
            "test_n": self.found["sentences"],
            "bleu_gap": bleu[TRANSFORMER] - bleu[WITH],
            "gap_alone": bleu[WITH] - bleu[WITHOUT],
            "lead_within": self.lead_within(),
            "alone_bleu": bleu[WITHOUT],
            "counted_bleu": self.counted["all_references"]["bleu"],
            "samples": self.samples,
            "least_gain": gains[0],
            "most_gain": gains[-1],
            "longest_n": int(self.sentences()[-1]),
        }


def read() -> TranslatorsCompared:
    """The result on record, and that of the noisy channel."""
    counted = experiments.read("counting-tatoeba")["seeds"]["0"]["noisy_channel"]
    return TranslatorsCompared(experiments.read("translators-compared"), counted)
