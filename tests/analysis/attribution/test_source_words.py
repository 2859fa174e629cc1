"""Attributions to the source: completeness, finite differences, a direct pass without the word, and words as sums."""

import math

import pytest
import torch
from oracles import seeded, unchecked

from attention_book.analysis.attribution import source_words as words
from attention_book.models.transformer import Transformer, TransformerConfig

SRC = torch.tensor([7, 12, 9, 2])
TGT = torch.tensor([1, 5, 8, 6])


@pytest.fixture
def model():
    config = TransformerConfig(vocab_size=16, d_model=8, n_heads=2, n_layers=2, d_ff=16, dropout=0.3)
    made = seeded(lambda: Transformer(config), seed=3)
    return made.double().eval().requires_grad_(False)


def log_p_with(model, vectors):
    """ln P of each written token when the encoder reads these vectors: computed from the parts, without a hook."""
    x = vectors[None] * math.sqrt(model.config.d_model) + model.positions[: len(vectors)].double()
    states, _ = model.encoder(x, torch.ones(1, 1, 1, len(vectors), dtype=torch.bool))
    memory = model.encode(SRC[None])
    logits = model.decode(TGT[None, :-1], type(memory)(states, memory.mask))[0]
    return logits.log_softmax(-1)[range(3), TGT[1:]]


def test_log_probs_are_those_of_the_written_tokens(model):
    rows = model(SRC[None], TGT[None, :-1])[0].log_softmax(-1)
    wanted = torch.tensor([rows[t, y] for t, y in enumerate(TGT[1:].tolist())])
    assert torch.allclose(words.log_probs(model, SRC[None], TGT)[0], wanted)


def test_gradients_agree_with_finite_differences(model):
    x, step = model.src_embedding.weight[SRC], 1e-5
    found = words.gradients(model, SRC, TGT)
    for j in range(len(SRC)):
        for d in (0, 3, 7):
            nudge = torch.zeros_like(x)
            nudge[j, d] = step
            slope = (log_p_with(model, x + nudge) - log_p_with(model, x - nudge)) / (2 * step)
            assert torch.allclose(found[:, j, d], slope, atol=1e-8)
    assert torch.allclose(words.gradient_times_input(model, SRC, TGT), (found * x).sum(-1))


def worst_gap(model, steps):
    """How far integrated gradients are from completeness, and what ln P gained, by a direct computation."""
    x = model.src_embedding.weight[SRC]
    gained = log_p_with(model, x) - log_p_with(model, 0 * x)
    found = words.integrated_gradients(model, SRC, TGT, steps).sum(1)
    return (found - gained).abs().max().item(), gained


@pytest.mark.slow
def test_integrated_gradients_are_complete_to_a_ten_thousandth_where_the_way_is_smooth(model, monkeypatch):
    """With GELU in place of ReLU the gradient has no jumps: midpoints err by 1 / steps²: doubled, a fourth."""
    monkeypatch.setattr(torch, "relu", torch.nn.functional.gelu)
    coarse, gained = worst_gap(model, 32)
    fine, _ = worst_gap(model, 64)
    assert torch.allclose(gained, words.log_probs(model, SRC[None], TGT)[0] - words.without_any_word(model, SRC, TGT))
    assert fine <= 1e-4 * gained.abs().max()
    assert 3.5 < coarse / fine < 4.5
    assert (words.gradient_times_input(model, SRC, TGT).sum(1) - gained).abs().max() > 0.01  # which is not complete


@pytest.mark.slow
def test_each_relu_on_the_way_is_a_jump_of_the_gradient_and_the_gap_shrinks_by_one_over_steps_only(model):
    """A part of the way with a jump errs by at most half the jump times its length, however fine the others are."""
    for steps in (8, 32, 128):
        gap, gained = worst_gap(model, steps)
        assert 1e-3 < gap / gained.abs().max() < 0.5 / steps


def test_the_shares_of_the_way_sum_to_one_and_the_points_lie_on_it():
    for steps in (1, 7, 64):
        both = words.points_and_shares(steps)
        assert sum(share for _, share in both) == pytest.approx(1)
        assert all(0 < point < 1 for point, _ in both)
        assert sum(share * point for point, share in both) == pytest.approx(0.5, abs=0.3 / steps**2)


def test_leaving_out_is_a_pass_without_the_word(model):
    found = words.leaving_out(model, SRC, TGT, [[0], [1, 2]])
    whole = words.log_probs(model, SRC[None], TGT)[0]
    for column, shorter in enumerate(([12, 9, 2], [7, 2])):
        rows = model(torch.tensor([shorter]), TGT[None, :-1])[0].log_softmax(-1)
        assert torch.allclose(found[:, column], whole - rows[range(3), TGT[1:]])


def test_a_change_to_the_same_sentence_costs_nothing_and_there_and_back_cancels(model):
    other = torch.tensor([7, 4, 9, 2])
    assert words.loss_by_change(model, SRC, SRC, TGT).abs().max() == 0
    there, back = words.loss_by_change(model, SRC, other, TGT), words.loss_by_change(model, other, SRC, TGT)
    assert torch.allclose(there, -back) and there.abs().max() > 1e-3


def test_weights_are_means_whose_rows_sum_to_one(model):
    found = words.cross_weights(model, SRC, TGT)
    every = model.attention_weights(SRC[None], TGT[None, :-1])["cross"]
    assert torch.allclose(found, sum(every[n, 0, h] for n in range(2) for h in range(2)) / 4)
    assert torch.allclose(found.sum(1), torch.ones(3, dtype=found.dtype))


def test_a_word_has_the_sum_of_its_tokens_and_all_methods_have_a_column_per_word(model):
    found = words.attributions(model, SRC, TGT, [[0, 2], [1]], steps=3)
    assert tuple(found) == words.METHODS
    assert all(values.shape == (3, 2) for values in found.values())
    tokens = words.gradient_times_input(model, SRC, TGT)
    assert torch.allclose(found["gradient"][:, 0], tokens[:, 0] + tokens[:, 2])
    assert torch.equal(found["leaving out"], words.leaving_out(model, SRC, TGT, [[0, 2], [1]]))


def test_the_model_reads_its_own_embeddings_again_afterwards(model):
    before = words.log_probs(model, SRC[None], TGT)
    with pytest.raises(RuntimeError, match="stop"), words.reading(model, torch.zeros(1, 4, 8, dtype=torch.float64)):
        assert not torch.allclose(words.log_probs(model, SRC[None], TGT), before)
        raise RuntimeError("stop")
    assert torch.equal(words.log_probs(model, SRC[None], TGT), before)


@pytest.mark.parametrize(
    ("src", "tgt", "message"),
    [(SRC[None], TGT, "one sentence each"), (SRC[:0], TGT, "a source token"), (SRC, TGT[:1], "after <s>")],
)
def test_what_is_no_pair_is_refused(model, src, tgt, message):
    with unchecked(), pytest.raises(ValueError, match=message):
        words.gradient_times_input(model, src, tgt)


def test_a_model_with_dropout_and_no_steps_are_refused(model):
    with pytest.raises(ValueError, match="at least one point"):
        words.integrated_gradients(model, SRC, TGT, 0)
    with pytest.raises(ValueError, match=r"model.eval\(\)"):
        words.cross_weights(model.train(), SRC, TGT)
