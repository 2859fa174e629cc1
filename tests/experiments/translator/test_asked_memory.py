"""A translator with the memory of a few pairs: what is on record of it, and that the memory is heard."""

import math

import pytest
import torch
from tiny_pairs import PAIRS

from attention_book.data.batching import encode_pairs
from attention_book.data.corpora import Corpus
from attention_book.data.subwords import Subwords
from attention_book.experiments.translator import asked_memory as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.training.remembering.datastore import datastore_of
from attention_book.training.remembering.nearest import Neighbourhoods
from attention_book.training.remembering.with_memory import WithMemory
from attention_book.translation.decoding import greedy_decode
from attention_book.translation.translator import Translator


@pytest.fixture(scope="module")
def untrained():
    subwords = Subwords.train((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
    torch.manual_seed(5)
    return Transformer(TransformerConfig.tiny(len(subwords), max_len=32)).double().eval(), subwords


def with_memory(untrained, share, **options):
    model, subwords = untrained
    store = datastore_of(model, encode_pairs(PAIRS, subwords, 32))
    return WithMemory(model, Neighbourhoods(store.keys, 2), store.values, share, probes=2, **options).eval(), store


def test_the_loss_is_the_mean_of_the_mixture_s_logarithms(untrained):
    asking, store = with_memory(untrained, 0.5, neighbours=3, temperature=1.0)
    total = 0.0
    for key, value in zip(store.keys, store.values, strict=True):
        apart, near = (store.keys - key).square().sum(1).sort(stable=True)
        weights = (-apart[:3]).softmax(0)
        memory = float(weights[store.values[near[:3]] == value].sum())
        own = float((asking.model.output.weight.detach() @ key).softmax(0)[value])
        total -= math.log(0.5 * own + 0.5 * memory)
    with torch.no_grad():
        assert experiment.loss_with(asking, store) == pytest.approx(total / len(store.keys), rel=1e-6)


def test_the_token_of_most_neighbours_is_weighed_and_judged(untrained):
    asking, store = with_memory(untrained, 0.5, neighbours=1)
    with torch.no_grad():
        found = experiment.likeliest(asking, store)
    # Each key is its own nearest: one neighbour has all the weight, and is right but where two states are the same.
    assert found["weight"] == pytest.approx(1) and found["right"] > 0.9


def test_translations_are_those_of_single_sentences_in_the_order_given(untrained):
    asking, _ = with_memory(untrained, 1.0, temperature=1e-6)
    _, subwords = untrained
    texts = [pair.source for pair in PAIRS]
    found = experiment.translated(asking, subwords, texts, 1)
    assert found == [pair.target for pair in PAIRS]
    (alone,) = greedy_decode(asking, torch.tensor([[*subwords.encode(texts[7]), 2]]))
    assert subwords.decode([token for token in alone.tokens if token != 2]) == found[7]


def test_a_run_says_what_the_memory_brings(untrained, monkeypatch, tmp_path):
    model, subwords = untrained
    Translator(model.float(), subwords, {}).save(tmp_path / "translator")
    model.double()
    corpus = Corpus("tatoeba-en-es", tuple(PAIRS), tuple(PAIRS[:6]), tuple(PAIRS[5:9]), "en", "es", "0" * 64)
    monkeypatch.setattr(experiment.corpora, "load", lambda name: corpus)
    small = {"translator": str(tmp_path / "translator"), "training_sentences": 5, "lists": 4, "probes": 4,
             "bootstrap": 10, "temperature": 1e-3, "own": {"dog": "the dog sleeps"}}  # fmt: skip
    found = experiment.run_seed(0, experiment.CONFIGURATION | small)
    count = sum(len(subwords.encode(pair.target)) + 1 for pair in PAIRS)
    assert found["keys"] == count and found["bytes"] == count * (model.config.d_model * 4 + 8)
    losses = list(found["loss"].values())
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0] / 2
    assert found["greedy"]["0.75"]["chrf"] > 90 > found["greedy"]["0.0"]["chrf"]
    assert found["test"]["0.5"]["chrf"] > found["test"]["0.0"]["chrf"]
    assert found["training"]["0.5"]["chrf"] > 90 and found["own"]["0.75"] == ["el perro duerme"]
    assert found["seen"] == {"dog": 4}
    assert "bleu_p" in found["beam"]["0.5"] and "bleu_p" not in found["beam"]["0.0"]
