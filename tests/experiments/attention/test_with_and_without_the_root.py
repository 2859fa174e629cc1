"""The training with and without the division: its arms, what is looked at, and that nothing else differs."""

import math

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.experiments.attention import with_and_without_the_root as experiment
from attention_book.experiments.toy_dictionary import Dictionary, with_start
from attention_book.models.config import TransformerConfig

SHORT = experiment.CONFIGURATION | {
    "widths": [8], "words": 4, "length": 3, "steps": 4, "batch": 2, "held_out": 5, "every": 2,
}  # fmt: skip


def config(width=8):
    return TransformerConfig.tiny(20, d_k=width, **experiment.CONFIGURATION["model"])


def weights(arm, width=8, seed=0):
    model = experiment.model_for(arm, width, config(width), seed).eval()
    tokens = torch.randint(3, 20, (2, 5), generator=torch.Generator().manual_seed(1))
    return model.attention_weights(tokens, tokens)["encoder_self"], model


def logits(arm, width=8):
    model = experiment.model_for(arm, width, config(width), 0).eval()
    src, tgt = torch.randint(3, 20, (2, 4, 6), generator=torch.Generator().manual_seed(2))
    return model(src, with_start(tgt, 1))


@pytest.mark.parametrize("width", [4, 16])
@pytest.mark.parametrize("pair", [("divided", "undivided"), ("glorot_divided", "glorot_undivided")])
def test_an_undivided_model_has_the_parameters_of_the_divided_one_and_scores_root_times_as_large(width, pair):
    (divided, a), (undivided, b) = (weights(arm, width) for arm in pair)
    assert all(torch.equal(x, y) for x, y in zip(a.parameters(), b.parameters(), strict=True))
    ratio = [w[0, 0, 0, 0, :1].log() - w[0, 0, 0, 0, 1:].log() for w in (divided, undivided)]  # differences of scores
    torch.testing.assert_close(math.sqrt(width) * ratio[0], ratio[1])


def test_a_folded_model_begins_as_the_divided_one():
    torch.testing.assert_close(logits("folded"), logits("divided"))
    assert not torch.allclose(logits("undivided"), logits("divided"))


def test_gradients_of_the_folded_model_are_root_times_as_large_in_the_queries_only():
    norms = {}
    for arm in ("divided", "folded"):
        model = experiment.model_for(arm, 16, config(16), 0)
        src = torch.randint(3, 20, (4, 6), generator=torch.Generator().manual_seed(2))
        model(src, with_start(src, 1)).square().mean().backward()
        norms[arm] = experiment.gradient_norms(model)
    assert norms["folded"]["w_q"] == pytest.approx(4 * norms["divided"]["w_q"], rel=1e-4)
    assert norms["folded"]["w_k"] == pytest.approx(norms["divided"]["w_k"], rel=1e-4)
    assert norms["folded"]["rest"] == pytest.approx(norms["divided"]["rest"], rel=0.05)  # but for the queries' biases


@pytest.mark.parametrize(("arm", "variance"), [("divided", 1.0), ("folded", 1 / 16), ("glorot_divided", 2 * 64 / 96)])
def test_queries_begin_with_the_variance_that_the_arm_promises(arm, variance):
    """Unit-variance inputs: normal with variance 1/d_model gives 1, Glorot-uniform 2 d_model / (d_model + h d_k)."""
    model = experiment.model_for(arm, 16, config(16), 0)
    for attention in experiment.attentions(model):
        assert attention.w_q.weight.var().item() * 64 == pytest.approx(variance, rel=0.1)
        assert attention.w_k.weight.var().item() * 64 == pytest.approx(max(variance, 1.0), rel=0.1)


def test_what_is_examined_is_computed_from_the_weights_that_the_model_reports():
    language = Dictionary(4, 2, torch.Generator().manual_seed(0))
    settings = experiment.CONFIGURATION | {"length": 5, "held_out": 40, "saturated": 0.6}
    model = experiment.model_for("undivided", 16, TransformerConfig.tiny(
        language.vocab_size, d_k=16, **experiment.CONFIGURATION["model"]), 3).eval()  # fmt: skip
    found = experiment.examine(model, language, 7, settings)
    src, target = language.sample(40, 5, torch.Generator().manual_seed(7))
    reported = model.attention_weights(src, with_start(target, 1))
    for name, key in (("encoder", "encoder_self"), ("cross", "cross")):
        p = reported[key][0].detach().double()
        entropy = torch.distributions.Categorical(probs=p).entropy().mean().item() / math.log(5)
        assert found[f"{name}_entropy"] == pytest.approx(entropy, rel=1e-4)
        assert found[f"{name}_saturated"] == pytest.approx((p.amax(-1) > 0.6).double().mean().item())
        # Logarithms of weights are scores up to a constant a row.
        assert found[f"{name}_spread"] == pytest.approx(p.log().var(-1, unbiased=False).mean().sqrt().item(), rel=1e-3)
    assert not any(module._forward_hooks for a in experiment.attentions(model) for module in (a, a.w_k))


@pytest.mark.slow
def test_a_run_reports_every_arm_and_repeats_itself():
    first, second = experiment.run_seed(0, SHORT), experiment.run_seed(0, SHORT)
    assert first == second != experiment.run_seed(1, SHORT)
    assert first["tokens"] == 5 * 4 * 2 * (3 + 1)
    assert first["floor"] == pytest.approx(math.log(8) / 4)
    for arm in SHORT["arms"]:
        assert first[f"{arm}/8/close_at"] == 5  # never within four steps
        for what in ("loss", "w_q", "w_k", "rest"):
            curve = first[f"{arm}/8/{what}_curve"]
            assert len(curve) == 2 and np.all(np.array(curve) > 0)


def test_close_is_counted_in_steps():
    found = experiment.run_seed(0, SHORT | {"close": 100.0})
    assert {found[f"{arm}/8/close_at"] for arm in SHORT["arms"]} == {2}


def test_training_changes_no_global_state():
    with unchanged_state():
        experiment.run_seed(0, SHORT | {"arms": ["divided"]})
