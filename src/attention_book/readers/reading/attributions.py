"""What *attributions* and *attributions-of-en-es* measured: how attributions agree, and what they foretell."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.attribution.source_words import METHODS
from ...analysis.seed_statistics import Kind, Measured, difference, over_seeds
from ..reader import ResultReader

LABELS = {
    "weights": "weights",
    "gradient": "gradient × input",
    "integrated": "integrated gradients",
    "leaving out": "leaving out",
}
"""How the tables call the methods."""
HITS_HEADER = ("largest at", "a translated word", "a deciding word", "hidden decider in first two")
FORETOLD_HEADER = ("order by", "little language", "before training", "the translator")
AGREED_HEADER = ("pair", "little language", "before training", "the translator")


@dataclass(frozen=True)
class Attributions(ResultReader):
    """The result on the little language; every ± is a 95 % interval over seeds."""

    def values(self, metric: str, name: str) -> Float[np.ndarray, " seeds"]:
        """One number per seed: a metric of one method, or of one pair of methods."""
        return np.array([seed[metric][name] for seed in self.seeds])

    def value(self, metric: str, name: str, kind: Kind = "interval") -> Measured:
        """The same as mean and spread."""
        return over_seeds(self.values(metric, name), kind)

    def hits(self) -> list[tuple[str, ...]]:
        """A row per method and one for chance, for `HITS_HEADER`."""
        kinds = ("translated", "decisive", "agreeing")
        told = lambda name: tuple(f"{self.value(kind, name):.0%}" for kind in kinds)  # noqa: E731
        return [(LABELS[name], *told(name)) for name in METHODS] + [("by chance", *told("chance"))]

    def best(self, metric: str, names: tuple[str, ...] = METHODS) -> str:
        """The method with the largest mean of a metric."""
        return max(names, key=lambda name: self.values(metric, name).mean())

    def lead(self, metric: str, first: str, second: str) -> Measured:
        """By how much the first method is ahead of the second, paired by seeds."""
        return difference(self.values(metric, first), self.values(metric, second))


@dataclass(frozen=True)
class OfTranslator(ResultReader):
    """The result on the shipped translator; every ± is a 95 % interval of a mean over sentences."""

    def value(self, metric: str) -> Measured:
        """Mean over sentences."""
        return over_seeds(np.array(self.found[metric]), "interval")

    @property
    def n_sentences(self) -> int:
        """How many sentences were examined."""
        return len(self.found["gap"])


@dataclass(frozen=True)
class Both:
    """Both results together, as the page reads them."""

    little: Attributions
    shipped: OfTranslator

    def foretold(self) -> list[tuple[str, ...]]:
        """How far the order of each method agrees with the effects of exchanges, for `FORETOLD_HEADER`."""
        return [
            (
                LABELS[name],
                f"{self.little.value('foretell', name):.2f}",
                f"{self.little.value('untrained_foretell', name):.2f}",
                f"{self.shipped.value(f'foretell/{name}'):.2f}",
            )
            for name in METHODS
        ]

    def agreed(self) -> list[tuple[str, ...]]:
        """How far each pair of methods agrees, for `AGREED_HEADER`."""
        return [
            (
                " and ".join(LABELS[name] for name in pair.split("/")),
                f"{self.little.value('agree', pair):.2f}",
                f"{self.little.value('untrained_agree', pair):.2f}",
                f"{self.shipped.value(f'agree/{pair}'):.2f}",
            )
            for pair in self.little.seeds[0]["agree"]
        ]

    def numbers(self) -> dict[str, Any]:
        """What the page's text is given, by name.

        Raises:
            AssertionError: if a finding that the page tells in words is no longer so.
        """
        little, shipped = self.little, self.shipped
        lead = little.lead("foretell", "leaving out", "weights")
        told = little.lead("translated", "weights", "gradient")
        assert lead.settled and lead.value > 0, f"leaving out leads the weights by {lead:.2f}"
        assert told.settled and told.value > 0, f"weights lead gradient × input by {told:.2f}"
        order = [shipped.value(f"foretell/{name}").value for name in ("leaving out", "weights")]
        assert order[0] > order[1], "in the translator, leaving out no longer foretells exchanges best"
        finders = [little.value("agreeing", name) for name in ("weights", "leaving out")]
        assert _overlap(*finders), "weights and leaving out no longer find hidden deciders about equally often"
        chance = little.lead("agreeing", "weights", "chance")
        assert chance.settled and chance.value > 0, f"weights lead chance at hidden deciders by {chance:.2f}"
        unlearnt = little.value("untrained_foretell", "weights")
        assert abs(unlearnt.value) < unlearnt.spread, f"before training, weights foretell {unlearnt:.2f}"
        weakest = min(METHODS, key=lambda name: shipped.value(f"foretell/{name}").value)
        assert weakest == "gradient", f"in the translator, {weakest} foretells least"
        seconds = ("weights", "gradient", "integrated")
        best = max(seconds, key=lambda name: shipped.value(f"foretell/{name}").value)
        both = [shipped.value(f"foretell/{name}") for name in ("leaving out", best)]
        assert _overlap(*both), f"in the translator, leaving out is now clearly ahead of {best}"
        return {
            "n_seeds": little.n_seeds,
            "n_examined": little.setting["examined"],
            "n_rows": round(np.mean([seed["agree_rows"] for seed in little.seeds])),
            "n_tokens": little.setting["training"]["tokens"],
            "n_sentences": shipped.n_sentences,
            "n_pieces": shipped.found["rows"],
            "weights_translated": f"{little.value('translated', 'weights'):.0%}",
            "chance_translated": float(little.values("translated", "chance").mean()),
            "gradient_translated": f"{little.value('translated', 'gradient'):.0%}",
            "leaving_decisive": f"{little.value('decisive', 'leaving out'):.0%}",
            "weights_agreeing": f"{little.value('agreeing', 'weights'):.0%}",
            "leaving_agreeing": f"{little.value('agreeing', 'leaving out'):.0%}",
            "chance_agreeing": float(little.values("agreeing", "chance").mean()),
            "lead": f"{lead:.2f}",
            "leaving_untrained": f"{little.value('untrained_foretell', 'leaving out'):.2f}",
            "weights_untrained": f"{little.value('untrained_foretell', 'weights'):.2f}",
            "best_of_shipped": LABELS[best],
            "best_of_little": LABELS[little.best("foretell", seconds)],
            "shipped_gradient_size": shipped.value("size/gradient").value,
            "shipped_leaving_size": shipped.value("size/leaving out").value,
            "shipped_gap": shipped.value("gap").value,
            "shipped_explained": shipped.value("explained").value,
            "little_gap": float(little.values("gap", "mean").mean()),
            "little_explained": float(little.values("explained", "mean").mean()),
        }


def _overlap(one: Measured, other: Measured) -> bool:
    """Do the two intervals have a number in common?"""
    return abs(one.value - other.value) <= one.spread + other.spread


def read() -> Both:
    """The two results on record."""
    return Both(Attributions(experiments.read("attributions")), OfTranslator(experiments.read("attributions-of-en-es")))
