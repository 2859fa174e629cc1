"""How far back a cell feels: finite differences, and cells whose reach is known with a pencil."""

import math

import pytest
import torch
from oracles import close, normal, seeded
from torch import nn

from attention_book.analysis.gradient_reach import geometric_mean, input_jacobians, open_forget_gates, rate, reach
from attention_book.models import cells

KINDS = ("RNN", "GRU", "LSTM")


def layer(kind, home=cells, d_in=2, hidden=3):
    return seeded(lambda: getattr(home, kind)(d_in, hidden, batch_first=True)).double()


def only(kind, wanted):
    """A cell whose weights are zero but for the input's in one gate: the gates themselves stand at σ(0)."""
    found = layer(kind)
    with torch.no_grad():
        for name, parameter in found.named_parameters():
            keep = parameter[wanted].clone() if name.startswith("weight_ih") else None
            parameter.zero_()
            if keep is not None:
                parameter[wanted] = keep
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_jacobians_are_those_of_finite_differences(kind):
    found, x, h = layer(kind), normal(2, 4, 2), 1e-6
    jacobians = input_jacobians(found, x)
    assert jacobians.shape == (4, 2, 3, 2)
    for place in range(4):
        for i in range(2):
            nudge = torch.zeros_like(x)
            nudge[:, place, i] = h
            with torch.no_grad():
                slope = (found(x + nudge)[0][:, -1] - found(x - nudge)[0][:, -1]) / (2 * h)
            close(jacobians[place, :, :, i], slope, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_torchs_cells_reach_as_far_as_ours(kind):
    ours, x = layer(kind), normal(3, 6, 2)
    theirs = layer(kind, nn)
    theirs.load_state_dict(ours.state_dict())
    close(reach(ours, x), reach(theirs, x))


def test_the_reach_is_the_norm_counted_from_the_end():
    found, x = layer("GRU"), normal(2, 4, 2)
    jacobians = input_jacobians(found, x)
    wanted = [sum(math.sqrt(float((j**2).sum())) for j in jacobians[place]) / 2 for place in (3, 2, 1, 0)]
    close(reach(found, x), torch.tensor(wanted, dtype=torch.float64))


@pytest.mark.parametrize(("kind", "new"), [("GRU", slice(6, 9)), ("LSTM", slice(6, 9))])
def test_gates_at_one_half_halve_the_reach_at_every_step(kind, new):
    """GRU: h' = n / 2 + h / 2. LSTM: c' = c / 2 + g / 2."""
    found = reach(only(kind, new), normal(1, 1, 2).expand(1, 12, 2))
    close(found[1:] / found[:-1], torch.full((11,), 0.5, dtype=torch.float64))
    assert rate(found, 2, 9) == pytest.approx(0.5)


@pytest.mark.parametrize("home", [cells, nn])
def test_an_open_forget_gate_keeps_what_its_bias_says(home):
    found = layer("LSTM", home)
    found.load_state_dict(only("LSTM", slice(6, 9)).state_dict())
    before = {name: parameter.clone() for name, parameter in found.named_parameters()}
    open_forget_gates(found, 3.0)
    changed = {name for name, parameter in found.named_parameters() if not torch.equal(parameter, before[name])}
    assert changed == {"bias_ih_l0"}
    measured = reach(found, normal(1, 1, 2).expand(1, 12, 2))
    assert rate(measured, 0, 11) == pytest.approx(1 / (1 + math.exp(-3)))


def test_one_unit_by_hand():
    """h' = tanh(w h + x), from 0: the derivative with respect to an input is a product of slopes and of w."""
    found, w, x = layer("RNN", d_in=1, hidden=1), 0.8, [0.3, -0.5, 0.9]
    with torch.no_grad():
        for name, value in (("weight_ih_l0", 1.0), ("weight_hh_l0", w), ("bias_ih_l0", 0.0), ("bias_hh_l0", 0.0)):
            getattr(found, name).fill_(value)
    slopes, h = [], 0.0
    for x_t in x:
        h = math.tanh(w * h + x_t)
        slopes.append(1 - h**2)
    wanted = [slopes[2], slopes[2] * w * slopes[1], slopes[2] * w * slopes[1] * w * slopes[0]]
    close(reach(found, torch.tensor(x, dtype=torch.float64).view(1, 3, 1)), torch.tensor(wanted, dtype=torch.float64))


def test_a_geometric_mean_is_the_mean_of_the_exponents():
    lines = [torch.tensor([1.0, 1e-2]), torch.tensor([4.0, 1e-8])]
    torch.testing.assert_close(geometric_mean(lines), torch.tensor([2.0, 1e-5]))
