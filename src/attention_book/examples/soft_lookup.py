"""One query looks something up: written out for a pencil, and at other temperatures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ..attention.dot_product import scaled_dot_product_attention
from ..attention.probability import softmax


def pencil_rows(
    tokens: Sequence[str], query: Float[Tensor, " d_k"], keys: Float[Tensor, "n d_k"]
) -> list[tuple[str, ...]]:
    """A row per key: its token, the products and their sum, that divided by √d_k, its exponential, and the weight.

    A last row holds the sum of the exponentials and of the weights.

    Args:
        tokens: whose keys they are.
        query: with whole numbers, as are those of the keys; √d_k must be one as well.
        keys: one row per token.
    """
    root = len(query) ** 0.5
    exponentials = (query @ keys.T / root).exp()
    total = exponentials.sum()
    rows = []
    for token, key, exponential in zip(tokens, keys, exponentials, strict=True):
        products = " + ".join(f"{a:.0f}·{b:.0f}" for a, b in zip(query, key, strict=True))
        score = query @ key
        numbers = f"{score / root:.0f}", f"{exponential:.3f}", f"{exponential / total:.3f}"
        rows.append((token, f"{products} = {score:.0f}", *numbers))
    return [*rows, ("sum", "", "", f"{total:.3f}", "1")]


@dataclass(frozen=True)
class ByTemperature:
    """The weights of some keys for one query, as the temperature changes.

    Attributes:
        tokens: whose keys they are.
        temperatures: the values of C, rising.
        weights: one row per temperature, one column per key.
    """

    tokens: Sequence[str]
    temperatures: Float[np.ndarray, " temperatures"]
    weights: Float[np.ndarray, "temperatures n"]

    def lines(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Temperatures and weights of each key, by its token."""
        return {token: (self.temperatures, self.weights[:, n]) for n, token in enumerate(self.tokens)}

    def told(self) -> str:
        """The ends of the lines in words."""
        low, high = self.temperatures[[0, -1]]
        return "; ".join(
            f"{token}: {line[0]:.3f} at {low:g}, {line[-1]:.3f} at {high:g}"
            for token, (_, line) in self.lines().items()
        )


def by_temperature(
    tokens: Sequence[str], scores: Float[np.ndarray, " n"], low: float = 0.1, high: float = 30.0
) -> ByTemperature:
    """The weights softmax(scores / C) at 61 temperatures.

    Args:
        tokens: whose keys they are.
        scores: one per key.
        low, high: the first and the last temperature; those between are a constant factor apart.
    """
    temperatures = np.geomspace(low, high, 61)
    return ByTemperature(tokens, temperatures, np.array([softmax(scores / c) for c in temperatures]))


def first_and_longer_key(query: Float[Tensor, " d_k"], keys: Float[Tensor, "2 d_k"]) -> dict[str, float]:
    """Two keys, the first of which points along the query, and the second elsewhere but further.

    Returns:
        ``short_score`` and ``long_score``: the dot products; ``short_weight`` and ``long_weight``: the weights;
        ``long_cosine`` and ``long_length``: the second key's cosine with the query, and its length.
    """
    _, weights = scaled_dot_product_attention(query[None], keys, keys)
    scores, cosines = keys @ query, torch.cosine_similarity(query[None], keys)
    found = {
        "short_score": scores[0],
        "long_score": scores[1],
        "short_weight": weights[0, 0],
        "long_weight": weights[0, 1],
        "long_cosine": cosines[1],
        "long_length": keys[1].norm(),
    }
    return {name: float(number) for name, number in found.items()}


def two_keys_told(found: Mapping[str, float]) -> str:
    """The figure of the query (1, 0) and its two keys in words.

    Args:
        found: what `first_and_longer_key` gives.
    """
    return (
        "Arrows from the origin. Query and first key lie on each other, (1, 0). The second key, (3, 3), points 45 "
        f"degrees away and is {found['long_length']:.2f} long. On the line of the query their shadows are "
        f"{found['short_score']:g} and {found['long_score']:g} long, and their weights are "
        f"{found['short_weight']:.3f} and {found['long_weight']:.3f}."
    )
