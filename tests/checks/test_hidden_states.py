"""The checks of the chapter on attention over hidden states: they pass what is right and name what is wrong."""

import math

import pytest
import torch

from attention_book.checks import hidden_states as checks


def told(report):
    assert not report
    return report.message


LISTENS = {"a": False, "b": True, "c": False, "d": True, "e": True, "f": True}


def scores_of(name, q, k, w_q, w_k, v, u, places):
    asked, offered = q @ w_q, k @ w_k
    return {
        "a": lambda: (asked + offered) @ v,
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
    assert told(checks.check_listens(LISTENS | {name: not LISTENS[name]})).startswith(f"{name} is {LISTENS[name]}: ")


def test_guesses_that_are_open_or_no_guesses_are_named():
    assert "still open" in told(checks.check_listens(LISTENS | {"b": ...}))
    assert "True or False" in told(checks.check_listens(LISTENS | {"b": 1}))
    assert "for each of" in told(checks.check_listens({"a": True}))


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
        ({"decoder, asks before, training": 35}, "do not wait for each other"),
        ({"attention of all rows, asks after, training": 5}, "all rows can ask at once"),
        ({"encoder, one direction": 3}, "must be there before"),
        ({"encoder, one direction": 7.0}, "whole number"),
        ({"encoder, one direction": ...}, "still open"),
    ],
)
def test_wrong_counts_of_waiting_are_named(wrong, message):
    assert message in told(checks.check_waits(WAITS | wrong))


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


@pytest.mark.parametrize("right", [additive, one_by_one])
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
    assert message in told(checks.check_additive(wrong))


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
    assert message in told(checks.check_backward(wrong))


def links(weights, n_source, n_target):
    best = weights.argmax(1).tolist()
    return {(i, j) for j, i in enumerate(best[:n_target]) if i < n_source}


def test_links_pass():
    assert checks.check_links(links)
    assert links(*checks.observed()) == {(2, 0), (0, 2)}


def late(weights, n_source, n_target):
    return {(i, j) for j, i in enumerate(weights[1:].argmax(1).tolist()) if i < n_source}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (late, "made *after* it was read"),
        (lambda w, n, m: {(i, j) for j, i in enumerate(w[1:].argmax(1).tolist())}, "made *after* it was read"),
        (lambda w, n, m: {(i, j) for j, i in enumerate(w[:m].argmax(1).tolist())}, "`</s>` and no word"),
        (lambda w, n, m: {(i, j) for j, i in enumerate(w.argmax(1).tolist()) if i < n}, "the last row belongs"),
        (lambda w, n, m: {(i, j) for j, i in enumerate(w.argmax(1).tolist())}, "neither of the source nor"),
        (lambda w, n, m: {(j, i) for i, j in links(w, n, m)}, "changed places"),
        (lambda w, n, m: {(i, int(w[:m, i].argmax())) for i in range(n)}, "each *source* word chose"),
        (lambda w, n, m: links(w, n, m) | {(1, 1)}, "(1, 1) is no link"),
        (lambda w, n, m: links(w, n, m) - {(2, 0)}, "(2, 0) is missing"),
        (lambda w, n, m: w, "set of pairs"),
    ],
)
def test_wrong_links_are_named(wrong, message):
    assert message in told(checks.check_links(wrong))


def test_checks_change_no_global_state():
    state = torch.random.get_rng_state()
    checks.check_additive(additive)
    checks.check_backward(lambda read, x, lengths: read(x))
    checks.check_links(links)
    assert torch.equal(torch.random.get_rng_state(), state)
