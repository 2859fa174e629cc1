"""How sure a model is and how often it is right: what both do to the loss, in cases small enough for a pencil."""

import math

import numpy as np
from jaxtyping import Float

Line = tuple[Float[np.ndarray, " places"], Float[np.ndarray, " places"]]
SHARES = (0.6, 0.85)
"""Shares of right tokens that have a curve."""
TOKENS = 5
"""The vocabulary of the small cases."""


def loss_if(right: float, confidence: float, tokens: int = TOKENS) -> float:
    """The mean loss of a model that is equally sure of each first choice and shares the rest out evenly.

    .. math:: L = -r \\log c - (1 - r) \\log \\frac{1 - c}{V - 1}

    Args:
        right: r, the share of tokens of which its first choice is the true one.
        confidence: c, the probability of its first choice.
        tokens: V, the size of the vocabulary; where the first choice is wrong, the true token has (1 − c)/(V − 1).

    Returns:
        In nats per token.

    Raises:
        ValueError: unless 0 ≤ r ≤ 1 and 1/V ≤ c < 1, so that the first choice is one.
    """
    if not (0 <= right <= 1 and 1 / tokens <= confidence < 1):
        raise ValueError(f"need 0 ≤ right ≤ 1 and 1/{tokens} ≤ confidence < 1, got {right} and {confidence}")
    return -right * math.log(confidence) - (1 - right) * math.log((1 - confidence) / (tokens - 1))


def loss_lines() -> dict[str, Line]:
    """The loss over the confidence, a line for each of `SHARES`, all of the same translations each."""
    at = np.linspace(0.3, 0.99, 70)
    return {f"right in {share:.0%}": (at, np.array([loss_if(share, c) for c in at])) for share in SHARES}


def loss_told() -> str:
    """:func:`loss_lines` in words, with where each line is lowest."""
    parts = []
    for name, (at, loss) in loss_lines().items():
        parts.append(
            f"{name}: {loss[0]:.2f} at a confidence of {at[0]:.0%}, lowest at {at[loss.argmin()]:.0%} with "
            f"{loss.min():.2f}, then up to {loss[-1]:.2f} at {at[-1]:.0%}"
        )
    return f"The loss over the confidence, a line for each share of right tokens. {'; '.join(parts)}."


def two_models() -> dict[str, float]:
    """The bold and the careful model of the page's small case: both are right in two tokens of three.

    Returns:
        ``bold`` and ``careful``: the mean losses, in nats per token; and of each the perplexity.
    """
    losses = {
        "bold": -(2 * math.log(0.98) + math.log(0.01)) / 3,
        "careful": -(2 * math.log(0.6) + math.log(0.3)) / 3,
    }
    return losses | {f"{name}_perplexity": math.exp(loss) for name, loss in losses.items()}
