"""The examples of the chapters on positions: words in another order, loud and quiet vectors, and what adding saves."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..attention.dot_product import scaled_dot_product_attention
from ..models.transformer import Transformer

WORDS = {"I": [2.0, 0, 0, 0], "like": [0, 2.0, 0, 0], "cats": [1.0, 1, 1, 1]}
"""Three vectors, each its own query, key and value."""


def looked_up_in_order(order: Sequence[str], word: str = "cats") -> tuple[dict[str, float], list[float]]:
    """What attention gives a word in a sentence without positions.

    Args:
        order: the words of `WORDS`, in some order.
        word: one of them.

    Returns:
        The word's weight on each word of the sentence, and its output.
    """
    x = torch.tensor([WORDS[one] for one in order])
    output, weights = scaled_dot_product_attention(x, x, x)
    at = list(order).index(word)
    return dict(zip(order, weights[at].tolist(), strict=True)), output[at].tolist()


def order_rows(orders: Sequence[Sequence[str]], word: str = "cats") -> list[tuple[str, str, str]]:
    """A row per sentence: its words, the weights of one word, and the output of that word."""
    rows = []
    for order in orders:
        weights, output = looked_up_in_order(order, word)
        shares = ", ".join(f"{weight:.3f} on {other}" for other, weight in weights.items())
        rows.append((" ".join(order), shares, "(" + ", ".join(f"{number:.3f}" for number in output) + ")"))
    return rows


@dataclass(frozen=True)
class Loudness:
    """How long the vectors are that are added at the entrance of an encoder.

    Attributes:
        positions: the length of each sinusoidal vector.
        bare: the length of each word piece's vector, special tokens left out.
        scaled: the same after the factor √d_model.
    """

    positions: Tensor
    bare: Tensor
    scaled: Tensor

    @classmethod
    def of(cls, model: Transformer) -> "Loudness":
        """The lengths in a model with sinusoidal positions."""
        bare = model.src_embedding.weight[4:].detach().norm(dim=-1)
        return cls(model.positions.norm(dim=-1), bare, bare * model.config.d_model**0.5)

    def numbers(self) -> dict[str, float]:
        """What the page's text is given, by name."""
        return {
            "norm_pe": float(self.positions[0]),
            "norm_word": float(self.scaled.mean()),
            "norm_spread": float(self.scaled.std()),
            "norm_bare": float(self.bare.mean()),
        }
