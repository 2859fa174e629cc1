"""Layers and stacks, pre-norm and post-norm, against torch's with the weights copied."""

import pytest
import torch
from oracles import close, copy_decoder_layer, copy_encoder_layer, leaves, normal, seeded, torch_layer
from torch import nn

from attention_book.attention.masks import causal_mask, combine_masks, leak, lengths_mask
from attention_book.models.blocks import AddAndNorm, Decoder, DecoderLayer, Encoder, EncoderLayer, FeedForward
from attention_book.models.config import TransformerConfig

BATCH, SRC_LEN, TGT_LEN, WIDTH = 2, 5, 4, 16
SRC_REAL = lengths_mask(torch.tensor([5, 3]), SRC_LEN)
TGT_REAL = lengths_mask(torch.tensor([4, 2]), TGT_LEN)
CAUSAL = causal_mask(TGT_LEN)
NORMS = pytest.mark.parametrize("norm", ["pre", "post"])


def config(norm="pre", **changes):
    return TransformerConfig.tiny(
        20, **{"d_model": WIDTH, "n_heads": 4, "d_ff": 24, "dropout": 0.0, "norm": norm, **changes}
    )


def shaken(module):
    """The module in float64 with every parameter, biases and norms too, away from its initial value."""
    module = module.double()
    with torch.no_grad():
        for seed, parameter in enumerate(module.parameters()):
            parameter += 0.2 * normal(*parameter.shape, seed=seed)
    return module


def make(kind, *args):
    return shaken(seeded(lambda: kind(*args)))


def same_gradients(ours, theirs, upstream, our_inputs, their_inputs):
    ours.backward(upstream)
    theirs.backward(upstream)
    for our, their in zip(our_inputs, their_inputs, strict=True):
        close(our.grad, their.grad)


@NORMS
def test_an_encoder_layer_is_torchs(norm):
    c = config(norm)
    layer, twin = make(EncoderLayer, c), torch_layer(nn.TransformerEncoderLayer, c)
    copy_encoder_layer(twin, layer)
    x = normal(BATCH, SRC_LEN, WIDTH)
    (ours,), (theirs,) = leaves(x), leaves(x)
    found, weights = layer(ours, SRC_REAL, need_weights=True)
    wanted = twin(theirs, src_key_padding_mask=~SRC_REAL[:, 0, 0])
    close(found, wanted)
    close(layer(x, SRC_REAL)[0], wanted)
    assert layer(x, SRC_REAL)[1] is None
    assert weights.shape == (BATCH, 4, SRC_LEN, SRC_LEN)
    same_gradients(found, wanted, normal(*x.shape, seed=5), [ours], [theirs])
    close(layer.feed_forward.w_1.weight.grad, twin.linear1.weight.grad)
    close(layer.add_attention.norm.weight.grad, twin.norm1.weight.grad)


@NORMS
def test_a_decoder_layer_is_torchs(norm):
    c = config(norm)
    layer, twin = make(DecoderLayer, c), torch_layer(nn.TransformerDecoderLayer, c)
    copy_decoder_layer(twin, layer)
    x, memory = normal(BATCH, TGT_LEN, WIDTH), normal(BATCH, SRC_LEN, WIDTH, seed=1)
    ours, theirs = leaves(x, memory), leaves(x, memory)
    found, (self_weights, cross_weights) = layer(*ours, combine_masks(CAUSAL, TGT_REAL), SRC_REAL, need_weights=True)
    wanted = twin(
        *theirs,
        tgt_mask=~CAUSAL,
        tgt_key_padding_mask=~TGT_REAL[:, 0, 0],
        memory_key_padding_mask=~SRC_REAL[:, 0, 0],
    )
    close(found, wanted)
    close(layer(x, memory, combine_masks(CAUSAL, TGT_REAL), SRC_REAL)[0], wanted)
    assert layer(x, memory)[1] == (None, None)
    assert self_weights.shape == (BATCH, 4, TGT_LEN, TGT_LEN)
    assert cross_weights.shape == (BATCH, 4, TGT_LEN, SRC_LEN)
    same_gradients(found, wanted, normal(*x.shape, seed=5), ours, theirs)
    close(layer.cross_attention.w_o.weight.grad, twin.multihead_attn.out_proj.weight.grad)


def test_the_two_norms_are_two_functions():
    x = normal(BATCH, SRC_LEN, WIDTH)
    pre, post = (make(EncoderLayer, config(norm)) for norm in ("pre", "post"))
    post.load_state_dict(pre.state_dict())
    assert (pre(x)[0] - post(x)[0]).abs().max() > 0.1


@NORMS
def test_add_and_norm_is_its_formula(norm):
    block = make(AddAndNorm, WIDTH, 0.0, norm)
    x = normal(BATCH, SRC_LEN, WIDTH)

    def normalise(y):
        centred = y - y.mean(-1, keepdim=True)
        return centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() * block.norm.weight + block.norm.bias

    wanted = x + normalise(x).sin() if norm == "pre" else normalise(x + x.sin())
    close(block(x, torch.sin), wanted)


@NORMS
def test_dropout_falls_on_the_sublayers_output_and_never_on_the_residual(norm):
    block, x = seeded(lambda: AddAndNorm(WIDTH, 0.5, norm)), torch.ones(4, 50, WIDTH)
    assert torch.equal(seeded(lambda: block(x, torch.zeros_like)), block.eval()(x, torch.zeros_like))
    dropped = seeded(lambda: block.train()(torch.zeros_like(x), lambda _: x))
    if norm == "pre":
        assert sorted(dropped.unique().tolist()) == [0.0, 2.0]


