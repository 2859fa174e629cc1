"""The checks of *Recurrent cells* and *Vanishing gradients* on right answers, and on wrong ones that they must name."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from attention_book.checks.before.recurrent_cells import (
    check_counting,
    check_gru_step,
    check_half,
    check_last_states,
    check_lstm_step,
    check_reach,
)
from attention_book.models.cells import gru_step, lstm_step

from ..diagnosis import diagnosis

COUNTS = {"a": 24, "b": 27, "c": 81, "d": 216, "e": -1.3}
HALF = -math.log(2 ** (1 / 20) - 1)


def last_states(outputs, lengths, shift=1):
    return outputs[torch.arange(len(outputs)), (lengths - shift).clamp(0, outputs.shape[1] - 1)]


def gru(x, h, w_ih, w_hh, b_ih, b_hh, fault=""):
    x_r, x_z, x_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)
    h_r, h_z, h_n = (h @ w_hh.T + b_hh).chunk(3, dim=-1)
    r, z = (x_r + h_r).sigmoid(), (x_z + h_z).sigmoid()
    if fault == "exchanged":
        r, z = z, r
    if fault == "early":
        h_n = (r * h) @ w_hh.chunk(3)[2].T + b_hh.chunk(3)[2]
    n = x_n + (h_n if fault in ("early", "no reset") else r * h_n)
    n = r * (x_n + h_n) if fault == "all reset" else n
    n = n if fault == "straight" else n.sigmoid() if fault == "sigmoid" else n.tanh()
    if fault == "proposal":
        return n
    if fault == "not mixed":
        return (1 - z) * n
    return z * n + (1 - z) * h if fault == "turned" else (1 - z) * n + z * h


def lstm(x, h, c, w_ih, w_hh, b_ih, b_hh, fault=""):
    i, f, g, o = (x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).chunk(4, dim=-1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    if fault == "exchanged":
        i, f = f, i
    if fault == "1997":
        f = torch.ones_like(f)
    old, c = c, f * c + (1 - f if fault == "average" else 1 if fault == "all in" else i) * g
    if fault == "old":
        return o * old.tanh(), c
    if fault == "no output gate":
        return c.tanh(), c
    if fault == "squeezed":
        c = c.tanh()
        return o * c, c
    h = o * c if fault == "straight" else o * c.tanh()
    return (c, h) if fault == "order" else (h, c)


def test_the_right_answers_pass():
    assert check_counting(COUNTS)
    assert check_half(HALF)
    assert check_gru_step(gru_step) and check_gru_step(gru)
    assert check_lstm_step(lstm_step) and check_lstm_step(lstm)
    assert check_lstm_step(lambda *given: list(lstm(*given)))
    assert check_last_states(last_states) and check_last_states(last_states_one_by_one)
    assert check_last_states(
        lambda outputs, lengths: outputs.gather(1, (lengths - 1)[:, None, None].expand(-1, 1, 2))[:, 0]
    )


def last_states_one_by_one(outputs, lengths):
    return torch.stack([row[length - 1] for row, length in zip(outputs, lengths.tolist(), strict=True)])


def test_the_counts_are_torchs():
    for letter, module in (("b", nn.RNN(4, 3)), ("c", nn.GRU(4, 3)), ("d", nn.LSTM(4, 3, bidirectional=True))):
        assert COUNTS[letter] == sum(parameter.numel() for parameter in module.parameters())
    assert math.tanh(math.log(3) * (0.8 + COUNTS["e"])) == pytest.approx(-0.5)  # (0, ⅘) exchanged is (⅘, 0)
    assert (1 / (1 + math.exp(-HALF))) ** 20 == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"a": 8}, "one sentence"),
        ({"a": 21}, "before the first words"),
        ({"a": 22}, "a first state of its own"),
        ({"b": 24}, "two biases"),
        ({"b": 21}, "biases are missing"),
        ({"c": 27}, "three of everything"),
        ({"d": 108}, "one direction"),
        ({"e": -0.5}, "has come to the first place"),
        ({"e": 1.3}, "which sign"),
        ({"e": -0.8}, "as *cats* did"),
        ({"e": ...}, "still to be predicted"),
        ({"a": "8"}, "one number"),
        ({"c": 54}, "(c) is not 54"),
        ({"d": 162}, "four of everything"),
        ({"e": -0.3}, "that makes it ½"),
    ],
)
def test_wrong_counts_are_named(wrong, told):
    assert told in diagnosis(check_counting({**COUNTS, **wrong}))


def test_counts_may_be_fractions_and_tensors_but_no_list():
    assert check_counting({**COUNTS, "a": torch.tensor(24), "e": Fraction(-13, 10)})
    assert check_counting({**COUNTS, "b": np.int64(27), "e": math.atanh(-0.5) / math.log(3) - 0.8})
    assert "dictionary" in diagnosis(check_counting(list(COUNTS.values())))
    assert check_half(torch.tensor(HALF)) and check_half(np.float64(HALF)) and check_half(round(HALF, 2))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (0.5 ** (1 / 20), "what the gate should be"),
        (0, "after one step"),
        (2.0, "is left"),
        ("x", "number"),
        (..., "still to be computed"),
    ],
)
def test_wrong_biases_are_named(wrong, told):
    assert told in diagnosis(check_half(wrong))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("turned", "z is turned round"),
        ("exchanged", "r and z are exchanged"),
        ("early", "multiplies the state"),
        ("no reset", "is not used"),
        ("all reset", "the state's part alone"),
        ("not mixed", "z ⊙ h is missing"),
        ("proposal", "mix it"),
        ("straight", "tanh is missing"),
        ("sigmoid", "where tanh belongs"),
    ],
)
def test_wrong_gru_steps_are_named(fault, told):
    assert told in diagnosis(
        check_gru_step(lambda x, h, w_ih, w_hh, b_ih, b_hh: gru(x, h, w_ih, w_hh, b_ih, b_hh, fault))
    )


def test_a_bias_outside_of_the_reset_gate_and_other_accidents_are_named():
    def outside(x, h, w_ih, w_hh, b_ih, b_hh):
        b_r, b_z, b_n = b_hh.chunk(3)
        no_bias = torch.cat([b_r, b_z, 0 * b_n])
        moved = b_ih + torch.cat([0 * b_r, 0 * b_z, b_n])
        return gru(x, h, w_ih, w_hh, moved, no_bias)

    assert "belongs inside" in check_gru_step(outside).message
    assert "wrong shape" in check_gru_step(lambda x, h, *weights: gru(x, h, *weights)[0]).message
    assert "differs at row 0" in check_gru_step(lambda x, h, *weights: h).message


def test_steps_that_could_not_be_trained_or_lose_precision_are_named():
    assert "no gradient" in diagnosis(check_gru_step(lambda *given: gru(*given).detach()))
    assert "no gradient" in diagnosis(check_lstm_step(lambda *given: [part.detach() for part in lstm(*given)]))
    assert "float32" in diagnosis(check_gru_step(lambda *given: gru(*given).float()))
    assert "float32" in diagnosis(check_lstm_step(lambda *given: [part.float() for part in lstm(*given)]))
    assert "in place" in diagnosis(check_gru_step(lambda x, h, *weights: h.data.add_(1)))


def test_a_step_written_for_one_width_is_seen():
    def four_wide(x, h, w_ih, w_hh, b_ih, b_hh):
        a, b = x @ w_ih.T + b_ih, h @ w_hh.T + b_hh
        r, z = (a[:, :4] + b[:, :4]).sigmoid(), (a[:, 4:8] + b[:, 4:8]).sigmoid()
        return (1 - z) * (a[:, 8:] + r * b[:, 8:]).tanh() + z * h

    assert not check_gru_step(four_wide)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda outputs, lengths: outputs[:, -1], "padding"),
        (lambda outputs, lengths: last_states(outputs, lengths, 0), "too far"),
        (lambda outputs, lengths: last_states(outputs, lengths, 2), "too early"),
        (lambda outputs, lengths: outputs[:, lengths.min() - 1], "shortest"),
        (lambda outputs, lengths: outputs.mean(dim=1), "averaged"),
        (lambda outputs, lengths: outputs[:, 2], "the first row"),
        (lambda outputs, lengths: outputs[:, 0], "after the first word"),
        (lambda outputs, lengths: outputs[:, 1], "shortest"),
        (lambda outputs, lengths: outputs.flip(1)[:, 1], "differ at row"),
        (lambda outputs, lengths: outputs.max(dim=1).values, "differ at row"),
        (lambda outputs, lengths: last_states(outputs.flip(0), lengths), "differ at row"),
        (lambda outputs, lengths: outputs, "wrong shape"),
        (lambda outputs, lengths: outputs[:, -1].tolist(), "torch tensor"),
    ],
)
def test_wrong_last_states_are_named(answer, told):
    assert told in diagnosis(check_last_states(answer))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("squeezed", "squeezed again at every step"),
        ("exchanged", "i and f are exchanged"),
        ("1997", "the cell of 1997"),
        ("average", "an average"),
        ("straight", "tanh is missing in h"),
        ("order", "h and c are exchanged"),
        ("all in", "input gate i is missing"),
        ("old", "c is renewed first"),
        ("no output gate", "output gate o is missing"),
    ],
)
def test_wrong_lstm_steps_are_named(fault, told):
    assert told in diagnosis(check_lstm_step(lambda x, h, c, a, b, d, e: lstm(x, h, c, a, b, d, e, fault)))


def reach(states, w_h, slope=lambda h: 1 - h**2, order=1, at=1):
    product = np.eye(len(w_h))
    for h in (states[1:] if at else states[:-1])[::order]:
        product = product @ (w_h * slope(h))
    return product


def by_differences(states, w_h):
    """The inputs that lead through these states are recovered, and the first state is moved a little."""
    inputs = [np.arctanh(new) - old @ w_h for old, new in pairwise(states)]

    def last(h):
        for x in inputs:
            h = np.tanh(x + h @ w_h)
        return h

    tiny = 1e-6
    return np.array([(last(states[0] + tiny * e) - last(states[0] - tiny * e)) / (2 * tiny) for e in np.eye(len(w_h))])


def by_diagonals(states, w_h):
    return np.linalg.multi_dot([np.eye(len(w_h)), *(w_h @ np.diag(1 - h * h) for h in states[1:])])


@pytest.mark.parametrize("right", [reach, by_diagonals])
def test_a_right_derivative_passes(right):
    report = check_reach(right)
    assert report, report.message


def test_the_right_derivative_is_that_of_differences():
    draws = np.random.default_rng(1)
    w_h, states = draws.normal(size=(2, 2)), list(np.tanh(draws.normal(size=(4, 2))))
    np.testing.assert_allclose(reach(states, w_h), by_differences(states, w_h), rtol=1e-6)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda s, w: reach(s, w).T, "its transpose"),
        (lambda s, w: reach(s, w, slope=lambda h: 1), "slope of tanh is missing"),
        (lambda s, w: reach(s, w, at=0), "at the state before"),
        (lambda s, w: reach(s, w, slope=lambda h: (1 - h**2)[:, None]), "columns of W_h"),
        (lambda s, w: reach(s, w, order=-1), "wrong order"),
        (lambda s, w: (w * (1 - s[0] ** 2)) @ reach(s, w), "h_0 has no factor"),
        (lambda s, w: reach(s[:-1], w), "The last step is missing"),
        (lambda s, w: np.prod([w * (1 - h**2) for h in s[1:]], axis=0), "number by number"),
        (lambda s, w: sum(w * (1 - h**2) for h in s[1:]), "not added"),
        (lambda s, w: reach(s, w, slope=lambda h: 1 - h), "1 − h²"),
        (lambda s, w: 2 * reach(s, w), "A wrong number at"),
        (lambda s, w: reach(s, w)[0], "wrong shape"),
        (lambda s, w: reach(s, w).tolist(), "Expected the derivative"),
    ],
)
def test_a_wrong_derivative_is_recognised(wrong, said):
    assert said in diagnosis(check_reach(wrong))
