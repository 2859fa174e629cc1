"""The experiment that removes heads: its losses against one sentence at a time, its bootstrap against a formula."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from oracles import seeded

from attention_book.analysis.ablation import Head, heads_of, without_heads
from attention_book.experiments.attention import removing_heads as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer

ENCODED = [([5, 6, 7], [8, 9]), ([4], [5, 6, 7, 8]), ([9, 8, 7, 6, 5], [4, 4, 4]), ([10, 11], [12])]


@pytest.fixture
def model():
    return seeded(lambda: Transformer(TransformerConfig.tiny())).double().eval()


def test_batches_hold_every_sentence_once_within_the_budget():
    for budget in (1, 8, 1000):
        batches = experiment.batches_of(ENCODED, budget)
        assert sorted(place for places, _ in batches for place in places) == [0, 1, 2, 3]
        for places, batch in batches:
            for row, place in enumerate(places):
                source, target = ENCODED[place]
                assert batch.src[row][: len(source) + 1].tolist() == [*source, 2]
                assert batch.tgt_in[row][: len(target) + 1].tolist() == [1, *target]
                assert batch.tgt_out[row][: len(target) + 1].tolist() == [*target, 2]
            assert len(places) == 1 or max(batch.src.numel(), batch.tgt_in.numel()) <= budget


@pytest.mark.parametrize("heads", [[], [Head("cross", 0, 1)]])
def test_losses_are_those_of_single_sentences(model, heads):
    found = experiment.losses(model, experiment.batches_of(ENCODED, 1000), heads)
    for (source, target), loss in zip(ENCODED, found, strict=True):
        with without_heads(model, heads), torch.no_grad():
            logits = model(torch.tensor([[*source, 2]]), torch.tensor([[1, *target]]))[0]
        wanted = F.cross_entropy(logits, torch.tensor([*target, 2]), reduction="sum")
        assert loss == pytest.approx(float(wanted), abs=1e-4)  # the experiment adds up in single precision


def test_profiles_do_not_depend_on_the_company(model):
    whole = experiment.profiles(model, ENCODED)
    assert set(whole) == set(experiment.KINDS)
    single = [experiment.profiles(model, [pair])["cross"].itself for pair in ENCODED]
    rows = torch.tensor([len(target) + 1 for _, target in ENCODED], dtype=torch.float64)
    expected = (torch.stack(single) * rows[:, None, None]).sum(0) / rows.sum()
    torch.testing.assert_close(whole["cross"].itself, expected)
    assert torch.equal(whole["decoder_self"].after, torch.zeros_like(whole["decoder_self"].after))


def test_the_bootstrap_is_the_ratios_error():
    rng = np.random.default_rng(0)
    tokens = rng.integers(3, 15, size=400)
    differences = 0.05 * tokens + rng.normal(size=400)
    change, error = experiment.resampled(differences, tokens, 2000, seed=1)
    assert change == pytest.approx(differences.sum() / tokens.sum())
    residual = differences - change * tokens  # the delta method for a ratio of sums
    assert error == pytest.approx(math.sqrt(len(tokens)) * residual.std(ddof=1) / tokens.sum(), rel=0.1)
    assert experiment.resampled(np.zeros(400), tokens, 50, seed=1) == (0.0, 0.0)


def test_names_of_heads_are_those_of_the_result(model):
    assert [experiment.named(head) for head in heads_of(model)][:2] == ["encoder_self/0/0", "encoder_self/0/1"]


def test_the_committed_result_names_every_head_of_the_translator():
    from attention_book import experiments

    (seed,) = experiments.read("removing-heads")["seeds"].values()
    assert len(seed["removed"]) == len(seed["alone"]) == 36 and len(seed["silenced"]) == 9
    assert seed["sentences"] == experiment.CONFIGURATION["sentences"]
    for kind in experiment.KINDS:
        shape = np.array(seed["profiles"][kind]["entropy"]).shape
        assert shape == (3, 4)
        shares = sum(np.array(seed["profiles"][kind][name]) for name in ("before", "itself", "after"))
        assert (shares <= 1 + 1e-9).all()
