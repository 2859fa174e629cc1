"""Padded sources against the model's own masks, and what the page on a translator's masks says of them."""

import pytest
import torch

from attention_book.attention.masks import padding_mask
from attention_book.models.transformer import Memory
from attention_book.studies.reading.padded_sources import END, FRONT, WAYS, alone, changed, open_rows, translations
from attention_book.translation import shipped_translator
from attention_book.translation.decoding import greedy_decode

CATS = "I like cats."


def spelt(tokens):
    return shipped_translator.shipped().subwords.decode(list(tokens[:-1]))


def padded(text, pads, in_front):
    parts = [torch.zeros(1, pads, dtype=torch.int64), shipped_translator.ids(text)]
    return torch.cat(parts if in_front else parts[::-1], dim=1)


@pytest.mark.parametrize(("way", "in_front"), [("end_hidden", False), ("front_hidden", True)])
@pytest.mark.parametrize("text", shipped_translator.SENTENCES[:4])
def test_hidden_padding_is_what_the_model_hides_itself(text, way, in_front):
    (hypothesis,) = greedy_decode(shipped_translator.model(), padded(text, 6, in_front))
    assert translations(text, 6, [WAYS[way]]) == [spelt(hypothesis.tokens)]


@pytest.mark.parametrize(("way", "in_front"), [(END, False), (FRONT, True)])
def test_open_padding_is_a_mask_of_nothing_but_true(way, in_front):
    model, src = shipped_translator.model(), padded(CATS, 3, in_front)
    everything = torch.ones_like(padding_mask(src))
    places = model.positions[: src.shape[1]]
    states, _ = model.encoder(model.src_embedding(src) * model.config.d_model**0.5 + places, everything)
    state, token, written = model.start(Memory(states, everything)), torch.tensor([model.config.bos_id]), []
    while token.item() != model.config.eos_id and len(written) < 30:
        log_probs, state = model.step(token, state)
        token = log_probs.argmax(-1)
        written.append(token.item())
    assert translations(CATS, 3, [way]) == [spelt(written)]


def test_without_padding_all_ways_are_the_same():
    assert translations(CATS, 0, list(WAYS.values())) == ["Me gustan los gatos."] * len(WAYS)
    assert alone(CATS) == spelt(greedy_decode(shipped_translator.model(), shipped_translator.ids(CATS))[0].tokens)


def test_in_front_of_the_cats_the_translator_finds_words_for_what_means_nothing():
    rows = open_rows(CATS, (1, 3, 6))
    assert [count for count, *_ in rows] == ["1", "3", "6"]
    assert {at_end for _, at_end, _ in rows} == {alone(CATS)}
    in_front = [front for *_, front in rows]
    assert all(front.endswith(" me gustan los gatos.") for front in in_front)
    beginnings = [front.removesuffix(" me gustan los gatos.") for front in in_front]
    assert beginnings == ["La carne", "La Luna", "La universidad de la Lincoln"]  # the page says what they mean
    hidden = [WAYS["end_hidden"], WAYS["front_hidden"]]
    assert all(translations(CATS, count, hidden) == [alone(CATS)] * 2 for count in (1, 3, 6))


def test_in_front_the_mask_alone_is_not_enough_but_with_places_of_the_words_it_is():
    found = changed(shipped_translator.SENTENCES, 6)
    assert found["end_hidden"] == found["front_counted"] == 0
    assert 0 < found["front_hidden"] < found["front_open"] == len(shipped_translator.SENTENCES)
    assert 0 < found["end_open"] < len(shipped_translator.SENTENCES)
