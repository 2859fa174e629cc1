r"""The update of :class:`attention_book.training.trainer.Trainer` for a Transformer, faster and harder to read.

It computes the same loss and the same gradients, up to rounding, in fewer passes over memory. What dropout keeps is
drawn 16 bits at a time; scores over the vocabulary are made for real targets alone, and become their own gradient;
queries, keys and values are one product. What remains is mostly matrix products, which are as many as before, and in
float32 are left to oneDNN (`fast_products`).
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from ..attention.masks import padding_mask
from ..attention.multi_head import MultiHeadAttention, merge_heads, split_heads
from ..attention.positions import rotate_by_position
from ..data.batching import Batch
from ..models.blocks import AddAndNorm, FeedForward
from ..models.transformer import Transformer
from .fast_products import linear, times_transposed
from .schedules import warmup_then_decay
from .trainer import Trainer

STEPS = 2**16
"""A share of dropout is rounded to a multiple of one over this."""


class _SmoothedLoss(torch.autograd.Function):
    """Output layer, softmax and smoothed loss in one. Kept for the backward pass: softmax minus the smoothed target."""

    @staticmethod
    def forward(ctx, states: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> Tensor:
        logits = times_transposed(states.to(weight.dtype), weight)
        logits = logits.to(torch.promote_types(weight.dtype, torch.float32))
        rows = torch.arange(len(targets), device=targets.device)
        known, mean = logits[rows, targets], logits.mean(1)
        difference = logits.softmax(1)
        log_sum = logits.amax(1) - difference.amax(1).log()  # the largest probability never underflows
        difference -= smoothing / logits.shape[1]
        difference[rows, targets] -= 1 - smoothing
        ctx.save_for_backward(states, weight, difference.to(weight.dtype))
        ctx.count = max(1, len(targets))
        return (log_sum - (1 - smoothing) * known - smoothing * mean).sum() / ctx.count

    @staticmethod
    @once_differentiable
    def backward(ctx, slope: Tensor) -> tuple[Tensor | None, ...]:
        states, weight, difference = ctx.saved_tensors
        to_states = to_weight = None
        share = slope / ctx.count
        if ctx.needs_input_grad[0]:
            to_states = times_transposed(difference, weight.t()).to(states.dtype) * share
        if ctx.needs_input_grad[1]:
            to_weight = times_transposed(difference.t(), (states * share).to(weight.dtype).t())
        return to_states, to_weight, None, None


def smoothed_output_loss(
    states: Float[Tensor, "tokens d_model"],
    weight: Float[Tensor, "vocab_size d_model"],
    targets: Int[Tensor, " tokens"],
    smoothing: float,
) -> Float[Tensor, ""]:
    r"""The smoothed loss of the logits ``states @ weight.T``, averaged over the tokens, without keeping the logits.

    The gradient of the loss of one token with respect to its logits is the softmax minus the smoothed target,
    :math:`p_i - (1 - \varepsilon)[i = y] - \varepsilon / V`, so the softmax is all that the backward pass needs, and it
    is turned into that difference in place.

    Args:
        states: what the output layer reads, one row per token; none of them padding.
        weight: of the output layer.
        targets: true token ids.
        smoothing: ε, as in :func:`attention_book.training.losses.label_smoothed_cross_entropy`.

    Returns:
        The mean in nats per token, 0 if there is none. Under autocast the two products are in its lower precision, and
        softmax and loss in float32.

    Raises:
        ValueError: if ε is outside [0, 1).
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing must be at least 0 and below 1, got {smoothing}")
    kind = states.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else weight.dtype
    with torch.autocast(kind, enabled=False):
        return _SmoothedLoss.apply(states, weight.to(dtype), targets, smoothing)


