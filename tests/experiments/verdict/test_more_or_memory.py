"""Three kinds of targets: each arm begins at the same translator, and a lesson without a memory is what it says."""

import pytest
import torch
from tiny_pairs import PAIRS

from attention_book.data.batching import encode_pairs
from attention_book.data.corpora import Corpus
from attention_book.data.subwords import Subwords
from attention_book.experiments.verdict import more_or_memory as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.training.remembering.datastore import datastore_of
from attention_book.training.remembering.lesson import Remembering
from attention_book.translation.translator import Translator

CORPUS = Corpus("tatoeba-en-es", tuple(PAIRS), tuple(PAIRS[:4]), tuple(PAIRS[:3]), "en", "es", "0" * 64)


@pytest.fixture(scope="module")
def untrained():
    subwords = Subwords.train((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
    torch.manual_seed(5)
    return Translator(Transformer(TransformerConfig.tiny(len(subwords), max_len=96)).eval(), subwords, {})


def test_a_lesson_without_a_memory_is_what_the_model_says(untrained, monkeypatch):
    model, subwords = untrained.model, untrained.subwords
    monkeypatch.setitem(experiment.MEMORY, "likeliest", len(subwords))
    encoded = encode_pairs(PAIRS, subwords, 96)
    store = datastore_of(model, encoded)
    teacher = Remembering(encoded, experiment.itself(store, model), len(subwords))
    source, target = encoded[0]
    src, tgt = torch.tensor([[[*source, subwords.eos_id]]]), torch.tensor([[[subwords.bos_id, *target]]])
    with torch.no_grad():
        said = teacher.logits(src, tgt, False)[0, 0]
        torch.testing.assert_close(said, model(src[0], tgt[0])[0].log_softmax(-1), rtol=0, atol=2e-2)


def test_all_arms_read_the_same_tokens_and_are_scored(untrained, monkeypatch):
    monkeypatch.setattr(experiment.corpora, "load", lambda name: CORPUS)
    monkeypatch.setattr(experiment.Translator, "from_pretrained", lambda name: untrained)
    asked = []
    real = experiment.train_stack
    monkeypatch.setattr(experiment, "train_stack", lambda *given, **named: asked.append(given) or real(*given, **named))
    found = experiment.run_seed(1, experiment.CONFIGURATION | {"tokens": 400, "bootstrap": 20})
    assert found["sentences"] == 4 and list(found["scores"]) == ["stood", "pairs", "itself", "memory"]
    assert {"loss", "bleu", "chrf", "bleu_half_width"} <= set(found["scores"]["stood"])
    assert "bleu_p" in found["scores"]["memory"] and "bleu_p" not in found["scores"]["stood"]
    recipes, teachers = [given[1] for given in asked], [given[4] for given in asked]
    assert [recipe.taught for recipe in recipes] == [0.0, 0.8, 0.8] and [len(each) for each in teachers] == [0, 1, 1]
    assert {recipe.tokens for recipe in recipes} == {400} and found["tokens"] >= 1200
    own, memory = (each[0].shares for each in teachers[1:])
    assert own.shape[1] < memory.shape[1]  # the neighbours have a share in the last alone
