"""The experiment on where the norm stands: its arms differ in what they are called by, and it repeats itself."""

import pytest
import torch
from global_state import unchanged_state

from attention_book.experiments.translator import norm_placement as experiment

SHORT = experiment.CONFIGURATION | {
    "peak_rates": [4e-3],
    "n_layers": 1,
    "drawn": 60,
    "held_out": 8,
    "training": {"tokens": 700, "tokens_per_batch": 200, "smoothing": 0.0, "validate_every": 300},
}


def test_the_arms_cross_the_norm_with_the_warm_up():
    arms = experiment.CONFIGURATION["arms"]
    assert {(arm["norm"], arm["warmup"] > 0) for arm in arms.values()} == {
        ("pre", True), ("pre", False), ("post", True), ("post", False)
    }  # fmt: skip
    for name, arm in arms.items():
        assert name == f"{arm['norm']}_{'warm' if arm['warmup'] else 'cold'}"


def test_both_kinds_start_from_the_same_matrices_and_compute_something_else():
    pre, post = (experiment.build(norm, 3, SHORT).eval() for norm in ("pre", "post"))
    matrices = dict(post.named_parameters())
    for name, parameter in pre.named_parameters():
        if not name.endswith(("encoder.norm.weight", "encoder.norm.bias", "decoder.norm.weight", "decoder.norm.bias")):
            assert torch.equal(parameter, matrices[name]), name
    src, tgt = torch.tensor([[5, 6, 2]]), torch.tensor([[1, 7]])
    with torch.inference_mode():
        assert not torch.allclose(pre(src, tgt), post(src, tgt))
    assert len(experiment.build("pre", 0, SHORT | {"n_layers": 3}).encoder.layers) == 3


def test_every_arm_is_trained_with_its_own_norm_warm_up_and_rate(monkeypatch):
    seen = []

    class Noted(experiment.Trainer):
        def run(self, progress):
            config, settings = self.model.config, self.settings
            seen.append((config.norm, config.n_layers, settings.warmup, settings.peak_rate, settings.seed))
            self.curve = [{"tokens": 1, "validation_loss": 2.0}]

    monkeypatch.setattr(experiment, "Trainer", Noted)
    experiment.run_seed(7, SHORT | {"peak_rates": [1e-3, 4e-3]})
    wanted = [(norm, 1, warmup, rate, 7) for norm in ("pre", "post") for warmup in (0.1, 0.0) for rate in (1e-3, 4e-3)]
    assert seen == wanted


@pytest.mark.slow
def test_a_run_reports_every_arm_and_repeats_itself():
    with unchanged_state():
        first, second = (experiment.run_seed(0, SHORT) for _ in range(2))
    assert first == second
    assert len(first["seen"]) >= 2 and first["tokens"] >= 4 * SHORT["training"]["tokens"]
    for name in SHORT["arms"]:
        curve = first[f"{name}/0.004/curve"]
        assert len(curve) == len(first["seen"]) and first[f"{name}/0.004/loss"] == curve[-1]
        assert all(loss > first["floor"] for loss in curve)
    assert first["pre_warm/0.004/curve"] != first["pre_cold/0.004/curve"]
