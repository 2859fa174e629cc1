"""What *A task with few labels* says of its hints holds in the result on record."""

import math

import pytest

from attention_book.readers.beyond import filling_gaps
from attention_book.readers.beyond.what_labels_teach import HINTS, WhatLabelsTeach

SIZES = [4, 8, 16, 32, 64, 128]


def made_up():
    """Two seeds; the second is better by 0.1 everywhere."""
    seeds = {}
    for seed, more in (("1", 0.0), ("2", 0.1)):
        levels = {"hidden": 0.85, "lowest": 0.845, "shown": 0.75, "verb": 0.6, "mean": 0.5}
        seeds[seed] = {hint: [share + 0.01 * n + more for n in range(6)] for hint, share in levels.items()} | {
            "verb_long": 0.7 + more, "mean_long": 0.6 + more, "example": {"write": 0.4, "writes": 0.1},
        }  # fmt: skip
    return WhatLabelsTeach({"configuration": {"labelled": SIZES, "long_steps": 9}, "seeds": seeds})


def test_made_up_runs_are_read_by_hand():
    read = made_up()
    assert read.right("hidden", 4).value == pytest.approx(0.9)
    assert read.right("hidden", 8).spread == pytest.approx(0.1 / math.sqrt(2))
    assert read.header() == ["labelled sentences", "both", "what to compare", "where to look", "no hint"]
    assert [row[0] for row in read.rows()] == ["4", "32", "128", "128"] and len(read.rows()[0]) == 5
    assert read.lines()[HINTS["mean"]][1] == pytest.approx([55, 56, 57, 58, 59, 60])
    assert read.lines_told().endswith("No hint: 55 with 4, 60 with 128.")
    assert read.guess_rows() == [("write", "0.4000", "+1.39"), ("writes", "0.1000", "−1.39")]
    numbers = read.numbers()
    assert numbers["hint_few"] == 8 and numbers["hint_most"] == 128 and numbers["hint_steps"] == 9
    assert numbers["lowest_few"].startswith("90.5") and numbers["shown_few"].startswith("81.0")
    assert numbers["verb_long"].startswith("75.0") and numbers["verb_most"].startswith("70.0")


def test_the_encoder_is_that_of_filling_gaps_and_so_is_its_probe(runs):
    before = filling_gaps.read()
    for metric in ("floor", "without_labels"):
        assert metric in before.seeds[0]
    at = [runs.sizes.index(size) for size in before.sizes]
    assert runs.of("mean")[:, at] == pytest.approx(before.of("probe"), abs=0.005)
    assert runs.of("without_labels") == pytest.approx(before.of("without_labels"), abs=0.001)
    assert runs.setting["long_steps"] == 10 * runs.setting["label_steps"]
    assert runs.setting["label_steps"] == before.setting["label_steps"]


def test_told_what_to_compare_the_fewest_labels_are_enough_in_every_seed(runs):
    assert runs.few == runs.sizes[0] == 4
    at = runs.sizes.index(runs.few)
    assert (runs.of("lowest")[:, at:] > 0.9).all() and (runs.of("hidden")[:, at:] > 0.97).all()
    assert (runs.of("hidden") > runs.of("lowest"))[:, at:].all()


def test_told_where_to_look_all_labels_are_not_enough_not_even_with_more_steps(runs):
    assert (runs.of("verb") < 0.9).all() and runs.right("verb", 1024).value < 0.8
    for size in (256, 512, 1024):  # no better than no hint
        assert runs.right("verb", size).value < runs.right("mean", size).value
    assert (runs.of("verb_long") < runs.of("lowest")[:, runs.sizes.index(runs.few)]).all()
    assert (runs.of("mean_long") < runs.of("lowest")[:, runs.sizes.index(runs.few)]).all()


def test_the_state_of_the_verb_holds_what_the_comparison_needs(runs):
    at = runs.sizes.index(runs.few)
    assert runs.right("shown", runs.few).value > 0.85 and runs.right("verb", runs.few).value < 0.6
    assert (runs.of("shown")[:, at] > runs.of("verb")[:, -1]).all()


def test_in_the_example_the_right_form_is_far_ahead(runs):
    assert list(runs.seeds[0]["example"]) == ["write", "writes"]
    assert runs.seeds[0]["example"]["write"] > 50 * runs.seeds[0]["example"]["writes"]
