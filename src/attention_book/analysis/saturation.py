"""Learning through a softmax: what comes back to its scores, and how many steps a wrong decision costs."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from ..attention.probability import softmax, softmax_jacobian

Weights = Float[np.ndarray, "*#runs n"]  # leading axes broadcast


def backward(p: Weights, g: Weights, temperature: int | float = 1.0) -> Weights:
    r"""The gradient with respect to the scores of p = softmax(s / C), given that with respect to p.

    .. math:: J^\top g = \frac{1}{C}\; p \odot \bigl(g - (p \cdot g)\bigr)

    This is a vector–Jacobian product: n operations where forming J
    (`attention_book.attention.probability.softmax_jacobian`) would take n².

    Args:
        p: weights, one distribution along the last axis; leading axes broadcast with those of ``g``.
        g: derivatives of a loss with respect to these weights.
        temperature: C > 0.

    Returns:
        Derivatives with respect to the scores before their division by C. They sum to 0.

    Raises:
        ValueError: if the temperature is not positive.

    Pitfall: what is subtracted is the mean of g *under p*, not the plain mean.
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be positive, got {temperature}")
    return p * (g - (p * g).sum(axis=-1, keepdims=True)) / temperature


def squared_error(p: Weights, y: Weights) -> Weights:
    """Gradient of ½‖p − y‖² with respect to the scores over C: everything passes through the Jacobian."""
    return backward(p, p - y)


def cross_entropy(p: Weights, y: Weights) -> Weights:
    """Gradient of −Σ y log p with respect to the scores over C: Jᵀ(−y/p) = p − y, where nothing can die."""
    return p - y


def steps_needed(
    s: Float[np.ndarray, "*runs n"],
    y: Weights,
    rate: float | Float[np.ndarray, "*#runs 1"],
    temperature: int | float,
    gradient: Callable[[Weights, Weights], Weights],
    limit: int,
) -> Int[np.ndarray, "*runs"]:
    """How many steps of gradient descent on the scores it takes until most of the weight is where it should be.

    Args:
        s: scores at the start, one run per row.
        y: for each run a one-hot vector: the key that should have the weight. It broadcasts.
        rate: learning rate, one number, or one per run.
        temperature: C > 0.
        gradient: of the loss with respect to s / C, given p and y: `squared_error` or `cross_entropy`.
        limit: when to give up.

    Returns:
        For each run the first number of steps after which p · y exceeds ½, or ``limit``.
    """
    s, needed = s.copy(), np.full(s.shape[:-1], limit)
    for step in range(limit):
        p = softmax(s / temperature)
        needed = np.minimum(needed, np.where((p * y).sum(axis=-1) > 0.5, step, limit))
        if (needed < limit).all():
            break
        s -= rate * gradient(p, y) / temperature
    return needed


def wrong_winner(lead: float | int, d_k: int) -> dict[str, float]:
    """Two keys of which the useless one leads, with the division of the scores by √d_k and without.

    Args:
        lead: the useless key's dot product with the query; that of the useful key is 0.
        d_k: width of a key.

    Returns:
        ``gap``: the standard deviation of the lead for components of variance 1, √(2 d_k); ``right_divided`` and
        ``right_undivided``: the weight of the useful key; ``entry_divided``: an entry of the Jacobian on the diagonal,
        with the division; ``times``: how many times larger it is than the one without.
    """
    scores = np.array([0.0, float(lead)])
    entries = {c: float(softmax_jacobian(scores, c)[0, 0]) for c in (1.0, np.sqrt(d_k))}
    divided, undivided = entries[np.sqrt(d_k)], entries[1.0]
    return {
        "gap": float(np.sqrt(2 * d_k)),
        "right_divided": float(softmax(scores / np.sqrt(d_k))[0]),
        "right_undivided": float(softmax(scores)[0]),
        "entry_divided": divided,
        "times": divided / undivided,
    }
