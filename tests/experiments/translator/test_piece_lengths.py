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


def test_a_run_counts_the_test_words_and_repeats_itself(monkeypatch):
    train = tuple(Pair(f"I see {n} cats.", f"Veo {n} gatos.", ("",)) for n in range(60))
    test = (Pair("I see dogs.", "Veo perros.", ("",)), Pair("Cats!", "¡Gatos, gatos!", ("",)), *train[:2])
    corpus = corpora.Corpus("made-up", train, (), test, "en", "es", "")
    monkeypatch.setattr(corpora, "load", lambda name: corpus)
    small = experiment.CONFIGURATION | {"sizes": [260, 270], "examined": 2}
    found = experiment.run_seed(0, small)
    assert found == experiment.run_seed(0, small)
    assert found["words"] == 62 and found["classes"] == {"more": 2, "never": 1}  # veo and gatos; perros
    assert found["unseen"] == 1 / 4
    bytes_alone, merged = found["lengths"]["260"], found["lengths"]["270"]
    assert bytes_alone["target_pieces"] == (len("Veo perros.") + len("¡Gatos, gatos!".encode())) / 2
    assert merged["target_pieces"] < bytes_alone["target_pieces"]
