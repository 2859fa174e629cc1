"""What the chapter on attention over hidden states works out: pencil numbers, deaf scores, what a state can know."""

import math

import pytest
import torch

from attention_book.analysis.information_flow import flow_told, two_way_flows
from attention_book.attention.scores import additive_scores, attend, dot_scores
from attention_book.models.cells import GRU, LSTM, RNN

STATES = torch.tensor([[0.5, -1], [0, -0.5], [-0.5, 0]], dtype=torch.float64)  # I, like, cats
BEFORE_ME, BEFORE_GUSTAN = torch.tensor([[0.5, 0.5], [0.5, 0]], dtype=torch.float64)


def units(state):
    """The two hidden units of each word, in the chapter's formulas, without matrices."""
    shift = state[0] + 8 * state[1]
    return [(math.tanh(math.log(3) * h[0]), math.tanh(math.log(3) * (h[1] + shift))) for h in STATES.tolist()]


def weights_by_formula(state):
    powers = [4**u * 16**w for u, w in units(state)]  # e to the 2 log 2 · u + 4 log 2 · w
    return [power / sum(powers) for power in powers]


def matrices():
    w_q, w_k = torch.tensor([[0.0, 1], [0, 8]], dtype=torch.float64), torch.eye(2, dtype=torch.float64)
    return math.log(3) * w_q, math.log(3) * w_k, math.log(2) * torch.tensor([2.0, 4], dtype=torch.float64)


def test_three_states_with_a_pencil():
    assert units(BEFORE_GUSTAN) == [pytest.approx(pair) for pair in ((0.5, -0.5), (0, 0), (-0.5, 0.5))]
    assert weights_by_formula(BEFORE_GUSTAN) == pytest.approx([1 / 7, 2 / 7, 4 / 7])
    assert weights_by_formula(BEFORE_ME) == pytest.approx([4 / 7, 2 / 7, 1 / 7], abs=1e-3)
    both = torch.stack([BEFORE_ME, BEFORE_GUSTAN])
    context, weights = attend(additive_scores(both, STATES, *matrices()), STATES)
    assert weights.tolist() == [pytest.approx(weights_by_formula(state)) for state in both]
    assert context[1].tolist() == pytest.approx([-3 / 14, -2 / 7])


def test_the_first_unit_alone_prefers_the_word_i_before_every_word():
    for state in (BEFORE_ME, BEFORE_GUSTAN):
        first = [unit[0] for unit in units(state)]
        assert first == pytest.approx([0.5, 0, -0.5])
        scores = torch.tensor(first).mul(2 * math.log(2))
        assert scores.softmax(-1).tolist() == pytest.approx([4 / 7, 2 / 7, 1 / 7])


def test_the_network_can_prefer_the_middle_word_and_no_product_can():
    state = torch.tensor([[0.5, 1 / 8]], dtype=torch.float64)
    _, (weights,) = attend(additive_scores(state, STATES, *matrices()), STATES)
    assert weights.argmax() == 1 and [round(float(one), 2) for one in weights] == [0.34, 0.39, 0.28]
    torch.manual_seed(0)
    queries = torch.randn(1000, 2, dtype=torch.float64)
    i, like, cats = dot_scores(queries, STATES).T
    assert torch.allclose(like, (i + cats) / 2) and (like <= torch.maximum(i, cats)).all()


def test_to_the_pencils_states_a_dot_product_is_blind():
    assert dot_scores(BEFORE_ME[None], STATES)[0].tolist() == [-0.25] * 3
    first, *_, last = dot_scores(BEFORE_GUSTAN[None], STATES)[0].tolist()
    assert first > last


def test_without_tanh_every_query_gets_the_same_weights():
    torch.manual_seed(0)
    q, k, w_q, w_k, v = torch.randn(6, 3), torch.randn(5, 4), torch.randn(3, 7), torch.randn(4, 7), torch.randn(7)
    deaf = (((q @ w_q)[:, None] + k @ w_k) @ v).softmax(-1)
    torch.testing.assert_close(deaf, deaf[:1].expand_as(deaf))
    listening = additive_scores(q, k, w_q, w_k, v).softmax(-1)
    assert (listening - listening[:1]).abs().max() > 0.1


@pytest.mark.parametrize("kind", [RNN, GRU, LSTM])
def test_forwards_a_state_knows_no_later_word_and_backwards_no_earlier(kind):
    torch.manual_seed(1)
    layer, x = kind(3, 4, bidirectional=True).double(), torch.randn(5, 3, dtype=torch.float64)
    forwards, backwards = two_way_flows(layer, x).values()
    assert torch.equal(forwards > 0, torch.ones(5, 5).tril() > 0)
    assert torch.equal(backwards > 0, torch.ones(5, 5).triu() > 0)


def test_a_flow_in_words_names_states_and_words():
    told = flow_told(torch.tensor([[0.5, 0], [0.25, 1]]), ["I", "."], "forwards")
    assert told.endswith(
        "to each word. State of 'I': 0.50 to 'I', 0.00 to '.'. State of '.': 0.25 to 'I', 1.00 to '.'."
    )


def test_both_directions_are_two_readers_side_by_side():
    torch.manual_seed(2)
    both, x = GRU(3, 4, bidirectional=True), torch.randn(2, 6, 3)
    readers = GRU(3, 4), GRU(3, 4)
    for reader, backward in zip(readers, (False, True), strict=True):
        for mine, theirs in zip(reader.weights(), both.weights(backward=backward), strict=True):
            mine.data = theirs
    joined = torch.cat([readers[0](x)[0], readers[1](x.flip(1))[0].flip(1)], dim=-1)
    torch.testing.assert_close(both(x)[0], joined)
    assert joined.shape == (2, 6, 2 * 4)
