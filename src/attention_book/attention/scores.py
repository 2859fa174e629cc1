"""Four ways to score how well a decoder state matches an encoder state: additive, dot, general and concat."""

import math
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from .dot_product import fitted_mask
from .probability import softmax

ScoreKind = Literal["additive", "dot", "general", "concat"]


def additive_scores(
    q: Float[Tensor, "*batch q_len d_q"],
    k: Float[Tensor, "*batch k_len d_k"],
    w_q: Float[Tensor, "d_q d_attention"],
    w_k: Float[Tensor, "d_k d_attention"],
    v: Float[Tensor, " d_attention"],
) -> Float[Tensor, "*batch q_len k_len"]:
    r"""Score each key for each query by a small network with one hidden layer.

    .. math:: e_{ij} = v^\top \tanh(W_q^\top q_i + W_k^\top k_j)

    Bahdanau, Cho and Bengio 2015, §3.1 and appendix A.1.2 (their :math:`s_{i-1}` is the query, their :math:`h_j` the
    key).

    Args:
        q: queries, one row for each decoder state that asks.
        k: keys, one row for each encoder state; they need not be as wide as the queries.
        w_q: brings queries to the width d_attention.
        w_k: brings keys to the width d_attention.
        v: weighs the hidden units.

    Returns:
        The scores, before masking and softmax.

    Pitfall: the sum inside is made for every pair, so q_len · k_len · d_attention numbers stand in memory at once.
    """
    hidden = torch.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])  # (*batch, q_len, k_len, d_attention)
    return hidden @ v


def dot_scores(
    q: Float[Tensor, "*batch q_len d_k"], k: Float[Tensor, "*batch k_len d_k"]
) -> Float[Tensor, "*batch q_len k_len"]:
    r"""Score by the dot product: :math:`e_{ij} = q_i^\top k_j` (Luong et al. 2015, §3.1). Nothing is learnt in it.

    Raises:
        ValueError: queries and keys differ in width.
    """
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"a dot product needs one width: queries have {q.shape[-1]} coordinates, keys {k.shape[-1]}. "
            "The general score has a matrix between them."
        )
    return q @ k.transpose(-2, -1)


def general_scores(
    q: Float[Tensor, "*batch q_len d_q"], k: Float[Tensor, "*batch k_len d_k"], w: Float[Tensor, "d_q d_k"]
) -> Float[Tensor, "*batch q_len k_len"]:
    r"""Score by a bilinear form: :math:`e_{ij} = q_i^\top W k_j` (Luong et al. 2015, §3.1)."""
    return (q @ w) @ k.transpose(-2, -1)


def concat_scores(
    q: Float[Tensor, "*batch q_len d_q"],
    k: Float[Tensor, "*batch k_len d_k"],
    w: Float[Tensor, "d_qk d_attention"],
    v: Float[Tensor, " d_attention"],
) -> Float[Tensor, "*batch q_len k_len"]:
    r"""Score the two states joined end to end.

    .. math:: e_{ij} = v^\top \tanh(W^\top [q_i; k_j])

    Luong et al. 2015, §3.1.

    Args:
        q: queries.
        k: keys.
        w: has d_q + d_k rows; the first d_q meet the query.
        v: weighs the hidden units.

    Pitfall: a matrix times a joined vector is a sum of two products, so this is :func:`additive_scores` with
    :math:`W_q` and :math:`W_k` stacked. The two names stand for one function.
    """
    q_len, k_len = q.shape[-2], k.shape[-2]
    joined = torch.cat(
        [
            q[..., :, None, :].expand(*q.shape[:-2], q_len, k_len, q.shape[-1]),
            k[..., None, :, :].expand(*k.shape[:-2], q_len, k_len, k.shape[-1]),
        ],
        dim=-1,
    )
    return torch.tanh(joined @ w) @ v


