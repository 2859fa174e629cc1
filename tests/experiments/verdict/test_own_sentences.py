"""Own sentences: signs are counted by sentence, the references give the false alarms, and any translator will do."""

from tiny_translator import tiny_translator

from attention_book.data.failures import signs
from attention_book.data.normalisation import Pair
from attention_book.data.own_sentences import own_sentences
from attention_book.experiments.verdict import own_sentences as experiment


def test_sentences_are_numbered_from_one_under_each_sign():
    sources = ["The boat is old.", "The boat has 90 sails.", "The boat is old."]
    found = experiment.flagged(sources, ["El barco.", "El barco barco.", "El barco barco."], {"el", "barco"})
    assert found["repeated"] == [2, 3] and found["number"] == [2] and found["copied"] == []


def test_a_run_with_a_tiny_translator(monkeypatch):
    translator = tiny_translator()
    train = [Pair("The dog sleeps.", "El perro duerme.", ("El perro duerme.",))]
    test = [Pair("The dog sleeps.", "El perro duerme.", ()), Pair("The cat sleeps.", "El gato duerme.", ())]
    corpus = type("Corpus", (), {"train": train, "test": test})
    monkeypatch.setattr(experiment.corpora, "load", lambda name: corpus)
    monkeypatch.setattr(experiment.Translator, "from_pretrained", lambda name: translator)
    monkeypatch.setattr(experiment, "own_sentences", lambda: own_sentences()[80:83])
    found = experiment.run_seed(0, experiment.CONFIGURATION | {"systems": ["en-es"], "beams": [1, 2]})
    assert found["spanish_words"] == 3 and found["references"] == 2
    assert found["reference_signs"]["made_up"] == found["reference_signs"]["any"] == 1
    for beam in (1, 2):
        one = found["systems"]["en-es"][str(beam)]
        texts = [sentence.text for sentence in own_sentences()[80:83]]
        assert one["translations"] == translator.translate(texts, beam_size=beam)
        for number, (text, written) in enumerate(zip(texts, one["translations"], strict=True), start=1):
            shown = {sign for sign, numbers in one["flagged"].items() if number in numbers}
            assert shown == set(signs(text, written, {"el", "perro", "duerme"}))
