"""The curve of the shipped translator: the floor of smoothed targets, the table, and what the page says of it."""

import numpy as np
import pytest
import scipy.stats

from attention_book.readers.translator.training_curve import AT, HEADER, smoothed_floor


@pytest.mark.parametrize(("smoothing", "vocabulary"), [(0.1, 5), (0.3, 20), (0.1, 8000)])
def test_the_floor_is_the_entropy_of_a_smoothed_target(smoothing, vocabulary):
    target = np.full(vocabulary, smoothing / vocabulary)
    target[0] += 1 - smoothing
    assert smoothed_floor(smoothing, vocabulary) == pytest.approx(scipy.stats.entropy(target))
    assert smoothed_floor(0.0, vocabulary) == 0


def test_the_table_has_the_places_asked_for(runs):
    rows = runs.rows()
    assert len(rows) == len(AT) and all(len(row) == len(HEADER) for row in rows)
    for row, millions in zip(rows, AT, strict=True):
        assert float(row[0]) == pytest.approx(millions, abs=0.26)
        assert float(row[1]) == pytest.approx(runs.at(millions)["train_loss"], abs=0.006)


def test_what_the_page_says_of_the_curve_holds(runs):
    numbers = runs.numbers()
    assert numbers["first_train"] < numbers["log_v"]
    assert numbers["floor_smoothed"] + numbers["last_above"] > numbers["last_valid"] > numbers["last_above"] > 0
    assert 0 < numbers["half_fall"] < 0.15 * numbers["first_million_fall"]
    assert (numbers["log_v"] - numbers["million_valid"]) / numbers["log_v"] == pytest.approx(2 / 3, abs=0.02)
    fallen = numbers["log_v"] - numbers["million_valid"], numbers["log_v"] - numbers["last_valid"]
    assert numbers["million_share"] == pytest.approx(100 * fallen[0] / fallen[1])
    assert numbers["million_share"] / 100 > 3 * numbers["million_bleu"] / numbers["end_bleu"]
    assert numbers["million_bleu"] < 0.25 * numbers["end_bleu"]
    assert numbers["end_bleu"] - numbers["half_bleu"] > 3
    assert numbers["late_high"] - numbers["late_low"] < 0.5
    assert numbers["floor_smoothed"] > 1  # the training loss cannot come down to 1
    assert runs.trained.record["curve"][-5]["rate"] < 0.05 * runs.trained.record["settings"]["peak_rate"]
