"""The switches of training: what an arm changes and what it leaves, the mean of snapshots, and what is measured."""

import pytest
import torch
from global_state import unchanged_state
from oracles import seeded
from torch import nn

from attention_book.experiments.little_language_study import training_pairs
from attention_book.experiments.translator import training_switches as experiment
from attention_book.models.transformer import Transformer, TransformerConfig

SHORT = experiment.CONFIGURATION | {
    "drawn": 80,
    "examined": 4,
    "training": experiment.CONFIGURATION["training"] | {"tokens": 900, "tokens_per_batch": 100},
    "snapshots": {"kept": 3, "apart": 100},
}


def test_the_mean_of_snapshots_and_the_norm_of_a_gradient_are_torchs():
    model = seeded(lambda: Transformer(TransformerConfig.tiny(20)))
    first = {name: p.detach().clone() for name, p in model.named_parameters()}
    experiment.put_mean(model, [first, {name: 3 * p for name, p in first.items()}])
    for name, p in model.named_parameters():
        torch.testing.assert_close(p, 2 * first[name])
    model(torch.tensor([[5, 2]]), torch.tensor([[1, 6]])).square().sum().backward()
    wanted = nn.utils.clip_grad_norm_(model.parameters(), 1e9).item()
    assert experiment.gradient_norm(model) == pytest.approx(wanted, rel=1e-5)


def test_an_arm_differs_only_in_what_it_says():
    pairs = training_pairs(0, SHORT)
    runs = {name: experiment.train(SHORT["arms"][name], pairs, 0, SHORT) for name in ("plain", "constant", "few")}
    assert all(run.tokens >= 900 and len(run.snapshots) == 3 for run in runs.values())
    assert runs["plain"].norms[0] == runs["constant"].norms[0] == pytest.approx(1)  # clipped, from the same start
    last = runs["plain"].snapshots[-1]
    assert all(torch.equal(p, last[name]) for name, p in runs["plain"].model.named_parameters())
    moved = {
        name: sum((run.snapshots[-1][key] - run.snapshots[0][key]).square().sum().item() for key in last)
        for name, run in runs.items()
    }
    assert moved["constant"] > 3 * moved["plain"]  # its rate has not fallen
    unclipped = experiment.train(SHORT["arms"]["fast_unclipped"], pairs, 0, SHORT)
    assert max(unclipped.norms) > 1 + 1e-3


@pytest.mark.slow
def test_a_run_reports_every_arm_and_repeats_itself():
    with unchanged_state():
        first, second = (experiment.run_seed(0, SHORT) for _ in range(2))
    assert first == second
    for name in SHORT["arms"]:
        assert first[f"{name}_loss"] > first["floor"]
        assert 0 <= first[f"{name}_right"] <= 1 and 0 < first[f"{name}_hit"] <= 1
        assert first[f"{name}_averaged_loss"] != first[f"{name}_loss"]
    assert first["untied_parameters"] - first["plain_parameters"] == 2 * 568 * 64