def test_feed_forward_is_its_formula_at_each_position():
    ff, x = make(FeedForward, WIDTH, 24), normal(BATCH, SRC_LEN, WIDTH)
    wanted = (x @ ff.w_1.weight.T + ff.w_1.bias).clamp(min=0) @ ff.w_2.weight.T + ff.w_2.bias
    close(ff(x), wanted)
    close(ff(x[0, 0]), wanted[0, 0])


def test_feed_forward_adds_a_value_for_each_key_that_matches():
    forward = seeded(lambda: FeedForward(WIDTH, 24)).double()
    x = normal(WIDTH)
    found = forward.w_2.bias.detach().clone()
    for i in range(24):
        key, value = forward.w_1.weight[i], forward.w_2.weight[:, i]
        found = found + max(0.0, (key @ x + forward.w_1.bias[i]).item()) * value
    close(forward(x), found)


@NORMS
def test_stacks_run_their_layers_and_a_norm_at_the_end_if_pre(norm):
    c = config(norm)
    encoder, decoder = make(Encoder, c), make(Decoder, c)
    x, y = normal(BATCH, SRC_LEN, WIDTH), normal(BATCH, TGT_LEN, WIDTH, seed=1)
    memory, target = x, y
    for layer in encoder.layers:
        memory, _ = layer(memory, SRC_REAL)
    states, weights = encoder(x, SRC_REAL, need_weights=True)
    close(states, encoder.norm(memory))
    assert len(weights) == c.n_layers
    for layer in decoder.layers:
        target, _ = layer(target, states, CAUSAL, SRC_REAL)
    found, pairs = decoder(y, states, CAUSAL, SRC_REAL, need_weights=True)
    close(found, decoder.norm(target))
    assert len(pairs) == c.n_layers
    assert isinstance(encoder.norm, nn.LayerNorm) == isinstance(decoder.norm, nn.LayerNorm) == (norm == "pre")
    assert encoder(x, SRC_REAL)[1] == decoder(y, states, CAUSAL, SRC_REAL)[1] == []


@NORMS
def test_an_encoder_without_positions_is_permutation_equivariant(norm):
    encoder, x = make(Encoder, config(norm)), normal(BATCH, SRC_LEN, WIDTH)
    order = torch.tensor([4, 1, 0, 3, 2])
    close(encoder(x[:, order])[0], encoder(x)[0][:, order])


@NORMS
def test_a_causal_decoder_without_positions_sees_the_order_all_the_same(norm):
    decoder, x = make(Decoder, config(norm)), normal(BATCH, TGT_LEN, WIDTH)
    memory = normal(BATCH, SRC_LEN, WIDTH, seed=1)
    swapped = torch.tensor([1, 0, 2, 3])
    close(decoder(x[:, swapped], memory)[0], decoder(x, memory)[0][:, swapped])  # without the mask it does not
    masked = decoder(x, memory, CAUSAL)[0]
    moved = decoder(x[:, swapped], memory, CAUSAL)[0]
    assert (moved - masked[:, swapped]).abs().amax((0, 2)).min() > 1e-3  # every place after the swap feels it


@NORMS
def test_one_causal_layer_without_positions_sees_a_set_and_two_see_an_order(norm):
    order, mask = torch.tensor([1, 0, 2]), causal_mask(3)
    x, memory = normal(1, 3, WIDTH), normal(1, SRC_LEN, WIDTH, seed=1)
    last = [
        [decoder(y, memory, mask)[0][:, -1] for y in (x, x[:, order])]
        for decoder in (make(Decoder, config(norm, n_layers=layers)) for layers in (1, 2))
    ]
    close(*last[0])
    assert (last[1][0] - last[1][1]).abs().max() > 1e-3


def test_rotary_positions_turn_the_self_attentions_and_never_the_cross_attention():
    for positions in ("sinusoidal", "learned", "rotary", "none"):
        encoder, decoder = EncoderLayer(config(positions=positions)), DecoderLayer(config(positions=positions))
        assert encoder.self_attention.rotary is decoder.self_attention.rotary is (positions == "rotary")
        assert decoder.cross_attention.rotary is False


@NORMS
def test_no_layer_of_an_encoder_lets_padding_in(norm):
    encoder, x = make(Encoder, config(norm, n_layers=3)), normal(BATCH, SRC_LEN, WIDTH)
    other = torch.where(SRC_REAL[:, 0, 0, :, None], x, 100 * normal(*x.shape, seed=7))
    real = SRC_REAL[:, 0, 0]
    close(encoder(other, SRC_REAL)[0][real], encoder(x, SRC_REAL)[0][real])


@NORMS
def test_a_decoder_does_not_leak_the_future_and_its_memory_mask_holds_in_every_layer(norm):
    decoder, memory = make(Decoder, config(norm, n_layers=3)), normal(1, SRC_LEN, WIDTH)
    y = normal(TGT_LEN, WIDTH, seed=1)
    assert leak(lambda y: decoder(y[None], memory, CAUSAL)[0][0], y) == 0.0
    assert leak(lambda y: decoder(y[None], memory)[0][0], y) > 1e-3
    hidden = SRC_REAL[1:]
    other = torch.where(hidden[:, 0, 0, :, None], memory, 100 * normal(*memory.shape, seed=7))
    close(decoder(y[None], other, CAUSAL, hidden)[0], decoder(y[None], memory, CAUSAL, hidden)[0])


def test_attention_sizes_and_dropout_come_from_the_configuration():
    layer = DecoderLayer(config(d_k=3, d_v=5, bias=False, attention_dropout=0.4))
    for attention in (layer.self_attention, layer.cross_attention):
        assert (attention.d_k, attention.d_v, attention.dropout, attention.w_q.bias) == (3, 5, 0.4, None)