class Score(nn.Module):
    """One of the four scores with its parameters, the part of the keys that no query changes computed once.

    Args:
        kind: ``"additive"``, ``"dot"``, ``"general"`` or ``"concat"``.
        d_q: width of a query.
        d_k: width of a key.
        d_attention: width of the hidden layer of ``additive`` and ``concat``.

    Matrices start Glorot-uniform: ``additive`` draws two, ``concat`` one of d_q + d_k rows, so that the two differ in
    the range of their first numbers and in nothing else. v starts with variance 1 / d_attention.

    Raises:
        ValueError: for an unknown kind, or a dot product of two widths.
    """

    def __init__(self, kind: ScoreKind, d_q: int, d_k: int, d_attention: int):
        super().__init__()
        if kind not in get_args(ScoreKind):
            raise ValueError(f"score must be one of {', '.join(get_args(ScoreKind))}, got {kind!r}")
        if kind == "dot" and d_q != d_k:
            raise ValueError(f"score='dot' needs queries and keys of one width, got {d_q} and {d_k}")
        self.kind = kind
        if kind == "general":
            self.w = _matrix(d_q, d_k)
        if kind == "concat":
            self.w = _matrix(d_q + d_k, d_attention)
        if kind == "additive":
            self.w_q, self.w_k = _matrix(d_q, d_attention), _matrix(d_k, d_attention)
        if kind in ("additive", "concat"):
            self.v = nn.Parameter(torch.randn(d_attention) / math.sqrt(d_attention))

    def _halves(self, d_k: int) -> tuple[Tensor, Tensor]:
        """The matrices that meet the query and the key."""
        return (self.w_q, self.w_k) if self.kind == "additive" else (self.w[:-d_k], self.w[-d_k:])

    def prepare(self, k: Float[Tensor, "batch k_len d_k"]) -> Float[Tensor, "batch k_len width"]:
        """What of the keys does not depend on a query: :math:`W_k^\\top k_j`, or the keys themselves."""
        return k @ self._halves(k.shape[-1])[1] if self.kind in ("additive", "concat") else k

    def forward(
        self,
        q: Float[Tensor, "batch q_len d_q"],
        k: Float[Tensor, "batch k_len d_k"],
        prepared: Float[Tensor, "batch k_len width"] | None = None,
    ) -> Float[Tensor, "batch q_len k_len"]:
        """Score every key for every query; ``prepared`` is :meth:`prepare` of the keys, computed here if None."""
        if self.kind == "dot":
            return dot_scores(q, k)
        if self.kind == "general":
            return general_scores(q, k, self.w)
        prepared = self.prepare(k) if prepared is None else prepared
        asked = q @ self._halves(k.shape[-1])[0]  # (batch, q_len, d_attention)
        return torch.tanh(asked[:, :, None] + prepared[:, None]) @ self.v


def attend(
    scores: Float[Tensor, "*batch q_len k_len"],
    values: Float[Tensor, "*batch k_len d_v"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*batch q_len d_v"], Float[Tensor, "*batch q_len k_len"]]:
    r"""From scores to a mixture of the values.

    .. math:: \alpha_{ij} = \operatorname{softmax}_j(e_{ij}), \qquad c_i = \sum_j \alpha_{ij} v_j

    Bahdanau, Cho and Bengio 2015, equations 5 and 6.

    Args:
        scores: one row per query.
        values: one row per key.
        mask: True where a query may attend; must broadcast to the scores. None allows everything.

    Returns:
        ``(context, weights)``. A query that may attend to nothing gets zeros, with zero gradients.

    Raises:
        ValueError: if the mask does not broadcast to the scores.
        TypeError: if the mask is not boolean.

    Pitfall: as with :func:`scaled_dot_product_attention`, NaN in a masked value reaches every query.
    """
    if mask is not None:
        allowed = fitted_mask(mask, tuple(scores.shape), scores)
        scores = torch.where(allowed, scores, -math.inf)
    weights = softmax(scores, axis=-1)
    return weights @ values, weights


def _matrix(rows: int, columns: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(rows, columns)))
