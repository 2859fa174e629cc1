"""A run on the little language: how its loss on held-out sentences comes down to the least possible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class HeldOutLoss:
    """The curve of a run beside its floor.

    Attributes:
        curve: as :class:`attention_book.training.trainer.Trainer` keeps it, with a ``validation_loss`` in each record.
        floor: the entropy of the held-out targets given their sources, in nats per token.
    """

    curve: Sequence[Mapping[str, int | float]]
    floor: float

    @property
    def losses(self) -> list[float]:
        """The loss at each validation."""
        return [record["validation_loss"] for record in self.curve]

    def lines(self) -> dict[str, tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]]:
        """Thousands of target tokens and nats per token: the loss, and the lowest possible."""
        seen = np.array([record["tokens"] / 1e3 for record in self.curve])
        losses, lowest = np.array(self.losses), np.full(len(seen), self.floor)
        return {"loss on held-out sentences": (seen, losses), "lowest possible": (seen, lowest)}

    def told(self) -> str:
        """:meth:`lines` in words."""
        return (
            f"The held-out loss falls from {self.losses[0]:.2f} to {self.losses[-1]:.3f} nats per token; "
            f"the lowest possible is {self.floor:.3f}."
        )

    def numbers(self) -> dict[str, float]:
        """Where the loss ends, the floor, and how far above it that is."""
        last = self.losses[-1]
        return {"live_loss": last, "live_floor": self.floor, "live_excess": last - self.floor}
