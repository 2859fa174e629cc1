"""Label-smoothed cross-entropy against torch's, forward and gradient, and what it does at the edges."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close, leaves, normal

from attention_book.attention.probability import entropy
from attention_book.training.losses import label_smoothed_cross_entropy

law = settings(max_examples=20, deadline=None)
VOCAB = 7
TARGETS = torch.tensor([[3, 5, 2, 0], [6, 2, 0, 0]])


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("pad_id", [0, 2, 99, -100])
def test_it_is_torchs_forward_and_backward(smoothing, pad_id):
    targets = torch.where(TARGETS == 0, pad_id, TARGETS)
    logits = 3 * normal(2, 4, VOCAB)
    (ours,), (theirs,) = leaves(logits), leaves(logits)
    found = label_smoothed_cross_entropy(ours, targets, smoothing, pad_id)
    wanted = F.cross_entropy(theirs.flatten(0, 1), targets.flatten(), label_smoothing=smoothing, ignore_index=pad_id)
    close(found, wanted, atol=1e-14)
    found.backward()
    wanted.backward()
    close(ours.grad, theirs.grad, atol=1e-15)


def test_two_outcomes_by_hand():
    # p = (1/4, 3/4); ε = 0.2 makes the target (0.1, 0.9): the loss is -0.1 log ¼ - 0.9 log ¾.
    logits = torch.tensor([[0.0, math.log(3)]], dtype=torch.float64)
    found = label_smoothed_cross_entropy(logits, torch.tensor([1]), smoothing=0.2)
    assert float(found) == pytest.approx(-0.1 * math.log(1 / 4) - 0.9 * math.log(3 / 4))


@law
@given(st.integers(0, 10_000), st.floats(0.01, 0.99))
def test_no_logits_do_better_than_the_smoothed_target_itself(seed, smoothing):
    targets = torch.tensor([4])
    smoothed = (1 - smoothing) * F.one_hot(targets, VOCAB).double() + smoothing / VOCAB
    best = label_smoothed_cross_entropy(smoothed.log(), targets, smoothing)
    close(best, entropy(smoothed)[0])
    assert label_smoothed_cross_entropy(3 * normal(1, VOCAB, seed=seed), targets, smoothing) >= best


def test_padding_counts_neither_above_nor_below_the_fraction_line():
    logits = normal(2, 4, VOCAB)
    real = TARGETS != 0
    alone = label_smoothed_cross_entropy(logits[real], TARGETS[real])
    close(label_smoothed_cross_entropy(logits, TARGETS), alone, atol=1e-15)
    wild = torch.where(real[..., None], logits, 1000 * normal(2, 4, VOCAB, seed=1))
    close(label_smoothed_cross_entropy(wild, TARGETS), alone, atol=1e-15)
    (x,) = leaves(logits)
    label_smoothed_cross_entropy(x, TARGETS).backward()
    assert (x.grad[~real] == 0).all()
    assert (x.grad[real] != 0).all()


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0,), (2, 0)])
def test_nothing_but_padding_costs_nothing(shape):
    (logits,) = leaves(normal(*shape, VOCAB))
    loss = label_smoothed_cross_entropy(logits, torch.zeros(shape, dtype=torch.int64))
    loss.backward()
    assert float(loss.detach()) == 0
    assert (logits.grad == 0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single_and_does_not_overflow(dtype):
    logits, targets = normal(40_000, VOCAB).to(dtype), torch.arange(40_000) % VOCAB
    found = label_smoothed_cross_entropy(logits, targets)
    close(found, label_smoothed_cross_entropy(logits.double(), targets).float(), atol=1e-5)


def test_leading_axes_do_not_matter():
    logits, targets = normal(2, 3, 4, VOCAB), torch.arange(24).reshape(2, 3, 4) % VOCAB
    flat = label_smoothed_cross_entropy(logits.flatten(0, 2), targets.flatten())
    close(label_smoothed_cross_entropy(logits, targets), flat)
    single = label_smoothed_cross_entropy(logits[0, 0, 1], targets[0, 0, 1])
    close(single, F.cross_entropy(logits[0, 0, 1], targets[0, 0, 1], label_smoothing=0.1))


@pytest.mark.parametrize("smoothing", [-0.1, 1.0])
def test_smoothing_out_of_range_is_refused(smoothing):
    with pytest.raises(ValueError, match="at least 0 and below 1"):
        label_smoothed_cross_entropy(normal(1, VOCAB), torch.tensor([1]), smoothing)
