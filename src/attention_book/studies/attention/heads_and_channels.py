"""Two heads and a channel of a convolution on *I like cats* and on the same words in the opposite order."""

import math

import numpy as np
from jaxtyping import Float

from ...attention.probability import softmax
from ...examples.two_heads_by_hand import TOKENS, W_K, W_Q, X, split
from ...pages.figures.weights_in_words import rows_told

CHANNEL = (0.9, 0.05, 0.05)
"""How much a channel takes from the word before, the word itself and the word after, whatever the words are."""
Maps = dict[str, tuple[float, float, float]]


def weights_of(x: Float[np.ndarray, "length 8"]) -> Float[np.ndarray, "2 length length"]:
    """The weights of the example's two heads on its words in some order."""
    q, k = (split(x @ w, 2) for w in (W_Q, W_K))
    return softmax(q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]))


def maps_of_like() -> Maps:
    """What *like* takes from the word before it, from itself and from the word after, forwards and backwards.

    Returns:
        By head (or channel) and sentence, three weights.
    """
    orders = {" ".join(TOKENS): weights_of(X), " ".join(reversed(TOKENS)): weights_of(X[::-1])}
    like = TOKENS.index("like")  # in the middle both times
    maps = {f"head {h}, {text}": tuple(w[h, like].tolist()) for h in (0, 1) for text, w in orders.items()}
    return maps | {f"channel, {text}": CHANNEL for text in orders}


def maps_told() -> str:
    """:func:`maps_of_like` in words."""
    labels, maps = zip(*maps_of_like().items(), strict=True)
    return f"Weights of like on the word before it, itself and the word after. {rows_told(maps, labels)}"
