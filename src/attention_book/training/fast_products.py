"""Matrix products in float32 by oneDNN, which comes with torch, and their gradients.

In float32 torch multiplies by the library that it was built with, mostly MKL. That need not be the fastest: on an AMD
EPYC with AVX-512, oneDNN took half of MKL's time. Both add the same products, in another order.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable


def _is_for_onednn(*tensors: Tensor) -> bool:
    return torch.backends.mkldnn.is_available() and all(
        tensor.dtype == torch.float32 and tensor.device.type == "cpu" and tensor.numel() for tensor in tensors
    )


def times_transposed(
    a: Float[Tensor, "rows inner"], b: Float[Tensor, "columns inner"], bias: Float[Tensor, " columns"] | None = None
) -> Float[Tensor, "rows columns"]:
    """``a @ b.T + bias``, without a gradient; by oneDNN where both are float32 on the CPU. Either may be a view."""
    if _is_for_onednn(a, b):
        return torch.ops.mkldnn._linear_pointwise(a, b, bias, "none", [], "")
    return F.linear(a, b, bias)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        return times_transposed(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx, slope: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        to_x = times_transposed(slope, weight.t()) if ctx.needs_input_grad[0] else None
        to_weight = times_transposed(slope.t(), x.t()) if ctx.needs_input_grad[1] else None
        return to_x, to_weight, slope.sum(0) if ctx.has_bias and ctx.needs_input_grad[2] else None


def linear(
    x: Float[Tensor, "*batch inputs"], weight: Float[Tensor, "outputs inputs"], bias: Float[Tensor, " outputs"] | None
) -> Float[Tensor, "*batch outputs"]:
    """``F.linear``, with its gradients; in float32 on a CPU by oneDNN.

    Under autocast it is ``F.linear``, in the lower precision. A second derivative is not to be had.
    """
    if torch.is_autocast_enabled(x.device.type) or not _is_for_onednn(x, weight):
        return F.linear(x, weight, bias)
    return _Linear.apply(x.flatten(0, -2), weight, bias).unflatten(0, x.shape[:-1])
