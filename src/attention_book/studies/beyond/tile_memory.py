"""The memory of attention with its whole table and by tiles: measured while it runs."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple
from weakref import WeakSet

import numpy as np
import torch
from torch import Tensor

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.tiles import tiled_attention
from ...provenance.peak_memory import numpy_peak

LENGTHS = (256, 512, 1024, 2048)
WIDTH = 64
"""Numbers in a query, a key and a value."""
TILE = 64
"""Queries, and keys, of a tile."""
BYTES = 8
"""Of one number in double precision."""
HEADER = ("positions n", "whole table", "tiles", "largest difference")
_KEPT_AT = 512


class _Saved:
    """A tensor that autograd saves, without the graph that it came from."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor.data


class Memory(NamedTuple):
    """The most bytes held at one time for one length, and how far the two outputs are apart."""

    table: int
    tiles: int
    difference: float


@cache
def measured(length: int) -> Memory:
    """Both ways on the same random queries, keys and values."""
    q, k, v = np.random.default_rng(length).standard_normal((3, length, WIDTH))
    calls = (lambda: scaled_dot_product_attention(q, k, v)[0], lambda: tiled_attention(q, k, v, tile=(TILE, TILE)))
    table, tiles = (call() for call in calls)
    return Memory(*map(numpy_peak, calls), float(np.abs(tiles - table).max()))


def rows() -> list[tuple[str, ...]]:
    """A row per length, for :data:`HEADER`: what was measured."""
    found = []
    for n in LENGTHS:
        memory = measured(n)
        apart = f"{memory.difference:.0e}".replace("-", "\N{MINUS SIGN}")
        found.append((f"{n:,}", *(f"{size / 1e6:.2f} MB" for size in memory[:2]), apart))
    return found


def kept_by_autograd(attend: Callable[..., Tensor], length: int = _KEPT_AT) -> int:
    """How many numbers autograd keeps for the backward pass of an attention, its inputs not counted.

    What is saved for a step that no gradient goes through in the end is let go, and does not count.

    Args:
        attend: gives the output for queries, keys and values.
        length: how many there are of each.
    """
    q, k, v = (torch.ones(length, WIDTH, requires_grad=True) for _ in range(3))
    saved = WeakSet()

    def save(tensor: Tensor) -> _Saved:
        saved.add(one := _Saved(tensor))
        return one

    with torch.autograd.graph.saved_tensors_hooks(save, lambda one: one.tensor):
        output = attend(q, k, v)  # as long as it is there, so is what its backward pass needs
    storages = [one.tensor.untyped_storage() for one in saved]
    own = {x.untyped_storage().data_ptr() for x in (q, k, v)}
    kept = {storage.data_ptr(): storage.nbytes() // output.element_size() for storage in storages}
    return sum(count for place, count in kept.items() if place not in own)


@cache
def numbers() -> dict[str, int | float]:
    """What the page's text is given, by name."""
    longest = LENGTHS[-1]
    memory = measured(longest)
    tables = {
        "table": lambda q, k, v: scaled_dot_product_attention(q, k, v)[0],
        "tiles": lambda q, k, v: tiled_attention(q, k, v, tile=(TILE, TILE)),
    }
    kept = {f"kept_{name}": kept_by_autograd(attend) / _KEPT_AT**2 for name, attend in tables.items()}
    return {
        "longest": longest,
        "tile": TILE,
        "width": WIDTH,
        "saving": memory.table / memory.tiles,
        "tables_at_once": round(memory.table / (BYTES * longest**2)),
        "tile_of_table": longest**2 // TILE**2,
        "outputs_share": 100 * BYTES * longest * WIDTH / memory.tiles,
        "apart": max(measured(n).difference for n in LENGTHS),
        "kept_length": _KEPT_AT,
        **kept,
    }
