"""The links of cross-attention: what is kept of each aligner, and that a run reports it and repeats itself."""

import json

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.experiments.little_language_study import token_losses
from attention_book.experiments.reading import cross_attention_links as experiment
from attention_book.experiments.translator.ablations import build
from attention_book.little_language.language import pair_for, sample, word_vocabulary
from attention_book.little_language.word_kinds import KINDS

FULL = experiment.CONFIGURATION
SHORT = FULL | {
    "drawn": 60, "examined": 8, "validation": 3, "rounds": 2, "picked_from": [1, 2], "draws": 3,
    "training": FULL["training"] | {"tokens": 400},
    "recurrent_training": FULL["recurrent_training"] | {"tokens": 400},
}  # fmt: skip


def test_choices_are_judged_by_hand():
    pair = pair_for("I like cats.", "es", "Me gustan los gatos.")  # I–Me, like–gustan, cats–los, cats–gatos, .–.
    chosen = [[0, 2, 2, 2, 4]]  # gustan is linked wrongly, and the full stop with nothing
    assert experiment.counts_of(chosen, [pair]).tolist() == [[4, 3, 3, 5]]
    right = dict(zip(KINDS, experiment.right_by_kind(chosen, [pair]), strict=True))
    assert right["noun"] == right["clitic"] == right["article without source"] == 1
    assert right["verb of liking"] == right["mark"] == right["verb"] == 0


def test_the_row_to_come_is_the_row_at_the_word_before():
    words, pair = word_vocabulary("es"), pair_for("I like cats.", "es", "Me gustan los gatos.")
    model = build({}, 0, SHORT).eval()
    looks = experiment.weights_of(model, pair, words)
    src = torch.tensor([[*words.encode(pair.source), words.eos_id]])
    fed = torch.tensor([[words.bos_id, *words.encode(pair.target)]])
    rows = model.attention_weights(src, fed)["cross"][:, 0].detach()
    torch.testing.assert_close(looks["to come"], rows[:, :, :5])
    torch.testing.assert_close(looks["just read"], rows[:, :, 1:])


def test_the_losses_of_the_kinds_are_those_of_the_words():
    words, pairs = word_vocabulary("es"), sample(12, 4, "es")
    model = build({}, 0, SHORT).eval()
    by_kind = experiment.loss_by_kind(model, pairs, words)
    assert by_kind[-1] == pytest.approx(token_losses(model, pairs, words).nanmean().item(), rel=1e-5)
    marks = [pair_for("Tom eats soup.", "es", "Tom come sopa.")]
    one = token_losses(model, marks, words)[0]
    found = dict(zip(KINDS, experiment.loss_by_kind(model, marks, words), strict=False))
    assert [found[kind] for kind in ("other", "verb", "noun", "mark")] == pytest.approx(one[:4].tolist(), rel=1e-5)
    assert np.isnan(found["clitic"])


@pytest.mark.slow
def test_a_run_reports_every_aligner_and_repeats_itself():
    with unchanged_state():
        first, second = (experiment.run_seed(0, SHORT) for _ in range(2))
    assert json.dumps(first) == json.dumps(second) and first["tokens"] >= 800
    described = [first[name] for name in ("ibm1", "diagonal", "one_link")]
    for reading in ("to come", "just read"):
        described += [first["mean"][reading], first["recurrent"][reading], *first["layer_means"][reading]]
        described += [head for layer in first["heads"][reading] for head in layer]
    for one in described:
        assert all(0 <= one[name] <= 1 for name in ("validation", "test", "precision", "recall"))
        assert one["test"] >= first["one_link"]["test"] and len(one["right"]) == len(KINDS)
    assert np.shape(first["removed"]) == (2, 4, len(KINDS) + 1) and np.shape(first["silenced"]) == (2, len(KINDS) + 1)
    assert np.allclose(np.sum(first["example"], axis=-1), 1, atol=1e-3) and first["one_link"]["precision"] == 1
