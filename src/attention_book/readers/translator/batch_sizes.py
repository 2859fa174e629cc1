"""What *batch-sizes* measured: the same tokens in many small batches or few large ones, at several learning rates."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, difference, over_seeds
from ...experiments.records import recorded
from ..reader import ResultReader


@dataclass(frozen=True)
class BatchSizes(ResultReader):
    """The result, as its page reads it. Losses are above the entropy, which no model beats, in nats per token."""

    @property
    def sizes(self) -> list[int]:
        """Tokens per batch."""
        return self.setting["sizes"]

    @property
    def rates(self) -> list[float]:
        """The peak learning rates."""
        return self.setting["rates"]

    @property
    def losses(self) -> Float[np.ndarray, "seeds sizes rates"]:
        """The loss above the entropy."""
        return self.of("loss") - self.of("floor")[:, None, None]

    def excess(self, size: int, rate: float) -> Measured:
        """The loss above the entropy of one size at one rate, mean and standard deviation over the seeds."""
        return over_seeds(self.losses[:, self.sizes.index(size), self.rates.index(rate)])

    def best_rate(self, size: int) -> float:
        """The rate with the smallest mean loss."""
        return self.rates[int(self.losses[:, self.sizes.index(size)].mean(0).argmin())]

    def won(self, size: int, other: int) -> Measured:
        """By how much a size loses less than another, each at its best rate, with a 95 % interval."""
        rows = [self.losses[:, self.sizes.index(n), self.rates.index(self.best_rate(n))] for n in (other, size)]
        return difference(*rows)

    def updates(self, size: int) -> float:
        """The updates of one run, mean over the seeds."""
        return float(self.of("steps")[:, self.sizes.index(size)].mean())

    def seconds(self, size: int) -> Measured:
        """The processor's time for one run, in seconds."""
        return over_seeds(self.of("processor_seconds")[:, self.sizes.index(size)])

    def lines(self) -> dict[str, tuple[list[float], Float[np.ndarray, " rates"]]]:
        """The loss above the entropy against the peak rate, a line per size."""
        means = self.losses.mean(0)
        return {f"{size} tokens per batch": (self.rates, row) for size, row in zip(self.sizes, means, strict=True)}

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = [f"Loss above the entropy in nats per token, mean of {self.n_seeds} seeds, logarithmic axis of rates."]
        for name, (rates, losses) in self.lines().items():
            places = ", ".join(f"{loss:.2f} at {rate:g}" for rate, loss in zip(rates, losses, strict=True))
            told.append(f"{name}: {places}.")
        return " ".join(told)

    HEADER = (
        "tokens per batch",
        "updates",
        "best peak rate",
        "loss above the entropy, nats per token",
        "processor seconds",
    )

    def rows(self) -> list[tuple[str, ...]]:
        """A row per size: updates, the best rate and the loss with it, and the processor's time."""
        return [
            (
                str(size),
                f"{self.updates(size):,.0f}",
                f"{self.best_rate(size):g}",
                f"{self.excess(size, self.best_rate(size)):.2f}",
                f"{self.seconds(size):.1f}",
            )
            for size in self.sizes
        ]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        small, middle, large = self.sizes
        return {
            "n_seeds": self.n_seeds,
            "n_tokens": self.setting["training"]["tokens"],
            "n_rates": len(self.rates),
            "small": small,
            "middle": middle,
            "large": large,
            "large_rate": f"{self.best_rate(large):g}",
        }


def read() -> BatchSizes:
    """The result on record."""
    return BatchSizes(experiments.read("batch-sizes"))


def shipped_batches() -> dict[str, float]:
    """Of the shipped translator's training: target tokens per update."""
    record = recorded("en-es")
    return {"real_tokens": record["tokens"] / record["steps"]}
