"""What attention costs: multiply-adds by formula, and counted while torch runs."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode


def of_attention(n: int, d_model: int, n_heads: int, d_k: int | None = None, d_v: int | None = None) -> dict[str, int]:
    """Multiply-adds of multi-head self-attention over n positions, by part (orders: Vaswani et al. 2017, Table 1).

    Args:
        n: positions.
        d_model: width.
        n_heads: number of heads h.
        d_k, d_v: widths in a head; ``d_model / n_heads`` if left out.

    Returns:
        ``projections`` (of queries, keys, values and the joined heads: order n d²), ``scores`` and ``mixing`` (order
        n² d), and ``exponentials``, which are no multiply-adds: h n² of them, the one count that depends on h if h·d_k
        and h·d_v do not.
    """
    d_k = d_model // n_heads if d_k is None else d_k
    d_v = d_k if d_v is None else d_v
    return {
        "projections": 2 * n * d_model * n_heads * d_k + 2 * n * d_model * n_heads * d_v,
        "scores": n_heads * n * n * d_k,
        "mixing": n_heads * n * n * d_v,
        "exponentials": n_heads * n * n,
    }


def of_recurrence(n: int, d_model: int) -> int:
    """Multiply-adds of a plain recurrent layer, h_t = tanh(x_t W + h_{t−1} U): one step after the other, 2 n d²."""
    return 2 * n * d_model * d_model


def counted(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """Multiply-adds in the matrix products of one call, as torch counts them; it calls one of them two operations."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        fn(*args, **kwargs)
    return counter.get_total_flops() // 2
