"""Batches: pairs of about the same length together, up to a number of tokens, in an order drawn anew each epoch."""

import random
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from .normalisation import Pair
from .subwords import Subwords

Encoded = tuple[list[int], list[int]]
"""The pieces of a source and of its target, without `<s>` and `</s>`."""


@dataclass(frozen=True)
class Batch:
    """Pairs ready for a model: the decoder reads `tgt_in` and is asked for `tgt_out`, one place further on.

    Attributes:
        src: pieces, then `</s>`.
        tgt_in: `<s>`, then pieces.
        tgt_out: pieces, then `</s>`; `tgt_out[:, :-1]` is `tgt_in[:, 1:]` wherever `tgt_in` is not padding.
    """

    src: Int64[Tensor, "batch src_len"]
    tgt_in: Int64[Tensor, "batch tgt_len"]
    tgt_out: Int64[Tensor, "batch tgt_len"]

    @property
    def target_tokens(self) -> int:
        """Number of tokens to predict, `</s>` counted and padding not.

        Pitfall: on a GPU this waits for the device; read it before `to`.
        """
        return int((self.tgt_out != Subwords.pad_id).sum())

    def to(self, device: str | torch.device) -> "Batch":
        """The same batch on a device."""
        return Batch(*(tensor.to(device, non_blocking=True) for tensor in (self.src, self.tgt_in, self.tgt_out)))


def encode_pairs(pairs: Iterable[Pair], subwords: Subwords, max_len: int) -> list[Encoded]:
    """The pieces of each pair; pairs too long for the model are left out whole, never cut, and a warning says how many.

    Args:
        pairs: sentence pairs; their order is kept.
        subwords: the vocabulary of both sides.
        max_len: the longest sequence that the model accepts, in tokens, `</s>` counted.
    """
    pairs = list(pairs)
    sources = subwords.encode_batch(pair.source for pair in pairs)
    targets = subwords.encode_batch(pair.target for pair in pairs)
    encoded = [both for both in zip(sources, targets, strict=True) if max(map(len, both)) < max_len]
    if len(encoded) < len(pairs):
        left_out = len(pairs) - len(encoded)
        message = f"{left_out} of {len(pairs)} pairs are longer than max_len={max_len} tokens: left out."
        warnings.warn(message, stacklevel=2)
    return encoded


def token_batches(encoded: Sequence[Encoded], tokens_per_batch: int, seed: int, epoch: int) -> list[Batch]:
    """Cut an epoch into batches of pairs of like length; every pair is in exactly one of them.

    A batch's padded size, rows × its longest sequence on either side (`</s>` counted), is at most `tokens_per_batch`.
    So the budget bounds memory, by source and target alike, and the target tokens that count towards a training budget
    are a little fewer. Only a pair that is itself longer than the budget makes a larger batch, alone.

    Pairs are shuffled, sorted by length (so that equal lengths keep the shuffled order), cut, and the batches shuffled.

    Args:
        encoded: pieces of sources and targets, from `encode_pairs`.
        tokens_per_batch: the largest padded size of a side, in tokens.
        seed: of the run; batches are the same for the same `(seed, epoch)`.
        epoch: the pass over the pairs, from 0 on; each has batches of its own.

    Raises:
        ValueError: if `tokens_per_batch` is not positive.
    """
    if tokens_per_batch < 1:
        raise ValueError(f"tokens_per_batch is {tokens_per_batch}; it must be at least 1.")
    order = random.Random(f"batches {seed} {epoch}")
    pairs = list(encoded)
    order.shuffle(pairs)
    pairs.sort(key=lambda pair: (max(len(pair[0]), len(pair[1])), len(pair[1])))
    groups: list[list[Encoded]] = []
    for pair in pairs:
        longest = max(map(len, pair)) + 1  # ascending, so the newest pair is the longest of its batch
        if not groups or (len(groups[-1]) + 1) * longest > tokens_per_batch:
            groups.append([])
        groups[-1].append(pair)
    order.shuffle(groups)
    return [_batch(group) for group in groups]


def padding_waste(batches: Iterable[Batch]) -> float:
    """The share of positions, source and target together, that hold padding: 0 when all lengths in each batch agree."""
    pads = positions = 0
    for batch in batches:
        for tensor in (batch.src, batch.tgt_out):
            pads += int((tensor == Subwords.pad_id).sum())
            positions += tensor.numel()
    return pads / positions if positions else 0.0


def padded_batch(group: Sequence[Encoded]) -> Batch:
    """One batch of the given pairs, in their order: each side as long as its longest row, the rest padding.

    Args:
        group: pairs of pieces, without start and end tokens; at least one.
    """
    return _batch(group)


def _batch(group: Sequence[Encoded]) -> Batch:
    start, stop = [Subwords.bos_id], [Subwords.eos_id]
    return Batch(
        src=_padded([source + stop for source, _ in group]),
        tgt_in=_padded([start + target for _, target in group]),
        tgt_out=_padded([target + stop for _, target in group]),
    )


def _padded(rows: Sequence[list[int]]) -> Int64[Tensor, "batch length"]:
    padded = np.full((len(rows), max(map(len, rows))), Subwords.pad_id, dtype=np.int64)
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return torch.from_numpy(padded)
