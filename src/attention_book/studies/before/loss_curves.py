"""The losses of one training, on what is learned from and on what is held out, as a page tells them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from ...pages.figures.plotting import curves


@dataclass(frozen=True)
class LossCurves:
    """Two losses in nats per word, one number per step each.

    Attributes:
        train: on the words that the model learns from.
        held_out: on the words held out.

    Raises:
        ValueError: if they differ in length, or there is none.
    """

    train: Sequence[float]
    held_out: Sequence[float]

    def __post_init__(self) -> None:
        if not self.train or len(self.train) != len(self.held_out):
            raise ValueError(f"one loss of each kind per step, got {len(self.train)} and {len(self.held_out)}")

    @property
    def best_step(self) -> int:
        """The step with the lowest held-out loss, counted from 1."""
        return min(range(len(self.held_out)), key=self.held_out.__getitem__) + 1

    def figure(self) -> Figure:
        """Both losses by step."""
        steps = list(range(1, len(self.train) + 1))
        lines = {"words it learns from": (steps, list(self.train)), "words held out": (steps, list(self.held_out))}
        return curves(lines, x_label="step", y_label="cross-entropy (nats per word)")

    def told(self) -> str:
        """The figure in words."""
        return (
            f"Loss over {len(self.train)} steps. On the words it learns from it falls from {self.train[0]:.2f} to "
            f"{self.train[-1]:.2f} nats, on the words held out from {self.held_out[0]:.2f} to "
            f"{self.held_out[self.best_step - 1]:.2f} at step {self.best_step}, and it ends at {self.held_out[-1]:.2f}."
        )

    def numbers(self) -> dict[str, int | float]:
        """What the page's text is given, by name; the perplexity is the exponential of the lowest held-out loss."""
        lowest = self.held_out[self.best_step - 1]
        return {"best_step": self.best_step, "best_loss": lowest, "best_perplexity": math.exp(lowest)}
