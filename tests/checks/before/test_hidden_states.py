"""The checks of the chapter on attention over hidden states: they pass what is right and name what is wrong."""

import math

import pytest
import torch
from global_state import unchanged_state

from attention_book.checks.before import hidden_states as checks

from ..diagnosis import diagnosis

LISTENS = {"a": False, "b": True, "c": False, "d": True, "e": True, "f": True}


def scores_of(name, q, k, w_q, w_k, v, u, places):
    asked, offered = q @ w_q, k @ w_k
    return {
        "a": lambda: offered @ v + (q**2).sum(),
        "b": lambda: (asked + offered).tanh() @ v,
        "c": lambda: asked.tanh() @ v + offered.tanh() @ u,
        "d": lambda: ((asked + offered) @ v).tanh(),
        "e": lambda: -((q - k) ** 2).sum(-1) / 2,
        "f": lambda: q @ places,
    }[name]()


@pytest.mark.parametrize("name", LISTENS)
def test_what_is_said_to_listen_does(name):
    torch.manual_seed(0)
    q, other, k = torch.randn(4), torch.randn(4), torch.randn(5, 4)
    numbers = torch.randn(4, 6), torch.randn(4, 6), torch.randn(6), torch.randn(6), torch.randn(4, 5)
    first, second = (scores_of(name, x, k, *numbers).softmax(-1) for x in (q, other))
    assert torch.allclose(first, second, atol=1e-6) != LISTENS[name]


def test_who_listens_passes():
    assert checks.check_listens(LISTENS)


@pytest.mark.parametrize("name", LISTENS)
def test_each_wrong_guess_about_listening_is_named(name):
    said = diagnosis(checks.check_listens(LISTENS | {name: not LISTENS[name]}))
    assert said.startswith(f"{name} is {LISTENS[name]}: ")


def test_guesses_that_are_open_or_no_guesses_are_named():
    assert "still open" in diagnosis(checks.check_listens(LISTENS | {"b": ...}))
    assert "True or False" in diagnosis(checks.check_listens(LISTENS | {"b": 1}))
    assert "for each of" in diagnosis(checks.check_listens({"a": True}))


WAITS = {
    "encoder, one direction": 7,
    "encoder, two directions": 7,
    "decoder, asks before, training": 5,
    "decoder, asks after, training": 5,
    "attention of all rows, asks after, training": 1,
}


def test_what_waits_passes():
    assert checks.check_waits(WAITS)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"encoder, two directions": 14}, "neither waits for the other"),
        ({"encoder, one direction": 6}, "Count `</s>`"),
        ({"decoder, asks before, training": 1}, "made of the one before"),
        ({"decoder, asks after, training": 1}, "made of the one before"),
        ({"decoder, asks before, training": 10}, "the states alone"),
        ({"decoder, asks before, training": 35}, "do not wait for each other"),
        ({"attention of all rows, asks after, training": 5}, "all rows can ask at once"),
        ({"encoder, one direction": 3}, "must be there before"),
        ({"encoder, one direction": 7.0}, "whole number"),
        ({"encoder, one direction": ...}, "still open"),
    ],
)
def test_wrong_counts_of_waiting_are_named(wrong, message):
    assert message in diagnosis(checks.check_waits(WAITS | wrong))


def additive(s, h, real, w_q, w_k, v, *, hidden=None, weigh=None, values=None):
    parts = (s @ w_q)[:, None], (h @ w_k)[None]
    scores = (hidden or (lambda a, b, v: (a + b).tanh() @ v))(*parts, v)
    weights = (weigh or (lambda e: e.masked_fill(~real, -math.inf).softmax(-1)))(scores)
    return weights @ (h if values is None else values), weights


def one_by_one(s, h, real, w_q, w_k, v):
    rows = []
    for state in s:
        scores = [((state @ w_q + key @ w_k).tanh() * v).sum() for key in h]
        powers = [math.exp(score) * bool(may) for score, may in zip(scores, real, strict=True)]
        rows.append([power / sum(powers) for power in powers])
    weights = torch.tensor(rows, dtype=torch.float64)
    return weights @ h, weights


