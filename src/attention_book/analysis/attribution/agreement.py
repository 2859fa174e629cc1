"""Do two attributions agree? Their ranks compared row by row, and how often the first place is a right one."""

import numpy as np
from jaxtyping import Bool, Float

Rows = Float[np.ndarray, "rows words"]


def ranks(values: Rows) -> Rows:
    """The rank of each number in its row, 1 for the smallest; equal numbers share the mean of their ranks."""
    values = np.asarray(values, dtype=float)
    below = (values[..., None, :] < values[..., :, None]).sum(-1)
    equal = (values[..., None, :] == values[..., :, None]).sum(-1)
    return below + (equal + 1) / 2


def spearman(first: Rows, second: Rows) -> Float[np.ndarray, " rows"]:
    r"""Spearman's rank correlation of each row of one matrix with the same row of the other.

    The correlation of the ranks: 1 if both put the words in the same order, −1 if in opposite orders, and near 0 on
    average if one order says nothing about the other.

    Args:
        first, second: one row per written token, one column per source word.

    Returns:
        One number per row; NaN where one of the two rows ranks nothing, because all of its numbers are equal.

    Raises:
        ValueError: if the shapes differ, or a row has fewer than two numbers.
    """
    if np.shape(first) != np.shape(second) or np.ndim(first) != 2 or np.shape(first)[1] < 2:
        raise ValueError(f"two matrices of one shape, with two words or more: {np.shape(first)}, {np.shape(second)}")
    a, b = (ranked - ranked.mean(-1, keepdims=True) for ranked in (ranks(first), ranks(second)))
    spread = np.sqrt((a**2).sum(-1) * (b**2).sum(-1))
    with np.errstate(invalid="ignore"):
        return np.where(spread > 0, (a * b).sum(-1) / np.where(spread > 0, spread, 1), np.nan)


def first_place_right(values: Rows, right: Bool[np.ndarray, "rows words"]) -> Bool[np.ndarray, " rows"]:
    """Whether the largest number of each row is at a right word; of several equally large ones, the first counts.

    Raises:
        ValueError: if the shapes differ.
    """
    values, right = np.asarray(values), np.asarray(right, dtype=bool)
    if values.shape != right.shape:
        raise ValueError(f"{values.shape} attributions and {right.shape} right words")
    return right[np.arange(len(values)), values.argmax(-1)]
