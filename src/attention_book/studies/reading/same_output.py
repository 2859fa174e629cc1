"""Rows of weights that no output tells apart: the changes of a row that the values hide."""

import torch
from jaxtyping import Float
from torch import Tensor

from ...pages.diagrams.attention.changed_weights import Row
from ...translation.translator import Translator


def two_rows() -> list[Row]:
    """The example by hand: two rows of weights over the values 6, 9 and 12, and what each of them puts out."""
    words, values = ("I", "like", "cats"), (6.0, 9.0, 12.0)
    rows = []
    for name, weights in (("one row", (0.1, 0.8, 0.1)), ("another row", (0.5, 0.0, 0.5))):
        output = sum(w * v for w, v in zip(weights, values, strict=True))
        rows.append(Row(name, words, weights, values, round(output, 9)))
    return rows


def hidden_changes(values: Float[Tensor, "n d_v"]) -> Float[Tensor, "hidden n"]:
    r"""The directions in which a row of weights can change while its output and its sum stay the same.

    A change :math:`\delta` is hidden if :math:`\delta V = 0` and :math:`\sum_j \delta_j = 0`, if it lies in the left
    null space of :math:`[V, 1]`, the values with a column of ones beside them (after Brunner et al. 2020, section 3).
    There are :math:`n - \operatorname{rank}[V, 1]` such directions.

    Args:
        values: one row per key.

    Returns:
        The directions as rows, each of length 1 and at right angles to the others; no row if the output tells every
        change.

    Pitfall: adding a change may make a weight negative. Only a row whose weights are all positive can take a small
    step in every hidden direction.
    """
    beside = torch.cat([values, torch.ones_like(values[:, :1])], dim=1).double()  # n × (d_v + 1)
    left, sizes, _ = torch.linalg.svd(beside)  # left: n × n, one column per direction
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    return left[:, rank:].T


def changed_row(
    weights: Float[Tensor, " n"], values: Float[Tensor, "n d_v"], share: float
) -> tuple[Float[Tensor, " n"], Float[Tensor, " d_v"]]:
    """A row moved along the first hidden direction, and its output.

    Args:
        weights: the row.
        values: one row per key, with a hidden change.
        share: how far to go, from 0 (not at all) to 1 (until the first weight is 0).

    Raises:
        ValueError: if the values hide no change.
    """
    hidden = hidden_changes(values)
    if not len(hidden):
        raise ValueError("these values hide no change: their output tells every two rows of weights apart")
    change = hidden[0]
    furthest = min(w / -c for w, c in zip(weights.tolist(), change.tolist(), strict=True) if c < -1e-12)
    moved = weights.double() + share * furthest * change
    return moved, moved @ values.double()


@torch.inference_mode()
def values_of_last_head(translator: Translator, text: str) -> Float[Tensor, "n d_v"]:
    """The values that the first head of the decoder's last cross-attention mixes while it translates a text."""
    subwords = translator.subwords
    memory = translator.model.encode(torch.tensor([[*subwords.encode(text), subwords.eos_id]]))
    attention = translator.model.decoder.layers[-1].cross_attention
    return attention.w_v(memory.states)[0, :, : attention.d_v]
