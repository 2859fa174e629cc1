"""*taught-translator* and the two trainings behind it: what a longer recipe, an ensemble and its pupil each brought."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binomtest

from ... import experiments
from ...analysis.seed_statistics import holm
from ...data.failures import SIGNS
from ...data.own_sentences import own_sentences
from ...experiments.records import recorded
from ..reader import ResultReader
from .readings import Readings, read_verdicts

BEFORE, AFTER = "before", "after"
"""The two systems as the experiment calls them."""
RUNGS = ("the old translator", "the longer recipe", "all four at once", "one pupil")
"""The rungs of the ladder as the figure calls them."""
RUNG_HEADER = ("what translates", "parameters", "BLEU", "chrF")
RECIPE_HEADER = ("", "old translator", "teachers", "pupil")
SCORE_HEADER = ("sentences and search", "BLEU, old", "BLEU, taught", "chrF, old", "chrF, taught")
LENGTH_HEADER = ("words of the source", "test sentences", "old", "taught", "gain")
SIGN_HEADER = ("sign of failure", "old", "taught")
READ_HEADER = ("read by hand as", "old", "taught")
SHOWN_HEADER = ("our sentence", "old", "taught")
OPENING, SHOWN = 53, (54, 134, 66)
"""Our sentences whose translations the page shows, by number from 1: one at its top, and three beside each other."""
LONG = "13 and more"
"""The longest sentences."""
_SEARCHES = {"1": "greedy", "4": "beam of 4"}
_SETTINGS = {
    "tokens": ("target tokens read in training, in millions", 1e-6),
    "tokens_per_batch": ("tokens per batch", 1),
    "peak_rate": ("highest learning rate", 1),
    "subword_dropout": ("subword dropout", 1),
    "taught": ("share λ of the lesson", 1),
    "agreement": ("agreement α", 1),
}
_MODEL = {"dropout": "dropout", "attention_dropout": "dropout of attention weights"}


@dataclass(frozen=True)
class TaughtTranslator(ResultReader):
    """The result, as its page reads it.

    Attributes:
        result: of *taught-translator*.
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
        """By how much the taught translator is better."""
        return self.score(split, beam, AFTER, metric) - self.score(split, beam, BEFORE, metric)

    def teachers(self, metric: str) -> list[float]:
        """Of each teacher: ``"bleu"``, ``"chrf"`` or ``"loss"`` on the validation sentences, greedy search."""
        return [scores[f"validation_{metric}"] for scores in self.new["teachers"]["scores"]]

    def together(self, metric: str) -> float:
        """The same of all teachers together."""
        return self.new["teachers"]["together"][f"validation_{metric}"]

    def rungs(self) -> dict[str, list[float]]:
        """Greedy BLEU on the validation sentences, by the names of `RUNGS`: a number per model."""
        ends = ([self.score("validation", "1", system, "bleu")] for system in (BEFORE, AFTER))
        old, pupil = ends
        return dict(zip(RUNGS, (old, self.teachers("bleu"), [self.together("bleu")], pupil), strict=True))

    def rung_rows(self) -> list[tuple[str, ...]]:
        """A row per rung for `RUNG_HEADER`; of the single teachers the range."""
        one, several = f"{self.new['parameters']:,}", f"{len(self.teachers('bleu'))} × {self.new['parameters']:,}"
        ends = {
            system: [f"{self.score('validation', '1', system, metric):.2f}" for metric in ("bleu", "chrf")]
            for system in (BEFORE, AFTER)
        }
        ranges = [
            f"{min(self.teachers(metric)):.2f} to {max(self.teachers(metric)):.2f}" for metric in ("bleu", "chrf")
        ]
        means = [f"{self.together(metric):.2f}" for metric in ("bleu", "chrf")]
        return [
            (RUNGS[0], f"{self.old['parameters']:,}", *ends[BEFORE]),
            (f"{RUNGS[1]}, each of four models", one, *ranges),
            (f"{RUNGS[2]}, an ensemble", several, *means),
            (f"{RUNGS[3]} of the four", one, *ends[AFTER]),
        ]

    def recipe_rows(self) -> list[tuple[str, ...]]:
        """A row per setting for `RECIPE_HEADER`; what a recipe does not have is 0."""
        recipes = (self.old, self.new["teachers"], self.new)
        rows = [
            (label, *(f"{scale * recipe['settings'].get(name, 0):g}" for recipe in recipes))
            for name, (label, scale) in _SETTINGS.items()
        ]
        of_models = [(label, *(f"{one['config'][name]:g}" for one in recipes)) for name, label in _MODEL.items()]
        return [*rows[:3], *of_models, *rows[3:]]

    def score_rows(self, beam: str) -> list[tuple[str, ...]]:
        """A row per split for `SCORE_HEADER`, with half the width of each 95 % interval.

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
            rows.append((f"{split}, {_SEARCHES[beam]}", *both))
        return rows

    def of_our_own(self, number: int) -> tuple[str, str, str]:
        """One of our own sentences, by its number from 1, and what the old and the taught translator make of it."""
        old, new = (self.found["own"][system]["translations"][number - 1] for system in (BEFORE, AFTER))
        return own_sentences()[number - 1].text, old, new

    def shown_rows(self) -> list[tuple[str, ...]]:
        """A row per sentence of `SHOWN` for `SHOWN_HEADER`."""
        return [self.of_our_own(number) for number in SHOWN]

    def adjusted(self) -> dict[str, float]:
        """The p-values of the paired tests after Holm's correction: both scores, both splits, both searches."""
        return holm(
            {
                f"{split} {beam} {metric}": self.score(split, beam, AFTER, f"{metric}_p")
                for split in ("validation", "test")
                for beam in _SEARCHES
                for metric in ("bleu", "chrf")
            }
        )

    def length_gains(self, split: str) -> dict[str, float]:
        """By how many points of BLEU the taught translator is better, beam 4, by the words of the source."""
        old, new = (self.found[split]["4"][system]["by_length"] for system in (BEFORE, AFTER))
        return {group: new[group]["bleu"] - old[group]["bleu"] for group in old}

    def length_rows(self) -> list[tuple[str, ...]]:
        """A row per group of test sentences for `LENGTH_HEADER`: BLEU, beam 4."""
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
        """A row per sign for `SIGN_HEADER`, and one for any of them."""
        return [
            (label, *(f"{len(self.flagged(sign, system))}" for system in (BEFORE, AFTER)))
            for sign, label in [*SIGNS.items(), ("any", "any of these")]
        ]

    def read_rows(self) -> list[tuple[str, ...]]:
        """A row per category for `READ_HEADER`, and one for the translations that mislead a reader."""
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

    def read_numbers(self) -> dict[str, int | float | str]:
        """What the page says of the reading by hand, by name; the p-value is that of a sign test, by sentence."""
        old, new = (
            {one.sentence: one.harm for one in self.readings.by_system[self.setting["systems"][system]]}
            for system in (BEFORE, AFTER)
        )
        was, now = (
            {one.sentence: one.category for one in self.readings.by_system[self.setting["systems"][system]]}
            for system in (BEFORE, AFTER)
        )
        milder, worse = (sum(sign * (old[n] - new[n]) > 0 for n in old) for sign in (1, -1))
        circles = self.flagged("repeated", BEFORE)
        twice = [one for one in self.readings.each if one.again is not None]
        return {
            "milder": milder,
            "worse": worse,
            "sign_p": float(binomtest(milder, milder + worse).pvalue),
            "circles": len(circles),
            "circles_lost": sum(was[n] in ("nonsense", "dropped") for n in circles & set(was)),
            "wrong_new": sum(category == "wrong" for category in now.values()),
            "now_wrong": sum(now[n] == "wrong" and was[n] in ("nonsense", "dropped") for n in was),
            "misleading_earlier": sum(one.harm == 2 for one in read_verdicts("own-sentences").each),
            "misleading_old": len(self.misleading(BEFORE)),
            "read_twice": len(twice),
            "read_alike": sum(one.again[0] == one.category for one in twice if one.again is not None),
        }

    def lesson_numbers(self) -> dict[str, float]:
        """What the text of *Distillation* is given, by name."""
        return {
            "best_loss": min(self.teachers("loss")),
            "together_loss": self.together("loss"),
            "lesson_share": self.new["settings"]["taught"],
            "agreement": self.new["settings"]["agreement"],
        }

    def numbers(self) -> dict[str, int | float | str]:
        """What the text of *What helped?* is given, by name."""
        teachers, old_greedy = self.teachers("bleu"), self.score("validation", "1", BEFORE, "bleu")
        mean, pupil = float(np.mean(teachers)), self.score("validation", "1", AFTER, "bleu")
        by_length = self.found["test"]["4"][BEFORE]["by_length"]
        rare = self.recalls("test")["1–5"]
        return {
            "parameters": self.new["parameters"] / 1e6,
            "teachers": len(teachers),
            "recipe_gain": mean - old_greedy,
            "recipe_spread": max(teachers) - min(teachers),
            "together_gain": self.together("bleu") - mean,
            "pupil_lead": pupil - max(teachers),
            "kept": f"{(pupil - mean) / (self.together('bleu') - mean):.0%}",
            "greedy_gain": self.gain("validation", "1"),
            "test_gain": self.gain("test", "4"),
            "largest_p": max(self.adjusted().values()),
            "tests": len(self.adjusted()),
            "draws": self.setting["bootstrap"],
            "long_gain": self.length_gains("test")[LONG],
            "long_sentences": by_length[LONG]["sentences"],
            "rare_words": rare[0],
            "rare_old": rare[1],
            "rare_new": rare[2],
            "own": len(self.found["own"][AFTER]["translations"]),
            **dict(zip(("opening", "opening_old", "opening_taught"), self.of_our_own(OPENING), strict=True)),
            "teacher_seconds": self.new["teachers"]["training_seconds"],
            "pupil_seconds": self.new["training_seconds"],
            "device": self.new["machine"]["accelerator"],
            "subword_dropout": self.new["settings"]["subword_dropout"],
            **self.read_numbers(),
        }


def read() -> TaughtTranslator:
    """The result on record, with the records of both trainings and the verdicts."""
    return TaughtTranslator(
        experiments.read("taught-translator"),
        recorded("en-es"),
        recorded("en-es-taught"),
        read_verdicts("taught-translator"),
    )
