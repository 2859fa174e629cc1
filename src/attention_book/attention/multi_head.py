"""Multi-head attention: several small attentions side by side, each with its own view of the same sequence."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from .cache import FixedCache, GrowingCache
from .dot_product import check_fit, fitted_mask, scaled_dot_product_attention
from .positions import rotate_by_position


def split_heads(x: Float[Tensor, "batch length width"], n_heads: int) -> Float[Tensor, "batch n_heads length d"]:
    """Cut the last axis into ``n_heads`` equal pieces and make the heads a batch axis.

    Raises:
        ValueError: if ``n_heads`` is not positive or does not divide the width, or ``x`` has not three axes.
    """
    if x.dim() != 3 or n_heads < 1:
        raise ValueError(
            f"one head or more are cut from (batch, length, width): x is {tuple(x.shape)}, n_heads {n_heads}"
        )
    batch, length, width = x.shape
    if width % n_heads:
        raise ValueError(f"{n_heads} heads do not divide a width of {width}")
    return x.view(batch, length, n_heads, width // n_heads).transpose(1, 2)


def merge_heads(x: Float[Tensor, "batch n_heads length d"]) -> Float[Tensor, "batch length width"]:
    """Lay the heads side by side again, head 0 first: the inverse of :func:`split_heads`.

    Raises:
        ValueError: if ``x`` has not four axes.

    Pitfall: without the transpose the shape is the same and the positions are mixed.
    """
    if x.dim() != 4:
        raise ValueError(f"heads are merged from (batch, n_heads, length, d): x is {tuple(x.shape)}")
    batch, n_heads, length, d = x.shape
    return x.transpose(1, 2).reshape(batch, length, n_heads * d)


def _fused_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    """torch's own attention, which keeps no weights.

    On the CPU bfloat16 is computed in float32: there its own backward pass is several times slower.

    torch does not compare the lengths of keys and values: with more values than keys it would read behind the keys.
    """
    check_fit(q, k, v)
    dtype = q.dtype
    if mask is not None:
        mask = fitted_mask(mask, (*q.shape[:-1], k.shape[-2]), q)
        mask = mask.expand(q.shape[-2], k.shape[-2]) if mask.dim() < 2 else mask  # torch wants two axes
    with torch.autocast(q.device.type, enabled=torch.is_autocast_enabled(q.device.type) and q.device.type != "cpu"):
        if q.device.type == "cpu" and q.dtype == torch.bfloat16:
            q, k, v = q.float(), k.float(), v.float()
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout).to(dtype)


def _check_sequences(query: Tensor, key: Tensor, value: Tensor, weight: Tensor) -> None:
    """Refuse what does not fit together, or does not fit the matrix ``w_q``, before anything is computed."""
    if not query.dim() == key.dim() == value.dim() == 3:
        raise ValueError(f"attention takes (batch, length, d_model): {_shapes(query, key, value)}")
    if not query.shape[2] == key.shape[2] == value.shape[2] == weight.shape[1]:
        raise ValueError(f"all must have the width d_model={weight.shape[1]}: {_shapes(query, key, value)}")
    if not query.shape[0] == key.shape[0] == value.shape[0]:
        raise ValueError(f"all must be of one batch: {_shapes(query, key, value)}")
    if key.shape[1] != value.shape[1]:
        raise ValueError(f"each key needs one value: {_shapes(query, key, value)}")
    if weight.is_meta or not query.device == key.device == value.device == weight.device:
        raise ValueError(
            "all must be on one device, and not on meta, which holds no numbers: they are on "
            f"{query.device}, {key.device} and {value.device}, the weights on {weight.device}"
        )


def _shapes(query: Tensor, key: Tensor, value: Tensor) -> str:
    return f"query is {tuple(query.shape)}, key is {tuple(key.shape)}, value is {tuple(value.shape)}"


def _check_cache(cache: GrowingCache | None, q: Tensor, d_v: int) -> None:
    """Refuse a cache that holds something else than keys and values for the heads of ``q``, before it is read."""
    if cache is not None and (cache.keys is None) != (cache.values is None):
        raise ValueError("a cache holds keys and values, or neither: this one holds one of them alone")
    if cache is not None and cache.keys is not None:
        if (*cache.keys.shape[:2], *cache.keys.shape[3:]) != (*q.shape[:2], q.shape[3]):
            raise ValueError(f"the cache has keys {tuple(cache.keys.shape)}, no keys for queries {tuple(q.shape)}")
        if cache.values.shape != (*cache.keys.shape[:3], d_v):
            raise ValueError(
                f"the cache must have one value of width {d_v} for each key: "
                f"its keys are {tuple(cache.keys.shape)}, its values {tuple(cache.values.shape)}"
            )
        if not cache.keys.device == cache.values.device == q.device:
            raise ValueError(f"the cache is on {cache.keys.device} and {cache.values.device}, the query on {q.device}")
        if not cache.keys.dtype == cache.values.dtype == q.dtype:
            raise TypeError(f"the cache holds {cache.keys.dtype} and {cache.values.dtype}, the queries are {q.dtype}")


def _check_mask(mask: Tensor | None, q: Tensor, key: Tensor, cache: GrowingCache | None) -> None:
    """Refuse what ``fitted_mask`` will refuse, before the cache is extended."""
    cached = 0 if cache is None else cache.length
    new = 0 if isinstance(cache, FixedCache) and cache.keys is not None else key.shape[1]
    shape = (*q.shape[:3], cached + new)
    if mask is not None and str(mask.dtype).removeprefix("torch.") != "bool":
        raise TypeError(f"the mask must be boolean (True = may attend), got {mask.dtype}")
    if mask is not None and mask.is_meta:
        raise ValueError("the mask is on the device meta, which holds no numbers")
    if mask is not None and (
        len(mask.shape) > 4 or any(m not in (1, n) for m, n in zip(mask.shape[::-1], shape[::-1], strict=False))
    ):
        raise ValueError(f"a mask of shape {tuple(mask.shape)} does not broadcast to scores {shape}")


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
            ValueError: if the three are not of one batch, one width d_model and one device with numbers on it; if there
                is not one value for each key; if the mask does not broadcast, or the cache holds another batch, other
                heads or other widths. A call that is refused leaves the cache as it was.
            TypeError: if the mask is not boolean, or the cache holds another type of number.

        Pitfall: NaN or ±∞ at a masked position of ``key`` or ``value`` can reach every output: a weight of 0 times NaN
        is NaN, and torch's fused attention adds −∞ to a masked score, which makes NaN of NaN and of +∞. Finite numbers
        there reach no output. Put zeros where a sequence has no real position. NaN in ``query`` reaches its own output
        alone, for which torch's fused attention may give zeros.

        Pitfall: a mask of shape (batch, q_len, k_len) broadcasts from the right, so its first axis meets the heads;
        give it a second axis of length 1.
        """
        key = query if key is None else key
        value = key if value is None else value
        _check_sequences(query, key, value, self.w_q.weight)
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
        _check_cache(cache, q, self.d_v)
        _check_mask(mask, q, key, cache)
        k, v = keys_and_values() if cache is None else cache.read(keys_and_values)  # (batch, n_heads, k_len, d_k | d_v)
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            output, weights = scaled_dot_product_attention(q, k, v, mask)
            if dropout:
                output = F.dropout(weights, dropout) @ v
        else:
            output, weights = _fused_attention(q, k, v, mask, dropout), None
        return self.w_o(merge_heads(output)), weights  # (batch, q_len, d_model)
