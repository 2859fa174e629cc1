"""Gradients by depth: against a finite difference, and what a change of the norm does to them."""

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.data.batching import token_batches
from attention_book.experiments.little_language_study import encoded
from attention_book.little_language.language import sample, word_vocabulary
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.translator import gradients_by_depth as study
from attention_book.training.trainer import validation_loss


def model_and_batch():
    """The model of two post-norm layers and the batch of seed 1, made as the study makes them, in double precision."""
    words = word_vocabulary("es")
    (batch,) = token_batches(encoded(sample(study.PAIRS, 1, "es"), words), 10_000, seed=0, epoch=0)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = Transformer(TransformerConfig.tiny(len(words), n_layers=2, norm="post", dropout=0.0)).double()
    return model, batch


def test_a_gradient_is_the_slope_of_the_loss():
    model, batch = model_and_batch()
    norm = study.layer_gradients("post", 2, 1)[1]
    weight = model.decoder.layers[1].feed_forward.w_2.weight
    (direction,) = torch.autograd.grad(_loss(model, batch), weight)
    direction = direction / direction.norm()
    step, losses = 1e-4, []
    for sign in (1, -1):
        with torch.no_grad():
            weight += sign * step * direction
            losses.append(validation_loss(model, [batch]))
            weight -= sign * step * direction
    assert norm == pytest.approx((losses[0] - losses[1]) / (2 * step), rel=1e-2)


def _loss(model, batch):
    logits = model(batch.src, batch.tgt_in)
    wanted = torch.where(batch.tgt_out == 0, -100, batch.tgt_out)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())


def test_the_same_seed_gives_the_same_and_leaves_torchs_numbers_alone():
    with unchanged_state():
        first, second = (study.layer_gradients("pre", 2, 3) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert len(first) == 2 and not np.allclose(first, study.layer_gradients("post", 2, 3))


def test_with_six_layers_post_norm_favours_the_last_and_pre_norm_does_not():
    for seed in (0, 1):
        post, pre = (study.layer_gradients(norm, 6, seed) for norm in ("post", "pre"))
        assert post[-1] > 3 * post[0] and pre[-1] < 1.5 * pre[0]


def test_numbers_are_the_ranges_of_the_quotients_and_lines_hold_the_means(monkeypatch):
    made = {
        (norm, n): np.array([[1.0, *[9.0] * (n - 2), k], [2.0, *[9.0] * (n - 2), k]])
        for norm, k in (("pre", 2.0), ("post", 4.0))
        for n in (2, 6, 12)
    }
    monkeypatch.setattr(study, "gradients", lambda norm, n: made[norm, n])
    assert study.last_over_first("post", 6).tolist() == [4.0, 2.0]
    told = {"pre_2": "1.0 to 2.0", "pre_12": "1.0 to 2.0", "post_2": "2.0 to 4.0", "post_12": "2 to 4"}
    assert study.numbers() == told
    at, values = study.lines(6)["post-norm"]
    assert at.tolist() == [0, 1, 2, 3, 4, 5] and values.tolist() == [1.5, 9, 9, 9, 9, 4]
    assert "post-norm: 1.5 at the first layer, 4 at the last" in study.lines_told(6)
    _, guess = study.lines(6)["√2 per norm"]
    assert guess[-1] == 4 and guess[0] == pytest.approx(4 / 2**7.5)  # 15 norms between the first and the last


def test_the_pencil_counts_three_norms_for_every_layer_above_the_first(monkeypatch):
    quotients = np.array([2.0**16.5, 1.0])
    monkeypatch.setattr(study, "last_over_first", lambda norm, n: quotients if (norm, n) == ("post", 12) else None)
    told = study.by_pencil()
    assert told["norms_between"] == 33 and told["per_norm"] == "0 to 29 %"
    assert told["root_two"] == 93_000
    assert told["root_two_share"] == pytest.approx(29.289, abs=1e-3)


@pytest.mark.slow
def test_the_measured_norms_take_off_less_than_the_pencil_says():
    quotients = study.last_over_first("post", 12)
    assert quotients.min() > 20 and quotients.max() < 300


def test_a_passage_is_what_the_derivatives_by_hand_give():
    found = study.passages(2, 1)
    assert found.shape == (2, 3, 3) and (found > 0).all()
    model, batch = model_and_batch()
    layer, kept = model.decoder.layers[1], []

    def taken_apart(x, sublayer, block=layer.add_feed_forward):
        by_itself, through = x.clone(), x.clone()
        y = block.norm(by_itself + sublayer(through))
        kept.extend([x, by_itself, through, y])
        return y

    layer.add_feed_forward.forward = taken_apart
    by_x, alone, by_f, by_y = (one.norm() for one in torch.autograd.grad(_loss(model, batch), kept))
    np.testing.assert_allclose(found[1, 2], [one / by_y for one in (alone, by_f, by_x)], rtol=1e-3)


def test_what_follows_one_another_is_averaged_as_factors(monkeypatch):
    made = np.array([[[1.0, 1, 0.5], [1, 1, 0.25], [1, 1, 1]], [[4.0, 1, 0.5], [1, 1, 1], [1, 1, 1]]])
    monkeypatch.setattr(study, "passages", lambda n_layers, seed: made)
    monkeypatch.setattr(study, "memory_alikeness", lambda n_layers: 0.5)
    study.passed.cache_clear()
    assert study.passed(6)[0].tolist() == pytest.approx([2, 1, 0.5])
    rows = study.passage_rows(6)
    assert rows[0] == ("self-attention", "2.00", "1.00", "0.50") and len(rows[0]) == len(study.PASSAGE_HEADER)
    told = study.passage_numbers(6)
    assert told["cross_together"] == 2**5 and told["memory_cosine"] == 0.5 and told["cross_both"] == pytest.approx(0.5)
    study.passed.cache_clear()


@pytest.mark.slow
def test_the_pencil_is_right_of_cross_attention_alone_and_because_the_memorys_rows_are_alike():
    (own, cross, feed), few = study.passed(12), study.passed(2)
    half = 2**-0.5
    assert abs(own[0] - half) < 0.02 and abs(cross[0] - half) < 0.02 and feed[0] > 0.8  # what the norms alone leave
    assert abs(cross[2] - half) < 0.02 and min(own[2], feed[2]) > 0.95  # what is left in all
    for row in (own, feed):
        assert row[2] == pytest.approx(np.hypot(*row[:2]), abs=0.03)  # nearly at right angles
    assert own[1] > 0.95 * own[0] and feed[1] < 0.8 * own[1]
    assert cross[1] < 0.001 < 0.05 < few[1, 1]
    assert study.memory_alikeness(2) < 0.7 and study.memory_alikeness(12) > 0.998
    assert 40 < study.passage_numbers()["cross_together"] < study.last_over_first("post", 12).min()
