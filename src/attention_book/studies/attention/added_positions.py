"""A word's vector and a position's are added: how much of the sum is the word's, and how long is a position?"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

Vector = Float[Tensor, " d_model"]


def cosine_with_sum(word: Vector, position: Vector, factor: int | float = 1.0) -> float:
    """The cosine between a word's vector e and what a model reads, factor · e + position.

    Args:
        word: e.
        position: what is added.
        factor: what e is multiplied by first, such as √d_model.
    """
    return torch.cosine_similarity(word, factor * word + position, dim=-1).item()


def position_length(d_model: int) -> float:
    """The length of every sinusoidal position, √(d_model/2)."""
    return math.sqrt(d_model / 2)
