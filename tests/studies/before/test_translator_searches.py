import pytest
import torch

from attention_book.studies.before.translator_searches import (
    SILENT,
    all_translations,
    empty_log_prob,
    exact_rows,
    sequences,
    silence,
    source_ids,
)
from attention_book.translation.decoding import beam_search


def test_sequences_are_counted_by_hand():
    assert sequences(10, 20, 1e6) == {"ways": "10²⁰", "million_years": 3}  # 10²⁰ / 3.15 · 10¹³ = 3.17 · 10⁶
    assert sequences(1000, 5, 1.0) == {"ways": "10¹⁵", "million_years": 31}
    assert sequences(8000, 6) == {"ways": "10²³", "million_years": 8}


def test_all_translations_are_counted_for_the_length_of_the_greedy_one(translator):
    found = all_translations(translator, "I like cats.")
    assert found["cats_text"] == "Me gustan los gatos." and found["vocab"] == len(translator.subwords)
    assert found["n_tokens"] == len(translator.subwords.encode(found["cats_text"])) + 1
    assert found["ways"] == sequences(found["vocab"], found["n_tokens"])["ways"] == "10²³"


def test_the_certain_best_is_at_least_as_probable_as_what_a_beam_finds(translator):
    (row,) = exact_rows(translator, ["I like cats."])
    (found,) = beam_search(translator.model, source_ids(translator, "I like cats."), 4, 0.0)
    assert row[:2] == ("I like cats.", "Me gustan los gatos.")
    assert float(row[2].replace("−", "-")) >= round(found.log_prob, 2)
    (given_up,) = exact_rows(translator, ["I like cats."], most=1)
    assert given_up[1] == "not certain" and given_up[2].startswith("at most −") and given_up[3] == "more than 1"


def test_the_empty_translation_is_the_end_token_alone(translator):
    bos_id, eos_id = translator.subwords.bos_id, translator.subwords.eos_id
    with torch.no_grad():
        logits = translator.model(source_ids(translator, "I like cats."), torch.tensor([[bos_id]]))
    expected = float(logits.log_softmax(-1)[0, 0, eos_id])
    assert empty_log_prob(translator, "I like cats.") == pytest.approx(expected, abs=1e-3) and expected < -1


def test_a_sentence_whose_most_probable_translation_is_silence(translator):
    found = silence(translator)
    log_probs = [float(found[name].replace("−", "-")) for name in ("silent_log", "spoken_log")]
    assert log_probs[0] == pytest.approx(empty_log_prob(translator, found["silent_source"]), abs=0.05)
    assert log_probs[0] > log_probs[1]
    assert "islandés" in found["spoken"] and "Grecia" in found["spoken"]  # the page says what it means


@pytest.mark.parametrize(("text", "most"), [("I like cats.", 1000), (SILENT, 10)])
def test_silence_is_not_told_where_it_is_not_the_certain_best(translator, text, most):
    with pytest.raises(ValueError, match="not known to be the empty one"):
        silence(translator, text, most)
