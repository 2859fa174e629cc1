"""The searches of the thirteen sentences, as *Decoding* tells them."""

import math

import pytest

from attention_book.examples.small_bigram import SmallBigram
from attention_book.studies.before.bigram_searches import (
    greedy_beside_best,
    race,
    sentence_rows,
    step_rows,
    stop_numbers,
)
from attention_book.translation.beam_tree import as_many_as_the_beam, first_finished, grow
from attention_book.translation.decoding import beam_search

ANIMALS = SmallBigram()
TWO_STEPS = SmallBigram({"<s>": {"A": 0.6, "B": 0.4}, "A": {"</s>": 0.5, "C": 0.5}, "B": {"</s>": 0.9, "C": 0.1},
                         "C": {"</s>": 1.0}})  # fmt: skip


@pytest.fixture
def tree():
    return grow(ANIMALS, ANIMALS.source, beam_size=2, max_len=5)


def test_rows_of_the_two_steps_by_hand():
    assert sentence_rows(TWO_STEPS) == [
        ("B", "0.4 · 0.9", "0.3600"),
        ("A", "0.6 · 0.5", "0.3000"),
        ("A C", "0.6 · 0.5 · 1", "0.3000"),
        ("B C", "0.4 · 0.1 · 1", "0.0400"),
    ]
    found = greedy_beside_best(TWO_STEPS)
    assert (found["best_text"], found["n_sentences"]) == ("B", 4)
    assert (found["best_p"], found["greedy_p"], found["total"]) == pytest.approx((0.36, 0.3, 1.0))
    first = step_rows(TWO_STEPS, grow(TWO_STEPS, TWO_STEPS.source, 1, max_len=3))[:2]
    assert first == [("1", "A", "0.6000", "−0.511", "kept"), ("1", "B", "0.4000", "−0.916", "dropped")]


def test_greedy_search_begins_with_dogs_and_the_best_sentence_with_the_least_probable_word():
    found = greedy_beside_best(ANIMALS)
    assert found["n_sentences"] == 13 and found["total"] == pytest.approx(1)
    assert found["greedy_text"].startswith("dogs bark") and found["greedy_rank"] > 1
    assert found["best_text"] == "hide" == min(ANIMALS.table["<s>"], key=ANIMALS.table["<s>"].get)


def test_scores_are_log_probabilities_over_a_power_of_the_length():
    found = race(ANIMALS, [0.0, 0.5, 1.0])
    assert found.scores["hide"] == pytest.approx([math.log(0.18) / (7 / 6) ** alpha for alpha in (0, 0.5, 1)])
    assert len(found.scores) == 13
    told = found.told(["hide"], (0.0, 1.0))
    assert told == f"The scores with α = 0, 1. hide: −{-math.log(0.18):.3f}, −{-math.log(0.18) / (7 / 6):.3f}."
    (line,) = found.figure(["hide"]).axes[0].lines
    assert list(line.get_ydata()) == found.scores["hide"]


def test_the_shortest_wins_without_a_penalty_and_what_greedy_search_wrote_with_one():
    found = race(ANIMALS, [i / 100 for i in range(101)])
    assert (found.winners[0], found.winners[60]) == ("hide", greedy_beside_best(ANIMALS)["greedy_text"])
    assert found.changes == [0.58]


def test_the_first_step_drops_hide_and_the_third_finishes_a_sentence(tree):
    rows = step_rows(ANIMALS, tree)
    assert [row[1:] for row in rows if row[0] == "1"][2][::3] == ("hide", "dropped")
    finished = [(step, text) for step, text, *_, fate in rows if fate == "finished"]
    assert finished[0] == ("3", "cats sleep </s>")


def test_both_common_rules_return_a_worse_sentence_than_the_rule_of_the_package(tree):
    best = beam_search(ANIMALS, ANIMALS.source, 2, 0.6, 5)[0]
    for found in (first_finished(tree, 0.6), as_many_as_the_beam(tree, 0.6, 2)):
        assert ANIMALS.spelt(found.tokens) == "cats sleep </s>" and found.score < best.score
    assert ANIMALS.spelt(best.tokens) == "dogs bark loudly today </s>"


def test_without_a_penalty_the_search_is_decided_at_once_and_with_one_it_goes_on(tree):
    found = stop_numbers(ANIMALS, tree, 0.6)
    told = {name: float(found[name].replace("−", "-")) for name in ("live_log", "live_reach", "cats_score")}
    assert told["live_log"] < math.log(0.154) and told["live_reach"] > told["cats_score"]
    assert (found["stop_0"], found["stop_6"]) == (3, 5)
    assert found["live_text"].startswith("dogs bark")
