"""One row of weights per word: it attends as every attention does, unless it is told otherwise."""

import pytest
import torch
from global_state import unchanged_state

from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.experiments.pointed_attention import even, one_row_transformer, overlap, pointed
from attention_book.translation.decoding import greedy_decode

SRC, TGT = torch.tensor([[5, 6, 7, 2], [8, 9, 2, 0]]), torch.tensor([[1, 10, 11], [1, 12, 13]])


@pytest.fixture
def model():
    return one_row_transformer("tiny", 20, 3, dropout=0.0, max_len=16).eval()


def test_the_overlap_is_one_minus_the_total_variation():
    a, b = torch.softmax(torch.randn(2, 4, 7, generator=torch.Generator().manual_seed(0)), dim=-1)
    torch.testing.assert_close(overlap(a, b), 1 - (a - b).abs().sum(dim=-1) / 2)
    assert overlap(a, a).tolist() == pytest.approx([1] * 4)
    assert overlap(torch.tensor([0.5, 0.5, 0.0]), torch.tensor([0.0, 0.0, 1.0])) == 0


def test_without_orders_it_is_the_attention_that_it_replaces(model):
    with torch.no_grad():
        ours = model(SRC, TGT)
        weights = model.attention_weights(SRC, TGT)["cross"][0]
        kept = pointed(model).seen
        pointed(model).__class__ = MultiHeadAttention
        theirs = model(SRC, TGT)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(kept, weights)
    assert kept.shape == (2, 1, 3, 4) and kept[1, 0, :, 3].abs().max() == 0


def test_given_weights_are_used_and_kept(model):
    with torch.no_grad():
        before = model(SRC, TGT)
        pointed(model).given = even
        after = model(SRC, TGT)
    torch.testing.assert_close(pointed(model).seen[0, 0], torch.full((3, 4), 0.25))
    torch.testing.assert_close(pointed(model).seen[1, 0], torch.tensor([[1 / 3, 1 / 3, 1 / 3, 0.0]] * 3))
    assert not torch.allclose(before, after)


def test_step_by_step_it_gives_what_one_pass_gives(model):
    pointed(model).given = even
    with torch.no_grad():
        (found,) = greedy_decode(model, SRC[:1], max_len=6)
        tgt = torch.tensor([[1, *found.tokens[:-1]]])
        logits = model(SRC[:1], tgt)[0]
    logits[:, :2] = -torch.inf  # a search never writes padding or <s>
    assert logits.argmax(dim=-1).tolist() == list(found.tokens)


def test_the_decoder_has_one_layer_and_one_head_and_the_encoder_is_the_presets(model):
    assert len(model.decoder.layers) == 1 and pointed(model).n_heads == 1
    assert len(model.encoder.layers) == 2 and model.encoder.layers[0].self_attention.n_heads == 4
    with unchanged_state():
        again = one_row_transformer("tiny", 20, 3, dropout=0.0, max_len=16)
    assert all(torch.equal(p, q) for p, q in zip(model.parameters(), again.parameters(), strict=True))
    other = one_row_transformer("tiny", 20, 4, dropout=0.0, max_len=16)
    assert not torch.equal(
        other.encoder.layers[0].self_attention.w_q.weight, again.encoder.layers[0].self_attention.w_q.weight
    )
