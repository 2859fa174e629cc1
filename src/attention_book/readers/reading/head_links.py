"""What *cross-attention-links* measured of every head: its links, its profile, and what its removal costs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from ..reader import ResultReader

Heads = Float[np.ndarray, "seeds layers heads"]
NEXT, READ = "to come", "just read"


@dataclass(frozen=True)
class HeadLinks(ResultReader):
    """The result by heads. A head is named by its layer and its number, as ``(1, 0)``."""

    def heads(self, what: str, reading: str = NEXT) -> Heads:
        """A number of every head's links, such as ``"test"``, its error rate on the test."""
        return np.array(
            [[[head[what] for head in layer] for layer in seed["heads"][reading]] for seed in self.seeds], dtype=float
        )

    def profile(self, field: str) -> Heads:
        """A field of :class:`attention_book.analysis.head_profiles.Profile` of every head."""
        return np.array([seed["profile"][field] for seed in self.seeds], dtype=float)

    @cached_property
    def cost(self) -> Heads:
        """By how much the loss rises without a head, in nats per token."""
        return np.array([seed["removed"] for seed in self.seeds], dtype=float)[..., -1]

    @property
    def chosen(self) -> list[tuple[int, int]]:
        """For each seed the head with the least error rate on the validation pairs."""
        return [place(rates.argmin(), rates) for rates in self.heads("validation")]

    @property
    def dearest(self) -> list[tuple[int, int]]:
        """For each seed the head whose removal costs most."""
        return [place(cost.argmax(), cost) for cost in self.cost]

    def at(
        self, values: Float[np.ndarray, "seeds layers heads *kinds"], places: list[tuple[int, int]]
    ) -> Float[np.ndarray, "seeds *kinds"]:
        """The value, or values, of one head of each seed."""
        return np.array([seed[head] for seed, head in zip(values, places, strict=True)])


def place(flat: np.integer, values: np.ndarray) -> tuple[int, int]:
    """The layer and the number of the head at a place of the flattened values."""
    layer, head = np.unravel_index(flat, values.shape)
    return int(layer), int(head)
