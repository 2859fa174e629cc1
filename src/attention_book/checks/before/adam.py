"""Checks for *Adam*: the second step by hand, a step with momentum, and the first step without its corrections."""

import math

import torch

from ...training.optimizers import AdamState, adam_step
from ..drawn import Normal
from ..known_mistakes import expect_predictions, near, recognise
from ..report import NotYet, Report, attempt, checking, expect_array, expect_number, expect_parts, first_difference

# The two gradients of each letter, in their order.
_GRADIENTS = {"a": (1.0, 1.0), "b": (1.0, -1.0), "c": (1.0, 1000.0)}


def _last_move(gradients: tuple[float, ...]) -> float:
    """How far Adam moves the parameter in the last step, as a multiple of the rate, with its sign."""
    theta = torch.zeros(1, dtype=torch.float64)
    state, before = AdamState.start(theta), theta
    for gradient in gradients:
        before, (theta, state) = theta, adam_step(theta, torch.full_like(theta, gradient), state, rate=1.0, eps=0.0)
    return float(theta - before)


def _uncorrected(gradients: tuple[float, float]) -> float:
    """The same move from m and v as they are."""
    m, v = (beta * (1 - beta) * gradients[0] ** power + (1 - beta) * gradients[1] ** power
            for beta, power in ((0.9, 1), (0.999, 2)))  # fmt: skip
    return -m / math.sqrt(v)


@checking
def check_second_step(predictions: object) -> Report:
    """Is the move of Adam's second step right, as a multiple of the rate, for three pairs of gradients?"""
    table = {}
    for letter, gradients in _GRADIENTS.items():
        right = _last_move(gradients)
        mistakes = {
            -right: "the size is right, and the sign is turned: the step goes against the mean gradient",
            _uncorrected(gradients): "that is the step from m and v as they are: divide them by 1 − β² first, with β₁ "
            "for m and β₂ for v",
            -math.copysign(1.0, gradients[1]): "that is what the last gradient alone would do: m also holds the first",
            right + _last_move(gradients[:1]): "that is how far both steps go together: the second alone is asked for",
        }
        table[letter] = right, mistakes
    expect_predictions(predictions, table, 0.005)
    return Report(True, "Steps of length α while the sign holds, a short one when it changes, and never a huge one.")


@checking
def check_momentum(candidate: object) -> Report:
    """Does ``candidate(theta, gradient, m, rate, beta)`` give the new θ and the new m of a step by −α m?"""
    normal = Normal(3)
    for shape, rate, beta in (((2,), 0.01, 0.9), ((3, 2), 0.3, 0.6), ((4,), 0.05, 0.0)):
        theta, m = normal(*shape), torch.zeros(shape, dtype=torch.float64)
        for step in range(1, 4):
            gradient = normal(*shape)
            parts = expect_parts(attempt(candidate, theta, gradient, m, rate, beta), ("theta", "m"))
            running = beta * m + (1 - beta) * gradient
            wanted = theta - rate * running, running
            others = {
                "θ": {
                    "goes uphill: the step is −α m.": theta + rate * running,
                    "is moved by the m of before: first the new m, then the step.": theta - rate * m,
                    "is moved by the gradient alone, and not by m.": theta - rate * gradient,
                    "is moved with the correction, which is to be left out.": theta - rate * running / (1 - beta**step),
                },
                "m": {
                    "is a running sum: the new gradient counts with the share 1 − β.": beta * m + gradient,
                    "has its two shares exchanged: β belongs to the old m.": (1 - beta) * m + beta * gradient,
                    "is divided by the correction, which is to be left out.": running / (1 - beta**step),
                    "is the old m.": m,
                },
            }
            where = f"With α = {rate} and β₁ = {beta}, in step {step},"
            for name, got, right in reversed([*zip(others, parts, wanted, strict=True)]):  # m first: θ follows from it
                expect_array(got, shape, "as θ", name=name)
                if (difference := first_difference(got, right)) is None:
                    continue
                fault = recognise(got, others[name]) or f"is wrong at {difference}."
                raise NotYet(f"{where} {name} {fault}")
            theta, m = wanted
    return Report(True, "Every step goes by −α times the running mean, whatever the shape, the rate and β₁.")


@checking
def check_first_step(ratio: object, betas: tuple[float, float] = (0.9, 0.999)) -> Report:
    """Is the length of Adam's first step without bias correction right, as a multiple of the rate?

    Args:
        ratio: the prediction, for a gradient of any size that is not tiny.
        betas: β₁ and β₂.
    """
    if ratio is ...:
        raise NotYet("The prediction is still open.")
    said = expect_number(ratio, "the ratio")
    gradient = torch.tensor([2.0], dtype=torch.float64)
    _, state = adam_step(torch.zeros_like(gradient), gradient, AdamState.start(gradient), betas=betas)
    true = float(state.mean / state.square.sqrt())
    if not math.isclose(said, true, rel_tol=0.01):
        known = {
            1.0: "That is the step with the correction, or the idea that both corrections cancel; they do not.",
            1 - betas[0]: "That counts m only; v is too small as well, and stands in the denominator.",
            (1 - betas[0]) / (1 - betas[1]): "v is a mean of squares: take its root.",
            1 / true: "That is the inverse.",
        }
        why = recognise(said, known, near(rel_tol=0.01))
        raise NotYet(f"Not {said:g} times the rate. {why or 'Put t = 1 into the two running means, starting from 0.'}")
    return Report(True, f"The first step is {true:.3g} times the rate: too long, and with no reason in the data.")
