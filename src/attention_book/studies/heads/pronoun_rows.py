"""The row of *it* in every head of the encoder, beside the two nouns that it could stand for."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...translation.shipped_translator import encoder_weights, shipped
from .decoder_rows import shown

ROAD = "The chicken is walking on a road, it is hungry."
HEADER = ("layer, head", "on chicken", "on road", "most on")


def chicken_and_road() -> dict[str, Any]:
    """What each encoder head of the translator gives from *it* to the chicken and to the road, in :data:`ROAD`."""
    subwords = shipped().subwords
    tokens = [*subwords.tokens(subwords.encode(ROAD)), "</s>"]
    it, chicken, road = (tokens.index(f"▁{word}") for word in ("it", "chicken", "road"))
    weights = encoder_weights(ROAD).flatten(0, 1)[:, it]
    return {
        "even_share": 1 / len(tokens),
        "chicken": weights[:, chicken].tolist(),
        "road": weights[:, road].tolist(),
        "most": [tokens[i] for i in weights.argmax(dim=1).tolist()],
    }


def rows(it: Mapping[str, Any], n_heads: int) -> list[tuple[str, ...]]:
    """A row per head, for :data:`HEADER`.

    Args:
        it: as :func:`chicken_and_road` returns it.
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