def concatenated(s, h, real, w_q, w_k, v):
    pairs = torch.cat([s[:, None].expand(-1, len(h), -1), h[None].expand(len(s), -1, -1)], dim=-1)
    scores = torch.tanh(pairs @ torch.cat([w_q, w_k])) @ v
    weights = scores.masked_fill(~real, torch.finfo(scores.dtype).min).softmax(-1)
    return weights @ h, weights


def renormalised(s, h, real, w_q, w_k, v):
    scores = ((s @ w_q)[:, None] + h @ w_k).tanh() @ v
    powers = scores.exp() * real
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ h, weights


def left_out(s, h, real, w_q, w_k, v):
    weights = torch.zeros(len(s), len(h), dtype=s.dtype)
    weights[:, real] = (((s @ w_q)[:, None] + h[real] @ w_k).tanh() @ v).softmax(-1)
    return [weights @ h, weights]


@pytest.mark.parametrize("right", [additive, one_by_one, concatenated, renormalised, left_out])
def test_additive_attention_passes(right):
    assert checks.check_additive(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda *a: additive(*a, hidden=lambda x, y, v: (x + y) @ v), "tanh is missing"),
        (lambda *a: additive(*a, hidden=lambda x, y, v: (x.tanh() + y.tanh()) @ v), "of each part alone"),
        (lambda *a: additive(*a, hidden=lambda x, y, v: ((x + y) @ v).tanh()), "tanh is taken of the score"),
        (lambda *a: additive(*a, hidden=lambda x, y, v: (x + y).tanh().sum(-1)), "`v` is missing"),
        (lambda *a: additive(*a, hidden=lambda x, y, v: (x + y).tanh() @ v / math.sqrt(7)), "divided by √7"),
        (lambda *a: additive(*a, weigh=lambda e: e.softmax(-1)), "Padding is not hidden"),
        (lambda *a: additive(*a, weigh=lambda e: e.softmax(-1) * a[2]), "after the softmax"),
        (lambda *a: additive(*a, weigh=lambda e: e.softmax(0)), "Each column sums to 1"),
        (lambda *a: additive(*a, weigh=lambda e: e.masked_fill(~a[2], 0).softmax(-1)), "Padded states get weight"),
        (lambda *a: additive(*a, weigh=lambda e: e.masked_fill(~a[2], -20).softmax(-1)), "Padded states get weight"),
        (lambda *a: additive(*a, weigh=lambda e: e.masked_fill(~a[2], -50).softmax(-1)), "here about -600"),
        (lambda *a: additive(*a, weigh=lambda e: e.masked_fill(~a[2], -500).softmax(-1)), "below any number"),
        (lambda *a: additive(*a, weigh=lambda e: (e - 100.0 * ~a[2]).softmax(-1)), "Padded states get weight"),
        (lambda *a: additive(*a, weigh=lambda e: (e - 500.0 * ~a[2]).softmax(-1)), "below any number"),
        (lambda s, h, real, *w: additive(s, h, torch.arange(len(h)) < real.sum(), *w), "not always last"),
        (lambda *a: additive(*a, weigh=lambda e: e[:, : a[2].sum()].softmax(-1), values=a[1][: a[2].sum()]), "shape"),
        (lambda *a: additive(*a, weigh=lambda e: e), "the softmax is missing"),
        (lambda s, h, real, *w: additive(s, h, ~real if not real.all() else real, *w), "turned round"),
        (lambda *a: additive(*a, values=(a[1] @ a[4])[:, :6]), "mix the projected states"),
        (lambda *a: additive(*a, values=a[1] @ a[4]), "wrong shape"),
        (lambda *a: additive(*a)[0], "Expected 2 values"),
        (lambda *a: additive(*a)[::-1], "wrong shape"),
        (lambda *a: (additive(*a)[0] + 1, additive(*a)[1]), "the contexts are not"),
        (lambda *a: additive(*a, hidden=lambda x, y, v: (x + 2 * y).tanh() @ v), "Wrong weight at"),
    ],
)
def test_wrong_additive_attentions_are_named(wrong, message):
    assert message in diagnosis(checks.check_additive(wrong))


