"""Examples of masks: what a row is fed and asked for, what it may see, and weights that were chosen by hand."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..attention.masks import causal_mask
from ..attention.probability import softmax

HINDI = [[0.10, 0.10, 0.80], [0.75, 0.15, 0.10], [0.10, 0.70, 0.30]]
"""How much each word of आप कैसे हैं looks at *How are you*, before a row is divided by its sum."""
HINDI_OWN = [[0.80, 0.10, 0.10], [0.15, 0.75, 0.10], [0.10, 0.30, 0.60]]
"""How much ``<s>`` and the first two Hindi words would look at each other, were nothing masked."""


def rows_of_training(target: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """A row per token of a target, of which the last is ``</s>``: its number, the input, what it may see, its label."""
    given = ["<s>", *target[:-1]]
    pairs = enumerate(zip(given, target, strict=True))
    return [(str(row), token, " ".join(given[: row + 1]), asked) for row, (token, asked) in pairs]


def seen_told(mask: Bool[Tensor, "length length"], tokens: Sequence[str]) -> str:
    """A mask in words: what each token may attend to."""
    seen = [", ".join(token for token, may in zip(tokens, row, strict=True) if may) for row in mask]
    return " ".join(f"{token} may attend to {others}." for token, others in zip(tokens, seen, strict=True))


def flow_told(flow: Float[Tensor, "length length"], words: Sequence[str]) -> str:
    """A leak matrix in words: the derivative of each output with respect to each input."""
    told = []
    for word, row in zip(words, flow.tolist(), strict=True):
        sizes = ", ".join(f"{size:.2f} to {other!r}" for size, other in zip(row, words, strict=True))
        told.append(f"Output {word!r}: {sizes}.")
    return " ".join(told)


def hindi_weights() -> Float[Tensor, "3 3"]:
    """The weights from the Hindi words to the English ones; each row sums to 1."""
    weights = torch.tensor(HINDI)
    return weights / weights.sum(dim=-1, keepdim=True)


def hindi_own_weights() -> Float[Tensor, "3 3"]:
    """The weights of the decoder's rows on each other, under the causal mask."""
    return softmax(torch.tensor(HINDI_OWN).log().masked_fill(~causal_mask(3), -math.inf))
