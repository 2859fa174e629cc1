"""Targets that are not certain: what label smoothing asks of the scores, and a variant that leaves two tokens out."""

import math
from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from matplotlib.figure import Figure

from ...attention.probability import cross_entropy, entropy
from ...pages.figures.plotting import curves
from ...training.losses import label_smoothed_cross_entropy

Target = Float[np.ndarray, " tokens"]


def smoothed(size: int, epsilon: float = 0.1, y: int = 1) -> Target:
    r"""The target :math:`t_i = (1 - \varepsilon)\,[i = y] + \varepsilon / V`.

    Args:
        size: V, the number of tokens.
        epsilon: the share that is taken from the true token.
        y: the true token.
    """
    target = np.full(size, epsilon / size)
    target[y] += 1 - epsilon
    return target


def smoothed_over_others(size: int, epsilon: float = 0.1, y: int = 1, pad: int = 0) -> Target:
    """The variant in circulation: exactly 1 − ε on the true token, and ε over those that are neither it nor padding.

    Args:
        size, epsilon, y: as for :func:`smoothed`.
        pad: the padding token.
    """
    target = np.full(size, epsilon / (size - 2))
    target[[pad, y]] = 0, 1 - epsilon
    return target


def moved(size: int) -> float:
    """The mass that has another place in the variant: half the sum of the absolute differences."""
    return float(np.abs(smoothed(size) - smoothed_over_others(size)).sum() / 2)


def wanted_lead(size: int, epsilon: float = 0.1) -> float:
    r"""How far the true score is above the others at the minimum: :math:`\log(1 + (1 - \varepsilon) V / \varepsilon)`.

    Args:
        size: V, the number of tokens.
        epsilon: the share that is taken from the true token.
    """
    return math.log(1 + (1 - epsilon) * size / epsilon)


def leads(epsilon: float, steps: int = 3000, rate: float = 1.0, size: int = 5) -> Float[np.ndarray, " steps"]:
    """How far the true score is above another one while gradient descent moves free scores that begin at 0.

    Args:
        epsilon: of the smoothed loss.
        steps: of gradient descent.
        rate: the learning rate.
        size: V, the number of scores.
    """
    z, y, found = torch.zeros(1, size, dtype=torch.float64), torch.tensor([1]), []
    for _ in range(steps):
        z.requires_grad_()
        loss = label_smoothed_cross_entropy(z, y, epsilon, pad_id=0)
        (gradient,) = torch.autograd.grad(loss, z)
        z = (z - rate * gradient).detach()
        found.append(float(z[0, 1] - z[0, 2]))
    return np.array(found)


def steps_to(lead: float, rate: float = 1.0, size: int = 5) -> int:
    r"""After how many steps of :func:`leads` with a certain target the lead of the true score is first this large.

    All other scores stay alike, so the lead alone is followed: a step adds :math:`\alpha V e^{-d} / (1 + (V - 1)
    e^{-d})` to a lead d.

    Args:
        lead: how far the true score has to be above the others.
        rate: the learning rate.
        size: V, the number of scores.
    """
    d, steps = 0.0, 0
    while d < lead:
        other = math.exp(-d)
        d += rate * size * other / (1 + (size - 1) * other)
        steps += 1
    return steps


def lead_figure(leads: Mapping[str, Float[np.ndarray, " steps"]]) -> Figure:
    """The lead of the true score by step, a line per loss."""
    lines = {name: (np.arange(1, len(line) + 1), line) for name, line in leads.items()}
    return curves(lines, x_label="step", y_label="lead of the true score", x_scale="log")


def leads_told(leads: Mapping[str, Float[np.ndarray, " steps"]]) -> str:
    """The lines of :func:`lead_figure` in words."""
    lines = (
        f"{name}: {line[9]:.2f} after 10 steps, {line[99]:.2f} after 100, {line[-1]:.2f} after {len(line)}."
        for name, line in leads.items()
    )
    return " ".join(["Lead of the true score by step.", *lines])


def numbers(size: int = 5, large: int = 8000) -> dict[str, float | str]:
    """What a page's text is given, by name.

    Args:
        size: of a vocabulary that can be written down.
        large: of one that is in use.

    Returns:
        ``wanted``, the lead; ``least`` and ``loss_certain``, the smoothed loss of the smoothed target itself and of a
        model that gives the truth 0.999; both targets, written out, and the mass moved in both vocabularies.
    """
    even, others = smoothed(size), smoothed_over_others(size)
    certain = np.where(np.arange(size) == 1, 0.999, 0.001 / (size - 1))
    return {
        "wanted": wanted_lead(size),
        "least": float(entropy(even)),
        "loss_certain": float(cross_entropy(even, certain)),
        "target_even": ", ".join(f"{share:.4g}" for share in even),
        "target_others": ", ".join(f"{share:.4g}" for share in others),
        "moved_few": moved(size),
        "moved_many": moved(large),
    }