def kept(shape: Sequence[int], dropped: float, like: Tensor) -> Float[Tensor, "..."] | None:
    """What dropout multiplies with: 0 for a coordinate that is dropped, else one over the share that is kept.

    Four coordinates share one draw of 64 bits. So the share that is dropped is rounded to a multiple of 1/65536, and
    the factor is that of the rounded share: the mean of a coordinate stays what it was.

    Args:
        shape: of what is to be dropped.
        dropped: probability of dropping a coordinate.
        like: a tensor of the device and of the type of numbers.

    Returns:
        The factors, or None if nothing is dropped.
    """
    threshold = min(round(dropped * STEPS), STEPS - 1)
    if not threshold:
        return None
    count = math.prod(shape)
    words = torch.empty(-(-count // 4), dtype=torch.int64, device=like.device).random_(-(2**63), None)
    pieces = words.view(torch.int16)[:count].view(*shape)
    factors = torch.empty(*shape, dtype=like.dtype, device=like.device)
    torch.ge(pieces, threshold - STEPS // 2, out=factors)  # 1 where the piece is kept
    return factors.mul_(STEPS / (STEPS - threshold))


def _dropped(x: Tensor, share: float) -> Tensor:
    factors = kept(x.shape, share, x)
    return x if factors is None else x * factors


def _residual(add: AddAndNorm, x: Tensor, sublayer: Callable[[Tensor], Tensor], share: float) -> Tensor:
    """:meth:`AddAndNorm.forward` with this module's dropout."""
    if add.pre:
        return x + _dropped(sublayer(add.norm(x)), share)
    return add.norm(x + _dropped(sublayer(x), share))


def _product(x: Tensor, layers: Sequence[nn.Linear]) -> tuple[Tensor, ...]:
    """Several linear layers that read the same vectors, as one product."""
    weight = torch.cat([layer.weight for layer in layers])
    bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
    return linear(x, weight, bias).split([layer.out_features for layer in layers], dim=-1)


def _attend(
    attention: MultiHeadAttention, q: Tensor, k: Tensor, v: Tensor, mask: Bool[Tensor, "..."] | None, causal: bool
) -> Tensor:
    """The part of :meth:`MultiHeadAttention.forward` that follows the three products."""
    q, k, v = (split_heads(one, attention.n_heads) for one in (q, k, v))
    if attention.rotary:
        q, k = rotate_by_position(q, 0), rotate_by_position(k, 0)
    dtype, kind = q.dtype, q.device.type
    with torch.autocast(kind, enabled=torch.is_autocast_enabled(kind) and kind != "cpu"):
        if kind == "cpu" and dtype == torch.bfloat16:
            q, k, v = q.float(), k.float(), v.float()  # whose backward pass is several times as fast there
        share = attention.dropout if attention.training else 0.0
        output = F.scaled_dot_product_attention(q, k, v, mask, share, is_causal=causal).to(dtype)
    return linear(merge_heads(output), attention.w_o.weight, attention.w_o.bias)


def _self_attention(attention: MultiHeadAttention, mask: Tensor | None, causal: bool) -> Callable[[Tensor], Tensor]:
    """The attention as a function of the vectors that it reads."""
    layers = attention.w_q, attention.w_k, attention.w_v
    return lambda h: _attend(attention, *_product(h, layers), mask, causal)


def _cross_attention(attention: MultiHeadAttention, memory: Tensor, mask: Tensor | None) -> Callable[[Tensor], Tensor]:
    """The attention as a function of the target's vectors."""
    layers = attention.w_k, attention.w_v
    return lambda h: _attend(attention, *_product(h, [attention.w_q]), *_product(memory, layers), mask, causal=False)


def _feed_forward(network: FeedForward) -> Callable[[Tensor], Tensor]:
    """:meth:`FeedForward.forward` as a function of its input."""
    first, second = network.w_1, network.w_2
    return lambda h: linear(F.relu(linear(h, first.weight, first.bias)), second.weight, second.bias)


def _embedded(model: Transformer, embedding: nn.Embedding, ids: Tensor, share: float) -> Tensor:
    x = embedding(ids) * math.sqrt(model.config.d_model)
    if model.positions is not None:
        x = x + model.positions[: ids.shape[1]].to(x.dtype)
    return _dropped(x, share)


def target_states(model: Transformer, batch: Batch) -> Float[Tensor, "batch tgt_len d_model"]:
    """What the output layer reads: the decoder's last states, as in ``model(batch.src, batch.tgt_in)``.

    At positions of padding they may differ from the model's own; nothing reads them.

    Raises:
        ValueError: if a sequence is longer than ``max_len``.
    """
    longest = max(batch.src.shape[1], batch.tgt_in.shape[1])
    if longest > model.config.max_len:
        raise ValueError(f"{longest} tokens are more than the max_len={model.config.max_len} of this model")
    share = model.dropout.p if model.training else 0.0
    mask = padding_mask(batch.src, model.config.pad_id)
    mask = None if bool(mask.all()) else mask
    x = _embedded(model, model.src_embedding, batch.src, share)
    for layer in model.encoder.layers:
        x = _residual(layer.add_attention, x, _self_attention(layer.self_attention, mask, causal=False), share)
        x = _residual(layer.add_feed_forward, x, _feed_forward(layer.feed_forward), share)
    memory = model.encoder.norm(x)
    y = _embedded(model, model.tgt_embedding, batch.tgt_in, share)
    for layer in model.decoder.layers:
        y = _residual(layer.add_self, y, _self_attention(layer.self_attention, None, causal=True), share)
        y = _residual(layer.add_cross, y, _cross_attention(layer.cross_attention, memory, mask), share)
        y = _residual(layer.add_feed_forward, y, _feed_forward(layer.feed_forward), share)
    return model.decoder.norm(y)


def fast_loss(model: Transformer, batch: Batch, smoothing: float) -> Float[Tensor, ""]:
    """The loss that `Trainer` takes of a batch, with the same gradients up to rounding.

    Args:
        model: in training mode, dropout draws other numbers than the model would, with the same probabilities.
        batch: on the device of the model.
        smoothing: ε of :func:`attention_book.training.losses.label_smoothed_cross_entropy`.
    """
    real = batch.tgt_out != model.config.pad_id
    return smoothed_output_loss(target_states(model, batch)[real], model.output.weight, batch.tgt_out[real], smoothing)


class FastTrainer(Trainer):
    """A `Trainer` of a Transformer whose updates take less time, and differ by rounding and by what dropout draws.

    Raises:
        TypeError: for another model than :class:`attention_book.models.transformer.Transformer`.
    """

    def __init__(self, model: nn.Module, *arguments: Any, **named: Any):
        if not isinstance(model, Transformer):
            raise TypeError(f"only a Transformer has a faster step: train a {type(model).__name__} with Trainer")
        super().__init__(model, *arguments, **named)

    def train_step(self, batch: Batch) -> float:
        """One update, as :meth:`Trainer.train_step`."""
        s = self.settings
        rate = warmup_then_decay(self.tokens + batch.target_tokens, s.tokens, s.warmup * s.tokens, s.peak_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch = batch.to(self.device)
        self.model.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=s.precision == "bfloat16"):
            loss = fast_loss(self.model, batch, s.smoothing)
        value = loss.item()
        self._require_finite("loss", value, rate)
        self.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), s.clip)
        self._require_finite("norm of the gradient", norm.item(), rate)
        self.optimizer.step()
        return value
