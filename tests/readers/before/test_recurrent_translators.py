"""What two pages say of the recurrent translators holds in their records."""

import pytest

from attention_book.readers.before.recurrent_translators import RecurrentTranslators, read
from attention_book.readers.before.translators_compared import read as read_compared


@pytest.fixture(scope="module")
def trained():
    return read()


@pytest.fixture(scope="module")
def channel():
    return read_compared().counted["all_references"]


def record(bleu, pairs=77, width=8):
    scores = {"bleu": bleu, "chrf": 50.0, "bleu_signature": "s"}
    test = {"sentences": 9, "all_references": scores}
    config = {"decoder_width": width}
    return {"pairs": {"train": pairs}, "test": test, "config": config}


def test_made_up_scores_are_read_by_hand():
    made_up = RecurrentTranslators(alone=record(6.0, width=9), attentive=record(5.0, 78), transformer=record(7.0, 79))
    told = made_up.score_numbers({"bleu": 2.0, "chrf": 30.0})
    assert (told["real_bleu"], told["channel_bleu"], told["test_n"]) == (6, 2, 9)
    assert made_up.scores("transformer")["bleu"] == 7
    assert made_up.race_numbers() == {"train_pairs": 78, "width_with": 8, "width_without": 9}


def test_all_learned_from_the_same_pairs(trained):
    assert len({each["pairs"]["train"] for each in (trained.alone, trained.attentive, trained.transformer)}) == 1


def test_all_were_scored_alike(trained, channel):
    assert {trained.scores(name)["bleu_signature"] for name in ("alone", "attentive", "transformer")} == {
        channel["bleu_signature"]
    }


def test_one_state_is_ahead_of_counting_and_behind_attention(trained, channel):
    alone = trained.scores("alone")
    assert channel["bleu"] + 3 < alone["bleu"] < trained.scores("attentive")["bleu"] - 1


def test_the_row_below_had_the_same_budget_and_nearly_as_many_parameters(trained):
    assert trained.alone["tokens"] // 10_000 == trained.attentive["tokens"] // 10_000
    assert abs(trained.alone["parameters"] / trained.attentive["parameters"] - 1) < 0.1


def test_both_read_in_both_directions_and_the_one_with_attention_asks_before_the_step(trained):
    assert trained.alone["config"]["bidirectional"] and trained.attentive["config"]["bidirectional"]
    assert trained.attentive["config"]["asks"] == "before" and trained.alone["config"]["score"] is None
    assert trained.attentive["config"]["decoder_width"] < trained.alone["config"]["decoder_width"]
