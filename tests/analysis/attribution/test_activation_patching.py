"""Exchanged states: none changes nothing, all make it the other sentence, and the first state stays."""

from dataclasses import replace

import pytest
import torch

from attention_book.analysis.attribution.activation_patching import SwapOdds, odds_after_swaps, with_states_of
from attention_book.models.recurrent import RecurrentConfig, RecurrentEncoderDecoder
from attention_book.translation.translator import Translator

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


def test_odds_are_taken_of_each_exchange_in_turn(model):
    mine, other = memories(model)
    logit = lambda memory: float(model.decode(TARGET, memory)[0, -1, 7])  # noqa: E731
    odds = odds_after_swaps(mine, {"other": other}, [2, 1], logit)["other"]
    assert odds.kept == logit(mine) and odds.other == logit(other)
    assert odds.first == logit(replace(mine, first=other.first))
    assert odds.places == (logit(with_states_of(mine, other, [2])), logit(with_states_of(mine, other, [1])))
    assert len({odds.kept, odds.first, *odds.places, odds.other}) == 5


def test_a_row_writes_odds_with_their_sign():
    assert SwapOdds(1.26, -0.04, (-2.0, 0.0), 10.0).row() == ("+1.3", "+0.0", "−2.0", "+0.0", "+10.0")


@pytest.fixture(scope="module")
def gustan():
    """Log-odds of *gustan* against *gusta* after *I like cats.*, with one thing of five other sentences each."""
    translator = Translator.from_pretrained("en-es-rnn-attention")
    model, subwords = translator.model.eval().requires_grad_(False), translator.subwords
    begun = torch.tensor([[subwords.bos_id, *subwords.encode("Me")]])
    many, one = (subwords.encode(f"Me {verb}")[1] for verb in ("gustan", "gusta"))

    def plural(memory):
        log_probs = model.decode(begun, memory)[0, -1].log_softmax(dim=-1)
        return float(log_probs[many] - log_probs[one])

    def read(other):
        return model.encode(torch.tensor([[*subwords.encode(f"I like {other}."), subwords.eos_id]]))

    others = {other: read(other) for other in ("music", "tea", "milk", "football", "cheese")}
    cats, half = read("cats"), model.config.encoder_width
    for memory in others.values():  # both sentences begin alike: *like* differs in what was read from the end alone
        assert torch.equal(memory.states[:, 1, :half], cats.states[:, 1, :half])
    return odds_after_swaps(cats, others, [2, 1], plural)


def test_the_state_of_like_made_the_verb_plural_more_than_that_of_cats_or_the_first_state(gustan):
    for odds in gustan.values():
        of_cats, of_like = odds.places
        assert odds.kept > odds.first > 0 and odds.kept > of_cats > 0 and min(odds.first, of_cats) > of_like


def test_the_verb_turns_singular_where_the_other_sentence_leaves_no_doubt_itself(gustan):
    turned = [other for other, odds in gustan.items() if odds.places[1] < 0]
    assert turned and turned == [other for other, odds in gustan.items() if odds.other < -1]
