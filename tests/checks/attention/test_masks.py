"""The checks of the chapter on masks: they pass what is right and name what is wrong."""

import math

import pytest
import torch

from attention_book.attention.masks import causal_mask, combine_masks, padding_mask
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
        (lambda q_len, k_len: causal_mask(q_len, k_len).numpy(), "torch tensor"),
        (lambda q_len: causal_mask(q_len), "raises TypeError"),
    ],
)
def test_causal_mask_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_causal_mask(wrong))


def test_padding_mask_passes():
    assert checks.check_padding_mask(padding_mask)
    assert checks.check_padding_mask(lambda tokens, pad_id: tokens.ne(pad_id).unsqueeze(1).unsqueeze(1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda tokens, pad_id: ~padding_mask(tokens, pad_id), "polarity is flipped"),
        (lambda tokens, pad_id: tokens != pad_id, "an axis of length 1 is missing"),
        (lambda tokens, pad_id: (tokens != pad_id)[:, None, :, None], "is it transposed?"),
        (lambda tokens, pad_id: padding_mask(tokens), "With pad_id=1 it still hides the id 0"),
        (lambda tokens, pad_id: padding_mask(tokens, 2), "at batch row 0, column 4 is a real token and is hidden"),
        (lambda tokens, pad_id: (tokens >= 0)[:, None, None, :], "Token 0 at batch row 0, column 5 is padding"),
        (lambda tokens, pad_id: padding_mask(tokens, pad_id).float(), "numbers of type float32"),
    ],
)
def test_padding_mask_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_padding_mask(wrong))


def both(tokens, pad_id):
    return combine_masks(causal_mask(tokens.shape[1]), padding_mask(tokens, pad_id))


def test_combined_mask_passes():
    assert checks.check_combined_mask(both)
    assert checks.check_combined_mask(
        lambda tokens, pad_id: padding_mask(tokens, pad_id) * causal_mask(tokens.shape[1])
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda tokens, pad_id: causal_mask(tokens.shape[1]).expand(len(tokens), 1, -1, -1),
            "In batch row 0, row 5 attends to column 5, which is padding",
        ),
        (
            lambda tokens, pad_id: padding_mask(tokens, pad_id).expand(-1, -1, tokens.shape[1], -1),
            "In batch row 0, row 0 attends to column 1, which comes later",
        ),
        (lambda tokens, pad_id: padding_mask(tokens, pad_id) | causal_mask(tokens.shape[1]), "use `&`"),
        (lambda tokens, pad_id: ~both(tokens, pad_id), "polarity is flipped"),
        (
            lambda tokens, pad_id: both(tokens, pad_id) & (tokens != pad_id)[:, None, :, None],
            "The rows of the padding are empty too",
        ),
        (lambda tokens, pad_id: both(tokens, pad_id)[:, 0], "an axis of length 1 is missing"),
        (
            lambda tokens, pad_id: both(tokens, pad_id) & causal_mask(tokens.shape[1]).tril(-1),
            "row 0 does not attend to column 0",
        ),
        (lambda tokens, pad_id: padding_mask(tokens, pad_id) + 0 * causal_mask(tokens.shape[1]), "numbers"),
    ],
)
def test_combined_mask_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_combined_mask(wrong))


def filled(scores, mask, value=-math.inf):
    return scores.masked_fill(~mask, value)


def bias(mask):
    return torch.zeros(mask.shape).masked_fill(~mask, -math.inf)


def by_hand(scores, mask):
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


def test_masked_softmax_passes():
    assert checks.check_masked_softmax(lambda scores, mask: softmax(filled(scores, mask)))
    assert checks.check_masked_softmax(by_hand)
    assert checks.check_masked_softmax(lambda scores, mask: softmax(filled(scores, mask)).float())
    assert checks.check_masked_softmax(lambda scores, mask: torch.softmax(filled(scores, mask), -1).nan_to_num())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
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
        (in_place, "changes `scores` in place"),
        (lambda scores, mask: softmax(filled(scores, mask)) @ scores, "Wrong weight"),
        (lambda scores, mask: softmax(filled(scores, mask)).sum(-1), "wrong shape"),
        (None, "Expected a function"),
    ],
)
def test_masked_softmax_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_masked_softmax(wrong))
