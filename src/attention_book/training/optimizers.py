"""One step downhill, as pure functions: gradient descent, and Adam."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor


def descent_step(
    theta: Float[Tensor, "..."],
    gradient: Float[Tensor, "..."],
    rate: float,
) -> Float[Tensor, "..."]:
    r"""Move against the gradient: :math:`\theta \leftarrow \theta - \alpha g`.

    Args:
        theta: the parameters, any shape.
        gradient: of the loss with respect to them, same shape.
        rate: α, the step size.

    Returns:
        The new parameters; the old ones are unchanged.
    """
    return theta - rate * gradient


def squared_error_step(theta: float, x: float, y: float, rate: float) -> tuple[float, float]:
    r"""One step of descent on the loss :math:`(\theta x - y)^2`, whose slope is :math:`2\,(\theta x - y)\,x`.

    Args:
        theta: the one parameter.
        x, y: what the model is given, and what it should answer.
        rate: α, the step size.

    Returns:
        The new parameter and the new loss.
    """
    slope = 2 * (theta * x - y) * x
    moved = float(
        descent_step(torch.tensor(theta, dtype=torch.float64), torch.tensor(slope, dtype=torch.float64), rate)
    )
    return moved, (moved * x - y) ** 2


class AdamState(NamedTuple):
    """What Adam remembers: running means of the gradient and of its square, and how many steps they hold."""

    mean: Float[Tensor, "..."]
    square: Float[Tensor, "..."]
    step: int

    @classmethod
    def start(cls, theta: Float[Tensor, "..."]) -> "AdamState":
        """Nothing seen yet."""
        return cls(torch.zeros_like(theta), torch.zeros_like(theta), 0)


def adam_step(
    theta: Float[Tensor, "..."],
    gradient: Float[Tensor, "..."],
    state: AdamState,
    rate: float = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
) -> tuple[Float[Tensor, "..."], AdamState]:
    r"""Divide the averaged gradient by its own typical size, number by number (Kingma & Ba 2015, Algorithm 1).

    .. math::
        m &\leftarrow \beta_1 m + (1 - \beta_1)\, g, &\hat m &= m / (1 - \beta_1^t), \\
        v &\leftarrow \beta_2 v + (1 - \beta_2)\, g^2, &\hat v &= v / (1 - \beta_2^t), \\
        \theta &\leftarrow \theta - \alpha\, \hat m / (\sqrt{\hat v} + \epsilon)

    Args:
        theta: the parameters, any shape.
        gradient: of the loss with respect to them, same shape.
        state: of the step before, or ``AdamState.start(theta)``.
        rate: α, about the length that a number moves in the first step.
        betas: β₁ and β₂, how slowly the two running means forget.
        eps: ε, which keeps a gradient of zero from dividing by zero.

    Returns:
        The new parameters and the new state; the old ones are unchanged.

    Pitfall: ε is added outside the root. Inside it, it would act like √ε, which is far larger.
    """
    step = state.step + 1
    mean = betas[0] * state.mean + (1 - betas[0]) * gradient
    square = betas[1] * state.square + (1 - betas[1]) * gradient**2
    mean_hat = mean / (1 - betas[0] ** step)
    square_hat = square / (1 - betas[1] ** step)
    theta = theta - rate * mean_hat / (square_hat.sqrt() + eps)
    return theta, AdamState(mean, square, step)
