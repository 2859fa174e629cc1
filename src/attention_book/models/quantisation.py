"""Weights in eight bits: each row of a matrix as whole numbers from −127 to 127, and one scale for the row."""

import copy
from typing import NamedTuple

import torch
from jaxtyping import Float, Int8
from torch import Tensor, nn

LARGEST = 127
"""The largest whole number: −128 is left out, so that a number and its negative have the same size."""


class Rows(NamedTuple):
    """A matrix in eight bits; its row i is about ``scales[i] · values[i]``.

    Attributes:
        values: whole numbers from −127 to 127.
        scales: how much 1 is worth in each row; 0 in a row of zeros.
    """

    values: Int8[Tensor, "rows columns"]
    scales: Float[Tensor, " rows"]


def quantise(matrix: Float[Tensor, "rows columns"]) -> Rows:
    r"""Round a matrix to eight bits, row by row.

    .. math:: s_i = \max_j |w_{ij}| / 127, \qquad q_{ij} = \operatorname{round}(w_{ij} / s_i)

    Every number moves by at most half of its row's scale. A row is what one output of a linear layer is computed from,
    and the vector of one subword in an embedding: so the scale can be multiplied once, after the sum.

    Args:
        matrix: finite numbers.

    Raises:
        ValueError: a number is not finite, or so large that its scale is not.
    """
    matrix = matrix.detach().float()
    scales = matrix.abs().amax(dim=1) / LARGEST
    if not scales.isfinite().all():
        raise ValueError("a matrix with a number that is not finite cannot be written in eight bits")
    steps = torch.where(scales > 0, scales, 1)[:, None]
    return Rows((matrix / steps).round().clamp(-LARGEST, LARGEST).to(torch.int8), scales)


def dequantise(rows: Rows) -> Float[Tensor, "rows columns"]:
    """The matrix that rows in eight bits stand for, in float32."""
    return rows.values.float() * rows.scales.float()[:, None]


def is_matrix(tensor: Tensor) -> bool:
    """Whether a parameter is written in eight bits: matrices are, and vectors (biases, gains of norms) are not."""
    return tensor.dim() == 2


def quantised(model: nn.Module) -> nn.Module:
    """A copy of a model, in float32 and evaluation mode, whose matrices are those that eight bits can say.

    Args:
        model: left as it is. Matrices that it uses twice stay one.

    Raises:
        ValueError: as `quantise`.
    """
    model = copy.deepcopy(model).float().eval().requires_grad_(False)
    for parameter in model.parameters():
        if is_matrix(parameter):
            parameter.copy_(dequantise(quantise(parameter)))
    return model
