"""Multi-head self-attention that goes wrong and keeps its shape: two reshapes, and multiplying from the left.

`multi_head` is right as it stands. Each argument after the matrices puts one mistake in, to be measured.
"""

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..attention.masks import causal_mask, leak
from ..attention.multi_head import MultiHeadAttention, merge_heads, split_heads
from ..attention.probability import softmax

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
        x: one row per position.
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


WRONG: dict[str, dict[str, Any]] = {
    "split without transpose": {"split": split_without_transpose},
    "merge without transpose": {"merge": merge_without_transpose},
    "W_Q from the left": {"left": "q"},
    "W_K from the left": {"left": "k"},
    "W_V from the left": {"left": "v"},
    "W_O from the left": {"left": "o"},
}
"""Each mistake by its name, as arguments of `multi_head`."""
BOTH = WRONG["split without transpose"] | WRONG["merge without transpose"]
"""Both transposes forgotten: the two hide each other from both laws if heads divide words, or words heads."""
SYMPTOMS_HEADER = ("", "leak under a causal mask", "sentence reversed: largest difference")


def symptoms(
    x: Float[Tensor, "length d_model"], matrices: Sequence[Matrix], n_heads: int, **how: Any
) -> tuple[float, float]:
    """What two laws say of `multi_head` with the mistakes ``how``: both numbers are 0 if there are none.

    Returns:
        The leak under a causal mask; and without a mask, how far the rows of a reversed sentence differ from the
        reversed rows, which they must not, because the layer knows no positions.
    """
    causal = causal_mask(len(x))
    leaking = leak(lambda y: multi_head(y, *matrices, n_heads, causal, **how), x)
    there = multi_head(x, *matrices, n_heads, **how)
    back = multi_head(x.flip(0), *matrices, n_heads, **how).flip(0)
    return leaking, float((back - there).abs().max())


def all_symptoms(
    x: Float[Tensor, "length d_model"], matrices: Sequence[Matrix], n_heads: int
) -> dict[str, tuple[float, float]]:
    """:func:`symptoms` of the right layer and of each of :data:`WRONG`, by name."""
    return {name: symptoms(x, matrices, n_heads, **how) for name, how in {"the right layer": {}, **WRONG}.items()}


def symptom_rows(found: dict[str, tuple[float, float]]) -> list[tuple[str, str, str]]:
    """A row per layer, for :data:`SYMPTOMS_HEADER`; what is only rounding is 0."""
    told = lambda x: "0" if x < 1e-12 else f"{x:.3f}"  # noqa: E731
    return [(name, told(leaking), told(disordered)) for name, (leaking, disordered) in found.items()]


def cloned_heads(w_o_too: bool, steps: int = 20, seed: int = 1) -> float:
    """Train two heads that start as copies of one, and see whether anything tells them apart.

    Args:
        w_o_too: copy the head's rows of W^O as well as its queries, keys and values.
        steps: steps of Adam towards random targets.
        seed: of the first weights and the data.

    Returns:
        The largest difference between the two heads' query matrices afterwards.
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        layer = MultiHeadAttention(8, 2, bias=False).double()
        x, target = torch.randn(2, 16, 5, 8, dtype=torch.float64)
    with torch.no_grad():
        for projection in (layer.w_q, layer.w_k, layer.w_v):
            projection.weight[4:] = projection.weight[:4]  # nn.Linear keeps W transposed: head 1 is the last four rows
        if w_o_too:
            layer.w_o.weight[:, 4:] = layer.w_o.weight[:, :4]
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.01)
    for _ in range(steps):
        loss = (layer(x)[0] - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return float((layer.w_q.weight[:4] - layer.w_q.weight[4:]).detach().abs().max())
