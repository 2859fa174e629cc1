"""What reaches what: derivatives of each output with respect to each input, and what layers can pass on."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def leak_matrix(fn: Callable, x: Float[Tensor, "k_len features"]) -> Float[Tensor, "q_len k_len"]:
    r"""How much of each input reaches each output: the largest :math:`|\partial y_i / \partial x_j|` over coordinates.

    Above the diagonal stands what Vaswani et al. 2017, §3.2.3, call leftward information flow; its largest cell is
    what :func:`attention_book.attention.masks.leak` returns.

    Args:
        fn: maps a sequence ``x`` to a sequence ``y``, one row per position; the lengths may differ.
        x: where the derivatives are taken.

    Returns:
        One row an output position, one column an input position; NaN where a derivative is NaN.

    Pitfall: zero at one ``x`` does not prove that an input never matters (a ReLU may be closed there); try several.
    """
    derivative = torch.autograd.functional.jacobian(fn, x)  # (q_len, …, k_len, features)
    q_len, k_len = derivative.shape[0], x.shape[0]
    return derivative.reshape(q_len, -1, k_len, x.shape[1]).abs().amax(dim=(1, 3))


def reachable(mask: Bool[Tensor, "length length"], layers: int) -> Bool[Tensor, "length length"]:
    r"""Which inputs can reach which outputs through a stack of self-attentions that share one mask.

    Output i of a layer can feel input j if i may attend to j, or if j = i: the query is made from the position itself,
    and a residual connection carries it past the attention. Layers multiply, in Boolean arithmetic:
    :math:`(I \lor M)^L`.

    Args:
        mask: True where a query may attend to a key.
        layers: number of layers L, at least 0.

    Returns:
        True where output i of the last layer can depend on input j of the first.

    Raises:
        ValueError: if the number of layers is negative.
    """
    if layers < 0:
        raise ValueError(f"layers must not be negative, got {layers}")
    itself = torch.eye(len(mask), dtype=torch.bool, device=mask.device)
    one, total = (mask | itself).long(), itself.long()
    for _ in range(layers):
        total = (total @ one).clamp(max=1)
    return total.bool()


def two_way_flows(layer: nn.Module, x: Float[Tensor, "length features"]) -> dict[str, Float[Tensor, "length length"]]:
    """What reaches the states of a layer that reads in both directions, by :func:`leak_matrix`.

    Args:
        layer: a bidirectional recurrent layer, batch first; its states have the forward half before the backward one.
        x: one sequence.

    Returns:
        "forwards" and "backwards", each with one row per state and one column per input.
    """
    half = layer.hidden_size
    parts = {"forwards": slice(0, half), "backwards": slice(half, 2 * half)}
    return {
        name: leak_matrix(lambda rows, part=part: layer(rows[None])[0][0, :, part], x) for name, part in parts.items()
    }


def flow_told(flow: Float[Tensor, "length length"], tokens: Sequence[str], reading: str) -> str:
    """One of the matrices of :func:`two_way_flows` in words.

    Args:
        flow: one row per state, one column per word.
        tokens: the words.
        reading: in which direction, such as "forwards".
    """
    told = [f"Largest derivative of each state of reading {reading} with respect to each word."]
    for token, row in zip(tokens, flow.tolist(), strict=True):
        each = (f"{value:.2f} to {other!r}" for other, value in zip(tokens, row, strict=True))
        told.append(f"State of {token!r}: {', '.join(each)}.")
    return " ".join(told)
