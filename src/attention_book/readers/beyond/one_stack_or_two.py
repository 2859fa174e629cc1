"""What *one-stack-or-two* measured: translators with one stack and with two, at equal parameters and equal tokens."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, over_seeds
from ..reader import ResultReader

HEADER = ("model", "parameters", "multiplications per token", "loss above the best possible", "translated right")
LABELS = {
    "two-stacks": "encoder–decoder",
    "causal": "decoder only, causal",
    "prefix": "decoder only, prefix mask",
    "both": "decoder only, causal, trained on both",
}
"""How the page names the arms."""


@dataclass(frozen=True)
class OneStackOrTwo(ResultReader):
    """The result, as its page reads it."""

    @property
    def arms(self) -> list[str]:
        """The models by name."""
        return list(self.setting["arms"])

    def excesses(self, arm: str) -> Float[np.ndarray, " seeds"]:
        """The loss above the grammar's own on the same translations, in nats per token, by seed."""
        return self.of(f"{arm}_loss") - self.of("grammar")

    def excess(self, arm: str) -> Measured:
        """The mean of :meth:`excesses`, with the standard deviation over seeds."""
        return over_seeds(self.excesses(arm))

    def right(self, arm: str) -> Measured:
        """The share of new sentences that greedy search translates right."""
        return self.measured(f"{arm}_right")

    def parameters(self, arm: str) -> int:
        """The parameters of an arm."""
        return int(self.shared(f"{arm}_parameters"))

    def lower(self, one: str, other: str) -> int:
        """In how many seeds the loss of one arm is below that of another."""
        return int((self.excesses(one) < self.excesses(other)).sum())

    def shares(self, arm: str) -> Float[np.ndarray, " layers"]:
        """The share of a target row's weights that goes to the source, by layer, mean over seeds."""
        return self.of(f"{arm}_shares").mean(0)

    def rows(self, work: Mapping[int, str]) -> list[tuple[str, ...]]:
        """A row per arm, for :data:`HEADER`.

        Args:
            work: multiplications per token, by the number of stacks.
        """
        return [
            (
                LABELS[arm],
                f"{self.parameters(arm):,}",
                work[2 if arm == "two-stacks" else 1],
                f"{self.excess(arm):.2f}",
                f"{self.right(arm):.0%}",
            )
            for arm in self.arms
        ]

    def dots(self) -> dict[str, Float[np.ndarray, " seeds"]]:
        """The excesses by label, for a figure with a dot per seed."""
        return {LABELS[arm].removeprefix("decoder only, "): self.excesses(arm) for arm in self.arms}

    def dots_told(self) -> str:
        """The figure of :meth:`dots` in words."""
        told = ["Loss above the best possible in nats per token, one dot per seed."]
        for label, values in self.dots().items():
            told.append(f"{label.capitalize()}: {', '.join(f'{value:.3f}' for value in values)}.")
        return " ".join(told)

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        named = {arm.replace("-", "_"): arm for arm in self.arms}
        return {
            **{f"excess_{name}": f"{self.excess(arm).value:.2f}" for name, arm in named.items()},
            **{f"right_{name}": 100 * self.right(arm).value for name, arm in named.items()},
            "prefix_below_causal": self.lower("prefix", "causal"),
            "width": self.setting["sizes"]["d_model"],
            "n_seeds": self.n_seeds,
            "n_tokens": self.setting["training"]["tokens"],
            "n_pairs": round(float(self.of("pairs").mean()), -2),
            "examined": self.setting["examined"],
            "mean_share": 100 * float(self.shares("prefix").mean()),
        }


def read() -> OneStackOrTwo:
    """The result on record."""
    return OneStackOrTwo(experiments.read("one-stack-or-two"))
