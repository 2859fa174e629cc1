"""A decoder layer for a pencil: rows of one number, even weights, no norm; and the package's own layer made so."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ...attention.masks import causal_mask
from ...models.blocks import DecoderLayer
from ...models.config import TransformerConfig

THRESHOLD = 8.0
"""The feed-forward network of the example is max(0, x − 8)."""


def pencil_layer() -> DecoderLayer:
    """A decoder layer of width 1: both attentions weigh evenly, and its norms do nothing."""
    layer = DecoderLayer(TransformerConfig.tiny(d_model=1, n_heads=1, d_ff=1, dropout=0.0, positions="none"))
    for add in (layer.add_self, layer.add_cross, layer.add_feed_forward):
        add.norm = nn.Identity()
    with torch.no_grad():
        for attention in (layer.self_attention, layer.cross_attention):
            for matrix, number in ((attention.w_q, 0), (attention.w_k, 0), (attention.w_v, 1), (attention.w_o, 1)):
                matrix.weight.fill_(number)
                matrix.bias.zero_()
        feed_forward = layer.feed_forward
        feed_forward.w_1.weight.fill_(1)
        feed_forward.w_1.bias.fill_(-THRESHOLD)
        feed_forward.w_2.weight.fill_(1)
        feed_forward.w_2.bias.zero_()
    return layer.double().eval().requires_grad_(False)


def after_each_layer(
    rows: Sequence[int | float], memory: Sequence[int | float], n_layers: int = 2
) -> Float[Tensor, "n_layers rows"]:
    """The rows of a target after each layer of a stack of such layers, by the package's own code."""
    layer, found = pencil_layer(), []
    x = torch.tensor(rows, dtype=torch.float64)[None, :, None]
    source = torch.tensor(memory, dtype=torch.float64)[None, :, None]
    for _ in range(n_layers):
        x = layer(x, source, self_mask=causal_mask(len(rows)))[0]
        found.append(x[0, :, 0])
    return torch.stack(found)
