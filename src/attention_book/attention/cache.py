"""Key–value caches: what a decoder keeps so that a new token costs one step and not a whole prefix.

In the decoder's self-attention the keys and values grow by one at each step. In its attention over the encoder
output they never change, so they are computed once. Both kinds answer the same call, and neither is ever changed in
place once it has been handed out: a copy may be stepped on without touching the original.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

Keys = Float[Tensor, "batch n_heads length d_k"]
Values = Float[Tensor, "batch n_heads length d_v"]


def _check_next(old_keys: Tensor | None, old_values: Tensor | None, keys: Tensor, values: Tensor) -> None:
    """Refuse keys and values that are not one of each, or not as those cached before them."""
    if not keys.dim() == values.dim() == 4 or keys.shape[:3] != values.shape[:3]:
        raise ValueError(f"each key needs one value: keys are {tuple(keys.shape)}, values {tuple(values.shape)}")
    if (old_keys is None) != (old_values is None):
        raise ValueError("a cache holds keys and values, or neither: this one holds one of them alone")
    if old_keys is not None:
        if (*old_keys.shape[:2], *old_keys.shape[3:]) != (*keys.shape[:2], keys.shape[3]):
            raise ValueError(f"keys {tuple(keys.shape)} do not continue the cached {tuple(old_keys.shape)}")
        if old_values.shape != (*old_keys.shape[:3], values.shape[3]):
            raise ValueError(f"values {tuple(values.shape)} do not continue the cached {tuple(old_values.shape)}")


@dataclass
class GrowingCache:
    """Keys and values of the positions so far (self-attention).

    Attributes:
        keys: (batch, n_heads, length, d_k), or None before the first step.
        values: (batch, n_heads, length, d_v), or None before the first step.
    """

    keys: Keys | None = None
    values: Values | None = None

    @property
    def length(self) -> int:
        """Number of positions cached so far."""
        return 0 if self.keys is None else self.keys.shape[2]

    def read(self, compute: Callable[[], tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
        """Append what ``compute`` gives for the new positions; return all keys and values.

        Raises:
            ValueError: if these do not fit each other or what is cached, which then stays as it was.
        """
        keys, values = compute()
        _check_next(self.keys, self.values, keys, values)
        if self.keys is not None:
            keys = torch.cat([self.keys, keys], dim=2)
            values = torch.cat([self.values, values], dim=2)
        self.keys, self.values = keys, values
        return keys, values

    def reorder(self, rows: Int[Tensor, " rows"]) -> "GrowingCache":
        """The cache of the chosen batch rows, in that order."""
        return self if self.keys is None else replace(self, keys=self.keys[rows], values=self.values[rows])


@dataclass
class FixedCache(GrowingCache):
    """Keys and values of the encoder output (cross-attention): computed at the first step, then only read."""

    def read(self, compute: Callable[[], tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
        """Compute the keys and values once; return them."""
        if self.keys is None:
            self.keys, self.values = compute()
        return self.keys, self.values


@dataclass
class DecoderCache:
    """The caches of a whole decoder.

    Attributes:
        self_attention: one growing cache a layer.
        cross_attention: one fixed cache a layer.
        real: (batch, length) True where a cached token is not padding; None before the first step.
    """

    self_attention: list[GrowingCache]
    cross_attention: list[FixedCache]
    real: Bool[Tensor, "batch length"] | None = field(default=None)

    @classmethod
    def empty(cls, n_layers: int) -> "DecoderCache":
        """Caches for ``n_layers`` layers before the first step."""
        return cls([GrowingCache() for _ in range(n_layers)], [FixedCache() for _ in range(n_layers)])

    @property
    def length(self) -> int:
        """Number of positions cached so far."""
        return 0 if self.real is None else self.real.shape[1]

    def copy(self) -> "DecoderCache":
        """A cache that can be stepped on without changing this one. The tensors are shared, not copied."""
        return DecoderCache(
            [replace(c) for c in self.self_attention], [replace(c) for c in self.cross_attention], self.real
        )

    def reorder(self, rows: Int[Tensor, " rows"]) -> "DecoderCache":
        """The caches of the chosen batch rows, in that order; rows may repeat or be left out."""
        return DecoderCache(
            [c.reorder(rows) for c in self.self_attention],
            [c.reorder(rows) for c in self.cross_attention],
            None if self.real is None else self.real[rows],
        )
