"""What *embedding-scale* measured: how six kinds of embeddings begin, and how well a small model learns from them."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Num

from ... import experiments
from ...analysis.seed_statistics import Measured, number
from ...models.config import TransformerConfig
from ..reader import ResultReader

NAMES = {
    "small_times_root": "A: small rows, factor",
    "small": "B: small rows, no factor",
    "small_all": "C: small rows, small positions",
    "large": "D: large rows, no factor",
    "large_untied": "E: large rows, no factor, untied",
    "large_times_root": "F: large rows, factor",
}
"""The arms of the experiment, as the page calls them."""
USUAL = "small_times_root"
"""The arm that does as the paper says."""
SURE = "large_times_root"
"""The arm that begins sure of the last word read."""


@dataclass(frozen=True)
class EmbeddingScales(ResultReader):
    """The result, as its page reads it."""

    @property
    def floor(self) -> float:
        """The least possible loss, in nats per token, mean over the seeds' held-out pairs."""
        return self.measured("floor").value

    def best_rate(self, arm: str) -> float:
        """The peak learning rate with which an arm ends at the smaller loss, mean over the seeds."""
        return min(self.setting["peak_rates"], key=lambda rate: self.measured(f"{arm}/{rate:g}/loss").value)

    def last_loss(self, arm: str) -> Measured:
        """Held-out loss after training at the better rate, in nats per token."""
        return self.measured(f"{arm}/{self.best_rate(arm):g}/loss")

    def losses_at(self, arm: str, rate: float) -> Float[np.ndarray, " seeds"]:
        """Held-out loss after training at one of the two rates, in nats per token, a number per seed."""
        return self.of(f"{arm}/{rate:g}/loss")

    def first_loss(self, arm: str) -> Measured:
        """Held-out loss before training, in nats per token."""
        return self.measured(f"{arm}/first_loss")

    def own_logit(self, arm: str) -> Measured:
        """The logit of the word that was read, before training, mean over the words."""
        return self.measured(f"{arm}/own_logit")

    def first_share(self, arm: str) -> float:
        """The position's share of the squared length before training."""
        return self.measured(f"{arm}/position_share").value

    def last_share(self, arm: str) -> float:
        """The same after training at the better rate."""
        return self.measured(f"{arm}/{self.best_rate(arm):g}/position_share").value

    def gap_closed(self, arm: str, bad: str) -> float:
        """Which part of the way from the last loss of a bad arm to that of the usual one another arm goes."""
        far = self.last_loss(bad).value
        return (far - self.last_loss(arm).value) / (far - self.last_loss(USUAL).value)

    def lengths(self, arm: str) -> tuple[float, float]:
        """How long a word and a position are on average where the first layer reads them, before training."""
        chosen, root = self.setting["arms"][arm], math.sqrt(TransformerConfig.tiny().d_model)
        row = root if chosen["std"] == "1" else 1.0
        position = root / math.sqrt(2) / (root if chosen["small_positions"] else 1.0)
        return row * (root if chosen["factor"] else 1.0), position

    def rows(self) -> list[tuple[str, ...]]:
        """A row per arm: how long words and positions are at the start, and its first loss."""
        return [
            (name, *(number(length, ".1f") for length in self.lengths(arm)), f"{self.first_loss(arm):.2f}")
            for arm, name in NAMES.items()
        ]

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        return ["kind", "word", "position", "first loss"]

    def loss_lines(self) -> dict[str, tuple[Num[np.ndarray, " points"], Float[np.ndarray, " points"]]]:
        """Steps and held-out loss at the better rate, mean over the seeds, by name; step 0 is before training."""
        every = self.setting["curve_every"]
        at = every * np.arange(self.setting["steps"] // every + 1)
        return {name: (at, np.append(self.first_loss(arm).value, self._curve(arm))) for arm, name in NAMES.items()}

    def _curve(self, arm: str) -> Float[np.ndarray, " points"]:
        return self.of(f"{arm}/{self.best_rate(arm):g}/curve").mean(axis=0)

    def losses_told(self) -> str:
        """The lines of :meth:`loss_lines` in words."""
        told = [
            f"{name}: {y[0]:.2f} before training, {y[1]:.2f} at step {x[1]}, {y[-1]:.2f} at step {x[-1]}"
            for name, (x, y) in self.loss_lines().items()
        ]
        return f"Held-out loss by step, logarithmic axis, mean of the seeds. {'; '.join(told)}."

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name; ``first_a`` is the first loss of kind A, and so on."""
        low, high = sorted(self.setting["peak_rates"])
        return {
            "low_rate": low,
            "high_rate": high,
            "first_a": self.first_loss(USUAL).value,
            "first_f": self.first_loss(SURE).value,
            "steps": self.setting["steps"],
            "n_seeds": self.n_seeds,
            "floor": self.floor,
            "last_b": f"{self.last_loss('small'):.2f}",
            "last_f": f"{self.last_loss(SURE):.2f}",
            "curve_every": self.setting["curve_every"],
            "fallen_f": 100 * (1 - self._curve(SURE)[0] / self.first_loss(SURE).value),
            "own_large": self.own_logit("large").value,
            "own_usual": self.own_logit(USUAL).value,
            "own_factor": self.own_logit(SURE).value,
            "share_b_first": 100 * self.first_share("small"),
            "share_b_last": 100 * self.last_share("small"),
            "share_f_last": 100 * self.last_share(SURE),
            "won_by_positions": 100 * self.gap_closed("small_all", "small"),
            "won_by_untying": 100 * self.gap_closed("large_untied", "large"),
        }


def read() -> EmbeddingScales:
    """The result on record."""
    return EmbeddingScales(experiments.read("embedding-scale"))
