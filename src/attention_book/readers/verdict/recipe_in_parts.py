"""*recipe-in-parts*: what each change of the longer recipe brought in small, and what the lesson adds to R-Drop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, difference, over_seeds
from ...experiments.records import recorded
from ..reader import ResultReader

ARMS = {
    "old": "first recipe",
    "longer": "twice the tokens",
    "dropped": "more dropout",
    "cut": "subword dropout",
}
"""The arms with one change at most, as the page calls them."""
LONGER = {"old": "neither", "longer": "tokens", "dropped": "dropout", "teachers": "both"}
"""The arms with twice the tokens, more dropout, or both."""
PUPILS = {"untaught": "neither", "agreeing": "R-Drop", "taught": "the lesson", "both": "both"}
"""The kinds of pupil, by what they have."""
DROPOUT = ("dropped", "old"), ("teachers", "longer")
R_DROP = ("agreeing", "untaught"), ("both", "taught")
LESSON = ("taught", "untaught"), ("both", "agreeing")
"""The arms that tell what a change adds first, and what it adds to the other change of its square."""
LOSS_HEADER = ("recipe", "loss, known pairs", "loss, new pairs", "BLEU")
ORDER_HEADER = ("points of BLEU", "first", "last", "mean of both orders")


@dataclass(frozen=True)
class RecipeInParts(ResultReader):
    """The result, as its page reads it.

    Attributes:
        result: of *recipe-in-parts*.
        old: the record of the old translator's training, as `attention_book.experiments.records.recorded` returns it.
    """

    old: Mapping[str, Any]

    def of_models(self, arm: str, metric: str = "bleu") -> Float[np.ndarray, " models"]:
        """A metric of `attention_book.experiments.translator.recipe_in_parts.scores`, one number per model."""
        return np.array([model[metric] for model in self.found["arms"][arm]["models"]])

    def mean(self, arm: str, metric: str = "bleu") -> float:
        """The mean over the models of an arm."""
        return float(self.of_models(arm, metric).mean())

    def gain(self, arm: str, over: str, metric: str = "bleu") -> Measured:
        """What an arm has more than another, model by model, with half of the 95 % interval."""
        return difference(self.of_models(arm, metric), self.of_models(over, metric))

    def in_order(self, change: Sequence[tuple[str, str]]) -> list[Float[np.ndarray, " models"]]:
        """What a change adds in points of BLEU, first and last; see `LESSON`."""
        return [self.of_models(arm) - self.of_models(over) for arm, over in change]

    def dots(self) -> dict[str, Float[np.ndarray, " models"]]:
        """BLEU of each model, by the names of `ARMS`."""
        return {label: self.of_models(arm) for arm, label in ARMS.items()}

    def dots_told(self) -> str:
        """The same in words."""
        rows = (f"{label}: {', '.join(f'{one:.1f}' for one in values)}" for label, values in self.dots().items())
        return f"BLEU of each model, a row per recipe. {'; '.join(rows)}."

    def loss_rows(self) -> list[tuple[str, ...]]:
        """A row per arm of `ARMS` for `LOSS_HEADER`."""
        return [
            (label, *(f"{self.mean(arm, loss):.2f}" for loss in ("seen_loss", "loss")), f"{self.mean(arm):.1f}")
            for arm, label in ARMS.items()
        ]

    def square(self, four: Mapping[str, str]) -> dict[str, float]:
        """Mean BLEU of the four arms of `LONGER` or `PUPILS`, by what they have."""
        return {name: self.mean(arm) for arm, name in four.items()}

    def order_rows(self) -> list[tuple[str, ...]]:
        """What R-Drop and the lesson add first, last and on average over both orders, for `ORDER_HEADER`."""
        rows = []
        for change, arms in (("R-Drop", R_DROP), ("the lesson", LESSON)):
            first, last = self.in_order(arms)
            told = (over_seeds(gains, "interval") for gains in (first, last, (first + last) / 2))
            rows.append((change, *(f"{one:+.1f}" for one in told)))
        return rows

    def numbers(self) -> dict[str, int | float | str]:
        """What the page's text is given, by name."""
        training = self.setting["training"]
        first, last = self.in_order(DROPOUT)
        lesson_first, lesson_last = self.in_order(LESSON)
        return {
            "pairs": self.found["pairs"],
            "all_pairs": self.old["pairs"]["train"],
            "small_parameters": self.found["parameters"] / 1e6,
            "small_vocabulary": self.setting["vocabulary"],
            "tokens": training["tokens"] / 1e6,
            "small_passes": training["tokens"] / self.found["a_pass"],
            "old_passes": self.old["epochs"],
            "models": self.setting["models"],
            "test_sentences": self.found["examined"],
            "longer_gain": f"{self.gain('longer', 'old'):.1f}",
            "cut_cost": f"{self.gain('old', 'cut'):.1f}",
            "tokens_last": f"{self.gain('teachers', 'dropped'):.1f}",
            "dropped_first": f"{over_seeds(first, 'interval'):+.1f}",
            "dropped_last": f"{over_seeds(last, 'interval'):+.1f}",
            "dropped_more": f"{difference(last, first):.1f}",
            "longer_loss": self.mean("longer", "loss"),
            "longer_seen": self.mean("longer", "seen_loss"),
            "teachers_loss": self.mean("teachers", "loss"),
            "seen": self.setting["seen"],
            "cut_last": f"{self.gain('teachers', 'all'):.1f}",
            "all_loss": self.mean("all", "loss"),
            "untaught": self.mean("untaught"),
            "untaught_loss": self.mean("untaught", "loss"),
            "teachers": self.mean("teachers"),
            "both_gain": self.mean("both") - self.mean("untaught"),
            "lesson_first": float(lesson_first.mean()),
            "lesson_last": float(lesson_last.mean()),
            "lesson_less": f"{difference(lesson_first, lesson_last):.1f}",
            "lesson_loss_first": f"{self.gain('untaught', 'taught', 'loss'):.2f}",
            "lesson_loss_last": f"{self.gain('agreeing', 'both', 'loss'):.2f}",
            "promised": self.mean("taught") + self.mean("agreeing") - 2 * self.mean("untaught"),
            "times_pairs": self.old["pairs"]["train"] / self.found["pairs"],
        }


def read() -> RecipeInParts:
    """The result on record, with the record of the old translator."""
    return RecipeInParts(experiments.read("recipe-in-parts"), recorded("en-es"))
