"""Losses by token: what a token is called, and that its loss is the package's."""

import numpy as np
import pytest
import torch
from oracles import seeded
from tiny_translator import tiny_translator

from attention_book.data.batching import padded_batch
from attention_book.data.normalisation import Pair
from attention_book.experiments.translator import losses_by_token as experiment
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.training.trainer import validation_loss


@pytest.mark.parametrize(
    ("tokens", "wanted"),
    [
        (
            ["V", "imos", "▁un", "▁er", "izo", "."],
            ["first", "continues", "whole", "begins", "continues", "mark", "end"],
        ),
        (["¿", "Qué", "?"], ["first", "continues", "mark", "end"]),
        (["Sí", ",", "▁a", "b", "c"], ["first", "mark", "begins", "continues", "continues", "end"]),
        (["▁—", "▁7"], ["first", "whole", "end"]),
        ([], ["end"]),
    ],
)
def test_what_a_token_is(tokens, wanted):
    assert experiment.places(tokens) == wanted


def test_probabilities_give_the_loss_of_the_package():
    model = seeded(lambda: Transformer(TransformerConfig.tiny())).eval()
    pair = ([5, 6, 7], [8, 9, 10])
    own, largest = experiment.probabilities(model, pair)
    assert float(-own.log().mean()) == pytest.approx(validation_loss(model, [padded_batch([pair])]), rel=1e-5)
    assert len(own) == 4 and bool((largest >= own).all())
    with torch.no_grad():
        logits = model(torch.tensor([[5, 6, 7, 2]]), torch.tensor([[1, 8, 9, 10]]))[0]
    torch.testing.assert_close(largest.float(), logits.softmax(-1).amax(-1))


def test_shares_and_the_costliest_by_hand():
    assert experiment.shares(np.array([0.0, 0.1, 0.3, 1.0]), 4) == [0.5, 0.25, 0.0, 0.25]
    assert experiment.costliest(np.array([1.0, 6.0, 2.0, 1.0]), 0.25) == 0.6


def test_the_kinds_of_tokens_are_all_tokens_and_their_losses_all_the_loss(monkeypatch):
    translator = tiny_translator()
    texts = [("I like cats.", "Me gustan los gatos."), ("Come in!", "¡Pasa!"), ("The dog sleeps.", "El perro duerme.")]
    corpus = type("Corpus", (), {"validation": [Pair(a, b, (b,)) for a, b in texts]})
    monkeypatch.setattr(experiment, "load", lambda name: corpus)
    monkeypatch.setattr(experiment.Translator, "from_pretrained", lambda name: translator)
    found = experiment.run_seed(0, experiment.CONFIGURATION | {"sentences": 2})
    kinds = experiment.CONFIGURATION["places"]
    assert found["sentences"] == 2 and found["first_count"] == found["end_count"] == 2
    assert sum(found[f"{kind}_count"] for kind in kinds) == found["target_tokens"]
    whole = sum(found[f"{kind}_loss"][0] * found[f"{kind}_count"] for kind in kinds if found[f"{kind}_count"])
    assert whole / found["target_tokens"] == pytest.approx(found["loss"], abs=1e-5)
    assert sum(found["own"]) == pytest.approx(1, abs=1e-4) and len(found["largest"]) == 20
    assert 0.1 < found["costliest_tenth"] < found["costliest_half"] <= 1
