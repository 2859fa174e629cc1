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
HITS_HEADER = ("method", "translated", "deciding", "hidden")
FORETOLD_HEADER = ("method", "little language", "the translator")
CONTROL_HEADER = ("method", "untrained", "trained", "change")
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
        told = lambda name: tuple(f"{self.value(kind, name).scaled(100):.0f}" for kind in kinds)  # noqa: E731
        return [(LABELS[name], *told(name)) for name in METHODS] + [("by chance", *told("chance"))]

    def lead(self, metric: str, first: str, second: str) -> Measured:
        """By how much the first method is ahead of the second, paired by seeds."""
        return difference(self.values(metric, first), self.values(metric, second))

    def learnt(self, name: str) -> Measured:
        """By how much training changed how far a method foretells the effects of exchanges, paired by seeds."""
        return difference(self.values("foretell", name), self.values("untrained_foretell", name))

    def further(self, first: str, second: str) -> Measured:
        """By how much further training lowered how far the first method foretells than the second, paired by seeds."""
        fallen = [self.values("untrained_foretell", name) - self.values("foretell", name) for name in (first, second)]
        return difference(*fallen)


@dataclass(frozen=True)
class OfTranslator(ResultReader):
    """The result on the shipped translator; every ± is a 95 % interval of a mean over sentences."""

    def value(self, metric: str) -> Measured:
        """Mean over sentences."""
        return over_seeds(np.array(self.found[metric]), "interval")

    def lead(self, metric: str, first: str, second: str) -> Measured:
        """By how much the first method is ahead of the second, paired by sentences."""
        return difference(np.array(self.found[f"{metric}/{first}"]), np.array(self.found[f"{metric}/{second}"]))

    @property
    def n_sentences(self) -> int:
        """How many sentences were examined."""
        return len(self.found["gap"])


@dataclass(frozen=True)
class Both(Attributions):
    """Both results together, as the page reads them: that on the little language, and beside it ``shipped``."""

    shipped: OfTranslator

    @property
    def little(self) -> Attributions:
        """The result on the little language."""
        return Attributions(self.result)

    def foretold(self) -> list[tuple[str, ...]]:
        """How far the order of each method agrees with the effects of exchanges, for `FORETOLD_HEADER`."""
        return [
            (
                LABELS[name],
                f"{self.little.value('foretell', name):.2f}",
                f"{self.shipped.value(f'foretell/{name}'):.2f}",
            )
            for name in METHODS
        ]

    def controlled(self) -> list[tuple[str, ...]]:
        """The same in the little language before and after training, and the change, for `CONTROL_HEADER`."""
        return [
            (
                LABELS[name],
                f"{self.little.value('untrained_foretell', name):.2f}",
                f"{self.little.value('foretell', name):.2f}",
                f"{self.little.learnt(name):+.2f}",
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

    def of_shipped(self) -> list[str]:
        """The methods by how well they foretell exchanges in the translator, the best first."""
        return sorted(METHODS, key=lambda name: -self.shipped.value(f"foretell/{name}").value)

    def verdict(self, first: str, second: str) -> str:
        """Which of two methods foretells better in the translator, or that its sentences do not tell."""
        lead = self.shipped.lead("foretell", first, second)
        if not lead.settled:
            return f"the sentences do not tell them apart (difference {lead:.2f})"
        ahead, behind = (first, second) if lead.value > 0 else (second, first)
        return f"{LABELS[ahead]} foretells better than {LABELS[behind]} (difference {abs(lead.value):.2f})"

    def check(self) -> None:
        """Refuse records in which a finding that the page tells in words is no longer so.

        Raises:
            AssertionError: with the finding.
        """
        little, shipped = self.little, self.shipped
        ahead = (
            ("translated", "weights", "gradient"),
            ("decisive", "weights", "chance"),
            ("agreeing", "weights", "chance"),
            ("foretell", "leaving out", "weights"),
            ("foretell", "leaving out", "integrated"),
            ("foretell", "weights", "gradient"),
            ("foretell", "integrated", "gradient"),
        )
        for metric, first, second in ahead:
            lead = little.lead(metric, first, second)
            assert lead.settled and lead.value > 0, f"{metric}: {first} is ahead of {second} by {lead:.2f}"
        together = little.lead("agreeing", "leaving out", "weights")
        assert not together.settled, f"at hidden deciders, leaving out is ahead of the weights by {together:.2f}"
        unlearnt = little.value("untrained_foretell", "weights")
        assert not unlearnt.settled, f"before training, weights foretell {unlearnt:.2f}"
        blind = [little.lead("untrained_agreeing", name, "chance") for name in METHODS]
        assert not any(one.settled and one.value > 0 for one in blind), f"before training, hidden deciders: {blind}"
        shared = [little.value(metric, "integrated/leaving out").value for metric in ("untrained_agree", "agree")]
        assert shared[0] > shared[1] > 0, f"agreement of integrated gradients with leaving out: {shared}"
        control = little.value("untrained_foretell", "leaving out").value
        assert control > 0.4, f"before training, leaving out foretells {control:.2f} only"
        others = [little.value("untrained_foretell", name) for name in METHODS if name != "weights"]
        assert all(one.settled and one.value > 0 for one in others), "only the weights foretell nothing before training"
        for name, sign in (("weights", 1), ("gradient", -1), ("integrated", -1)):
            learnt = little.learnt(name)
            assert learnt.settled and sign * learnt.value > 0, f"training changed what {name} foretell by {learnt:.2f}"
        assert not little.learnt("leaving out").settled, f"leaving out changed by {little.learnt('leaving out'):.2f}"
        further = little.further("integrated", "leaving out")
        assert further.settled and further.value > 0, f"integrated gradients fell further by {further:.2f}"
        assert self.of_shipped()[-1] == "gradient", f"in the translator, {self.of_shipped()[-1]} foretells least"
        sizes = [shipped.value(f"size/{name}").value for name in ("gradient", "leaving out")]
        assert 10 * sizes[0] < sizes[1], f"the largest number per row: {sizes[0]:.2f} and {sizes[1]:.2f} nats"

    def numbers(self) -> dict[str, Any]:
        """What the page's text is given, by name.

        Raises:
            AssertionError: if a finding that the page tells in words is no longer so.
        """
        self.check()
        little, shipped = self.little, self.shipped
        order = self.of_shipped()
        return {
            "n_seeds": little.n_seeds,
            "n_examined": little.setting["examined"],
            "n_tokens": little.setting["training"]["tokens"],
            "n_sentences": shipped.n_sentences,
            "n_foretold": len(shipped.found["foretell/weights"]),
            "weights_agreeing": f"{little.value('agreeing', 'weights'):.0%}",
            "chance_agreeing": 100 * float(little.values("agreeing", "chance").mean()),
            "untrained_agreeing": 100 * max(little.value("untrained_agreeing", name).value for name in METHODS),
            "lead": f"{little.lead('foretell', 'leaving out', 'integrated'):.2f}",
            "leaving_fall": f"{little.learnt('leaving out').scaled(-1):.2f}",
            "integrated_further": f"{little.further('integrated', 'leaving out'):.2f}",
            "agree_untrained": f"{little.value('untrained_agree', 'integrated/leaving out'):.2f}",
            "agree_trained": f"{little.value('agree', 'integrated/leaving out'):.2f}",
            "first_of_shipped": self.verdict(*order[:2]),
        }


def read() -> Both:
    """The two results on record."""
    return Both(experiments.read("attributions"), OfTranslator(experiments.read("attributions-of-en-es")))
