"""The worked examples of the chapters on masks, by hand, and what their sections claim of whole layers."""

import pytest
import torch
from oracles import normal, seeded

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.masks import causal_mask, combine_masks, leak, padding_mask
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.examples.mask_examples import (
    HINDI,
    flow_told,
    hindi_weights,
    layer_leak_rows,
    rows_of_training,
    seen_told,
)
from attention_book.models.blocks import DecoderLayer
from attention_book.models.config import TransformerConfig


def test_three_equal_scores_under_a_causal_mask():
    values = torch.tensor([[6.0, 0], [0, 6], [0, 0]])
    output, weights = scaled_dot_product_attention(torch.zeros(3, 2), torch.ones(3, 2), values, causal_mask(3))
    torch.testing.assert_close(weights, torch.tensor([[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]))
    assert (weights.triu(1) == 0).all()
    torch.testing.assert_close(output, torch.tensor([[6.0, 0], [3, 3], [2, 2]]))
    for length in (2, 3, 4):  # whatever the scores are, the first row has no choice
        q, k, v = (normal(length, 4, seed=seed) for seed in (1, 2, 3))
        assert torch.equal(scaled_dot_product_attention(q, k, v, causal_mask(length))[0][0], v[0])


def test_four_positions_have_ten_cells_allowed_and_six_not():
    mask = causal_mask(4)
    assert (int(mask.sum()), int((~mask).sum())) == (10, 6)
    added = torch.zeros(4, 4).masked_fill(~mask, -torch.inf)
    assert (int((added == 0).sum()), int(added.isneginf().sum())) == (10, 6)


def test_the_table_that_goes_around_has_a_row_above_one():
    rows = torch.tensor([[0.8, 0.1, 0.1], [0.15, 0.75, 0.1], [0.1, 0.3, 0.7]], dtype=torch.float64)
    torch.testing.assert_close(rows.sum(1), torch.tensor([1, 1, 1.1], dtype=torch.float64))
    causal = rows * causal_mask(3)
    torch.testing.assert_close(causal.sum(1)[:2], torch.tensor([0.8, 0.9], dtype=torch.float64))
    assert (100 * rows[0]).tolist() == pytest.approx([80, 10, 10])  # and not 80, 1 and 1 per cent


def test_the_hindi_weights_sum_to_one_once_the_third_row_is_divided():
    assert [sum(row) for row in HINDI] == pytest.approx([1, 1, 1.1])
    divided = hindi_weights()
    torch.testing.assert_close(divided.sum(-1), torch.ones(3))
    torch.testing.assert_close(divided[2], torch.tensor([1 / 11, 7 / 11, 3 / 11]))
    assert divided.argmax(-1).tolist() == [2, 0, 1]  # you, how, are: the order of the Hindi sentence


def test_a_causal_mask_over_the_source_takes_the_word_that_the_first_row_needs():
    hidden = hindi_weights(causal=True)
    torch.testing.assert_close(hidden, torch.tensor([[1, 0, 0], [5 / 6, 1 / 6, 0], [1 / 11, 7 / 11, 3 / 11]]))


def test_what_a_row_is_asked_for_is_the_input_of_the_row_below():
    rows = rows_of_training(["a", "b", "</s>"])
    assert rows == [("0", "<s>", "<s>", "a"), ("1", "a", "<s> a", "b"), ("2", "b", "<s> a b", "</s>")]


def test_masks_and_leak_matrices_in_words():
    assert seen_told(causal_mask(2), ["I", "see"]) == "I may attend to I. see may attend to I, see."
    flow = torch.tensor([[1.0, 0.0], [0.126, 2.0]])
    assert flow_told(flow, ["I", "."]) == "Output 'I': 1.00 to 'I', 0.00 to '.'. Output '.': 0.13 to 'I', 2.00 to '.'."


def test_the_three_masks_of_a_translator_have_their_shapes():
    src, tgt = (
        torch.tensor([[4, 5, 6, 2], [4, 2, 0, 0]]),
        torch.tensor([[1, 7, 8, 9, 10, 11, 12], [1, 7, 8, 9, 2, 0, 0]]),
    )
    encoder, decoder = padding_mask(src), combine_masks(causal_mask(7), padding_mask(tgt))
    assert (tuple(encoder.shape), tuple(decoder.shape)) == ((2, 1, 1, 4), (2, 1, 7, 7))
    heads = seeded(lambda: MultiHeadAttention(8, 2)).double()
    memory, states = normal(2, 4, 8), normal(2, 7, 8, seed=1)
    _, weights = heads(states, memory, mask=encoder, need_weights=True)  # the decoder's look at the source
    assert (weights[1, :, :, 2:] == 0).all() and (weights[1, :, 0, :2] > 0).all()


def test_one_mask_for_all_heads_is_the_same_as_a_copy_for_each():
    mask = combine_masks(causal_mask(5), padding_mask(torch.tensor([[1, 4, 5, 6, 7], [1, 4, 5, 0, 0]])))
    assert mask.shape == (2, 1, 5, 5)
    heads, x = seeded(lambda: MultiHeadAttention(12, 3)).double(), normal(2, 5, 12)
    for need_weights in (True, False):
        once, copied = (heads(x, mask=m, need_weights=need_weights)[0] for m in (mask, mask.expand(2, 3, 5, 5).clone()))
        torch.testing.assert_close(once, copied, rtol=0, atol=0)


def test_no_part_of_a_decoder_layer_lets_the_future_in_but_mixing_positions_does():
    layer = seeded(lambda: DecoderLayer(TransformerConfig.tiny(d_model=8, n_heads=2, d_ff=32, dropout=0.0)))
    layer, memory = layer.double().eval(), normal(1, 4, 8)
    flat = seeded(lambda: torch.nn.Linear(40, 40)).double()
    norm = torch.nn.LayerNorm(5).double()

    def whole(x, mask=causal_mask(5)):  # noqa: B008
        return layer(x[None], memory, self_mask=mask)[0][0]

    x = normal(5, 8, seed=2)
    assert leak(whole, x) == 0
    assert leak(lambda x: whole(x, None), x) > 1e-3
    assert leak(lambda x: flat(whole(x).reshape(-1)).view(5, 8), x) > 1e-3
    assert leak(lambda x: norm(whole(x).T).T, x) > 1e-3


def test_only_what_mixes_positions_leaks_behind_a_masked_layer():
    rows = dict(layer_leak_rows())
    assert [leaked == "0" for leaked in rows.values()] == [True, False, False, False]
    assert dict(layer_leak_rows()) == rows and dict(layer_leak_rows(3)) != rows
    assert all(float(leaked) > 0.05 for leaked in list(rows.values())[1:])
