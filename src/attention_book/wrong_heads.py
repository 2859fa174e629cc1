"""Multi-head self-attention that goes wrong and keeps its shape: two reshapes, and multiplying from the left.

`multi_head` is right as it stands. Each argument after the matrices puts one mistake in, to be measured.
"""

import math
from collections.abc import Callable, Collection

from jaxtyping import Bool, Float
from torch import Tensor

from .multi_head import merge_heads, split_heads
from .probability import softmax

Matrix = Float[Tensor, "rows columns"]


def split_without_transpose(x: Float[Tensor, "batch length width"], n_heads: int) -> Float[Tensor, "batch h length d"]:
    """Cut the sentence, not the width: the shape of `split_heads`, and head 0 holds the first positions whole."""
    return x.reshape(x.shape[0], n_heads, x.shape[1], x.shape[2] // n_heads)


def merge_without_transpose(x: Float[Tensor, "batch h length d"]) -> Float[Tensor, "batch length width"]:
    """Flatten heads and positions in the order in which they lie: position 0 holds the first positions of head 0."""
    return x.reshape(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])


def multi_head(
    x: Float[Tensor, "length d_model"],
    w_q: Matrix,
    w_k: Matrix,
    w_v: Matrix,
    w_o: Matrix,
    n_heads: int,
    mask: Bool[Tensor, "length length"] | None = None,
    split: Callable[[Tensor, int], Tensor] = split_heads,
    merge: Callable[[Tensor], Tensor] = merge_heads,
    left: Collection[str] = (),
) -> Float[Tensor, "length d_model"]:
    """Self-attention of one sentence with h heads.

    Args:
        x: one row a position.
        w_q, w_k, w_v: d_model × h·d_k, the last d_model × h·d_v, to be multiplied from the right.
        w_o: h·d_v × d_model.
        n_heads: number of heads.
        mask: True where a query may attend.
        split: how the heads are cut apart.
        merge: how they are joined.
        left: which of ``"q"``, ``"k"``, ``"v"``, ``"o"`` are multiplied from the left; they must be length × length.

    Raises:
        RuntimeError: torch's own, if a matrix does not fit from the left.
    """

    def times(y: Tensor, w: Tensor, name: str) -> Tensor:
        return w @ y if name in left else y @ w

    q, k, v = (split(times(x, w, name)[None], n_heads) for name, w in (("q", w_q), ("k", w_k), ("v", w_v)))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return times(merge(softmax(scores) @ v)[0], w_o, "o")
