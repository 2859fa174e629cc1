"""What *norm-placement* measured: pre- and post-norm, with and without a warm-up, at two learning rates."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, difference, over_seeds
from ...studies.translator.word_frequencies import frequency_loss
from ..reader import ResultReader

NAMES = {
    "pre_warm": "pre-norm, warm-up",
    "pre_cold": "pre-norm, no warm-up",
    "post_warm": "post-norm, warm-up",
    "post_cold": "post-norm, no warm-up",
}
"""The arms of the experiment, as the page calls them."""


@dataclass(frozen=True)
class NormPlacement(ResultReader):
    """The result, as its page reads it."""

    @property
    def rates(self) -> list[float]:
        """The peak learning rates, the small one first."""
        return sorted(self.setting["peak_rates"])

    def losses(self, arm: str, rate: float) -> Float[np.ndarray, " seeds"]:
        """The held-out loss after training above the entropy, in nats per token, by seed."""
        return self.of(f"{arm}/{rate:g}/loss") - self.of("floor")

    def excess(self, arm: str, rate: float) -> Measured:
        """The same, mean and standard deviation over the seeds."""
        return over_seeds(self.losses(arm, rate))

    def won_by_warmup(self, norm: str, rate: float) -> Measured:
        """By how much the warm-up lowers the loss, within each seed, ± the deviation: negative if it raises it."""
        return difference(self.losses(f"{norm}_cold", rate), self.losses(f"{norm}_warm", rate), "deviation")

    def won_by_pre(self, warmth: str, rate: float) -> Measured:
        """By how much pre-norm's loss is below post-norm's, with a 95 % interval.

        Args:
            warmth: ``"warm"`` or ``"cold"``, with the warm-up or without.
            rate: the peak learning rate of both.
        """
        return difference(self.losses(f"post_{warmth}", rate), self.losses(f"pre_{warmth}", rate))

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        return ["", *(f"peak rate {rate:g}" for rate in self.rates)]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per arm: the loss above the entropy at each rate."""
        return [(name, *(f"{self.excess(arm, rate):.2f}" for rate in self.rates)) for arm, name in NAMES.items()]

    def frequencies_only(self) -> float:
        """The loss, above the entropy, of a model that knows how frequent each word is and nothing else."""
        clauses = {int(n): share for n, share in self.setting["clauses"].items()}
        return float(frequency_loss(self.setting["target"], clauses) - self.of("floor").mean())

    def frequency_row(self) -> tuple[str, ...]:
        """:meth:`frequencies_only` as a row of the table: it is the same at each rate."""
        return ("word frequencies only", *(f"{self.frequencies_only():.2f}" for _ in self.rates))

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        low, high = self.rates
        steps = round(self.setting["training"]["tokens"] / self.setting["training"]["tokens_per_batch"])
        warm = self.setting["arms"]["pre_warm"]["warmup"]
        gaps = [self.won_by_pre(warmth, rate).value for warmth in ("warm", "cold") for rate in self.rates]
        ends = {
            f"{arm}_{at}": f"{self.excess(arm, rate):.2f}"
            for arm in NAMES
            for at, rate in (("low", low), ("high", high))
        }
        return ends | {
            "gap_least": min(gaps),
            "gap_most": max(gaps),
            "n_seeds": self.n_seeds,
            "n_steps": steps,
            "warm_steps": round(warm * steps),
            "n_layers": self.setting["n_layers"],
            "n_tokens": self.setting["training"]["tokens"],
            "floor": float(self.of("floor").mean()),
            **{
                f"warmup_{norm}_{at}": f"{self.won_by_warmup(norm, rate):.2f}"
                for norm in ("pre", "post")
                for at, rate in (("low", low), ("high", high))
            },
        }


def read() -> NormPlacement:
    """The result on record."""
    return NormPlacement(experiments.read("norm-placement"))
