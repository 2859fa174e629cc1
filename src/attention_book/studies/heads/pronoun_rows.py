"""The row of *it* in every head of the encoder, beside the two nouns that it could stand for."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...translation.shipped_translator import encoder_weights, shipped
from .decoder_rows import shown

ROAD = "The chicken is walking on a road, it is hungry."


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


def places(it: Mapping[str, Any], n_heads: int) -> list[str]:
    """Layer and number of each head, both counted from 0, such as ``"layer 2, head 3"``.

    Args:
        it: as :func:`chicken_and_road` returns it.
        n_heads: heads of a layer.
    """
    return [f"layer {n // n_heads}, head {n % n_heads}" for n in range(len(it["most"]))]


def told(it: Mapping[str, Any], n_heads: int) -> str:
    """The weights of every head in words, with the token that gets most.

    Args:
        it, n_heads: as for :func:`places`.
    """
    heads = zip(places(it, n_heads), it["chicken"], it["road"], it["most"], strict=True)
    each = [
        f"{place}: {chicken:.3f} on chicken, {road:.3f} on road, most on {shown(most)}"
        for place, chicken, road, most in heads
    ]
    return f"The weights of the row of it, by layer and head. {'; '.join(each)}."


def numbers(it: Mapping[str, Any]) -> dict[str, float | int]:
    """What is said of all heads together, by name.

    Args:
        it: as for :func:`places`.
    """
    return {
        "even_it": it["even_share"],
        "chicken_mean": float(np.mean(it["chicken"])),
        "road_mean": float(np.mean(it["road"])),
        "ahead": sum(chicken > road for chicken, road in zip(it["chicken"], it["road"], strict=True)),
        **{f"on_{noun}": it["most"].count(f"▁{noun}") for noun in ("chicken", "road")},
    }
