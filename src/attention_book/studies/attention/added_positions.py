"""A word's vector and a position's are added: how much of the sum is the word's, and what does a position tell?"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from ...attention.positions import sinusoidal_positions

Vector = Float[Tensor, " d_model"]


def cosine_with_sum(word: Vector, position: Vector, factor: int | float = 1.0) -> float:
    """The cosine between a word's vector e and what a model reads, factor · e + position.

    Args:
        word: e.
        position: what is added.
        factor: what e is multiplied by first, such as √d_model.
    """
    return torch.cosine_similarity(word, factor * word + position, dim=-1).item()


def varying_share(length: int, d_model: int) -> float:
    r"""Which part of the squared length of sinusoidal positions varies over the first ``length`` of them.

    .. math:: \frac{\sum_i \operatorname{Var}_t(p_{t,i})}{d_\text{model}/2}

    The variance of each coordinate is taken over the positions; every position has the squared length d_model/2.

    Args:
        length: how many positions, counted from the first.
        d_model: their width, even.
    """
    positions = sinusoidal_positions(length, d_model)
    return (positions.var(dim=0, correction=0).sum() / (d_model / 2)).item()


def distance_of_neighbours(length: int, d_model: int) -> float:
    """How far two neighbouring sinusoidal positions are apart, the mean over the first ``length`` of them."""
    return sinusoidal_positions(length, d_model).diff(dim=0).norm(dim=1).mean().item()


def common_share(rows: Float[Tensor, "words d_model"]) -> float:
    """Which part of the mean squared length of the rows of a table all rows have in common: that of their mean."""
    return (rows.mean(dim=0).square().sum() / rows.square().sum(dim=1).mean()).item()


def position_length(d_model: int) -> float:
    """The length of every sinusoidal position, √(d_model/2)."""
    return math.sqrt(d_model / 2)
