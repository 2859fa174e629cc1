"""Recurrent cells: torch's own, forward and backward and on packed rows, and laws that any reader of rows keeps."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close, leaves, normal, seeded, unchecked
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attention_book.models import cells

KINDS = ("RNN", "GRU", "LSTM")
D_IN, HIDDEN, BATCH, LENGTH = 3, 4, 3, 6
LENGTHS = torch.tensor([4, 6, 1])
kinds = pytest.mark.parametrize("kind", KINDS)
shapes = pytest.mark.parametrize(
    ("num_layers", "bidirectional"), [(1, False), (2, False), (1, True), (2, True)], ids=str
)
packed_or_not = pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["whole", "packed"])
law = settings(max_examples=12, deadline=None)
kind_drawn = st.sampled_from(KINDS)


def layers(kind, num_layers=1, bidirectional=False, d_in=D_IN, hidden=HIDDEN):
    """Ours, in double precision, with weights large enough for the gates to open and close."""
    ours = seeded(lambda: getattr(cells, kind)(d_in, hidden, num_layers, bidirectional=bidirectional)).double()
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter *= 2
    return ours


def torchs(ours):
    """torch's layers with the same weights."""
    twin = getattr(nn, type(ours).__name__)(
        ours.input_size, ours.hidden_size, ours.num_layers, batch_first=True, bidirectional=ours.bidirectional
    ).double()
    twin.load_state_dict(ours.state_dict())
    return twin


def read_by_torch(twin, x, state, lengths):
    if lengths is None:
        return twin(x, state)
    packed, last = twin(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False), state)
    return pad_packed_sequence(packed, batch_first=True, total_length=x.shape[1])[0], last


def parts(state):
    return state if isinstance(state, tuple) else (state,)


def first_states(ours, seed=1):
    n, places = (2 if isinstance(ours, cells.LSTM) else 1), ours.num_layers * (1 + ours.bidirectional)
    return [normal(places, BATCH, ours.hidden_size, seed=seed + i) for i in range(n)]


@kinds
@shapes
@packed_or_not
def test_outputs_states_and_gradients_are_torchs(kind, num_layers, bidirectional, lengths):
    ours = layers(kind, num_layers, bidirectional)
    twin, x, first = torchs(ours), normal(BATCH, LENGTH, D_IN), first_states(ours)
    our_x, *our_first = leaves(x, *first)
    their_x, *their_first = leaves(x, *first)
    outputs, last = ours(our_x, tuple(our_first) if kind == "LSTM" else our_first[0], lengths)
    wanted, wanted_last = read_by_torch(
        twin, their_x, tuple(their_first) if kind == "LSTM" else their_first[0], lengths
    )
    close(outputs, wanted)
    assert isinstance(last, tuple) == isinstance(wanted_last, tuple)
    for found, expected in zip(parts(last), parts(wanted_last), strict=True):
        close(found, expected)
    upstream = [normal(*t.shape, seed=9 + i) for i, t in enumerate((outputs, *parts(last)))]
    torch.autograd.backward((outputs, *parts(last)), upstream)
    torch.autograd.backward((wanted, *parts(wanted_last)), upstream)
    for found, expected in zip((our_x, *our_first), (their_x, *their_first), strict=True):
        close(found.grad, expected.grad)
    for (name, found), (other, expected) in zip(ours.named_parameters(), twin.named_parameters(), strict=True):
        assert name == other
        close(found.grad, expected.grad)


@kinds
@shapes
def test_the_first_state_is_zero_and_new_weights_are_drawn_as_torch_draws_them(kind, num_layers, bidirectional):
    options = {"num_layers": num_layers, "bidirectional": bidirectional, "batch_first": True}
    ours = seeded(lambda: getattr(cells, kind)(D_IN, HIDDEN, **options))
    twin = seeded(lambda: getattr(nn, kind)(D_IN, HIDDEN, **options))
    assert [*ours.state_dict()] == [*twin.state_dict()]
    for name, parameter in twin.state_dict().items():
        assert torch.equal(ours.state_dict()[name], parameter), name
    x = normal(BATCH, LENGTH, D_IN, dtype=torch.float32)
    close(ours(x)[0], twin(x)[0], atol=1e-6)


@kinds
def test_a_step_is_torchs_cell(kind):
    cell = seeded(lambda: getattr(nn, f"{kind}Cell")(D_IN, HIDDEN)).double()
    state = (normal(BATCH, HIDDEN, seed=2), normal(BATCH, HIDDEN, seed=3))[: 2 if kind == "LSTM" else 1]
    x = normal(BATCH, D_IN)
    step = getattr(cells, f"{kind.lower()}_step")
    found = step(x, *state, *cell.parameters())
    wanted = cell(x, state if kind == "LSTM" else state[0])
    for ours, theirs in zip(parts(found), parts(wanted), strict=True):
        close(ours, theirs)


