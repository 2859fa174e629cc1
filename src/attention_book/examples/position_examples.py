"""The examples of the chapters on positions: words in another order."""

from collections.abc import Sequence

import torch

from ..attention.dot_product import scaled_dot_product_attention

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
