"""*hundred-sentences* and what was read of it: the errors of three translators on the same test sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ... import experiments
from ...analysis.seed_statistics import NARROW, number
from ...studies.verdict.agreement import cohens_kappa, share_interval
from ..reader import ResultReader
from .readings import NAMES, Reading, Readings, read_verdicts

TRANSFORMER, RNN, RULES = "en-es", "en-es-rnn-attention", "apertium"
SHORT = {TRANSFORMER: "transformer", RNN: "rnn", RULES: "rules"}
LOW = 50
"""A BLEU below which a sentence is called low."""
CATEGORIES = {
    "same": "right, as a reference",
    "other": "right, in other words",
    "word": "wrong word",
    "missing": "something missing",
    "grammar": "wrong form",
    "unknown": "English word left",
    "nonsense": "nonsense",
}
"""The categories that a figure has bars for, and their names."""


@dataclass(frozen=True)
class HundredSentences(ResultReader):
    """The result, as its page reads it.

    Attributes:
        result: of *hundred-sentences*.
        readings: the verdicts on the translations.
    """

    readings: Readings

    def verdicts(self, system: str) -> Sequence[Reading]:
        """The verdicts on a system, in the order of the sentences.

        Raises:
            ValueError: they are not about the sentences of the result.
        """
        found = self.readings.by_system[system]
        if [reading.sentence for reading in found] != self.found["numbers"]:
            raise ValueError(f"the readings of {system} are of other sentences than the result: read again")
        return found

    def right(self, system: str) -> list[bool]:
        """For each sentence, whether the system's translation is right."""
        return [reading.harm == 0 for reading in self.verdicts(system)]

    def categories(self, system: str) -> dict[str, int]:
        """How many translations of a system have each of :data:`CATEGORIES`."""
        same = self.found["systems"][system]["is_reference"]
        names = [
            ("same" if one else "other") if reading.harm == 0 else reading.category
            for reading, one in zip(self.verdicts(system), same, strict=True)
        ]
        counts = Counter(names)
        if set(counts) - set(CATEGORIES):
            raise ValueError(f"no bar for {', '.join(sorted(set(counts) - set(CATEGORIES)))}")
        return {category: counts[category] for category in CATEGORIES}

    def bars(self) -> dict[str, dict[str, int]]:
        """The same for all systems, both by the names that the page uses."""
        return {
            NAMES[system]: {CATEGORIES[category]: count for category, count in self.categories(system).items()}
            for system in SHORT
        }

    def interval(self, hits: int, of: int | None = None) -> str:
        """A count's 95 % interval as shares in per cent, such as "55 to 74"."""
        low, high = share_interval(hits, of or len(self.found["numbers"]))
        return f"{100 * low:.0f} to {100 * high:.0f}"

    def table(self) -> list[tuple[str, ...]]:
        """A row per system: right ones with their interval, harmless errors, errors that change what is said, BLEU."""
        rows = []
        for system in SHORT:
            harms = Counter(reading.harm for reading in self.verdicts(system))
            bleu = self.found["systems"][system]["bleu"]
            right = f"{harms[0]} ({self.interval(harms[0])}{NARROW}%)"
            rows.append((NAMES[system], right, str(harms[1]), str(harms[2]), f"{sum(bleu) / len(bleu):.0f}"))
        return rows

    def only(self, first: str, second: str) -> int:
        """How many sentences the first system has right and the second has not."""
        return sum(a and not b for a, b in zip(self.right(first), self.right(second), strict=True))

    def lost(self) -> Counter[str]:
        """What is wrong with the Transformer's translation where one of the others has the sentence right."""
        others = zip(self.right(RNN), self.right(RULES), strict=True)
        return Counter(
            mine.category
            for mine, theirs in zip(self.verdicts(TRANSFORMER), others, strict=True)
            if mine.harm and any(theirs)
        )

    def numbers(self) -> dict[str, int | float | str]:
        """What the page's text is given, by name."""
        from scipy import stats  # needed by the book alone

        found: dict[str, int | float | str] = {"read": len(self.found["numbers"]), "low": LOW}
        found["different"] = len(self.readings.each)
        for system, short in SHORT.items():
            scores, right = self.found["systems"][system], self.right(system)
            bleu = list(zip(scores["bleu"], right, strict=True))
            counts = self.categories(system)
            found |= {f"{short}_{category}": count for category, count in counts.items()}
            found |= {
                f"{short}_right": sum(right),
                f"{short}_right_interval": self.interval(sum(right)),
                f"{short}_low": sum(score < LOW for score, _ in bleu),
                f"{short}_low_right": sum(score < LOW and good for score, good in bleu),
                f"{short}_high_wrong": sum(score >= LOW and not good for score, good in bleu),
                f"{short}_still": self.readings.still(system, scores["digest"]),
            }
        ahead, behind = self.only(TRANSFORMER, RNN), self.only(RNN, TRANSFORMER)
        found |= {"ahead": ahead, "behind": behind, "ahead_p": float(stats.binomtest(ahead, ahead + behind).pvalue)}
        lost = self.lost()
        found |= {"lost": lost.total(), "lost_missing": lost["missing"], "lost_word": lost["word"]}
        twice = [reading for reading in self.readings.each if reading.again]
        first, second = [r.category for r in twice], [r.again[0] for r in twice if r.again]
        found |= {"twice": len(twice), "twice_agreed": sum(a == b for a, b in zip(first, second, strict=True))}
        return found | {"kappa": number(cohens_kappa(first, second), ".2f")}


def read() -> HundredSentences:
    """The result on record, with its readings."""
    return HundredSentences(experiments.read("hundred-sentences"), read_verdicts("hundred-sentences"))
