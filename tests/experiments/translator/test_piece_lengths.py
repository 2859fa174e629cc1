"""Lengths in subwords: counted by hand on a few pairs, and on the corpus where it is at hand."""

from collections import Counter

import pytest

from attention_book.data import corpora
from attention_book.data.normalisation import Pair
from attention_book.data.subwords import Subwords
from attention_book.experiments.translator import piece_lengths as experiment

CLASSES = experiment.CONFIGURATION["classes"]


def test_words_are_lower_case_and_without_marks():
    assert experiment.words_of("¿Qué hora ES, Tom?") == ["qué", "hora", "es", "tom"]
    assert experiment.words_of("… !") == []


@pytest.mark.parametrize(("count", "name"), [(0, "never"), (1, "1–5"), (5, "1–5"), (6, "6–50"), (51, "more")])
def test_every_count_has_its_class(count, name):
    assert experiment.class_of(count, CLASSES) == name


def test_without_merges_pieces_are_bytes():
    pairs = [Pair("ab c.", "más", ("más",)), Pair("d", "sol sol", ("sol sol",))]
    found = experiment.lengths(Subwords.train(["x"], 260), pairs, Counter({"más": 1, "sol": 60}), CLASSES)
    assert found["size"] == 260
    assert (found["source_pieces"], found["target_pieces"]) == (3.0, 5.5)  # 5 and 1; 4 and 7 bytes
    assert found["characters_per_piece"] == round(10 / 11, 4)
    assert found["pieces_per_word"] == {"never": 0.0, "1–5": 5.0, "6–50": 0.0, "more": 4.0}  # with their spaces


@pytest.mark.skipif(not corpora.available("tatoeba-en-es"), reason="needs the corpus: attention_book fetch")
def test_a_run_counts_the_test_words_and_repeats_itself():
    small = experiment.CONFIGURATION | {"sizes": [260, 300], "examined": 40}
    found = experiment.run_seed(0, small)
    assert found == experiment.run_seed(0, small)
    pairs = corpora.load("tatoeba-en-es").test[:40]
    assert sum(found["classes"].values()) == len({w for pair in pairs for w in experiment.words_of(pair.target)})
    assert found["lengths"]["260"]["target_pieces"] == sum(len(pair.target.encode()) for pair in pairs) / 40
    assert found["lengths"]["300"]["target_pieces"] < found["lengths"]["260"]["target_pieces"]
