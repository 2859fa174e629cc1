"""Gradient descent and Adam as pure functions: parity with torch's optimizers, and laws of a step."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_book.training.optimizers import AdamState, adam_step, descent_step, squared_error_step

EXACT = {"rtol": 1e-12, "atol": 1e-14}


def gradients(steps=50):
    """Gradients as different in size as those of a real model, with zeros among them."""
    generator = torch.Generator().manual_seed(3)
    sizes = torch.tensor([1e-6, 1e-3, 0.0, 1.0, 1e3], dtype=torch.float64)
    return [torch.randn(4, 5, generator=generator, dtype=torch.float64) * sizes for _ in range(steps)]


@pytest.mark.parametrize("settings", [{}, {"rate": 0.1, "betas": (0.9, 0.98), "eps": 1e-9}, {"betas": (0.0, 0.5)}])
def test_adam_steps_are_torchs(settings):
    start = torch.linspace(-1, 1, 20, dtype=torch.float64).reshape(4, 5)
    theirs = start.clone().requires_grad_()
    named = {"rate": "lr"}
    optimizer = torch.optim.Adam([theirs], **{named.get(name, name): value for name, value in settings.items()})
    ours, state = start, AdamState.start(start)
    for gradient in gradients():
        theirs.grad = gradient.clone()
        optimizer.step()
        ours, state = adam_step(ours, gradient, state, **settings)
        torch.testing.assert_close(ours, theirs.detach(), **EXACT)
    assert state.step == 50


def test_descent_steps_are_torchs():
    start = torch.linspace(-1, 1, 20, dtype=torch.float64).reshape(4, 5)
    theirs, ours = start.clone().requires_grad_(), start
    optimizer = torch.optim.SGD([theirs], lr=0.3)
    for gradient in gradients(5):
        theirs.grad = gradient.clone()
        optimizer.step()
        ours = descent_step(ours, gradient, 0.3)
        torch.testing.assert_close(ours, theirs.detach(), **EXACT)


@given(st.floats(1e-4, 1e4), st.floats(1e-4, 1.0), st.sampled_from([-1.0, 1.0]))
def test_adams_first_step_is_the_rate_whatever_the_gradient(size, rate, sign):
    theta = torch.zeros(1, dtype=torch.float64)
    moved, _ = adam_step(theta, sign * size * torch.ones(1, dtype=torch.float64), AdamState.start(theta), rate)
    assert moved.item() == pytest.approx(-sign * rate, rel=1e-3)


def test_a_step_leaves_its_inputs_alone():
    theta, gradient = torch.ones(2), torch.tensor([1.0, -1.0])
    state = AdamState.start(theta)
    adam_step(theta, gradient, state)
    descent_step(theta, gradient, 1.0)
    assert theta.tolist() == [1.0, 1.0] and gradient.tolist() == [1.0, -1.0]
    assert state.mean.tolist() == [0.0, 0.0] and state.square.tolist() == [0.0, 0.0] and state.step == 0


def test_a_step_on_a_squared_error_by_hand():
    """θ = 3, x = 2, y = 1: the slope is 20, so α = 0.1 leads to θ = 1 and α = 0.5 to θ = −7."""
    assert squared_error_step(3.0, 2.0, 1.0, rate=0.1) == pytest.approx((1.0, 1.0))
    assert squared_error_step(3.0, 2.0, 1.0, rate=0.5) == pytest.approx((-7.0, 225.0))
