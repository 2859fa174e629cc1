"""*taught-translator* and the two trainings behind it: what a longer recipe, an ensemble and its pupil each brought."""

from dataclasses import dataclass

import numpy as np

from ... import experiments
from ...experiments.records import recorded
from .readings import read_verdicts
from .two_translators import AFTER, BEFORE, TwoTranslators

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
class TaughtTranslator(TwoTranslators):
    """The result, as its page reads it; ``old`` is the book's translator and ``new`` the taught one."""

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

    def shown_rows(self) -> list[tuple[str, ...]]:
        """A row per sentence of `SHOWN` for `SHOWN_HEADER`."""
        return [self.of_our_own(number) for number in SHOWN]

    def read_numbers(self) -> dict[str, int | float | str]:
        """What the page says of the reading by hand, by name; the p-value is that of a sign test, by sentence."""
        was, now = (
            {one.sentence: one.category for one in self.readings.by_system[self.setting["systems"][system]]}
            for system in (BEFORE, AFTER)
        )
        circles = self.flagged("repeated", BEFORE)
        twice = [one for one in self.readings.each if one.again is not None]
        return {
            **self.graded(),
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
