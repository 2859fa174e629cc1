"""What two pages say of the training of the recurrent translators holds in their records."""

import numpy as np
import pytest

from attention_book.readers.before.recurrent_translators import NAMES, RecurrentTranslators, read
from attention_book.readers.before.translators_compared import read as read_compared


@pytest.fixture(scope="module")
def trained():
    return read()


@pytest.fixture(scope="module")
def channel():
    return read_compared().counted["all_references"]


def record(*points):
    curve = [{"tokens": 1e6 * millions, "validation_loss": loss} for millions, loss in points]
    scores = {"bleu": points[0][1], "chrf": 50.0, "bleu_signature": "s"}
    test = {"sentences": 9, "all_references": scores}
    return {"curve": curve, "pairs": {"train": 77}, "test": test, "parameters": 1234, "tokens": 5000}


def test_made_up_curves_are_read_by_hand():
    made_up = RecurrentTranslators(
        alone=record((0.5, 6.0), (2, 4.0)),
        attentive=record((0.5, 5.0), (1.0, 3.5), (2, 3.0)),
        transformer=record((0.5, 7.0), (1.5, 3.0), (4, 2.0)),
    )
    x, y = made_up.lines()["recurrent, with attention"]
    assert x.tolist() == [0.5, 1, 2] and y.tolist() == [5, 3.5, 3]
    assert made_up.loss_at("transformer", 1) == 5
    numbers = made_up.numbers()
    assert numbers["ahead_first"] == pytest.approx(1.5) and numbers["ahead_later"] == pytest.approx(0.2)
    assert (numbers["budget"], numbers["n_measured"], numbers["reached"], numbers["alone_last"]) == (2, 3, 1, 1)
    assert numbers["train_pairs"] == 77
    assert "Transformer: 5.00 after 1 million, 2.80 after 2 million, 2.00 after 4 million" in made_up.told()
    assert made_up.told().endswith("2.00 at its end, after 4.0 million.")
    counted = {"bleu": 2.0, "chrf": 30.0}
    told = made_up.score_numbers(counted)
    assert (told["real_bleu"], told["channel_bleu"], told["test_n"], told["signature"]) == (6, 2, 9, "s")


def test_the_line_without_attention_lies_above_at_every_measurement(trained):
    (x, y), (x_alone, alone) = trained.curve("attentive"), trained.curve("alone")
    assert np.allclose(x, x_alone) and (alone > y).all()


def test_recurrence_with_attention_is_ahead_at_first_and_behind_later(trained):
    numbers = trained.numbers()
    assert numbers["ahead_first"] > 0 and numbers["ahead_later"] > 0


def test_every_record_has_a_line(trained):
    assert list(trained.lines()) == list(NAMES.values())


def test_all_were_scored_alike(trained, channel):
    assert {trained.scores(name)["bleu_signature"] for name in NAMES} == {channel["bleu_signature"]}


def test_one_state_is_ahead_of_counting_by_bleu_and_level_by_chrf(trained, channel):
    alone = trained.scores("alone")
    assert abs(channel["chrf"] - alone["chrf"]) < 0.5
    assert channel["bleu"] + 3 < alone["bleu"] < trained.scores("attentive")["bleu"] - 1


def test_the_row_below_had_the_same_budget_and_nearly_as_many_parameters(trained):
    assert trained.alone["tokens"] // 10_000 == trained.attentive["tokens"] // 10_000
    assert abs(trained.alone["parameters"] / trained.attentive["parameters"] - 1) < 0.1
