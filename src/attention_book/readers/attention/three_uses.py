"""What *three-uses* measured: the translator's loss when one use of its attention may not choose, or is silenced."""

from dataclasses import dataclass

from ... import experiments
from ...analysis.attention_by_use import USES
from ...analysis.seed_statistics import Measured
from ..reader import ResultReader

WAYS = {"even": "even", "itself": "on the token itself", "silent": "silenced", "another": "memory of another sentence"}
"""What is done to the weights of a use, as the page says it."""
HEADER = ("weights", *USES.values())
LENGTH_HEADER = ("source tokens", "sentences", *USES.values())


@dataclass(frozen=True)
class ThreeUses(ResultReader):
    """The result, as its page reads it."""

    def cost(self, arm: str) -> Measured:
        """By how much an arm such as ``"cross/even"`` raises the loss, with the standard error over sentences."""
        return Measured(*self.found["arms"][arm]["change"], "error", self.found["sentences"])

    def right(self, arm: str) -> float:
        """The share of next tokens that an arm gets right, in per cent."""
        return 100 * self.found["arms"][arm]["right"]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per way and a column per use, for :data:`HEADER`: the change of the loss, or a dash if not measured."""
        arms = self.found["arms"]
        told = lambda arm: f"{self.cost(arm):+.2f}" if arm in arms else "–"  # noqa: E731
        return [(name, *(told(f"{use}/{way}") for use in USES)) for way, name in WAYS.items()]

    def cost_at(self, arm: str, group: str) -> Measured:
        """:meth:`cost` in the sentences of a group of lengths, such as ``"up to 7"``."""
        return Measured(*self.found["arms"][arm]["by_length"][group], "error", self.found["in_group"][group])

    def length_rows(self) -> list[tuple[str, ...]]:
        """A row per group of lengths, for :data:`LENGTH_HEADER`: how many sentences, and what silencing a use costs."""
        return [
            (group, str(count), *(f"{self.cost_at(f'{use}/silent', group):+.2f}" for use in USES))
            for group, count in self.found["in_group"].items()
        ]

    def numbers(self) -> dict[str, float | int]:
        """What the page's text is given, by name."""
        found = self.found
        arms = {arm: arm.replace("/", "_") for arm in found["arms"]}
        shortest, *_, longest = found["in_group"]
        return {
            "n_sentences": found["sentences"],
            "n_tokens": found["target_tokens"],
            "mean_length": found["target_tokens"] / found["sentences"],
            "loss": found["loss"],
            "right": 100 * found["right"],
            "shortest_silent": self.cost_at("encoder_self/silent", shortest).value,
            "longest_silent": self.cost_at("encoder_self/silent", longest).value,
            **{f"cost_{name}": self.cost(arm).value for arm, name in arms.items()},
            **{f"right_{name}": self.right(arm) for arm, name in arms.items()},
        }


def read() -> ThreeUses:
    """The result on record."""
    return ThreeUses(experiments.read("three-uses"))
