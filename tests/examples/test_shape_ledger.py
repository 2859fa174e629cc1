"""The shape ledger: it runs the module's own computation, and a wrong shape stops it."""

import pytest
import torch
from oracles import close, normal, seeded

from attention_book.attention.masks import causal_mask
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.examples.shape_ledger import Ledger, ShapeError, multi_head_ledger

CASES = [(8, 8, 8), (4, 6, 5), (1, 3, 7)]


def attention(h, d_k, d_v, **options):
    return seeded(lambda: MultiHeadAttention(32, h, d_k, d_v, **options)).double()


@pytest.mark.parametrize(("h", "d_k", "d_v"), CASES)
@pytest.mark.parametrize("masked", [False, True])
def test_its_last_line_is_what_the_module_returns(h, d_k, d_v, masked):
    layer, x = attention(h, d_k, d_v), normal(2, 7, 32)
    mask = causal_mask(7) if masked else None
    ledger = multi_head_ledger(layer, x, mask=mask)
    output, weights = layer(x, mask=mask, need_weights=True)
    by_code = {entry.code: entry.tensor for entry in ledger}
    close(ledger.entries[-1].tensor, output)
    close(by_code["weights = softmax(scores)"], weights)
    assert ("scores = scores.masked_fill(~mask, -inf)" in by_code) == masked


def test_cross_attention_has_two_lengths():
    layer, x, memory = attention(4, 6, 5), normal(2, 7, 32), normal(2, 3, 32, seed=1)
    ledger = multi_head_ledger(layer, x, memory)
    close(ledger.entries[-1].tensor, layer(x, memory)[0])
    assert ledger.sizes["m"] == 7 and ledger.sizes["n"] == 3
    assert [entry.shape for entry in ledger if entry.code.startswith("weights")] == [(2, 4, 7, 3)]


def test_every_shape_of_the_issue_by_hand():
    """b = 2, l = 7, h = 4, d_model = 32, d_k = 6, d_v = 5: h·d_v = 20 is not d_model."""
    shapes = {entry.code: entry.shape for entry in multi_head_ledger(attention(4, 6, 5), normal(2, 7, 32))}
    assert shapes["q = w_q(x)"] == shapes["k = w_k(x)"] == (2, 7, 24)
    assert shapes["v = w_v(x)"] == (2, 7, 20)
    assert shapes["q = q.view(b, l, h, d_k)"] == (2, 7, 4, 6)
    assert shapes["q = q.transpose(1, 2)"] == (2, 4, 7, 6)
    assert shapes["k_t = k.transpose(-2, -1)"] == (2, 4, 6, 7)
    assert shapes["scores = q @ k_t / √d_k"] == shapes["weights = softmax(scores)"] == (2, 4, 7, 7)
    assert shapes["heads = weights @ v"] == (2, 4, 7, 5)
    assert shapes["heads = heads.transpose(1, 2)"] == (2, 7, 4, 5)
    assert shapes["joined = heads.reshape(b, l, h·d_v)"] == (2, 7, 20)
    assert shapes["output = w_o(joined)"] == (2, 7, 32)


def test_a_wrong_shape_is_refused_with_both_shapes():
    ledger = Ledger(b=2, h=4, d_k=6)
    assert ledger.lengths("b h·d_k h") == (2, 24, 4)
    kept = ledger.enter("a", torch.zeros(2, 24), "b h·d_k", "fits")
    assert kept.shape == (2, 24) and [entry.meaning for entry in ledger] == ["fits"]
    with pytest.raises(ShapeError, match=r"`q = …`: b h·d_k means \(2, 24\), and the tensor is \(2, 32\)"):
        ledger.enter("q = …", torch.zeros(2, 32), "b h·d_k")
    assert len(ledger.entries) == 1
    with pytest.raises(KeyError, match="d_v"):
        ledger.lengths("d_v")


def test_a_layer_that_is_not_what_it_claims_is_caught():
    layer = attention(4, 6, 5)
    layer.w_v = torch.nn.Linear(32, 32).double()
    with pytest.raises(ShapeError, match=r"b l h·d_v means \(2, 7, 20\), and the tensor is \(2, 7, 32\)"):
        multi_head_ledger(layer, normal(2, 7, 32))


def test_a_linear_layer_acts_on_the_last_axis_alone():
    layer, x = attention(4, 6, 5).w_q, normal(2, 7, 32)
    close(layer(x), torch.stack([torch.stack([layer(row) for row in rows]) for rows in x]))
    changed = x.clone()
    changed[1, 3] += 1
    differs = (layer(changed) != layer(x)).any(dim=-1)
    assert differs.nonzero().tolist() == [[1, 3]]
