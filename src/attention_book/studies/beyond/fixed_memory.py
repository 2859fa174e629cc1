"""The size of a fixed memory beside that of a cache: by formula, and measured."""

from functools import cache

import numpy as np

from ...attention.linear_attention import causal_linear_attention, linear_attention
from ...pages.diagrams.beyond.written_memory import memories, readings
from ...provenance.peak_memory import numpy_peak

LENGTHS = (256, 512, 1024, 2048)
WIDTH = 64
"""Numbers in a query, a key and a value."""
BYTES = 4
"""Of one number in single precision."""
HEADER = ("positions", "cache", "fixed memory", "whole table, measured", "token by token, measured")


def cache_numbers(length: int, d_k: int = WIDTH, d_v: int = WIDTH) -> int:
    """Numbers in the keys and values of one head for so many positions."""
    return length * (d_k + d_v)


def memory_numbers(d_k: int = WIDTH, d_v: int = WIDTH) -> int:
    """Numbers in the memory of one head, whatever the length: S and z."""
    return d_k * d_v + d_k


def first_longer(d_k: int = WIDTH, d_v: int = WIDTH) -> int:
    """The smallest number of positions whose cache is larger than the memory."""
    return memory_numbers(d_k, d_v) // (d_k + d_v) + 1


@cache
def measured(length: int) -> tuple[int, int, float]:
    """The most bytes held with the whole table and token by token, outputs included, and their largest difference."""
    q, k, v = np.random.default_rng(length).standard_normal((3, length, WIDTH), dtype=np.float32)
    mask = np.tri(length, dtype=bool)
    ways = (lambda: linear_attention(q, k, v, mask)[0], lambda: causal_linear_attention(q, k, v))
    table, step = (way() for way in ways)
    return *map(numpy_peak, ways), float(np.abs(table - step).max())


def rows() -> list[tuple[str, ...]]:
    """A row per length, for :data:`HEADER`, in thousands of bytes."""
    found = []
    for n in LENGTHS:
        sizes = (BYTES * cache_numbers(n), BYTES * memory_numbers(), *measured(n)[:2])
        found.append((f"{n:,}", *(f"{size / 1000:,.0f}\N{NO-BREAK SPACE}kB" for size in sizes)))
    return found


@cache
def numbers() -> dict[str, int | float]:
    """What the page's text is given, by name."""
    return {
        "width": WIDTH,
        "cache_of_one": cache_numbers(1),
        "memory_of_all": memory_numbers(),
        "first_longer": first_longer(),
        "longest": LENGTHS[-1],
        "apart": max(measured(n)[2] for n in LENGTHS),
        **{f"read_{j}": readings(3)[j] for j in range(3)},
        **{f"memory_{i}": memories()[3][i] for i in range(2)},
    }
