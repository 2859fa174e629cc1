"""Exchanged states: none changes nothing, all make it the other sentence, and the first state stays."""

from dataclasses import replace

import pytest
import torch

from attention_book.memory_swaps import with_states_of
from attention_book.recurrent import RecurrentConfig, RecurrentEncoderDecoder

TARGET = torch.tensor([[1, 7, 8]])


@pytest.fixture(params=["additive", "dot"])
def model(request):
    torch.manual_seed(3)
    return RecurrentEncoderDecoder(RecurrentConfig.tiny(20, score=request.param)).eval().requires_grad_(False)


def memories(model):
    return model.encode(torch.tensor([[5, 6, 9, 2]])), model.encode(torch.tensor([[5, 6, 11, 2]]))


def test_no_place_changes_nothing_and_every_place_leaves_only_the_first_state(model):
    mine, other = memories(model)
    torch.testing.assert_close(model.decode(TARGET, with_states_of(mine, other, [])), model.decode(TARGET, mine))
    whole = replace(with_states_of(mine, other, range(4)), first=other.first)
    torch.testing.assert_close(model.decode(TARGET, whole), model.decode(TARGET, other))


def test_one_place_is_exchanged_and_the_given_memories_stay(model):
    mine, other = memories(model)
    before = mine.states.clone()
    found = with_states_of(mine, other, [1])
    assert torch.equal(found.states[:, 1], other.states[:, 1]) and torch.equal(found.states[:, 2], mine.states[:, 2])
    assert torch.equal(found.keys, model.score.prepare(found.states))
    assert torch.equal(mine.states, before) and found.first is mine.first


def test_the_forward_half_of_a_shared_beginning_is_shared(model):
    mine, other = memories(model)
    half = model.config.encoder_width
    assert torch.equal(mine.states[:, 1, :half], other.states[:, 1, :half])
    assert not torch.allclose(mine.states[:, 1, half:], other.states[:, 1, half:])


def test_sentences_of_two_lengths_are_refused(model):
    mine, _ = memories(model)
    with pytest.raises(ValueError, match="as many tokens"):
        with_states_of(mine, model.encode(torch.tensor([[5, 2]])), [0])
