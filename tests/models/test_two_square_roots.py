"""What the chapter *Two square roots* says of a Transformer before its first step, and of the divisor of the scores."""

import math

import pytest
import torch
import torch.nn.functional as F
from page_cells import run_until

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.attention.positions import sinusoidal_positions
from attention_book.experiments.attention.embedding_scale import ScaledTransformer
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer


@pytest.mark.parametrize("d_model", [4, 64, 512])
def test_every_position_has_the_length_root_of_half_the_width(d_model):
    lengths = sinusoidal_positions(300, d_model).double().norm(dim=1)
    torch.testing.assert_close(lengths, torch.full((300,), math.sqrt(d_model / 2)).double(), rtol=1e-5, atol=0)


@pytest.mark.parametrize("d_model", [64, 256])
def test_embeddings_have_length_one_and_are_read_at_length_root_of_the_width(d_model):
    torch.manual_seed(0)
    model = Transformer(TransformerConfig.tiny(2000, d_model=d_model, n_layers=1, dropout=0.0))
    assert model.src_embedding.weight.detach().norm(dim=1).mean().item() == pytest.approx(1, rel=0.02)
    read = {}
    model.encoder.register_forward_hook(lambda module, inputs, output: read.update(x=inputs[0].detach()))
    tokens = torch.arange(5, 205).reshape(20, 10)
    model.encode(tokens)
    words = read["x"] - sinusoidal_positions(10, d_model)
    assert words.norm(dim=-1).mean().item() == pytest.approx(math.sqrt(d_model), rel=0.02)
    torch.testing.assert_close(
        words, math.sqrt(d_model) * model.src_embedding.weight.detach()[tokens], atol=1e-4, rtol=0
    )


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("d_model", [32, 128])
def test_first_logits_have_variance_one_or_that_of_the_width_and_the_loss_tells(norm, d_model):
    config = TransformerConfig.tiny(1000, d_model=d_model, n_layers=1, dropout=0.0, norm=norm)
    excess = {}
    for std, factor in ((d_model**-0.5, math.sqrt(d_model)), (1.0, 1.0)):
        torch.manual_seed(1)
        model = ScaledTransformer(config, std, factor).eval()
        ids = torch.randint(4, 1000, (8, 20))
        with torch.inference_mode():
            logits = model(ids, ids.flip(0)[:, :-1])
            given = ids.flip(0)[:, :-1, None]
            others = logits.scatter(-1, given, logits.mean().item())  # the token that was fed in is its own case
            excess[std] = F.cross_entropy(logits.flatten(0, 1), ids.flip(0)[:, 1:].flatten()).item() - math.log(1000)
        assert others.var().item() == pytest.approx(d_model * std**2, rel=0.1)
    assert 0.3 < excess[d_model**-0.5] < 2  # log V + ½, and something for the token that was fed in
    assert excess[1.0] > 5


@pytest.mark.parametrize(("d_model", "n_heads"), [(512, 8), (64, 4)])
def test_the_divisor_is_the_root_of_the_heads_width(d_model, n_heads):
    d_k = d_model // n_heads
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, n_heads, 60, d_k, generator=generator, dtype=torch.float64)
    _, weights = scaled_dot_product_attention(q, k, k)
    divisor = (q @ k.transpose(-2, -1)).diff() / weights.log().diff()  # leads of scores, before and after the division
    torch.testing.assert_close(divisor, torch.full_like(divisor, math.sqrt(d_k)), rtol=1e-8, atol=0)
    layer = MultiHeadAttention(d_model, n_heads, bias=False).double()
    for parameter in layer.parameters():
        torch.nn.init.eye_(parameter)
    x = torch.randn(1, 5, d_model, generator=generator, dtype=torch.float64)
    _, of_layer = layer(x, need_weights=True)
    heads = x.detach().reshape(5, n_heads, d_k).transpose(0, 1)
    expected = torch.softmax(heads @ heads.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
    torch.testing.assert_close(of_layer[0].detach(), expected)


@pytest.fixture(scope="module")
def page():
    """What the page's visible cells define, up to the faults."""
    return run_until("attention/two-square-roots", "def lengths")


@pytest.mark.parametrize("d_model", [64, 256, 512])
def test_words_and_positions_have_the_derived_lengths_and_a_third_of_the_sum_is_position(page, d_model):
    bare, scaled = (page["lengths"](d_model, factor) for factor in (1, math.sqrt(d_model)))
    assert bare[0].item() == pytest.approx(1, abs=0.02)
    assert scaled[0].item() == pytest.approx(math.sqrt(d_model), rel=0.02)
    assert bare[1].item() == pytest.approx(math.sqrt(d_model / 2), abs=1e-3)
    assert scaled[2].item() == pytest.approx(1 / 3, abs=0.01)
