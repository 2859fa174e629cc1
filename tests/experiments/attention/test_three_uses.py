"""The experiment on the three uses: its losses against the package's own, its errors against a bootstrap."""

from itertools import pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from oracles import seeded, unchecked

from attention_book.analysis.ablation import KINDS, WAYS
from attention_book.experiments.attention import three_uses as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer

ENCODED = [([5, 6, 7], [8, 9]), ([4], [5, 6, 7, 8]), ([9, 8, 7, 6, 5], [4, 4, 4])]


@pytest.fixture
def model():
    return seeded(lambda: Transformer(TransformerConfig.tiny())).eval()


@pytest.mark.parametrize("sources", [None, [2, 0, 1]])
def test_scores_are_those_of_a_padded_batch(model, sources):
    losses, right = experiment.scores(model, ENCODED, sources)
    read = [ENCODED[i if sources is None else sources[i]][0] for i in range(3)]

    def padded(rows):
        return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)

    src, asked = padded([[*ids, 2] for ids in read]), padded([[*target, 2] for _, target in ENCODED])
    with torch.no_grad():
        logits = model(src, padded([[1, *target] for _, target in ENCODED]))
    each = F.cross_entropy(logits.transpose(1, 2), asked, ignore_index=0, reduction="none").sum(dim=1)
    assert np.allclose(losses, each, atol=1e-4)
    guessed = ((logits.argmax(-1) == asked) & (asked != 0)).sum(dim=1)
    assert right.tolist() == guessed.tolist()


@pytest.mark.parametrize("n", [2, 3, 50])
def test_everybody_gets_somebody_elses_source(n):
    chosen = experiment.partners(n, seed=1)
    assert sorted(chosen) == list(range(n)) and (chosen != np.arange(n)).all()
    place, seen = 0, set()
    while place not in seen:
        seen.add(place)
        place = int(chosen[place])
    assert len(seen) == n
    with pytest.raises(ValueError, match="needs another one"), unchecked():
        experiment.partners(1, seed=1)


def test_the_error_is_the_bootstraps():
    rng = np.random.default_rng(0)
    tokens = rng.integers(3, 15, size=400)
    differences = 0.3 * tokens + rng.normal(size=400) * tokens
    mean, error = experiment.change(differences, tokens)
    draws = rng.integers(400, size=(4000, 400))
    again = differences[draws].sum(axis=1) / tokens[draws].sum(axis=1)
    assert mean == pytest.approx(differences.sum() / tokens.sum())
    assert error == pytest.approx(again.std(), rel=0.08)


def test_groups_of_lengths_are_the_whole_of_their_sentences():
    rng = np.random.default_rng(0)
    tokens, lengths = rng.integers(3, 15, size=60), rng.integers(1, 12, size=60)
    differences = rng.normal(size=60)
    groups = {"short": [1, 5], "long": [6, 11], "alone": [12, 12]}
    found = experiment.by_length(differences, tokens, lengths, groups)
    assert list(found) == ["short", "long"]  # a group without two sentences is left out
    short = [place for place, length in enumerate(lengths) if length <= 5]
    assert found["short"] == experiment.change(differences[short], tokens[short])
    parts = [found[name][0] * tokens[(lengths <= 5) == (name == "short")].sum() for name in found]
    assert sum(parts) == pytest.approx(differences.sum())


def test_groups_leave_no_length_out_and_do_not_overlap():
    limits = list(experiment.CONFIGURATION["lengths"].values())
    assert limits[0][0] == 1
    assert all(before[1] + 1 == after[0] for before, after in pairwise(limits))


def test_every_arm_is_one_that_there_is():
    for arm in experiment.CONFIGURATION["arms"]:
        use, way = arm.split("/")
        assert use in KINDS and (way in WAYS or arm == "cross/another")


def test_a_run_reports_every_arm_and_repeats_itself(model, monkeypatch):
    """On a random model and made-up pairs: what the arms mean is tested where they are made."""

    class Made:
        subwords, validation = None, ENCODED

    monkeypatch.setattr(experiment, "load", lambda name: Made)
    monkeypatch.setattr(experiment, "encode_pairs", lambda pairs, subwords, max_len: list(pairs))
    Made.model = model
    monkeypatch.setattr(experiment.Translator, "from_pretrained", lambda name: Made)
    first, second = (experiment.run_seed(1, experiment.CONFIGURATION) for _ in range(2))
    assert first == second
    assert list(first["arms"]) == experiment.CONFIGURATION["arms"]
    assert first["target_tokens"] == 12 and first["sentences"] == 3 and first["tokens"] == 0
    for arm in first["arms"].values():
        assert arm["loss"] - first["loss"] == pytest.approx(arm["change"][0], abs=1e-5)
        assert arm["change"][1] > 0
        assert arm["by_length"] == {"up to 7": arm["change"]}  # all three sentences are short
    assert first["in_group"] == {"up to 7": 3, "8 to 10": 0, "11 and more": 0}