def test_one_number_wide_by_hand():
    """A GRU and an LSTM on single numbers, gate by gate, with math alone."""
    s, x, h, c = (lambda a: 1 / (1 + math.exp(-a))), 0.5, -0.4, 0.8
    column = torch.tensor([[1.0], [2.0], [-1.0], [0.5]], dtype=torch.float64)
    one, none = torch.ones(1, 1, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)
    r, z = s(x * 1 + h * 0.5), s(x * 2 + h * 0.5)
    n = math.tanh(x * -1 + r * h * 0.5)
    found = cells.gru_step(x * one, h * one, column[:3], column[3].expand(3, 1), none[:3], none[:3])
    assert found.item() == pytest.approx((1 - z) * n + z * h)
    i, f, g, o = s(x + h * 0.5), s(2 * x + h * 0.5), math.tanh(-x + h * 0.5), s(0.5 * x + h * 0.5)
    new_h, new_c = cells.lstm_step(x * one, h * one, c * one, column, column[3].expand(4, 1), none, none)
    assert new_c.item() == pytest.approx(f * c + i * g)
    assert new_h.item() == pytest.approx(o * math.tanh(f * c + i * g))


def test_the_reset_gate_of_torch_comes_after_the_product():
    """Cho et al. 2014 reset the state before multiplying. Where W mixes coordinates the two are different functions."""
    w = normal(3 * HIDDEN, HIDDEN, seed=4) * 2
    none = torch.zeros(3 * HIDDEN, dtype=torch.float64)
    x, h = normal(1, HIDDEN), normal(1, HIDDEN, seed=1)
    r, z = torch.sigmoid(x @ w[:HIDDEN].T + h @ w[:HIDDEN].T), torch.sigmoid((x + h) @ w[HIDDEN : 2 * HIDDEN].T)
    theirs = (1 - z) * torch.tanh((x + r * h) @ w[2 * HIDDEN :].T) + z * h
    after = (1 - z) * torch.tanh(x @ w[2 * HIDDEN :].T + r * (h @ w[2 * HIDDEN :].T)) + z * h
    found = cells.gru_step(x, h, w, w, none, none)
    close(found, after)
    assert (found - theirs).abs().max() > 0.01


def test_a_step_works_with_any_axes_in_front():
    ours = layers("LSTM")
    x, h, c = normal(2, 5, D_IN), normal(2, 5, HIDDEN, seed=1), normal(2, 5, HIDDEN, seed=2)
    together = cells.lstm_step(x, h, c, *ours.weights())
    alone = cells.lstm_step(x[1, 3], h[1, 3], c[1, 3], *ours.weights())
    for whole, one in zip(together, alone, strict=True):
        close(whole[1, 3], one)


# States are counted: n inputs, n + 1 states.


@law
@given(st.integers(0, 7), st.integers(1, 3))
def test_n_inputs_make_n_plus_one_states(length, batch):
    ours, x = layers("RNN"), normal(batch, length, D_IN)
    first = (normal(batch, HIDDEN, seed=1),)
    states = cells.unroll(lambda x_t, before: (cells.rnn_step(x_t, *before, *ours.weights()),), x, first)
    assert len(states) == length + 1
    assert torch.equal(states[0][0], first[0])
    if length:
        outputs, last = ours(x, first[0][None])
        close(outputs, torch.stack([h for (h,) in states[1:]], dim=1))
        close(last[0], states[-1][0])


# Laws of reading.


@law
@given(kind_drawn, st.integers(1, 2), st.booleans(), st.lists(st.integers(0, 5), min_size=2, max_size=4), st.booleans())
def test_what_padding_holds_and_how_much_there_is_of_it_changes_nothing(kind, num_layers, both, lengths, more):
    ours, lengths = layers(kind, num_layers, both), torch.tensor(lengths)
    x = normal(len(lengths), 5, D_IN)
    outputs, last = ours(x, None, lengths)
    other = torch.where((torch.arange(5) < lengths[:, None])[..., None], x, 100.0)
    if more:
        other = torch.cat([other, torch.full((len(lengths), 2, D_IN), -7.0, dtype=x.dtype)], dim=1)
    others, other_last = ours(other, None, lengths)
    assert torch.equal(outputs, others[:, :5])
    assert not others[:, 5:].any()
    for one, two in zip(parts(last), parts(other_last), strict=True):
        assert torch.equal(one, two)


@law
@given(kind_drawn, st.integers(1, 2), st.booleans(), st.integers(1, 5))
def test_a_row_among_others_is_what_it_is_alone(kind, num_layers, both, length):
    ours, x = layers(kind, num_layers, both), normal(2, 5, D_IN)
    outputs, last = ours(x, None, torch.tensor([5, length]))
    alone, alone_last = ours(x[1:, :length])
    close(outputs[1:, :length], alone)
    for one, two in zip(parts(last), parts(alone_last), strict=True):
        close(one[:, 1:], two)


