"""Two translators, before and after a change: what *taught-translator* and experiments like it measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scipy.stats import binomtest

from ...analysis.seed_statistics import holm
from ...data.failures import SIGNS
from ...data.own_sentences import own_sentences
from ..reader import ResultReader
from .readings import Readings

BEFORE, AFTER = "before", "after"
"""The two systems as the experiment calls them."""
SEARCHES = {"1": "greedy", "4": "beam of 4"}
"""What a table calls each size of the beam."""


@dataclass(frozen=True)
class TwoTranslators(ResultReader):
    """The result, as its pages read it. Their tables get their headers from the experiment's own reader.

    Attributes:
        result: of the experiment.
        old, new: the records of both trainings, as :func:`attention_book.experiments.records.recorded` returns them.
        readings: the verdicts on what both made of our own sentences, beam 4.
    """

    old: Mapping[str, Any]
    new: Mapping[str, Any]
    readings: Readings

    def score(self, split: str, beam: str, system: str, metric: str) -> float:
        """BLEU or chrF of a system on ``"validation"`` or ``"test"``, with a beam of ``"1"`` or ``"4"``."""
        return self.found[split][beam][system][metric]

    def gain(self, split: str, beam: str, metric: str = "bleu") -> float:
        """By how much the second translator is better."""
        return self.score(split, beam, AFTER, metric) - self.score(split, beam, BEFORE, metric)

    def score_rows(self, beam: str) -> list[tuple[str, ...]]:
        """A row per split: both translators' BLEU and both translators' chrF, with half of each 95 % interval.

        Args:
            beam: ``"1"`` or ``"4"``.
        """
        rows = []
        for split in ("validation", "test"):
            both = [
                f"{self.score(split, beam, system, metric):.1f} ± "
                f"{self.score(split, beam, system, f'{metric}_half_width'):.1f}"
                for metric in ("bleu", "chrf")
                for system in (BEFORE, AFTER)
            ]
            rows.append((f"{split}, {SEARCHES[beam]}", *both))
        return rows

    def of_our_own(self, number: int) -> tuple[str, str, str]:
        """One of our own sentences, by its number from 1, and what both translators make of it."""
        old, new = (self.found["own"][system]["translations"][number - 1] for system in (BEFORE, AFTER))
        return own_sentences()[number - 1].text, old, new

    def adjusted(self) -> dict[str, float]:
        """The p-values of the paired tests after Holm's correction: both scores, both splits, both searches."""
        return holm(
            {
                f"{split} {beam} {metric}": self.score(split, beam, AFTER, f"{metric}_p")
                for split in ("validation", "test")
                for beam in SEARCHES
                for metric in ("bleu", "chrf")
            }
        )

    def length_gains(self, split: str) -> dict[str, float]:
        """By how many points of BLEU the second translator is better, beam 4, by the words of the source."""
        old, new = (self.found[split]["4"][system]["by_length"] for system in (BEFORE, AFTER))
        return {group: new[group]["bleu"] - old[group]["bleu"] for group in old}

    def length_rows(self) -> list[tuple[str, ...]]:
        """A row per group of test sentences: how many there are, both translators' BLEU, beam 4, and the gain."""
        old, new = (self.found["test"]["4"][system]["by_length"] for system in (BEFORE, AFTER))
        gains = self.length_gains("test")
        return [
            (
                group,
                f"{old[group]['sentences']}",
                f"{old[group]['bleu']:.1f}",
                f"{new[group]['bleu']:.1f}",
                f"{gain:+.1f}",
            )
            for group, gain in gains.items()
        ]

    def recalls(self, split: str) -> dict[str, tuple[int, int, int]]:
        """Of the reference's words, by how often training saw them: how many there are, and how many each finds."""
        old, new = (self.found[split]["4"][system]["recall"] for system in (BEFORE, AFTER))
        return {name: (old[name]["words"], old[name]["found"], new[name]["found"]) for name in old}

    def flagged(self, sign: str, system: str) -> set[int]:
        """The numbers of our own sentences whose translation shows a sign, or ``any``."""
        found = self.found["own"][system]["flagged"]
        return set().union(*found.values()) if sign == "any" else set(found[sign])

    def sign_rows(self) -> list[tuple[str, ...]]:
        """A row per sign of failure, and one for any of them: how many translations of each translator show it."""
        return [
            (label, *(f"{len(self.flagged(sign, system))}" for system in (BEFORE, AFTER)))
            for sign, label in [*SIGNS.items(), ("any", "any of these")]
        ]

    def read_rows(self) -> list[tuple[str, ...]]:
        """A row per category of the readers, and one for what misleads a reader: how many translations of each."""
        systems = [self.setting["systems"][system] for system in (BEFORE, AFTER)]
        counts = [self.readings.counts(system) for system in systems]
        rows = [
            (f"{name}: {what}", *(f"{one[name]}" for one in counts)) for name, what in self.readings.meanings.items()
        ]
        return [
            *rows,
            ("of any category, misleading", *(f"{len(self.misleading(system))}" for system in (BEFORE, AFTER))),
        ]

    def misleading(self, system: str) -> set[int]:
        """The numbers of the sentences of which a reader of the translation learns something else, or less."""
        return {one.sentence for one in self.readings.by_system[self.setting["systems"][system]] if one.harm == 2}

    def graded(self) -> dict[str, int | float]:
        """Of how many sentences each reading is the milder one, and the p-value of a sign test, by sentence."""
        old, new = (
            {one.sentence: one.harm for one in self.readings.by_system[self.setting["systems"][system]]}
            for system in (BEFORE, AFTER)
        )
        milder, worse = (sum(sign * (old[n] - new[n]) > 0 for n in old) for sign in (1, -1))
        return {"milder": milder, "worse": worse, "sign_p": float(binomtest(milder, milder + worse).pvalue)}
