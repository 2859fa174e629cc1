"""The checks of *Adam* on the right answers and on wrong ones, each of which they must name."""

from fractions import Fraction

import pytest
import torch

from attention_book.checks.before import adam as checks
from attention_book.training.optimizers import AdamState, adam_step

from ..diagnosis import diagnosis

SECOND = {"a": -1, "b": 0.0526, "c": -0.745}


def second_move_of_torch(*gradients):
    """The oracle: torch's own Adam."""
    theta = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer, places = torch.optim.Adam([theta], lr=1.0), []
    for gradient in gradients:
        theta.grad = torch.full_like(theta, gradient)
        optimizer.step()
        places.append(theta.item())
    return places[1] - places[0]


@pytest.mark.parametrize(
    "right",
    [
        SECOND,
        {"a": second_move_of_torch(1, 1), "b": second_move_of_torch(1, -1), "c": second_move_of_torch(1, 1000)},
        {"a": Fraction(-1), "b": Fraction(1, 19), "c": torch.tensor(-0.7448)},
    ],
)
def test_the_second_step_passes(right):
    report = checks.check_second_step(right)
    assert report, report.message


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": 1}, "(a) is not 1: the size is right, and the sign is turned"),
        ({"a": -4.25}, "divide them by 1 − β² first"),
        ({"a": -2}, "how far both steps go together"),
        ({"a": -0.5}, "(a) is not -0.5."),
        ({"b": -0.0526}, "the sign is turned"),
        ({"b": 0.2237}, "divide them by 1 − β² first"),
        ({"b": 1}, "what the last gradient alone would do"),
        ({"b": -0.947}, "how far both steps go together"),
        ({"b": 0}, "(b) is not 0."),
        ({"c": 0.745}, "the sign is turned"),
        ({"c": -1}, "what the last gradient alone would do"),
        ({"c": -1000}, "(c) is not -1000."),
        ({"c": ...}, "(c) is still to be predicted"),
        ({"c": "far"}, "one number"),
    ],
)
def test_the_second_step_names_the_mistake(change, told):
    assert told in diagnosis(checks.check_second_step(SECOND | change))


def momentum_step(theta, gradient, m, rate, beta):
    m = beta * m + (1 - beta) * gradient
    return theta - rate * m, m


def by_lerp(theta, gradient, m, rate, beta):
    new = torch.lerp(gradient, m, beta)
    return [theta.add(new, alpha=-rate), new]


@pytest.mark.parametrize("right", [momentum_step, by_lerp])
def test_momentum_passes(right):
    report = checks.check_momentum(right)
    assert report, report.message


def uphill(theta, gradient, m, rate, beta):
    m = beta * m + (1 - beta) * gradient
    return theta + rate * m, m


def the_old_mean(theta, gradient, m, rate, beta):
    return theta - rate * m, beta * m + (1 - beta) * gradient


def plain(theta, gradient, m, rate, beta):
    return theta - rate * gradient, beta * m + (1 - beta) * gradient


def forgets(theta, gradient, m, rate, beta):
    return momentum_step(theta, gradient, m, rate, beta)[0], m


def running_sum(theta, gradient, m, rate, beta):  # torch.optim.SGD's momentum
    m = beta * m + gradient
    return theta - rate * m, m


def corrected_once(theta, gradient, m, rate, beta):
    m = beta * m + (1 - beta) * gradient
    return theta - rate * m / (1 - beta), m


def in_place(theta, gradient, m, rate, beta):
    m *= beta
    return theta - rate * (m + (1 - beta) * gradient), m + (1 - beta) * gradient


def with_adam(theta, gradient, m, rate, beta):
    theta, state = adam_step(theta, gradient, AdamState(m, m**2, 0), rate, (beta, 0.999))
    return theta, state.mean


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (uphill, "θ goes uphill"),
        (the_old_mean, "θ is moved by the m of before"),
        (plain, "θ is moved by the gradient alone"),
        (forgets, "m is the old m"),
        (running_sum, "m is a running sum"),
        (corrected_once, "θ is moved"),
        (lambda t, g, m, r, b: momentum_step(t, g, m, r, 1 - b), "m has its two shares exchanged"),
        (lambda t, g, m, r, b: momentum_step(t, g, m, r, b)[::-1], "m is wrong at"),
        (lambda t, g, m, r, b: momentum_step(t, g, m, r, b)[0], "Expected 2 values, (theta, m)"),
        (lambda t, g, m, r, b: momentum_step(t, g, m, 0.01, 0.9), "With α = 0.3 and β₁ = 0.6"),
        (lambda t, g, m, r, b: momentum_step(t, g.sum(), m.sum(), r, b), "m has the wrong shape"),
        (in_place, "changes `m` in place"),
        (with_adam, "θ is wrong at"),
        (..., "Expected a function"),
    ],
)
def test_momentum_names_the_mistake(wrong, told):
    assert told in diagnosis(checks.check_momentum(wrong))


def test_first_step_passes_what_adam_would_do():
    zero = torch.zeros(1, dtype=torch.float64)
    _, state = adam_step(zero, zero + 5.0, AdamState.start(zero))
    assert checks.check_first_step(float(state.mean / state.square.sqrt()))


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (1, "with the correction"),
        (0.1, "counts m only"),
        (100, "take its root"),
        (0.3162, "the inverse"),
        (7, "Put t = 1"),
        (..., "still open"),
        (None, "to be one number"),
    ],
)
def test_first_step_names_the_mistake(ratio, told):
    assert told in diagnosis(checks.check_first_step(ratio))
