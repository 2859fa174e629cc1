"""How far back a recurrent cell feels: the derivative of its last state with respect to each input, by distance."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn


def input_jacobians(
    layer: nn.Module, x: Float[Tensor, "batch length d_in"]
) -> Float[Tensor, "length batch hidden d_in"]:
    r"""The derivatives :math:`\partial h_n / \partial x_t` of the last state with respect to every input.

    Args:
        layer: one forward layer, of torch or of :mod:`attention_book.models.cells`.
        x: the inputs.

    Returns:
        One Jacobian a place and a sequence, (length, batch, hidden, d_in).

    Pitfall: of an LSTM this is the state h, which everybody outside sees. That an input moves c and not h is not
    counted, nor is what the loss makes of either.
    """
    x = x.detach().requires_grad_()
    outputs, _ = layer(x)
    last = outputs[:, -1]  # (batch, hidden)
    rows = [torch.autograd.grad(last[:, i].sum(), x, retain_graph=True)[0] for i in range(last.shape[1])]
    return torch.stack(rows, dim=2).transpose(0, 1)  # (batch, length, hidden, d_in), then places first


def reach(layer: nn.Module, x: Float[Tensor, "batch length d_in"]) -> Float[Tensor, " length"]:
    r"""How strongly the last state depends on the input k steps before it, for k = 0, 1, …

    .. math:: r_k = \operatorname{mean} \left\lVert \frac{\partial h_n}{\partial x_{n-k}} \right\rVert_F

    The product of Jacobians inside is what Pascanu, Mikolov and Bengio 2013, §2.1, bound.

    Args:
        layer: one forward layer.
        x: the inputs, at which the derivatives are taken; the mean is over the batch.

    Returns:
        The mean Frobenius norm by distance, the last input first.
    """
    return input_jacobians(layer, x).flatten(2).norm(dim=-1).mean(dim=1).flip(0)


def rate(reach_by_distance: Float[Tensor, " length"], first: int, last: int) -> float:
    """By what factor the reach changes with one more step, as a geometric mean from one distance to another."""
    return float((reach_by_distance[last] / reach_by_distance[first]) ** (1 / (last - first)))


def open_forget_gates(layer: nn.Module, bias: float) -> None:
    """Start an LSTM's forget gates at σ(bias), which is 1 for a large bias: what came in stays.

    The advice is as old as the forget gate (Gers, Schmidhuber and Cummins 2000); torch starts the bias near 0.
    """
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            if name.startswith("bias_ih"):
                parameter[layer.hidden_size : 2 * layer.hidden_size] = bias


def geometric_mean(lines: Sequence[Float[Tensor, " length"]]) -> Float[Tensor, " length"]:
    """The mean over seeds of lines that span many powers of ten."""
    return torch.stack(list(lines)).log().mean(dim=0).exp()
