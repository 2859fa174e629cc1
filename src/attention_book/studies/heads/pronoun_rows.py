"""The row of *it* in every head of the encoder, beside the two nouns that it could stand for."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .decoder_rows import shown

HEADER = ("layer, head", "on chicken", "on road", "most on")


def rows(it: Mapping[str, Any], n_heads: int) -> list[tuple[str, ...]]:
    """A row per head, for :data:`HEADER`.

    Args:
        it: as :func:`attention_book.claims.rows.measured_heads.chicken_and_road` returns it.
        n_heads: heads of a layer.
    """
    heads = zip(it["chicken"], it["road"], it["most"], strict=True)
    place = lambda n: f"{n // n_heads + 1}, {n % n_heads + 1}"  # noqa: E731
    return [(place(n), f"{chicken:.3f}", f"{road:.3f}", shown(most)) for n, (chicken, road, most) in enumerate(heads)]


def numbers(it: Mapping[str, Any]) -> dict[str, float | int]:
    """What is said of all heads together, by name.

    Args:
        it: as for :func:`rows`.
    """
    return {
        "even_it": it["even_share"],
        "chicken_mean": float(np.mean(it["chicken"])),
        "road_mean": float(np.mean(it["road"])),
        "ahead": sum(chicken > road for chicken, road in zip(it["chicken"], it["road"], strict=True)),
        **{f"on_{noun}": it["most"].count(f"▁{noun}") for noun in ("chicken", "road")},
    }