def turned(x, lengths):
    places = [[*range(n - 1, -1, -1), *range(n, x.shape[1])] for n in lengths.tolist()]
    return torch.stack([row[index] for row, index in zip(x, places, strict=True)])


def test_reading_backwards_passes():
    assert checks.check_backward(lambda read, x, lengths: turned(read(turned(x, lengths)), lengths))


def test_the_right_answer_to_reading_backwards_is_torchs():
    layer = torch.nn.GRU(3, 4, batch_first=True, bidirectional=True).double()
    forwards = checks.reader()
    for name, parameter in forwards.named_parameters():
        getattr(layer, f"{name}_reverse").data = parameter.data

    def torchs(read, x, lengths):
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        states, _ = torch.nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)
        return states[..., 4:].detach()

    assert checks.check_backward(torchs)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda read, x, n: read(x.flip(1)).flip(1), "begins with its padding"),
        (lambda read, x, n: read(x), "reading forwards"),
        (lambda read, x, n: turned(read(x), n), "the states were turned round"),
        (lambda read, x, n: read(turned(x, n)), "turn them back"),
        (lambda read, x, n: read(turned(x, n)).flip(1), "together with the padding"),
        (lambda read, x, n: turned(read(turned(x, n - 1)), n - 1), "the last real input stays last"),
        (lambda read, x, n: 2 * turned(read(turned(x, n)), n), "Rows of one length: row 0, place 0"),
        (lambda read, x, n: read(x)[:, :3], "wrong shape"),
    ],
)
def test_wrong_ways_of_reading_backwards_are_named(wrong, message):
    assert message in diagnosis(checks.check_backward(wrong))


def before(attend_to, cell, s, y):
    context = attend_to(s)
    return cell(torch.cat([y, context]), s), context


def after(attend_to, cell, s, y):
    state = cell(y, s)
    return state, attend_to(state)


def test_steps_pass():
    assert checks.check_steps(before, after)


def forgetful(attend_to, cell, s, y):
    return cell(y, s), attend_to(s)


def late(attend_to, cell, s, y):
    context = attend_to(cell(y, s))
    return cell(torch.cat([y, context]), s), context


def swapped(attend_to, cell, s, y):
    context = attend_to(s)
    return cell(torch.cat([context, y]), s), context


def fed(attend_to, cell, s, y):
    state = cell(torch.cat([y, torch.zeros(6, dtype=y.dtype)]), s)
    return state, attend_to(state)


def asks_with(make):
    def step(attend_to, cell, s, y):
        context = attend_to(make(s))
        return cell(torch.cat([y, context]), s), context

    return step


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ((after, after), "the state before the step asks"),
        ((before, before), "It is the new state's turn"),
        ((forgetful, after), "has read y alone"),
        ((late, after), "called once each, not 2 and 1"),
        ((swapped, after), "y comes first"),
        ((asks_with(lambda s: 2 * s), after), "the state before the step asks"),
        ((before, fed), "has read more than y"),
        ((before, forgetful), "It is the new state's turn"),
        ((lambda *a: before(*a)[::-1], after), "returns the context first"),
        ((lambda *a: (before(*a)[0] + 1, before(*a)[1]), after), "called once each, not 2 and 2"),
        ((before, lambda a, c, s, y: (lambda new: (s, a(new)))(c(y, s))), "`after` does not return the state"),
        ((before, lambda a, c, s, y: after(a, c, 2 * s, y)), "must start from the state"),
        ((before, lambda a, c, s, y: after(a, c, s, 2 * y)), "something else than y"),
        ((lambda *a: before(*a)[0], after), "Expected 2 values"),
    ],
)
def test_wrong_steps_are_named(pair, message):
    assert message in diagnosis(checks.check_steps(*pair))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_additive(additive)
        checks.check_backward(lambda read, x, lengths: read(x))
        checks.check_steps(before, after)
