"""Each removed part is gone, everything else stays, and the model still learns from what is left."""

import math

import pytest
import torch
from oracles import close, normal, seeded
from torch import nn

from attention_book.analysis.ablated_parts import PARTS, NormAlone, remove
from attention_book.analysis.ablation import attentions
from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.models.blocks import AddAndNorm, FeedForward
from attention_book.models.transformer import Transformer, TransformerConfig

SRC, TGT = torch.tensor([[7, 8, 9, 2]]), torch.tensor([[1, 10, 11, 12]])


def model(part=None, **changes):
    config = TransformerConfig.tiny(40, **({"dropout": 0.0} | changes))
    made = seeded(lambda: Transformer(config)).double().eval()
    return made if part is None else remove(made, part)


def test_without_the_scale_scores_are_the_bare_products():
    whole, bare = (attentions(model(part))["encoder_self", 0] for part in (None, "scale"))
    x = normal(1, 5, 64)
    q, k, v = (layer(x).unflatten(-1, (4, 16)).transpose(1, 2) for layer in (whole.w_q, whole.w_k, whole.w_v))
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    wanted = whole.w_o((weights @ v).transpose(1, 2).flatten(2))
    for need_weights in (False, True):
        close(bare(x, need_weights=need_weights)[0], wanted, atol=1e-10)
    divided, _ = scaled_dot_product_attention(q, k, v)
    assert (divided - weights @ v).abs().max() > 1e-3
    assert len(attentions(model("scale"))) == 6


def test_the_scale_of_one_head_is_the_root_of_its_own_width():
    whole, bare = (attentions(model(part, n_heads=1))["cross", 1] for part in (None, "scale"))
    x = normal(1, 3, 64)
    close(bare.w_q(x), math.sqrt(64) * whole.w_q(x), atol=1e-10)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_with_the_residuals_removed_a_zeroed_sublayer_gives_zero_and_with_them_what_came_in(norm):
    whole = AddAndNorm(8, 0.0, norm).double()
    x = normal(2, 3, 8)
    zeroed = NormAlone(whole)(x, torch.zeros_like)
    close(zeroed, torch.zeros_like(x))
    close(whole(x, torch.zeros_like), x if norm == "pre" else whole.norm(x), atol=1e-12)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_without_residuals_the_sublayers_output_takes_the_place_of_the_sum(norm):
    whole = AddAndNorm(8, 0.0, norm).double()
    x = normal(2, 3, 8)
    with_sum, alone = whole(x, torch.sin), NormAlone(whole)(x, torch.sin)
    if norm == "pre":
        close(with_sum - alone, x, atol=1e-12)
    else:
        close(alone, nn.functional.layer_norm(x.sin(), (8,)), atol=1e-10)


def test_without_residuals_every_sum_is_gone_and_the_dropout_stays():
    changed = model("residuals", dropout=0.3)
    kinds = [type(module) for module in changed.modules()]
    assert AddAndNorm not in kinds and kinds.count(NormAlone) == 2 * 2 + 2 * 3
    assert all(module.dropout.p == 0.3 for module in changed.modules() if type(module) is NormAlone)


def test_without_feed_forward_a_layer_is_its_attentions():
    whole, changed = model(), model("feed_forward")
    assert FeedForward not in [type(module) for module in changed.modules()]
    x, layer = normal(1, 4, 64), changed.encoder.layers[0]
    wanted = x + whole.encoder.layers[0].self_attention(whole.encoder.layers[0].add_attention.norm(x))[0]
    close(layer(x)[0], wanted, atol=1e-10)
    counted = [sum(p.numel() for p in made.parameters()) for made in (whole, changed)]
    assert counted[0] - counted[1] == 4 * (2 * 64 * 256 + 256 + 64)


@pytest.mark.parametrize("part", PARTS)
def test_every_other_parameter_keeps_its_numbers_and_the_output_changes(part):
    whole, changed = model(), model(part)
    before, after = whole.state_dict(), changed.state_dict()
    assert set(after) <= set(before) and all(torch.equal(before[name], after[name]) for name in after)
    assert (set(before) == set(after)) == (part != "feed_forward")
    with torch.inference_mode():
        assert (whole(SRC, TGT) - changed(SRC, TGT)).abs().max() > 1e-2


@pytest.mark.parametrize("part", PARTS)
def test_what_is_left_gets_gradients_and_can_be_decoded_step_by_step(part):
    changed = model(part)
    changed(SRC, TGT).logsumexp(-1).sum().backward()
    used = {name: p.grad for name, p in changed.named_parameters()}
    assert all(grad is not None for name, grad in used.items() if ".add_feed_forward." not in name)
    with torch.inference_mode():
        state = changed.start(changed.encode(SRC))
        for place in range(TGT.shape[1]):
            log_probs, state = changed.step(TGT[:, place], state)
        close(log_probs, changed(SRC, TGT)[:, -1].log_softmax(-1), atol=1e-9)


def test_an_unknown_part_is_refused():
    with pytest.raises(ValueError, match="no part called 'heads' to remove; there are scale, residuals, feed_forward"):
        remove(model(), "heads")
