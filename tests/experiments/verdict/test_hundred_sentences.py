"""Hundred sentences: the draw, the digests, the scores, and a run with a tiny translator in the place of all three."""

import pytest
from tiny_translator import tiny_translator

from attention_book.data.normalisation import Pair
from attention_book.experiments.verdict import hundred_sentences as experiment

PAIRS = [Pair("I like cats.", "Me gustan los gatos.", ("Me gustan los gatos.", "Los gatos me gustan.")),
         Pair("Come in!", "¡Pasa!", ("¡Pasa!",))]  # fmt: skip


def test_the_draw_is_one_of_its_seed_and_without_repetition():
    numbers = experiment.drawn(18, 100, 2001)
    assert numbers == sorted(set(numbers)) == experiment.drawn(18, 100, 2001) and len(numbers) == 100
    assert max(numbers) < 2001 and numbers != experiment.drawn(19, 100, 2001)
    with pytest.raises(ValueError):
        experiment.drawn(18, 3, 2)


def test_a_digest_tells_words_apart_and_not_spaces():
    assert experiment.text_digest("El  barco. ") == experiment.text_digest("El barco.")
    assert experiment.text_digest("El barco.") != experiment.text_digest("El barcos.")
    assert len(experiment.text_digest("")) == 12


def test_scores_look_at_all_references():
    found = experiment.scored(["los gatos me gustan", "Entra."], PAIRS)
    assert found["is_reference"] == [True, False]
    exact = experiment.scored(["Los gatos me gustan.", "¡Pasa!"], PAIRS)
    assert exact["bleu"] == [100.0, 100.0] and 0 <= found["bleu"][1] < 100


def test_a_run_with_a_tiny_translator(monkeypatch):
    translator = tiny_translator()
    monkeypatch.setattr(experiment.corpora, "load", lambda name: type("Corpus", (), {"test": PAIRS}))
    monkeypatch.setattr(experiment.Translator, "from_pretrained", lambda name: translator)
    monkeypatch.setattr(experiment, "by_rules", lambda sources: ["¡Pasa!"] * len(sources))
    found = experiment.run_seed(1, experiment.CONFIGURATION | {"sentences": 2})
    assert found["numbers"] == [0, 1] and found["references"] == [2, 1] and found["test_sentences"] == 2
    assert list(found["systems"]) == ["en-es", "en-es-rnn-attention", "apertium"]
    written = translator.translate([pair.source for pair in PAIRS])
    assert found["systems"]["en-es"]["digest"] == [experiment.text_digest(text) for text in written]
    assert found["systems"]["apertium"]["is_reference"] == [False, True]
