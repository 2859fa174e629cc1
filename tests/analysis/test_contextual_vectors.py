"""A word among others: its vectors against the encoder's own, what a causal mask keeps from it, and the count."""

import pytest
import torch
import torch.nn.functional as F
from oracles import close

from attention_book.analysis import contextual_vectors
from attention_book.analysis.contextual_vectors import MONEY, RIVER, same_kind_nearest, states_of_word
from attention_book.translation.shipped_translator import ids, shipped

BY_THE_RIVER, FOR_MONEY = "He went to the bank of the river.", "He went to the bank for some money."


@pytest.fixture(scope="module")
def translator():
    return shipped()


def test_the_first_and_last_states_are_embedding_and_memory(translator):
    model = translator.model
    states = states_of_word(translator, BY_THE_RIVER, "bank")
    assert states.shape == (model.config.n_layers + 1, model.config.d_model)
    src = ids(BY_THE_RIVER)
    embedded = model.src_embedding.weight[src[0, 4]] * model.config.d_model**0.5 + model.positions[4]
    close(states[0], embedded)
    close(states[-1], model.encode(src).states[0, 4])


def test_only_later_words_differ_so_only_an_encoder_that_sees_them_differs(translator):
    assert BY_THE_RIVER.split()[:5] == FOR_MONEY.split()[:5]
    a, b = (states_of_word(translator, text, "bank") for text in (BY_THE_RIVER, FOR_MONEY))
    assert torch.equal(a[0], b[0])
    cosines = F.cosine_similarity(a, b)
    assert (cosines[1:] < 1 - 1e-3).all()
    a, b = (states_of_word(translator, text, "bank", causal=True) for text in (BY_THE_RIVER, FOR_MONEY))
    assert torch.equal(a, b)


def test_a_decoders_word_is_not_changed_by_a_later_one(translator):
    model, kept = translator.model, []
    memory = model.encode(ids("He went to the bank."))
    hook = model.decoder.register_forward_hook(lambda module, inputs, output: kept.append(output[0][0]))
    tokens = []
    for text in ("Él fue al banco del río.", "Él fue al banco por dinero."):
        tgt = ids(text, start=True)
        tokens.append(translator.subwords.tokens(tgt[0].tolist()))
        model.decode(tgt, memory)
    hook.remove()
    place = tokens[0].index("▁banco")
    assert tokens[0][: place + 1] == tokens[1][: place + 1] and tokens[0][place + 1] != tokens[1][place + 1]
    assert torch.equal(kept[0][: place + 1], kept[1][: place + 1])
    assert not torch.equal(kept[0][place + 1], kept[1][place + 1])


def test_a_word_that_is_not_there_is_said_so(translator):
    with pytest.raises(ValueError, match="'bridge' is no piece of"):
        states_of_word(translator, BY_THE_RIVER, "bridge")


def test_the_sentences_hold_the_word_once_and_are_as_many():
    assert len(RIVER) == len(MONEY)
    assert all(text.count("bank") == 1 for text in RIVER + MONEY)


def test_neighbours_are_counted_by_a_loop_too(translator, monkeypatch):
    kinds = (RIVER[:3], MONEY[:3])
    states = [states_of_word(translator, text, "bank") for texts in kinds for text in texts]
    for depth, counted in enumerate(same_kind_nearest(translator, "bank", kinds)):
        right = 0
        for i, one in enumerate(states):
            others = [
                (float(F.cosine_similarity(one[depth], x[depth], dim=0)), j) for j, x in enumerate(states) if j != i
            ]
            right += max(others)[1] // 3 == i // 3
        assert counted == right

    def labelled(translator, sentence, word):
        kind = float(sentence in RIVER)
        return torch.tensor([[kind, 1 - kind], [1.0, 0.0]]) + torch.randn(2, 2) * 1e-3

    monkeypatch.setattr(contextual_vectors, "states_of_word", labelled)
    assert same_kind_nearest(translator, "bank")[0] == len(RIVER + MONEY)
