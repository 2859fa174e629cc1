"""Independent answers to compare with: torch's own modules with our weights copied in, and naive loops."""

import math
from contextlib import contextmanager

import jaxtyping
import torch
from torch import nn


def seeded(make, seed=0):
    """What ``make()`` returns with a fixed random state, without moving the global one."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return make()


def normal(*shape, seed=0, dtype=torch.float64):
    """Standard normal numbers from a generator of their own."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


@contextmanager
def unchecked():
    """Type checks off, as for a reader: to see the errors that our own code gives for bad input."""
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)


def leaves(*tensors):
    """Copies of tensors that collect gradients."""
    return [tensor.detach().clone().requires_grad_() for tensor in tensors]


def close(found, wanted, atol=1e-12):
    """Assert that two tensors agree to an absolute tolerance, in shape and in type as well."""
    torch.testing.assert_close(found, wanted, rtol=0, atol=atol)


def naive_sinusoids(length, d_model):
    """Vaswani et al. 2017, §3.5, one number at a time."""
    rows = []
    for position in range(length):
        row = []
        for i in range(d_model // 2):
            angle = position / 10000 ** (2 * i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float64).reshape(length, d_model)


def _copy_linear(target, source):
    target.weight.data.copy_(source.weight.data)
    target.bias.data.copy_(source.bias.data)


def _copy_attention(target, source):
    parts = (source.w_q, source.w_k, source.w_v)
    target.in_proj_weight.data.copy_(torch.cat([part.weight.data for part in parts]))
    if target.in_proj_bias is not None:
        target.in_proj_bias.data.copy_(torch.cat([part.bias.data for part in parts]))
        target.out_proj.bias.data.copy_(source.w_o.bias.data)
    target.out_proj.weight.data.copy_(source.w_o.weight.data)


def torch_attention(ours):
    """``nn.MultiheadAttention`` with the weights of our ``MultiHeadAttention``."""
    width, bias = ours.w_q.in_features, ours.w_q.bias is not None
    twin = nn.MultiheadAttention(width, ours.n_heads, bias=bias, batch_first=True).to(ours.w_q.weight.dtype)
    _copy_attention(twin, ours)
    return twin


def attention_gradients(ours):
    """Our attention's gradients, packed as ``nn.MultiheadAttention`` packs its weights."""
    parts = (ours.w_q, ours.w_k, ours.w_v)
    return {
        "in_proj_weight": torch.cat([part.weight.grad for part in parts]),
        "in_proj_bias": torch.cat([part.bias.grad for part in parts]),
        "out_proj.weight": ours.w_o.weight.grad,
        "out_proj.bias": ours.w_o.bias.grad,
    }


def copy_encoder_layer(twin, ours):
    """Fill an ``nn.TransformerEncoderLayer`` with the weights of our ``EncoderLayer``."""
    _copy_attention(twin.self_attn, ours.self_attention)
    _copy_linear(twin.linear1, ours.feed_forward.w_1)
    _copy_linear(twin.linear2, ours.feed_forward.w_2)
    _copy_linear(twin.norm1, ours.add_attention.norm)
    _copy_linear(twin.norm2, ours.add_feed_forward.norm)


def copy_decoder_layer(twin, ours):
    """Fill an ``nn.TransformerDecoderLayer`` with the weights of our ``DecoderLayer``."""
    _copy_attention(twin.self_attn, ours.self_attention)
    _copy_attention(twin.multihead_attn, ours.cross_attention)
    _copy_linear(twin.linear1, ours.feed_forward.w_1)
    _copy_linear(twin.linear2, ours.feed_forward.w_2)
    _copy_linear(twin.norm1, ours.add_self.norm)
    _copy_linear(twin.norm2, ours.add_cross.norm)
    _copy_linear(twin.norm3, ours.add_feed_forward.norm)


def torch_layer(kind, config):
    """An ``nn.TransformerEncoderLayer`` or ``nn.TransformerDecoderLayer`` of the shape of a configuration."""
    return kind(
        config.d_model,
        config.n_heads,
        config.d_ff,
        dropout=0.0,
        batch_first=True,
        norm_first=config.norm == "pre",
        dtype=torch.float64,
    )


def torch_stacks(model):
    """``nn.Transformer`` with the weights of our encoder and decoder."""
    c = model.config
    layer = torch_layer(nn.TransformerEncoderLayer, c)
    end = nn.LayerNorm(c.d_model, dtype=torch.float64)
    twin = nn.Transformer(
        c.d_model,
        c.n_heads,
        c.n_layers,
        c.n_layers,
        c.d_ff,
        dropout=0.0,
        batch_first=True,
        norm_first=c.norm == "pre",
        custom_encoder=nn.TransformerEncoder(layer, c.n_layers, end, enable_nested_tensor=False),
        dtype=torch.float64,
    )
    for layer, ours in zip(twin.encoder.layers, model.encoder.layers, strict=True):
        copy_encoder_layer(layer, ours)
    for layer, ours in zip(twin.decoder.layers, model.decoder.layers, strict=True):
        copy_decoder_layer(layer, ours)
    if c.norm == "pre":
        _copy_linear(twin.encoder.norm, model.encoder.norm)
        _copy_linear(twin.decoder.norm, model.decoder.norm)
    else:  # torch normalises once more at the end of each stack, the paper does not
        twin.encoder.norm = twin.decoder.norm = None
    return twin
