"""The fourth arm is the undivided model with a smaller rate for W^Q, and its runs can be laid beside the others."""

import math

import pytest
import torch
from global_state import unchanged_state

from attention_book.experiments.attention import large_start_small_rate as experiment
from attention_book.experiments.attention import with_and_without_the_root as three_arms
from attention_book.experiments.toy_dictionary import Dictionary
from attention_book.models.config import TransformerConfig

SHORT = experiment.CONFIGURATION | {
    "widths": [8, 16], "words": 4, "length": 3, "steps": 4, "batch": 2, "held_out": 5, "every": 2,
}  # fmt: skip


def losses(arm, width, optimizer_of, train, steps=4):
    """The loss of each of the first steps of an arm."""
    settings = SHORT | {"steps": steps, "every": 1}
    language = Dictionary(4, 2, torch.Generator().manual_seed(0))
    config = TransformerConfig.tiny(language.vocab_size, d_k=width, **settings["model"])
    model = three_arms.model_for(arm, width, config, 0)
    given = (optimizer_of(model),) if optimizer_of else ()
    found = train(model, *given, language, 1, settings)
    return torch.tensor(found if optimizer_of else found["loss"])


@pytest.mark.parametrize("arm", ["divided", "undivided"])
def test_at_one_rate_for_all_an_arm_learns_as_in_the_other_experiment_to_the_last_digit(arm):
    other = losses(arm, 16, None, three_arms.train)
    same = losses(arm, 16, lambda model: experiment.two_rates(model, 1e-3, 1e-3), experiment.train)
    assert torch.equal(same, other)
    slow = losses(arm, 16, lambda model: experiment.two_rates(model, 1e-3, 1e-4), experiment.train)
    assert torch.equal(slow[:1], other[:1]) and not torch.equal(slow, other)


def test_the_small_rate_and_the_small_start_together_are_the_division():
    small = lambda model: experiment.two_rates(model, 1e-3, 1e-3 / 4)  # noqa: E731
    divided = losses("divided", 16, None, three_arms.train, steps=12)
    torch.testing.assert_close(losses("folded", 16, small, experiment.train, steps=12), divided, rtol=1e-4, atol=1e-4)
    assert (losses("undivided", 16, small, experiment.train, steps=12) - divided).abs().max() > 0.01


def test_the_smaller_rate_is_that_of_all_queries_and_of_nothing_else():
    config = TransformerConfig.tiny(20, d_k=16, **experiment.CONFIGURATION["model"])
    model = three_arms.model_for("undivided", 16, config, 0)
    others, queries = experiment.two_rates(model, 1e-3, 2.5e-4).param_groups
    wanted = [p for a in three_arms.attentions(model) for p in (a.w_q.weight, a.w_q.bias)]
    assert set(map(id, queries["params"])) == set(map(id, wanted)) and queries["lr"] == 2.5e-4
    assert len(others["params"]) + len(queries["params"]) == len(list(model.parameters())) and others["lr"] == 1e-3


def test_a_run_starts_undivided_and_slows_the_queries_by_the_root_of_the_width(monkeypatch):
    rates = []
    made = experiment.two_rates
    monkeypatch.setattr(experiment, "two_rates", lambda *given: rates.append(given[1:]) or made(*given))
    found = experiment.run_seed(1, SHORT)
    undivided = three_arms.run_seed(1, SHORT | {"arms": ["undivided"]})
    assert rates == [(1e-3, pytest.approx(1e-3 / math.sqrt(width))) for width in SHORT["widths"]]
    for width in SHORT["widths"]:
        for what in ("start_loss", "start_encoder_spread", "start_cross_entropy"):
            assert found[f"large_start/{width}/{what}"] == undivided[f"undivided/{width}/{what}"]
        assert found[f"large_start/{width}/end_loss"] != undivided[f"undivided/{width}/end_loss"]


def test_a_run_reports_every_width_and_repeats_itself():
    first = experiment.run_seed(0, SHORT)
    assert first == experiment.run_seed(0, SHORT) != experiment.run_seed(1, SHORT)
    assert first["tokens"] == 2 * 4 * 2 * (3 + 1)
    for width in SHORT["widths"]:
        assert first[f"large_start/{width}/close_at"] == 5  # never within four steps
        assert len(first[f"large_start/{width}/loss_curve"]) == 2
    assert experiment.run_seed(0, SHORT | {"close": 100.0})["large_start/8/close_at"] == 2


def test_the_seeds_and_sizes_are_those_of_the_other_arms():
    assert experiment.SEEDS == three_arms.SEEDS
    assert experiment.CONFIGURATION | {"arms": three_arms.CONFIGURATION["arms"]} == three_arms.CONFIGURATION


def test_training_changes_no_global_state():
    with unchanged_state():
        experiment.run_seed(0, SHORT)
