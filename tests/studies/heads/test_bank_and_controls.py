"""*Bank* in two contexts: the encoder's row, the two tests with their controls, and the output."""

import pytest
import torch

from attention_book.analysis.contextual_vectors import MONEY, RIVER, same_kind_nearest, states_of_word
from attention_book.studies.heads.bank_and_controls import (
    BY_THE_RIVER,
    WORDS,
    Contexts,
    contexts,
    outcomes,
    weights_from,
)


def test_the_row_of_a_word_is_the_translators_own(translator):
    told = translator.translate(BY_THE_RIVER, return_attention=True)
    row = told.encoder_self[1].mean(axis=0)[told.source_tokens.index("▁bank")]
    found = weights_from(translator, BY_THE_RIVER, "bank", layer=1)
    assert found["▁river"] == pytest.approx(row[told.source_tokens.index("▁river")], abs=1e-5)


def test_made_up_counts_are_read_by_hand():
    nearest = {word: [9, 10, 11] for word in WORDS} | {"bank": [8, 10, 12]}
    made_up = Contexts(dict.fromkeys(WORDS, 0.5) | {"store": 0.25}, nearest)
    assert made_up.header() == ["word", "after layer 0", "after the last layer"]
    assert made_up.rows()[0] == ("bank", "10", "12")
    assert made_up.numbers() == {"n_texts": 16, "n_each": 8, "last_bank": 12, "last_bridge": 11, "bank_ahead": 1}


def test_words_with_one_sense_do_as_bank_does(translator):
    found = contexts(translator)
    assert found.alike["store"] < found.alike["bank"] < 1  # the control changes more
    last = {word: counts[-1] for word, counts in found.nearest.items()}
    assert last["bridge"] == last["bank"] > found.nearest["bank"][0]
    assert min(last["store"], last["bridge"]) >= last["bank"] - 2
    controls = [counts for word, counts in found.nearest.items() if word != "bank"]
    assert all(bank <= max(others) + 1 for bank, *others in zip(found.nearest["bank"], *controls, strict=True))
    later = list(zip(found.nearest["bank"], *controls, strict=True))[2:]
    assert all(bank == max(others) for bank, *others in later)  # "after the later layers one of them is as good"
    told = found.numbers()
    assert told["bank_ahead"] == 1  # "the best control is never more than one sentence behind"
    assert found.nearest["bank"][1] > max(counts[1] for counts in controls)  # as the page says, in its favour
    assert same_kind_nearest(translator, "car")[-1] < min(last.values())  # as the solution says


def test_at_the_embedding_vectors_of_equal_places_are_the_same_so_no_row_shows_it(translator):
    states = torch.stack([states_of_word(translator, text, "bank")[0] for text in RIVER + MONEY])
    same = torch.cdist(states, states).fill_diagonal_(9).amin(dim=1) < 1e-5
    assert same.sum() >= 12
    assert len({counts[0] for counts in contexts(translator).nearest.values()}) == 1


def test_the_context_reaches_the_output_and_does_not_decide(translator):
    told = outcomes(translator)
    assert told["orilla_ratio"] == pytest.approx(told["orilla_river"] / told["orilla_money"])
    assert told["orilla_ratio"] > 2 and told["orilla_river"] < 0.5
    assert "banco" in told["river_translated"] and "banco" in told["money_translated"]
    assert told["on_itself"] > 0 and told["on_river"] > 0 and told["on_money"] > 0


def test_the_river_calls_for_orilla_without_a_bank_too(translator):
    told = outcomes(translator)
    assert told["store_ratio"] > told["orilla_ratio"] > told["bridge_ratio"] > 1
    assert told["school_ratio"] == pytest.approx(told["orilla_ratio"], rel=0.1)
