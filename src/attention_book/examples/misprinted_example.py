"""A worked example of attention that circulates with wrong numbers, kept here to be recomputed line by line."""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from ..attention.probability import softmax

QUERIES = np.array([[0.2, 0.4, 0.6, 0.8], [0.1, 0.3, 0.5, 0.7]])
KEYS = VALUES = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.9, 1.0, 1.1, 1.2]])
CLAIMED = {
    "Q Kᵀ": np.array([[0.3, 0.7, 1.1], [0.26, 0.62, 0.98]]),
    "divided by √4": np.array([[0.15, 0.35, 0.55], [0.13, 0.31, 0.49]]),
    "softmax": np.array([[0.2, 0.3, 0.5], [0.25, 0.35, 0.4]]),
    "times V": np.array([[0.62, 0.72, 0.82, 0.92], [0.65, 0.75, 0.85, 0.95]]),
}
_STEPS = (lambda x: x @ KEYS.T, lambda x: x / math.sqrt(KEYS.shape[1]), softmax, lambda x: x @ VALUES)


class Line(NamedTuple):
    """One line of the example, with one row per query.

    Attributes:
        claimed: what the example says.
        from_claim: what follows from the line before it, as claimed: is this step right?
        true: what follows from the beginning.
    """

    claimed: Float[np.ndarray, "q_len columns"]
    from_claim: Float[np.ndarray, "q_len columns"]
    true: Float[np.ndarray, "q_len columns"]


def recomputed() -> dict[str, Line]:
    """Every line of the example, by name, with what it should have been."""
    lines, before, true = {}, QUERIES, QUERIES
    for (name, claimed), step in zip(CLAIMED.items(), _STEPS, strict=True):
        true = step(true)
        lines[name] = Line(claimed, step(before), true)
        before = claimed
    return lines


def row_told(numbers: Float[np.ndarray, " columns"]) -> str:
    """Numbers with two decimals, in one line that does not break."""
    return "\N{NO-BREAK SPACE}".join(f"{x:.2f}" for x in numbers)


def recomputed_rows() -> list[tuple[str, ...]]:
    """A row per line and query: what is claimed, what follows from the claimed line before, and from the beginning."""
    return [
        (f"{n}: {name}", str(i + 1), *(row_told(numbers[i]) for numbers in line))
        for n, (name, line) in enumerate(recomputed().items(), 1)
        for i in range(len(QUERIES))
    ]


def recomputed_numbers() -> dict[str, float]:
    """The numbers that show what is wrong with each line, by the names that the page's text knows them by."""
    products, shares = (recomputed()[name] for name in ("Q Kᵀ", "softmax"))
    step = products.true[1, 1] - products.true[1, 0]
    return {
        "first_score": products.true[0, 0],
        "first_claimed": products.claimed[0, 0],
        "step_true": step,
        "step_half": step / 2,
        "step_claimed": products.claimed[1, 1] - products.claimed[1, 0],
        "ratio_1": shares.claimed[1, 1] / shares.claimed[1, 0],
        "ratio_2": shares.claimed[1, 2] / shares.claimed[1, 1],
    }