@law
@given(kind_drawn, st.integers(1, 2), st.integers(1, 5))
def test_more_to_read_does_not_change_what_was_read(kind, num_layers, length):
    ours, x = layers(kind, num_layers), normal(2, 6, D_IN)
    outputs, last = ours(x[:, :length])
    whole, whole_last = ours(x)
    close(whole[:, :length], outputs)
    rest, rest_last = ours(x[:, length:], last)  # and reading can go on from a state
    close(whole[:, length:], rest)
    for one, two in zip(parts(whole_last), parts(rest_last), strict=True):
        close(one, two)


@law
@given(kind_drawn, st.integers(1, 5))
def test_backwards_everything_read_later_counts_and_forwards_nothing(kind, length):
    ours, x = layers(kind, bidirectional=True), normal(2, 6, D_IN)
    prefix, whole = ours(x[:, :length])[0], ours(x)[0][:, :length]
    close(whole[..., :HIDDEN], prefix[..., :HIDDEN])
    assert ((whole - prefix)[..., HIDDEN:].abs().amax(dim=-1) > 1e-9).all()


@law
@given(kind_drawn, st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_the_backward_direction_is_the_forward_one_on_reversed_rows(kind, lengths):
    both, lengths = layers(kind, bidirectional=True), torch.tensor(lengths)
    alone = layers(kind)
    alone.load_state_dict({name: both.state_dict()[f"{name}_reverse"] for name in alone.state_dict()})
    x = normal(len(lengths), 5, D_IN)
    outputs, last = both(x, None, lengths)
    for row, length in enumerate(lengths.tolist()):
        turned, end = alone(x[row : row + 1, :length].flip(1))
        close(outputs[row, :length, HIDDEN:], turned.flip(1)[0])
        for one, two in zip(parts(last), parts(end), strict=True):
            close(one[1, row], two[0, 0])


@kinds
def test_a_row_with_nothing_in_it_keeps_its_first_state_with_finite_gradients(kind):
    ours = layers(kind, 2, True)
    first = first_states(ours)
    (x,) = leaves(normal(BATCH, LENGTH, D_IN))
    lengths = torch.tensor([3, 0, 6])
    outputs, last = ours(x, tuple(first) if kind == "LSTM" else first[0], lengths)
    assert not outputs[1].any()
    for before, after in zip(first, parts(last), strict=True):
        assert torch.equal(before[:, 1], after[:, 1])
    outputs.sum().backward()
    assert torch.isfinite(x.grad).all()
    assert not x.grad[1].any()


# What is refused.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_first": False}, "batch_first=False is not offered"),
        ({"hidden_size": 0}, "hidden_size"),
        ({"input_size": -1}, "input_size"),
        ({"num_layers": 0}, "num_layers"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        cells.GRU(**{"input_size": 2, "hidden_size": 3, **options})


@pytest.mark.parametrize(
    ("width", "first", "lengths", "message"),
    [
        (D_IN + 1, None, None, "input_size=3"),
        (D_IN, torch.zeros(1, 2, HIDDEN), None, r"2 tensor\(s\) of shape \(1, 2, 4\)"),
        (D_IN, (torch.zeros(2, HIDDEN),) * 2, None, r"got \[\(2, 4\), \(2, 4\)\]"),
        (D_IN, None, torch.tensor([2, 7]), "from 0 to 6"),
        (D_IN, None, torch.tensor([-1, 2]), "from 0 to 6"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(width, first, lengths, message):
    with unchecked(), pytest.raises(ValueError, match=message):
        layers("LSTM").float()(torch.zeros(2, 6, width), first, lengths)


def test_a_cell_with_a_pencil_keeps_the_order_of_the_words():
    """*Recurrent cells*: log 3 makes halves of tanh; the state is exchanged at every step."""
    log_3, none = math.log(3), torch.zeros(2, dtype=torch.float64)
    exchange = log_3 * torch.tensor([[0.0, 1], [1, 0]], dtype=torch.float64)
    words = {"I": (0.5, 0), "like": (0, 0.5), "cats": (-0.8, 0.5), ".": (0.5, 0.5)}

    def step(x_t, state):
        return (cells.rnn_step(x_t, *state, log_3 * torch.eye(2, dtype=torch.float64), exchange, none, none),)

    def read(sentence):
        x = torch.tensor([[words[word] for word in sentence.split()]], dtype=torch.float64)
        return torch.stack([h[0] for (h,) in cells.unroll(step, x, first=(none[None],))])

    wanted = torch.tensor([[0, 0], [0.5, 0], [0, 0.8], [0, 0.5], [0.8, 0.5]], dtype=torch.float64)
    torch.testing.assert_close(read("I like cats ."), wanted)
    assert not torch.allclose(read("cats like I .")[-1], wanted[-1], atol=0.05)
