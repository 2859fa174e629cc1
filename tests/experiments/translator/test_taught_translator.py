"""Before and after: both systems are asked the same, scored alike, and compared in pairs."""

from tiny_translator import tiny_translator

from attention_book.data.normalisation import Pair
from attention_book.data.own_sentences import own_sentences
from attention_book.experiments.translator import taught_translator as experiment


class Perfect:
    """A translator that knows the references by heart and else repeats the source."""

    def __init__(self, pairs):
        self.known = {pair.source: pair.target for pair in pairs}

    def translate(self, texts, **search):
        return [self.known.get(text, text) for text in texts]


def test_a_run_with_a_tiny_translator_and_a_perfect_one(monkeypatch):
    texts = [
        ("The dog sleeps in the house.", "El perro duerme en la casa."),
        ("The cat is here.", "El gato está aquí."),
    ]
    pairs = [Pair(source, target, (target,)) for source, target in texts * 3]
    corpus = type("Corpus", (), {"train": pairs, "validation": pairs, "test": pairs[:4]})
    systems = {"en-es": tiny_translator(), "en-es-taught": Perfect(pairs)}
    monkeypatch.setattr(experiment.corpora, "load", lambda name: corpus)
    monkeypatch.setattr(experiment.Translator, "from_pretrained", systems.get)
    monkeypatch.setattr(experiment, "own_sentences", lambda: own_sentences()[80:82])
    found = experiment.run_seed(0, experiment.CONFIGURATION | {"bootstrap": 20, "beams": [1, 2]})
    assert found["validation"]["sentences"] == 6 and found["test"]["sentences"] == 4
    for split in ("validation", "test"):
        for beam in ("1", "2"):
            before, after = found[split][beam]["before"], found[split][beam]["after"]
            assert after["bleu"] > 99.9 > before["bleu"] and after["bleu_signature"] == before["bleu_signature"]
            assert "bleu_p" in after and "bleu_p" not in before
            assert ("by_length" in after) == (beam == "2")
    recall = found["test"]["2"]["after"]["recall"]["1–5"]
    assert recall["words"] == recall["found"] > 0
    own = [sentence.text for sentence in own_sentences()[80:82]]
    assert found["own"]["after"]["translations"] == own
    assert found["own"]["after"]["flagged"]["copied"] == [1, 2]
