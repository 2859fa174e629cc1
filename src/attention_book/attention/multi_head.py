"""Multi-head attention: several small attentions side by side, each with its own view of the same sequence."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from .cache import GrowingCache
from .dot_product import fitted_mask, scaled_dot_product_attention
from .positions import rotate_by_position


def split_heads(x: Float[Tensor, "batch length width"], n_heads: int) -> Float[Tensor, "batch n_heads length d"]:
    """Cut the last axis into ``n_heads`` equal pieces and make the heads a batch axis.

    Raises:
        ValueError: if ``n_heads`` does not divide the width.
    """
    batch, length, width = x.shape
    if width % n_heads:
        raise ValueError(f"{n_heads} heads do not divide a width of {width}")
    return x.view(batch, length, n_heads, width // n_heads).transpose(1, 2)


def merge_heads(x: Float[Tensor, "batch n_heads length d"]) -> Float[Tensor, "batch length width"]:
    """Lay the heads side by side again, head 0 first: the inverse of :func:`split_heads`.

    Pitfall: without the transpose the shape is the same and the positions are mixed.
    """
    batch, n_heads, length, d = x.shape
    return x.transpose(1, 2).reshape(batch, length, n_heads * d)


def _fused_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    """torch's own attention, which keeps no weights.

    On the CPU bfloat16 is computed in float32: there its own backward pass is several times slower.
    """
    dtype = q.dtype
    if mask is not None:
        mask = fitted_mask(mask, (*q.shape[:-1], k.shape[-2]), q)
        mask = mask.expand(q.shape[-2], k.shape[-2]) if mask.dim() < 2 else mask  # torch wants two axes
    with torch.autocast(q.device.type, enabled=torch.is_autocast_enabled(q.device.type) and q.device.type != "cpu"):
        if q.device.type == "cpu" and q.dtype == torch.bfloat16:
            q, k, v = q.float(), k.float(), v.float()
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout).to(dtype)


class MultiHeadAttention(nn.Module):
    r"""Attend ``n_heads`` times in parallel, each time in a projection of its own, and mix the results.

    .. math:: \operatorname{MultiHead}(Q, K, V) = \operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)\,W^O,
        \qquad \text{head}_i = \operatorname{Attention}(QW_i^Q, KW_i^K, VW_i^V)

    Vaswani et al. 2017, §3.2.2. The h matrices :math:`W_i^Q` stand side by side in one linear layer ``w_q``, and so on.

    Args:
        d_model: width of what comes in and goes out.
        n_heads: number of heads h.
        d_k: width of a query and of a key in one head; ``d_model / n_heads`` if left out.
        d_v: width of a value in one head; as ``d_k`` if left out.
        bias: whether the four linear layers add a bias (the paper's equations have none).
        dropout: probability of dropping an attention weight in training. Off in evaluation.
        rotary: turn queries and keys by their positions (Su et al. 2021); for self-attention only.

    Raises:
        ValueError: if ``d_k`` is left out and ``n_heads`` does not divide ``d_model``, or a size is not positive; if
            ``rotary`` and ``d_k`` is odd.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_k: int | None = None,
        d_v: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        rotary: bool = False,
    ):
        super().__init__()
        if d_model < 1 or n_heads < 1:
            raise ValueError(f"d_model and n_heads must be positive, got {d_model} and {n_heads}")
        if d_k is None:
            if d_model % n_heads:
                raise ValueError(
                    f"n_heads={n_heads} does not divide d_model={d_model}: choose another number of heads or give d_k"
                )
            d_k = d_model // n_heads
        d_v = d_k if d_v is None else d_v
        if d_k < 1 or d_v < 1:
            raise ValueError(f"d_k and d_v must be positive, got {d_k} and {d_v}")
        if rotary and d_k % 2:
            raise ValueError(f"rotary positions turn pairs of coordinates: d_k must be even, got {d_k}")
        self.n_heads, self.d_k, self.d_v, self.dropout, self.rotary = n_heads, d_k, d_v, dropout, rotary
        self.w_q = nn.Linear(d_model, n_heads * d_k, bias=bias)
        self.w_k = nn.Linear(d_model, n_heads * d_k, bias=bias)
        self.w_v = nn.Linear(d_model, n_heads * d_v, bias=bias)
        self.w_o = nn.Linear(n_heads * d_v, d_model, bias=bias)

    def forward(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch k_len d_model"] | None = None,
        value: Float[Tensor, "batch k_len d_model"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
        cache: GrowingCache | None = None,
    ) -> tuple[Float[Tensor, "batch q_len d_model"], Float[Tensor, "batch n_heads q_len all_keys"] | None]:
        """Attend from ``query`` to ``key`` and mix ``value``.

        Args:
            query: the positions that ask.
            key: the positions that answer; ``query`` itself if left out (self-attention).
            value: what is mixed; ``key`` if left out.
            mask: True where a query may attend to a key, broadcastable to (batch, n_heads, q_len, k_len). With a
                growing cache k_len counts the cached positions too.
            need_weights: return the weights as well. Otherwise torch's fused attention is used, which is faster and
                does not keep them.
            cache: keys and values of earlier steps. A growing one is extended by the new positions; a fixed one is
                filled at the first call and read afterwards.

        Returns:
            ``(output, weights)``, the weights per head and before dropout, or None.

        Raises:
            ValueError, TypeError: as :func:`scaled_dot_product_attention`.

        Pitfall: a mask of shape (batch, q_len, k_len) broadcasts from the right, so its first axis meets the heads;
        give it a second axis of length 1.
        """
        key = query if key is None else key
        value = key if value is None else value
        # The position of the first new query, and of the first new key.
        start = 0 if cache is None else cache.length

        def turned(x):
            return rotate_by_position(x, start) if self.rotary else x

        def keys_and_values():
            return (
                turned(split_heads(self.w_k(key), self.n_heads)),
                split_heads(self.w_v(value), self.n_heads),
            )

        # (batch, n_heads, q_len, d_k)
        q = turned(split_heads(self.w_q(query), self.n_heads))
        k, v = keys_and_values() if cache is None else cache.read(keys_and_values)  # (batch, n_heads, k_len, d_k | d_v)
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            output, weights = scaled_dot_product_attention(q, k, v, mask)
            if dropout:
                output = F.dropout(weights, dropout) @ v
        else:
            output, weights = _fused_attention(q, k, v, mask, dropout), None
        return self.w_o(merge_heads(output)), weights  # (batch, q_len, d_model)
