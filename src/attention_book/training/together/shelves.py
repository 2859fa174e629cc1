"""Encoded pairs laid out for a device: a few tables of fixed widths, from which batches of fixed shapes are drawn.

A batch of :func:`attention_book.data.batching.token_batches` has whatever shape its sentences give it. A device that
records its kernels once and plays them again wants few shapes, so here every pair stands in the narrowest table that
holds it.
"""

import random
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from jaxtyping import Int64
from tokenizers import Tokenizer
from torch import Tensor

from ...data.batching import Encoded
from ...data.subwords import Subwords, as_json

WIDTHS = (6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 96)
"""Tokens that a row of each table holds, `</s>` counted."""


def dropped_encodings(subwords: Subwords, texts: Sequence[str], share: float) -> list[list[int]]:
    """The pieces of texts, with merges left out at random: BPE-dropout (Provilkov et al. 2020, §3).

    Each merge that fits is skipped with probability ``share``, so that a word comes in other pieces each time, and rare
    pieces and the beginnings of long words are seen more often. The ids spell the same text as before.

    Args:
        subwords: the vocabulary.
        texts: sentences.
        share: from 0, where this is ``subwords.encode_batch``, to below 1.

    Raises:
        ValueError: if the share is outside [0, 1).

    Pitfall: the tokenizers library draws from a generator of its own, which no seed reaches.
    """
    if not 0 <= share < 1:
        raise ValueError(f"the share of merges left out must be at least 0 and below 1, got {share}")
    if not share:
        return subwords.encode_batch(texts)
    tokenizer = Tokenizer.from_str(as_json(subwords))
    tokenizer.model.dropout = share
    return [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]


@dataclass(frozen=True)
class Shelf:
    """The pairs of one table.

    Attributes:
        src: pieces, `</s>`, padding.
        tgt: `<s>`, pieces, `</s>`, padding; one wider than ``src``.
    """

    src: Int64[Tensor, "pairs width"]
    tgt: Int64[Tensor, "pairs width_and_one"]


def shelved(encoded: Sequence[Encoded], widths: Sequence[int] = WIDTHS) -> dict[int, Shelf]:
    """Put each pair into the narrowest table that holds both its sides with `</s>`.

    Args:
        encoded: pieces of sources and targets.
        widths: of the tables, ascending.

    Returns:
        The tables by width; a width without a pair is left out. Pairs wider than the last are left out, with a warning.
    """
    longest = np.array([max(map(len, pair)) + 1 for pair in encoded], dtype=np.int64)
    if left_out := int((longest > widths[-1]).sum()):
        message = f"{left_out} of {len(encoded)} pairs are longer than {widths[-1]} tokens: left out."
        warnings.warn(message, stacklevel=2)
    shelves, narrower = {}, 0
    for width in widths:
        rows = np.flatnonzero((narrower < longest) & (longest <= width))
        narrower = width
        if len(rows):
            src = _table([[*encoded[row][0], Subwords.eos_id] for row in rows], width)
            tgt = _table([[Subwords.bos_id, *encoded[row][1], Subwords.eos_id] for row in rows], width + 1)
            shelves[width] = Shelf(src, tgt)
    return shelves


def _table(rows: Sequence[Sequence[int]], width: int) -> Int64[Tensor, "rows width"]:
    lengths = np.array([len(row) for row in rows])
    table = np.full((len(rows), width), Subwords.pad_id, dtype=np.int64)
    table[np.arange(width) < lengths[:, None]] = np.fromiter(chain.from_iterable(rows), np.int64, lengths.sum())
    return torch.from_numpy(table)


def drawn_places(
    sizes: dict[int, int], tokens_per_batch: int, models: int, seed: int, epoch: int
) -> Iterator[tuple[int, np.ndarray]]:
    """An epoch of batches: for each a width, and for each of several models the rows of that table that it reads.

    Every model has an order of its own. A batch has ``tokens_per_batch // width`` rows; where a table's last batch is
    not full, rows from the beginning of the order fill it up, so a few pairs are read twice.

    Args:
        sizes: pairs in the table of each width.
        tokens_per_batch: the padded size of a batch, on each side.
        models: how many models are trained side by side.
        seed, epoch: fix the orders.

    Yields:
        ``(width, places)``, the places of shape (models, rows).
    """
    order = random.Random(f"shelves {seed} {epoch}")
    numbers = np.random.default_rng([seed, epoch])
    batches: list[tuple[int, int]] = []
    places: dict[int, np.ndarray] = {}
    for width, size in sizes.items():
        rows = max(1, tokens_per_batch // width)
        count = -(-size // rows)
        orders = np.stack([numbers.permutation(size) for _ in range(models)])
        places[width] = np.take(orders, range(count * rows), axis=1, mode="wrap").reshape(models, count, rows)
        batches += [(width, number) for number in range(count)]
    order.shuffle(batches)
    for width, number in batches:
        yield width, places[width][:, number]
