"""The checks of the chapter on masks: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.attention.masks import causal_mask, combine_masks
from attention_book.attention.probability import softmax
from attention_book.checks.attention import masks as checks

from ..diagnosis import diagnosis


def triangle(diagonal):
    return lambda q_len, k_len: torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len + diagonal)


def forgetful(q_len, k_len):
    mask = causal_mask(q_len, k_len)
    mask[-1, 0] = k_len == 1
    return mask


def test_causal_mask_passes():
    assert checks.check_causal_mask(causal_mask)
    assert checks.check_causal_mask(
        lambda q_len, k_len: torch.arange(k_len) <= torch.arange(k_len - q_len, k_len)[:, None]
    )
    assert checks.check_causal_mask(lambda q_len, k_len: np.tri(q_len, k_len, k_len - q_len, dtype=bool))
    assert checks.check_causal_mask(
        lambda q_len, k_len: [[j <= i + k_len - q_len for j in range(k_len)] for i in range(q_len)]
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (triangle(1), "shifted by one: Row 0 attends to column 1, which comes later"),
        (triangle(-1), "shifted by one: row 0 does not attend to column 0, itself"),
        (lambda q_len, k_len: ~causal_mask(q_len, k_len), "polarity is flipped"),
        (lambda q_len, k_len: torch.ones(q_len, k_len, dtype=torch.bool).triu(k_len - q_len), "transposed"),
        (lambda q_len, k_len: torch.ones(q_len, k_len, dtype=torch.bool).tril(), "aligned at the top left"),
        (lambda q_len, k_len: torch.ones(q_len, k_len, dtype=torch.bool), "Row 0 attends to column 1"),
        (triangle(2), "Row 0 attends to column 1, which comes later"),
        (forgetful, "Row 3 does not attend to column 0"),
        (lambda q_len, k_len: torch.zeros(q_len, k_len).masked_fill(~causal_mask(q_len, k_len), -math.inf), "numbers"),
        (lambda q_len, k_len: causal_mask(k_len), "wrong shape: expected (2, 5)"),
        (lambda q_len, k_len: causal_mask(q_len, k_len).float().numpy(), "torch tensor, got a NumPy array"),
        (lambda q_len, k_len: [[True] * (i + 1) for i in range(q_len)], "torch tensor, got a list of 4"),
        (lambda q_len, k_len: causal_mask(4), "wrong shape: expected (1, 1)"),
        (lambda q_len, k_len: causal_mask(q_len, k_len).int(), "numbers of type int32"),
        (lambda q_len: causal_mask(q_len), "raises TypeError"),
        (lambda q_len, k_len: ..., "Is the `return` missing"),
        (causal_mask(4), "Expected a function"),
    ],
)
def test_causal_mask_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_causal_mask(wrong))


def same(sentence):
    return sentence[:, None, :, None] == sentence[:, None, None, :]


def packed(sentence):
    return causal_mask(sentence.shape[1]) & same(sentence)


def real(sentence):
    return (sentence != 0)[:, None, None, :]


def test_packed_mask_passes():
    assert checks.check_packed_mask(packed)
    assert checks.check_packed_mask(lambda sentence: packed(sentence) & real(sentence))
    assert checks.check_packed_mask(lambda sentence: packed(sentence) | (sentence == 0)[:, None, :, None])
    assert checks.check_packed_mask(lambda sentence: packed(sentence).numpy())
    assert checks.check_packed_mask(lambda sentence: combine_masks(same(sentence).tril(), real(sentence)))
    assert checks.check_packed_mask(
        lambda sentence: [
            [[[j <= i and line[i] == line[j] for j in range(len(line))] for i in range(len(line))]]
            for line in sentence.tolist()
        ]
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda s: ~packed(s), "polarity is flipped"),
        (same, "the future is open"),
        (lambda s: causal_mask(s.shape[1]).expand(len(s), 1, -1, -1), "This is the causal mask"),
        (lambda s: causal_mask(s.shape[1]) & real(s), "Padding is hidden, and the sentences of a row"),
        (
            lambda s: causal_mask(s.shape[1]) & (s[:, None, None, :] <= s[:, None, :, None]),
            "may also read the sentences before",
        ),
        (lambda s: packed(s).tril(-1), "does not see itself"),
        (lambda s: packed(s).transpose(-2, -1), "transposed"),
        (lambda s: packed(s)[:1].expand(len(s), -1, -1, -1), "the mask of the first"),
        (
            lambda s: causal_mask(s.shape[1]) & ((s[:, None, :, None] - s[:, None, None, :]).abs() < 2),
            "In batch row 0, row 3 (of sentence 2) attends to column 0 (of sentence 1)",
        ),
        (lambda s: packed(s) & (torch.arange(s.shape[1]) != 1), "does not attend to column 1"),
        (lambda s: packed(s) | (s == 0)[:, None, None, :] & causal_mask(s.shape[1]), "(padding)"),
        (lambda s: packed(s)[:, 0], "an axis of length 1 is missing"),
        (lambda s: packed(s).float(), "numbers of type float32"),
        (lambda s: packed(s)[..., :3], "wrong shape"),
        (lambda s: ..., "Is the `return` missing"),
        (packed(torch.tensor([[1, 1]])), "Expected a function"),
    ],
)
def test_packed_mask_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_packed_mask(wrong))


def filled(scores, mask, value=-math.inf):
    return scores.masked_fill(~mask, value)


def bias(mask):
    return torch.zeros(mask.shape).masked_fill(~mask, -math.inf)


def by_hand(scores, mask):
    hidden = filled(scores, mask, torch.finfo(scores.dtype).min)
    highest = hidden.amax(-1, keepdim=True).detach()
    exponentials = (hidden - highest).exp() * mask
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1)


def by_hand_with_infinity(scores, mask):
    hidden = filled(scores, mask)
    highest = hidden.amax(-1, keepdim=True).detach().clamp(min=-1e30)
    exponentials = (hidden - highest).exp()
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1)


def overflowing(scores, mask):
    exponentials = scores.exp() * mask
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1)


def in_place(scores, mask):
    scores[~mask.expand_as(scores)] = -math.inf
    return softmax(scores)


def renormalised(scores, mask):
    weights = torch.softmax(scores, -1) * mask
    return weights / weights.sum(-1, keepdim=True)


def with_a_little_more(scores, mask):
    weights = torch.softmax(scores, -1) * mask
    return weights / (weights.sum(-1, keepdim=True) + 1e-9)


def divided_where_it_can_be(scores, mask):
    weights = torch.softmax(scores, -1) * mask
    total = weights.sum(-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1)


def shifted_by_the_largest_of_all(scores, mask):
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1)


def lowered(by):
    return lambda scores, mask: torch.softmax(scores - by * ~mask, -1) * mask


def highest_allowed(scores, mask):
    highest = filled(scores, mask).amax(-1, keepdim=True).detach()
    return highest.masked_fill(highest == -math.inf, 0)


def chosen_afterwards(scores, mask):
    """Right on the way there; the hidden exponential overflows, and 0 · ∞ comes back as the gradient."""
    exponentials = torch.where(mask, (scores - highest_allowed(scores, mask)).exp(), 0.0)
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1)


def multiplied_afterwards(scores, mask):
    exponentials = (scores - highest_allowed(scores, mask)).exp() * mask
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1)


def by_loops(scores, mask):
    """Every row by itself, over the allowed keys only."""
    mask = mask.expand(scores.shape).reshape(-1, scores.shape[-1])
    rows = []
    for row, may in zip(scores.reshape(-1, scores.shape[-1]), mask, strict=True):
        weights = torch.zeros_like(row)
        rows.append(weights.masked_scatter(may, torch.softmax(row[may], 0)) if may.any() else 0 * row)
    return torch.stack(rows).reshape(scores.shape)


def test_masked_softmax_passes():
    assert checks.check_masked_softmax(by_loops)
    assert checks.check_masked_softmax(lambda scores, mask: torch.softmax(filled(scores, mask, -1e9), -1) * mask)
    assert checks.check_masked_softmax(
        lambda scores, mask: torch.softmax(filled(scores, mask, torch.finfo(scores.dtype).min), -1) * mask
    )
    assert checks.check_masked_softmax(by_hand)
    assert checks.check_masked_softmax(lambda scores, mask: by_hand(scores, mask).float())


INFINITE = "an infinite number occurs on the way"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (by_hand_with_infinity, INFINITE),
        (lambda scores, mask: softmax(filled(scores, mask)), INFINITE),
        (lambda scores, mask: torch.softmax(filled(scores, mask), -1).nan_to_num(), INFINITE),
        (lambda scores, mask: torch.softmax(filled(scores, mask), -1), "NaN: a whole row is masked"),
        (renormalised, "NaN: a whole row is masked"),
        (lambda scores, mask: torch.softmax(scores + bias(mask), -1).nan_to_num(), "their gradient is NaN"),
        (lambda scores, mask: torch.softmax(filled(scores, mask, -1e9), -1), "attends to everything"),
        (lambda scores, mask: softmax(filled(scores, mask), axis=-2), "sum to 1 over the queries, not the keys"),
        (lambda scores, mask: torch.softmax(scores, -1), "The mask has no effect"),
        (lambda scores, mask: torch.softmax(scores * mask, -1), "a score of 0 is still e⁰ = 1"),
        (
            lambda scores, mask: torch.softmax(scores, -1) * mask,
            "It zeroes weights after the softmax: row 0 sums to 0.",
        ),
        (lambda scores, mask: softmax(filled(scores, ~mask)), "polarity is flipped"),
        (lambda scores, mask: softmax(filled(scores, mask, -20)) * mask.any(-1, keepdim=True), "not exactly 0"),
        (lambda scores, mask: softmax(filled(2 * scores, mask)), "Wrong weight at batch 0, head 0, row 1, column 0"),
        (lambda scores, mask: softmax(filled(scores, mask)).detach(), "gradient does not reach"),
        (overflowing, "overflows"),
        (with_a_little_more, "With the scores 0, 1 and 2000, of which the last is hidden,"),
        (with_a_little_more, "are (0, 0, 0) and not (0.269, 0.731, 0). The hidden score still takes part"),
        (divided_where_it_can_be, "The hidden score still takes part"),
        (shifted_by_the_largest_of_all, "The hidden score still takes part"),
        (lowered(1e4), "With the scores 0, 1 and 40000"),
        (lowered(1e3), "With the scores 0, 1 and 2000"),
        (multiplied_afterwards, "The hidden score still takes part"),
        (chosen_afterwards, "and 2000, of which the last is hidden, the weights are right and their gradient is NaN"),
        (lambda scores, mask: ..., "Is the `return` missing"),
        (lambda scores, mask: filled(scores, mask).tolist(), "torch tensor, got a list"),
        (in_place, "changes `scores` in place"),
        (lambda scores, mask: softmax(filled(scores, mask)) @ scores, "Wrong weight"),
        (lambda scores, mask: softmax(filled(scores, mask)).sum(-1), "wrong shape"),
        (None, "Expected a function"),
    ],
)
def test_masked_softmax_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_masked_softmax(wrong))


CELLS = {"encoder": 8, "decoder": 39, "cross": 8}


def test_the_cells_pass():
    assert checks.check_cells(CELLS)
    assert checks.check_cells({"encoder": 8.0, "decoder": np.int64(39), "cross": Fraction(8)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"encoder": 10}, "shorter source has padding"),
        ({"encoder": 34}, "not one per query"),
        ({"encoder": 40}, "not one per query"),
        ({"decoder": 42}, "padding of the first target"),
        ({"decoder": 31}, "not emptied"),
        ({"decoder": 60}, "no later token"),
        ({"decoder": 72}, "Nothing is hidden"),
        ({"decoder": 21}, "two sentences"),
        ({"decoder": 18}, "two sentences"),
        ({"decoder": 10}, "the future is hidden too"),
        ({"cross": 10}, "of the source"),
        ({"cross": 12}, "not of the target"),
        ({"cross": 48}, "serves all queries"),
        ({"cross": 38}, "serves all queries"),
        ({"cross": 7}, "row by row"),
        ({"decoder": ...}, "still open"),
        ({"decoder": "39"}, "one number"),
    ],
)
def test_the_cells_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_cells(CELLS | change))
