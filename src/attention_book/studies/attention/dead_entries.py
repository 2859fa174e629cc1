"""Softmax Jacobians that look dead: a winner, a crowd, and a weight that rounding takes for 1."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from ...attention.probability import softmax, softmax_jacobian
from ...pages.significant_digits import compact

DEAD = 1e-6
"""An entry below this in size counts as dead."""


def two_key_weight(lead: int | float) -> float:
    """The weight of the first of two keys whose score is larger by ``lead``."""
    return float(softmax(np.array([lead, 0.0]))[0])


def two_key_entry(lead: int | float, temperature: int | float = 1.0) -> float:
    """The first entry of the Jacobian for two keys, p (1 − p) / C, with p = softmax((lead, 0) / C)."""
    return float(softmax_jacobian(np.array([lead, 0.0]), temperature)[0, 0])


@dataclass(frozen=True)
class Sizes:
    """Four measures of one Jacobian.

    Attributes:
        dead: the share of entries below `DEAD` in size.
        norm: Frobenius norm.
        largest_eigenvalue: how strongly the weights can react.
        trace: the sum of the eigenvalues.
    """

    dead: float
    norm: float
    largest_eigenvalue: float
    trace: float

    def row(self) -> tuple[str, ...]:
        """The cells of a table."""
        return f"{100 * self.dead:.1f} %", *map(compact, (self.norm, self.largest_eigenvalue, self.trace))


def sizes(s: Float[np.ndarray, " n"]) -> Sizes:
    """How large the Jacobian of softmax(s) is, by four measures."""
    j = softmax_jacobian(s)
    return Sizes(
        float((np.abs(j) < DEAD).mean()), float(np.linalg.norm(j)), float(np.linalg.eigvalsh(j).max()), float(j.trace())
    )


def winners_and_crowds() -> dict[str, Sizes]:
    """Eight keys, tied or with a winner, and crowds of tied keys."""
    cases = {
        "8 keys, a tie": np.zeros(8),
        "8 keys, one leads by 10": 10 * np.eye(8)[0],
        "8 keys, one leads by 20": 20 * np.eye(8)[0],
        "512 keys, a tie": np.zeros(512),
        "1024 keys, a tie": np.zeros(1024),
    }
    return {case: sizes(s) for case, s in cases.items()}


def in_single_precision(lead: int) -> dict[str, float]:
    """p (1 − p) for two keys, of which the first leads, where numbers have seven digits.

    Args:
        lead: of the first score.

    Returns:
        ``true``: in double precision and without a subtraction; ``subtracted``: from p and 1 − p in single precision;
        ``summed``: the same from p and the sum of the other weights.
    """
    p = softmax(torch.tensor([lead, 0.0], dtype=torch.float32))
    return {
        "true": math.exp(-lead) / (1 + math.exp(-lead)) ** 2,
        "subtracted": float(p[0] * (1 - p[0])),
        "summed": float(p[0] * p[1:].sum()),
    }
