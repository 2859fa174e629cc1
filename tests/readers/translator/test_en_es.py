"""What the tour of the translator says of its training holds in the record, and a made-up record is read by hand."""

import numpy as np
import pytest

from attention_book.readers.translator.en_es import EnglishSpanish, read
from attention_book.studies.translator.parameter_counts import parts_of
from attention_book.training.schedules import noam_schedule


@pytest.fixture(scope="module")
def trained():
    return read()


@pytest.fixture
def made_up():
    points = [(1e6, 6.0, 3.0, 2.0), (2e6, 5.0, 1.5, 12.0), (4e6, 4.0, 2.0, 20.0)]
    names = ("tokens", "train_loss", "validation_loss", "validation_bleu")
    scores = {"bleu": 40.0, "chrf": 60.0, "bleu_signature": "b", "chrf_signature": "c"}
    return {
        "pairs": {"train": 7, "validation": 2, "test": 1},
        "subwords": {"size": 99},
        "config": {"d_model": 16, "n_heads": 2, "n_layers": 3, "d_k": None},
        "settings": {"warmup": 0.25, "peak_rate": 0.5, "smoothing": 0.1},
        "parameters": 123,
        "epochs": 2.5,
        "steps": 1000,
        "tokens": 4e6,
        "training_seconds": 1800,
        "machine": {"threads": 1},
        "curve": [dict(zip(names, point, strict=True)) for point in points],
        "budgets": [[0, 3e6], [1.25e6, 5e6], [2e6, 4e6]],
        "plateau": False,
        "averaging": {
            "snapshots": 5,
            "last": {"validation_bleu": 20.0},
            "averaged": {"validation_bleu": 21.0},
            "used": True,
        },
        "test": {
            "sentences": 100,
            "all_references": scores,
            "first_reference": scores | {"bleu": 30.0},
            "decoding": {"beam_size": 4, "length_penalty": 0.6},
        },
        "test_greedy": {"all_references": scores | {"chrf": 50.0}},
    }


def test_a_made_up_record_is_read_by_hand(made_up):
    record = EnglishSpanish(made_up)
    shape = record.shape_numbers()
    assert (shape["train_pairs"], shape["test_pairs"], shape["tokens"], shape["hours"]) == (7, 1, 4, 0.5)
    assert shape["d_k"] == 8  # 16 / 2
    told = record.training_numbers()
    assert told["plateau"] == "had not stopped rising"
    assert told["budgets"] == (
        "The budget was 3 million tokens at first; after 1.2 million it was set to 5 million, "
        "after 2.0 million it was set to 4 million."
    )
    scores = record.test_numbers()
    assert (scores["test_bleu"], scores["test_bleu_one"], scores["greedy_chrf"]) == (40, 30, 50)
    assert (scores["chrf_signature"], scores["test_beam"], scores["test_alpha"]) == ("c", 4, 0.6)
    assert "lowest value is 1.50, at 2.0 million" in record.loss_told()
    assert record.bleu_told().endswith("passed at 2.0 million tokens.")  # 12 is more than half of 20


def test_the_first_page_is_told_of_it_in_six_numbers(made_up):
    assert EnglishSpanish(made_up).front_numbers() == {
        "parameters": 0.000123,
        "pairs": 7,
        "hours": 0.5,
        "cores": "1 core of an ordinary processor",
        "test_bleu": 40,
        "test_sentences": 100,
    }


def test_several_cores_and_an_accelerator_are_named(made_up):
    made_up["machine"]["threads"] = 4
    assert EnglishSpanish(made_up).machine() == "4 cores of an ordinary processor"
    made_up["machine"]["accelerator"] = "a fast one"
    assert EnglishSpanish(made_up).machine() == "a fast one"


def test_widths_that_are_chosen_and_budgets_that_stay_are_told(made_up):
    made_up["config"]["d_k"] = 5
    made_up["budgets"] = made_up["budgets"][:1]
    assert EnglishSpanish(made_up).d_k == 5 and EnglishSpanish(made_up).budgets() == ""


def test_both_schedules_rise_to_one_peak_and_only_ours_ends_at_zero(trained, made_up):
    for record in (trained, EnglishSpanish(made_up)):
        (_, ours), (at, paper) = record.rate_lines().values()
        peak = record.record["settings"]["peak_rate"]
        assert max(ours.max(), paper.max()) <= peak * (1 + 1e-9)
        assert min(ours.max(), paper.max()) > 0.98 * peak
        assert ours[-1] == pytest.approx(0, abs=1e-12) and paper[-1] > 0.15 * peak
        assert paper[-1] == pytest.approx(peak * (record.warm / at[-1]) ** 0.5)
    width, warm = made_up["config"]["d_model"], 250
    assert noam_schedule(warm, width, warm, 0.5 * (width * warm) ** 0.5) == pytest.approx(0.5)


def test_the_record_is_that_of_the_translator_that_is_shipped(trained, translator):
    assert {name: value for name, value in trained.record.items() if name != "seal"} == translator.results
    assert trained.front_numbers()["parameters"] == sum(p.numel() for p in translator.model.parameters()) / 1e6


def test_the_three_parts_are_all_parameters_on_record(trained, translator):
    # The output layer is the embedding again.
    assert sum(parts_of(translator.model).values()) == trained.record["parameters"]


def test_most_of_the_gain_in_bleu_comes_early_and_the_last_quarter_adds_little(trained):
    at, bleu = trained.curve("validation_bleu")
    assert bleu[at > at[-1] / 4][0] > bleu[-1] / 2
    assert abs(bleu[-1] - np.interp(0.75 * at[-1], at, bleu)) < 0.1 * bleu[-1]


def test_the_last_parameters_are_shipped_because_averaging_did_not_help(trained):
    told = trained.training_numbers()
    assert (told["bleu_after"] > told["bleu_before"]) == trained.record["averaging"]["used"]


def test_withheld_references_lower_the_score(trained):
    scores = trained.test_numbers()
    assert scores["test_bleu_one"] < scores["test_bleu"] and scores["test_chrf_one"] < scores["test_chrf"]
