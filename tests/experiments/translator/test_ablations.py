"""The ablations: what each arm changes and what it keeps, on which pairs it is trained, and how it is examined."""

import pytest
import torch
from global_state import unchanged_state

from attention_book.analysis.ablated_parts import NormAlone
from attention_book.experiments.little_language_study import length, training_pairs
from attention_book.experiments.translator import ablations as experiment

FULL = experiment.CONFIGURATION
SHORT = FULL | {"drawn": 80, "examined": 4, "training": FULL["training"] | {"tokens": 700}}
ARMS = FULL["arms"]


def built(arm, seed=0):
    return experiment.build(ARMS[arm], seed, SHORT)


def test_each_arm_is_what_its_name_says():
    assert {arm: built(arm).config.positions for arm in ARMS if "positions" in arm} == {
        "no_positions": "none", "learned_positions": "learned", "rotary_positions": "rotary",
    }  # fmt: skip
    assert built("whole").config.positions == "sinusoidal" and built("whole").config.norm == "pre"
    assert built("post_norm").config.norm == "post" and built("one_head").config.n_heads == 1
    assert any(type(module) is NormAlone for module in built("no_residuals").modules())
    without = {arm: ARMS[arm].get("without") for arm in ARMS if "without" in ARMS[arm]}
    assert without == {"no_scale": "scale", "no_residuals": "residuals", "no_feed_forward": "feed_forward"}
    assert ARMS["no_warm_up"]["training"] == {"warmup": 0.0} and FULL["training"]["warmup"] > 0
    assert ARMS["smoothed_labels"]["training"] == {"smoothing": 0.1} and FULL["training"]["smoothing"] == 0


@pytest.mark.parametrize("arm", ARMS)
def test_parameters_that_an_arm_shares_with_the_whole_start_from_the_same_numbers(arm):
    whole, other = built("whole", 3).state_dict(), built(arm, 3).state_dict()
    shared = [name for name in other if name in whole]
    assert len(shared) > 20 and all(torch.equal(whole[name], other[name]) for name in shared)
    assert not torch.equal(built(arm, 4).src_embedding.weight, other["src_embedding.weight"])


def test_examined_pairs_are_new_and_as_long_as_those_of_training():
    pairs = training_pairs(0, SHORT)
    new = experiment.held_out_pairs(0, pairs, SHORT)
    assert len(new) == 4 and not {pair.source for pair in new} & {pair.source for pair in pairs}
    assert max(map(length, new)) <= SHORT["longest"]
    many = experiment.held_out_pairs(0, pairs, SHORT | {"examined": 300})
    assert {len(pair.derivation.clauses) for pair in many} == {1, 2}
    assert experiment.held_out_pairs(1, pairs, SHORT) != new


def test_the_recipe_of_an_arm_reaches_the_trainer(monkeypatch):
    seen = {}

    def noted(self, progress):
        seen[self.settings.warmup, self.settings.smoothing] = [g["weight_decay"] for g in self.optimizer.param_groups]

    monkeypatch.setattr(experiment.Trainer, "run", noted)
    for arm in ("whole", "no_warm_up", "smoothed_labels", "no_feed_forward"):
        experiment.train(ARMS[arm], training_pairs(0, SHORT), 0, SHORT)
    assert set(seen) == {(0.04, 0.0), (0.0, 0.0), (0.04, 0.1)}


@pytest.mark.slow
def test_a_run_reports_every_arm_and_repeats_itself():
    arms = {arm: ARMS[arm] for arm in ("whole", "no_residuals")}
    with unchanged_state():
        first, second = (experiment.run_seed(0, SHORT | {"arms": arms}) for _ in range(2))
    assert first == second and first["tokens"] >= 2 * 700
    for arm in arms:
        assert first[f"{arm}/loss"] > first["floor"] > 0 and 0 <= first[f"{arm}/right"] <= 1
        assert first[f"{arm}/parameters"] == 270_080
