"""What *training switches* measured: each arm beside the one it differs from by one switch, seed by seed."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, difference, number, over_seeds
from ...experiments.little_language_study import training_pairs
from ...little_language.language import word_vocabulary
from ..reader import ResultReader

SPECS = {
    "loss": ".2f",
    "seen_loss": ".2f",
    "averaged_loss": ".2f",
    "perplexity": ".2f",
    "right": ".0%",
    "averaged_right": ".0%",
    "confidence": ".0%",
    "hit": ".0%",
    "largest_norm": ".1f",
    "median_norm": ".2f",
}
"""How each measurement is written."""


@dataclass(frozen=True)
class TrainingSwitches(ResultReader):
    """The result, as its pages read it."""

    def mean(self, arm: str, what: str) -> Measured:
        """A measurement of one arm with its 95 % interval; "perplexity" is e to the power of the loss of each seed."""
        if what == "perplexity":
            return over_seeds(np.exp(self.of(f"{arm}_loss")), "interval")
        return over_seeds(self.of(f"{arm}_{what}"), "interval")

    def cost(self, arm: str, other: str, what: str = "loss", other_what: str | None = None) -> Measured:
        """By how much a measurement of an arm is above that of another, within each seed, with its 95 % interval.

        Args:
            arm, other: names of arms; they may be the same.
            what: the measurement.
            other_what: that of the other arm, if it is another one.
        """
        return difference(self.of(f"{arm}_{what}"), self.of(f"{other}_{other_what or what}"))

    def _row(self, label: str, arm: str, *measurements: str) -> tuple[str, ...]:
        return (label, *(format(self.mean(arm, what), SPECS[what]) for what in measurements))

    dropout_header = ("trained on", "loss on its own pairs", "loss on new pairs", "right")

    def dropout_rows(self) -> list[tuple[str, ...]]:
        """A row for many pairs, for few, and for few with dropout: the loss on both kinds of pairs, and right ones."""
        few, share = self.setting["arms"]["few"]["pairs"], self.setting["arms"]["few_dropped"]["model"]["dropout"]
        labels = {
            "plain": f"{self.n_pairs:,} pairs",
            "few": f"{few} pairs",
            "few_dropped": f"{few} pairs, dropout {share:g}",
        }
        return [self._row(label, arm, "seen_loss", "loss", "right") for arm, label in labels.items()]

    def averaging_dots(self) -> dict[str, Float[np.ndarray, " seeds"]]:
        """The loss above the entropy of every seed: two schedules, the last parameters and the average of snapshots."""
        return {
            f"rate {rate}, {parameters}": self.of(f"{arm}_{what}") - self.of("floor")
            for arm, rate in (("plain", "falls"), ("constant", "stays"))
            for what, parameters in (("loss", "last"), ("averaged_loss", "average"))
        }

    def averaging_told(self) -> str:
        """The dots of :meth:`averaging_dots` in words."""
        told = [f"{label}: {', '.join(f'{one:.2f}' for one in dots)}" for label, dots in self.averaging_dots().items()]
        return f"Loss above the entropy in nats per token, a dot per seed, logarithmic axis. {'; '.join(told)}."

    worth_header = ("remedy", "tried where", "loss without", "loss with", "difference")

    def worth_rows(self) -> list[tuple[str, ...]]:
        """A row per remedy: where it was tried, the loss without it and with it, and the difference seed by seed."""
        few = self.setting["arms"]["few"]["pairs"]
        remedies = {
            ("decay", "the plain run"): (("constant", "loss"), ("plain", "loss")),
            ("averaging", "the rate stays"): (("constant", "loss"), ("constant", "averaged_loss")),
            ("clipping", "the rate is too high"): (("fast_unclipped", "loss"), ("fast", "loss")),
            ("dropout", f"{few} pairs"): (("few", "loss"), ("few_dropped", "loss")),
        }
        rows = []
        for (remedy, where), (without, given) in remedies.items():
            apart = f"{self.cost(given[0], without[0], given[1], without[1]):+.2f}"
            rows.append((remedy, *self._row(where, *without), format(self.mean(*given), SPECS["loss"]), apart))
        return rows

    smoothing_header = ("targets", "loss", "perplexity", "confidence", "right token", "right sentence")

    def smoothing_rows(self) -> list[tuple[str, ...]]:
        """A row for the plain model, and one for the same with smoothed targets; shares with one decimal."""
        labels = {"plain": "as they are", "smoothed": "smoothed"}
        return [self._shares(label, arm, "loss", "perplexity") for arm, label in labels.items()]

    tying_header = ("embeddings", "loss", "confidence", "right token", "right sentence")

    def tying_rows(self) -> list[tuple[str, ...]]:
        """A row for the plain model, whose embeddings are tied, and one for the model with matrices of its own."""
        return [self._shares(label, arm, "loss") for arm, label in (("plain", "tied"), ("untied", "untied"))]

    def _shares(self, label: str, arm: str, *before: str) -> tuple[str, ...]:
        shares = (format(self.mean(arm, what), ".1%") for what in ("confidence", "hit", "right"))
        return (*self._row(label, arm, *before), *shares)

    def sure_and_right(self) -> dict[str, tuple[float, float]]:
        """Confidence and share of right tokens of three arms by their labels, means over the seeds."""
        labels = {
            "few": "few pairs",
            "few_dropped": "few, with dropout",
            "plain": "plain",
        }
        return {
            label: (self.mean(arm, "confidence").value, self.mean(arm, "hit").value) for arm, label in labels.items()
        }

    @property
    def n_pairs(self) -> int:
        """Pairs that most arms are trained on: the mean over seeds, in hundreds."""
        return int(round(float(self.of("pairs").mean()), -2))

    def passes(self, pairs: int) -> float:
        """How often a training goes through so many pairs, if all are as long as the first ones of the first seed."""
        first = int(next(iter(self.result["seeds"])))
        few = training_pairs(first, {**self.setting, "drawn": self.setting["arms"]["few"]["pairs"]})
        mean_length = sum(len(pair.target_words) + 1 for pair in few) / len(few)
        return self.setting["training"]["tokens"] / (pairs * mean_length)

    def numbers(self) -> dict[str, float | int | str]:
        """What the text of the pages is given, by name; differences are taken within each seed."""
        arms, training = self.setting["arms"], self.setting["training"]
        found: dict[str, float | int | str] = {}
        for arm in arms:
            for what, spec in SPECS.items():
                found[f"{arm}_{what}"] = number(self.mean(arm, what).value, spec)
            found[f"{arm}_parameters"] = self.shared(f"{arm}_parameters")
        return found | {
            "smoothed_cost": f"{self.cost('smoothed', 'plain'):.2f}",
            "smoothed_gain": _points(self.cost("smoothed", "plain", "right"), "+", 1),
            "smoothed_hits": _points(self.cost("smoothed", "plain", "hit"), "+", 1),
            "untied_cost": f"{self.cost('untied', 'plain'):+.3f}",
            "untied_share": number(self.shared("untied_parameters") / self.shared("plain_parameters") - 1, ".0%"),
            "vocabulary": len(word_vocabulary(self.setting["target"])),
            "untied_gain": _points(self.cost("untied", "plain", "right"), digits=1),
            "n_seeds": self.n_seeds,
            "n_pairs": self.n_pairs,
            "n_few": arms["few"]["pairs"],
            "few_passes": self.passes(arms["few"]["pairs"]),
            "n_tokens": training["tokens"],
            "n_examined": self.setting["examined"],
            "n_kept": self.setting["snapshots"]["kept"],
            "n_apart": self.setting["snapshots"]["apart"],
            "mean_floor": float(self.of("floor").mean()),
        }


def _points(shares: Measured, sign: str = "", digits: int = 0) -> str:
    """A difference of shares in percentage points, without the unit."""
    return format(shares.scaled(100), f"{sign}.{digits}f")


def read() -> TrainingSwitches:
    """The result on record."""
    return TrainingSwitches(experiments.read("training-switches"))
