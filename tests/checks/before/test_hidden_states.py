"""The checks on attention over hidden states, both directions, and who asks: they pass right and name wrong answers."""

import math
from fractions import Fraction

import numpy as np
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


ONE_LOOK, TWO_LOOKS = [0, 1, 0], [0.5, 0, 0.5]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ONE_LOOK, TWO_LOOKS),
        (torch.tensor([0.25, 0.5, 0.25]), np.array([0.5, 0.0, 0.5])),
        ((Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)), [0.2, 6 / 35, 22 / 35]),
        ([1 / 3, 1 / 3, 1 / 3], TWO_LOOKS),
    ],
)
def test_two_looks_with_one_context_pass(first, second):
    assert checks.check_same_context(first, second)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (ONE_LOOK, ONE_LOOK, "the same look"),
        (ONE_LOOK, [1, 0, 0], "The contexts differ: (0, −0.5) and (0.5, −1)"),
        ([0.5, 0.5, 0.5], TWO_LOOKS, "The first row sums to 1.5"),
        (ONE_LOOK, [1, -1, 1], "The second row has the weight −1"),
        (ONE_LOOK, [0.5, 0.5], "wrong shape"),
        (ONE_LOOK, [ONE_LOOK], "wrong shape"),
        (ONE_LOOK, ..., "still open"),
        ("ab", TWO_LOOKS, "the first row"),
        (ONE_LOOK, [math.nan, 0, 1], "NaN"),
    ],
)
def test_looks_that_do_not_break_the_sentence_are_named(first, second, message):
    assert message in diagnosis(checks.check_same_context(first, second))


WAITS = {
    "asks before, training": 10,
    "asks after, training": 6,
    "asks before, translating": 10,
    "asks after, translating": 10,
}


def longest_queue(asks, training, n=5):
    """The longest chain of states and contexts, built from what each formula needs."""
    length = {"s0": 0, "c0": 0, "y0": 0}
    for t in range(1, n + 1):
        needs = {
            "before": {f"c{t}": [f"s{t - 1}"], f"s{t}": [f"s{t - 1}", f"y{t - 1}", f"c{t}"]},
            "after": {f"s{t}": [f"s{t - 1}", f"y{t - 1}"], f"c{t}": [f"s{t}"]},
        }[asks]
        for made, parts in needs.items():
            length[made] = 1 + max(length[part] for part in parts)
        length[f"y{t}"] = 0 if training else max(length[f"s{t}"], length[f"c{t}"])
    return max(length.values())


def test_what_waits_passes():
    assert {name: longest_queue(name[5:].split(",")[0], "training" in name) for name in WAITS} == WAITS
    assert checks.check_waits(WAITS)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"asks before, training": 1}, "made of the one before"),
        ({"asks before, training": 5}, "Count the contexts, too"),
        ({"asks after, training": 5}, "Count the contexts, too"),
        ({"asks after, training": 10}, "no state waits for a context"),
        ({"asks after, translating": 6}, "What must be there before that word is known"),
        ({"asks before, translating": 15}, "and not the words"),
        ({"asks before, training": 9}, "One too many or too few"),
        ({"asks after, training": 7}, "One too many or too few"),
        ({"asks before, training": 3}, "Write the chain down"),
        ({"asks after, training": 6.0}, "whole number"),
        ({"asks after, training": ...}, "still open"),
    ],
)
def test_wrong_counts_of_waiting_are_named(wrong, message):
    assert message in diagnosis(checks.check_waits(WAITS | wrong))


CHANGES = {"a": False, "b": True, "c": True, "d": False, "e": True, "f": True}


def states_of(x, name):
    """The state that a statement of the exercise is about, from torch's own layers."""
    torch.manual_seed(7)
    first = torch.nn.GRU(3, 4, batch_first=True, bidirectional=True).double()
    plain, joined = (torch.nn.GRU(width, 4, batch_first=True).double() for width in (4, 8))
    states = first(x[None])[0]
    return {
        "a": lambda: states[0, 3, 4:],
        "b": lambda: states[0, 0, 4:],
        "c": lambda: states[0, 0],
        "d": lambda: plain(states[..., :4])[0][0, 1],
        "e": lambda: joined(states)[0][0, 0],
        "f": lambda: torch.cat([states[0, -1, :4], states[0, 0, 4:]]),
    }[name]()


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_said_to_change_does(name):
    x = torch.randn(5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    other = x[{"a": [1, 0, 2, 3, 4], "b": [0, 1, 2, 4, 3]}.get(name, [0, 1, 2, 3, 4])]
    if name not in "ab":
        other[2 if name == "f" else 4] += 1
    assert torch.equal(states_of(x, name), states_of(other, name)) != CHANGES[name]


def test_what_changes_passes():
    assert checks.check_changes(CHANGES)


@pytest.mark.parametrize("name", CHANGES)
def test_each_wrong_guess_about_changes_is_named(name):
    said = diagnosis(checks.check_changes(CHANGES | {name: not CHANGES[name]}))
    assert said.startswith(f"{name} is {CHANGES[name]}: ")
    assert "still open" in diagnosis(checks.check_changes(CHANGES | {name: ...}))


def nudged(read, x):
    before, columns = read(x), []
    for word in range(len(x)):
        other = x.clone()
        other[word] += 1
        columns.append((read(other) != before).any(dim=1))
    return torch.stack(columns, dim=1)


def differentiated(read, x):
    return torch.autograd.functional.jacobian(read, x).abs().amax(dim=(1, 3)) > 0


def in_lists(read, x):
    return nudged(read, x).tolist()


@pytest.mark.parametrize("right", [nudged, differentiated, in_lists, lambda *a: nudged(*a).numpy()])
def test_who_knows_what_passes(right):
    assert checks.check_knows(right)


def left_changed(read, x):
    before, other, columns = read(x), x.clone(), []
    for word in reversed(range(len(x))):
        other[word] += 1
        columns.insert(0, (read(other) != before).any(dim=1))
    return torch.stack(columns, dim=1)


def first_number(read, x):
    before, columns = read(x), []
    for word in range(len(x)):
        other = x.clone()
        other[word, 0] += 1
        columns.append((read(other) != before).any(dim=1))
    return torch.stack(columns, dim=1)


def changes_x(read, x):
    before, columns = read(x), []
    for word in range(len(x)):
        x[word] += 1
        columns.append((read(x) != before).any(dim=1))
    return torch.stack(columns, dim=1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda *a: nudged(*a).T, "rows and columns are exchanged"),
        (lambda *a: ~nudged(*a), "turned round"),
        (lambda *a: nudged(*a) | True, "Change one word at a time"),
        (left_changed, "For a state that reads backwards: every state knows every word"),
        (first_number, "a state may use one"),
        (changes_x, "in place"),
        (lambda read, x: torch.eye(len(x), dtype=torch.bool), "its own word alone"),
        (lambda read, x: torch.ones(len(x), len(x)).tril() > 0, "For a state that reads backwards: rows and columns"),
        (lambda *a: nudged(*a)[0], "wrong shape"),
        (lambda read, x: torch.autograd.functional.jacobian(read, x).abs().amax(dim=(1, 3)), "other numbers than"),
        (lambda read, x: nudged(read, x) & (torch.arange(5) != 2), "state 2 knows word 2"),
        (lambda read, x: None, "Is the `return` missing?"),
    ],
)
def test_wrong_tables_of_who_knows_what_are_named(wrong, message):
    assert message in diagnosis(checks.check_knows(wrong))


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
