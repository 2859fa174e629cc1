"""Our weights in torch's own ``nn.Transformer``: the same function, under other names and the other kind of mask."""

import copy
import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..attention.multi_head import MultiHeadAttention
from .blocks import FeedForward
from .transformer import Transformer


class TorchTransformer(nn.Module):
    """``nn.Transformer`` between the parts that torch leaves to its users: embeddings, positions and output layer.

    Args:
        transformer: torch's encoder and decoder, batch first.
        src_embedding, tgt_embedding: a vector per token id.
        output: the linear layer from states to logits.
        positions: what is added to the embeddings, a row per position, or None.
        dropout: probability of dropping a coordinate of the embedded input in training.
        pad_id: id of the padding token.
    """

    def __init__(
        self,
        transformer: nn.Transformer,
        src_embedding: nn.Embedding,
        tgt_embedding: nn.Embedding,
        output: nn.Linear,
        positions: Float[Tensor, "max_len d_model"] | None,
        dropout: float,
        pad_id: int,
    ):
        super().__init__()
        self.transformer, self.output, self.pad_id = transformer, output, pad_id
        self.src_embedding, self.tgt_embedding = src_embedding, tgt_embedding
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("positions", positions, persistent=False)

    def embed(self, embedding: nn.Embedding, ids: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length d_model"]:
        """Look the ids up, multiply by √d_model (Vaswani et al. 2017, §3.4), and add the positions."""
        x = embedding(ids) * math.sqrt(embedding.embedding_dim)
        if self.positions is not None:
            x = x + self.positions[: ids.shape[1]].to(x.dtype)
        return self.dropout(x)

    def forward(
        self, src: Int[Tensor, "batch src_len"], tgt: Int[Tensor, "batch tgt_len"]
    ) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Score the whole target in one pass, as :meth:`Transformer.forward` does.

        Args:
            src, tgt: token ids, the target starting with ``<s>``.

        Returns:
            Logits. At the position of a padding token they may differ from ours; nothing reads them.

        Pitfall: in torch, True in a mask *hides*. A sentence of padding alone gives NaN here, and finite numbers in
        our own model.
        """
        length = tgt.shape[1]
        later = torch.ones(length, length, dtype=torch.bool).triu(1).to(tgt.device)
        states = self.transformer(
            self.embed(self.src_embedding, src),
            self.embed(self.tgt_embedding, tgt),
            tgt_mask=later,  # True hides
            src_key_padding_mask=src == self.pad_id,
            tgt_key_padding_mask=tgt == self.pad_id,
            memory_key_padding_mask=src == self.pad_id,
        )
        return self.output(states)


def to_torch(model: Transformer) -> TorchTransformer:
    """Copy a model's weights into ``nn.Transformer``, which then gives the same logits.

    Three defaults of torch are changed on the way. torch ends each stack with a layer norm; the post-norm model of the
    paper has none there, so it is taken out. torch drops attention weights and the inner numbers of the feed-forward
    network with one probability; here each gets the one of ``model.config``. And the shortcut for padded batches
    (``enable_nested_tensor``) is off.

    Args:
        model: stays as it was; nothing is shared with it.

    Returns:
        The copy, in the same mode (training or evaluation), of the same type of numbers and on the same device.

    Raises:
        ValueError: for what ``nn.Transformer`` cannot do: rotary positions, and heads whose widths are not
            ``d_model / n_heads``.

    Pitfall: a model without attention biases gets biases of 0. The logits are equal; in further training they move.
    """
    c = model.config
    widths = {c.d_k or c.d_model / c.n_heads, c.d_v or c.d_k or c.d_model / c.n_heads}
    if widths != {c.d_model / c.n_heads}:
        raise ValueError(
            f"nn.Transformer has heads of d_model / n_heads = {c.d_model / c.n_heads:g} numbers, "
            f"and this model has d_k={c.d_k} and d_v={c.d_v}: leave both out of the configuration"
        )
    if c.positions == "rotary":
        raise ValueError("nn.Transformer has no rotary positions: only sinusoidal, learned or none can be copied")
    sizes = {"dropout": c.dropout, "batch_first": True, "norm_first": c.norm == "pre"}
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(c.d_model, c.n_heads, c.d_ff, **sizes),
        c.n_layers,
        nn.LayerNorm(c.d_model),
        enable_nested_tensor=False,
    )
    twin = nn.Transformer(c.d_model, c.n_heads, c.n_layers, c.n_layers, c.d_ff, custom_encoder=encoder, **sizes)
    if c.norm == "post":
        twin.encoder.norm = twin.decoder.norm = None
    twin = twin.to(model.output.weight)
    with torch.no_grad():
        for theirs, ours in zip(twin.encoder.layers, model.encoder.layers, strict=True):
            _copy_attention(theirs.self_attn, ours.self_attention)
            _copy_rest(theirs, ours.feed_forward, [ours.add_attention.norm, ours.add_feed_forward.norm])
        for theirs, ours in zip(twin.decoder.layers, model.decoder.layers, strict=True):
            _copy_attention(theirs.self_attn, ours.self_attention)
            _copy_attention(theirs.multihead_attn, ours.cross_attention)
            norms = [ours.add_self.norm, ours.add_cross.norm, ours.add_feed_forward.norm]
            _copy_rest(theirs, ours.feed_forward, norms)
        if c.norm == "pre":
            twin.encoder.norm.load_state_dict(model.encoder.norm.state_dict())
            twin.decoder.norm.load_state_dict(model.decoder.norm.state_dict())
    tables = copy.deepcopy(nn.ModuleList([model.src_embedding, model.tgt_embedding, model.output]))  # tied stay tied
    positions = None if model.positions is None else model.positions.detach().clone()
    return TorchTransformer(twin, *tables, positions, c.dropout, c.pad_id).train(model.training)


def _copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    """Put our three projections one under the other, as torch keeps them."""
    parts = (ours.w_q, ours.w_k, ours.w_v)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.out_proj.weight.copy_(ours.w_o.weight)
    if ours.w_o.bias is not None:
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        theirs.out_proj.bias.copy_(ours.w_o.bias)
    theirs.dropout = ours.dropout


def _copy_rest(theirs: nn.Module, feed_forward: FeedForward, norms: list[nn.LayerNorm]) -> None:
    """Copy what a layer holds beside its attentions; its norms are numbered in the order of its sublayers."""
    theirs.linear1.load_state_dict(feed_forward.w_1.state_dict())
    theirs.linear2.load_state_dict(feed_forward.w_2.state_dict())
    for number, norm in enumerate(norms, start=1):
        getattr(theirs, f"norm{number}").load_state_dict(norm.state_dict())
    theirs.dropout.p = 0.0  # inside the feed-forward network, where ours drops nothing
