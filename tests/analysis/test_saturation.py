"""Learning through a softmax: gradients against autograd, steps against a loop with torch's own softmax and losses."""

import math

import numpy as np
import pytest
import torch

from attention_book.analysis.saturation import backward, cross_entropy, squared_error, steps_needed, wrong_winner


def leaf(s):
    return torch.tensor(s, requires_grad=True)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 8])
def test_backward_is_autograds(temperature):
    rng = np.random.default_rng(3)
    s, g = rng.standard_normal((2, 3, 5)), rng.standard_normal((2, 3, 5))
    scores = leaf(s)
    p = torch.softmax(scores / temperature, dim=-1)
    p.backward(torch.tensor(g))
    found = backward(p.detach().numpy(), g, temperature)
    np.testing.assert_allclose(found, scores.grad.numpy(), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.sum(axis=-1), 0, atol=1e-14)


def test_backward_hears_nothing_of_what_all_weights_are_told_alike():
    p = np.array([0.5, 0.3, 0.2])
    np.testing.assert_allclose(backward(p, np.full(3, 7.0)), 0, atol=1e-15)
    np.testing.assert_allclose(backward(p, np.array([1.0, 0, 0])), [0.25, -0.15, -0.1])  # column 1 of J by hand


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_backward_refuses_a_temperature_that_is_not_positive(temperature):
    with pytest.raises(ValueError, match="temperature must be positive"):
        backward(np.ones(1), np.ones(1), temperature)


def loss_of(name, p, y):
    return 0.5 * ((p - y) ** 2).sum() if name == "squared" else -(y * p.log()).sum()


@pytest.mark.parametrize(("gradient", "name"), [(squared_error, "squared"), (cross_entropy, "log")])
def test_losses_have_autograds_gradients(gradient, name):
    u, y = leaf(np.random.default_rng(4).standard_normal(4)), torch.eye(4, dtype=torch.float64)[1]
    p = torch.softmax(u, dim=-1)
    loss_of(name, p, y).backward()
    np.testing.assert_allclose(gradient(p.detach().numpy(), y.numpy()), u.grad.numpy(), atol=1e-15)


@pytest.mark.parametrize(("gradient", "name"), [(squared_error, "squared"), (cross_entropy, "log")])
@pytest.mark.parametrize(("rate", "temperature"), [(1.0, 1.0), (4.0, 3.0)])
def test_steps_are_those_of_a_loop_with_torch(gradient, name, rate, temperature):
    limit, start = 60, 3 * np.random.default_rng(5).standard_normal((6, 4))
    y = np.eye(4)[[0, 1, 2, 3, 0, 1]]
    wanted = []
    for s, target in zip(start, torch.tensor(y), strict=True):
        scores = leaf(s)
        optimizer = torch.optim.SGD([scores], lr=rate)
        for step in range(limit + 1):
            p = torch.softmax(scores / temperature, dim=-1)
            if step == limit or (p @ target).item() > 0.5:
                wanted.append(step)
                break
            optimizer.zero_grad()
            loss_of(name, p, target).backward()
            optimizer.step()
    found = steps_needed(start, y, rate, temperature, gradient, limit)
    assert found.tolist() == wanted
    assert len(set(wanted)) > 2  # the loop is not always at its start or its end


def test_steps_take_a_rate_for_each_run_and_leave_the_start_alone():
    start = np.repeat([[4.0, 0.0, 0.0]], 3, axis=0)
    before, y = start.copy(), np.eye(3)[1]
    found = steps_needed(start, y, np.array([[0.5], [1.0], [2.0]]), 1.0, squared_error, 500)
    assert [steps_needed(start[:1], y, rate, 1.0, squared_error, 500)[0] for rate in (0.5, 1.0, 2.0)] == found.tolist()
    assert found[0] > found[1] > found[2] > 0
    np.testing.assert_array_equal(start, before)


def test_the_useful_key_gets_next_to_nothing_when_the_other_leads():
    found = wrong_winner(lead=16, d_k=64)
    assert found["gap"] == pytest.approx(128**0.5)
    assert found["right_divided"] == pytest.approx(1 / (1 + math.exp(2)))
    assert found["right_undivided"] == pytest.approx(1 / (1 + math.exp(16)))
    p, r = found["right_divided"], found["right_undivided"]
    assert found["entry_divided"] == pytest.approx(p * (1 - p) / 8)
    assert found["times"] == pytest.approx(p * (1 - p) / 8 / (r * (1 - r)))
