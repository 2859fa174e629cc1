"""A Transformer's weights as a fast decoder wants them: fewer and larger products, nothing that training needs."""

import math
import warnings
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ...attention.multi_head import MultiHeadAttention
from ...models.quantisation import quantise
from ...models.transformer import Transformer

Weights = Literal["float32", "bfloat16", "int8"]
BLOCK = 64
"""The rows of the output matrix are filled up with zeros to whole blocks of so many, for `choosing`."""


class Product:
    """One linear layer, or several that read the same vectors: x ↦ x Wᵀ + b, in float32 or bfloat16.

    The matrix lies turned, a row per input: where few vectors are multiplied, torch is faster so.

    Args:
        weight: (outputs, inputs); the rows of several layers one below the other.
        bias: one number per output, or None.
        dtype: of the matrix. With bfloat16, inputs and products are rounded to it as well.
    """

    def __init__(
        self, weight: Float[Tensor, "outputs inputs"], bias: Float[Tensor, " outputs"] | None, dtype: torch.dtype
    ):
        self.turned = weight.to(dtype).t().contiguous()
        self.bias = None if bias is None else bias.to(dtype)

    def __call__(self, x: Tensor) -> Tensor:
        """The product for each row of x."""
        return torch.mm(x, self.turned) if self.bias is None else torch.addmm(self.bias, x, self.turned)

    def add_to(self, total: Tensor, x: Tensor) -> None:
        """Add the product for each row of x to `total`, which is changed."""
        total.addmm_(x, self.turned)
        if self.bias is not None:
            total.add_(self.bias)


class HalfProduct(Product):
    """A product in bfloat16, of float32 and to float32."""

    def __call__(self, x: Tensor) -> Tensor:
        """The product for each row of x."""
        return super().__call__(x.bfloat16()).float()

    def add_to(self, total: Tensor, x: Tensor) -> None:
        """Add the product for each row of x to `total`, which is changed."""
        total.add_(self(x))


class EightBitProduct:
    """A product in whole numbers: each row of the matrix in eight bits with a scale of its own (`models.quantisation`).

    The inputs of one call are rounded too, to seven bits with one scale for all: so a row's result depends, a little,
    on the rows beside it.

    Raises:
        ValueError: a weight is not finite.
    """

    def __init__(self, weight: Float[Tensor, "outputs inputs"], bias: Float[Tensor, " outputs"] | None):
        scales = quantise(weight).scales
        scales = torch.where(scales > 0, scales, 1).double()
        with warnings.catch_warnings():  # torch says that its quantised tensors will move to another package
            warnings.simplefilter("ignore")
            zeros = torch.zeros(len(scales), dtype=torch.int64)
            rows = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
            self.packed = torch.ops.quantized.linear_prepack(rows, bias)

    def __call__(self, x: Tensor) -> Tensor:
        """The product for each row of x."""
        return torch.ops.quantized.linear_dynamic(x, self.packed, True)

    def add_to(self, total: Tensor, x: Tensor) -> None:
        """Add the product for each row of x to `total`, which is changed."""
        total.add_(self(x))


def product(weight: Tensor, bias: Tensor | None, weights: Weights) -> Product | EightBitProduct:
    """The product by a matrix in float32, kept as `weights` says."""
    if weights == "int8":
        return EightBitProduct(weight, bias)
    return Product(weight, bias, torch.float32) if weights == "float32" else HalfProduct(weight, bias, torch.bfloat16)


class Attention:
    """The projections of one attention: `inward` gives queries, keys and values side by side, `outward` mixes heads.

    The division by √d_k is in the queries' weights already.
    """

    def __init__(self, attention: MultiHeadAttention, weights: Weights):
        scale = 1 / math.sqrt(attention.d_k)
        q, k, v = attention.w_q, attention.w_k, attention.w_v
        self.inward = _side_by_side([(q, scale), (k, 1.0), (v, 1.0)], weights)
        self.outward = _side_by_side([(attention.w_o, 1.0)], weights)
        self.sizes = [layer.out_features for layer in (q, k, v)]


class CrossAttention:
    """As `Attention`, with queries by themselves, since keys and values are computed from the memory, once."""

    def __init__(self, attention: MultiHeadAttention, weights: Weights):
        self.query = _side_by_side([(attention.w_q, 1 / math.sqrt(attention.d_k))], weights)
        self.key_value = _side_by_side([(attention.w_k, 1.0), (attention.w_v, 1.0)], weights)
        self.outward = _side_by_side([(attention.w_o, 1.0)], weights)
        self.sizes = [attention.w_k.out_features, attention.w_v.out_features]


def _side_by_side(layers: list[tuple[nn.Linear, float]], weights: Weights) -> Product | EightBitProduct:
    weight = torch.cat([layer.weight.detach().float() * scale for layer, scale in layers])
    bias = None
    if layers[0][0].bias is not None:
        bias = torch.cat([layer.bias.detach().float() * scale for layer, scale in layers])
    return product(weight, bias, weights)


class Norm:
    """Layer normalisation in one call, or nothing at all."""

    def __init__(self, norm: nn.Module):
        self.is_there = isinstance(norm, nn.LayerNorm)
        if self.is_there:
            self.shape, self.eps = norm.normalized_shape, norm.eps
            self.weight, self.bias = (one.detach().float().clone() for one in (norm.weight, norm.bias))

    def __call__(self, x: Tensor) -> Tensor:
        return torch.layer_norm(x, self.shape, self.weight, self.bias, self.eps) if self.is_there else x


class Layer:
    """An encoder or a decoder layer: its attentions, its feed-forward part, and a norm for each."""

    def __init__(self, layer: nn.Module, weights: Weights):
        self.attention = Attention(layer.self_attention, weights)
        self.cross = CrossAttention(layer.cross_attention, weights) if hasattr(layer, "cross_attention") else None
        self.inner = _side_by_side([(layer.feed_forward.w_1, 1.0)], weights)
        self.outer = _side_by_side([(layer.feed_forward.w_2, 1.0)], weights)
        norms = [layer.add_self, layer.add_cross] if self.cross else [layer.add_attention]
        self.norms = [Norm(norm.norm) for norm in (*norms, layer.add_feed_forward)]


class PackedTransformer:
    """A copy of a Transformer for fast searches. What is done to the model afterwards does not change it.

    Args:
        model: on any device, in any type of number.
        weights: how matrices are kept; see `Product` and `EightBitProduct`. The embeddings that are looked up
            stay in float32.

    Attributes:
        original: the model; none of its weights is used.
        config: that of the model.
        output: the output layer, with rows of zeros up to a whole number of `BLOCK`.
        forbidden: the ids that no search generates.

    Raises:
        TypeError: the model is no Transformer.
        ValueError: there is no such kind of weights, or `"int8"` is asked for where the model is not on the CPU.
    """

    def __init__(self, model: Transformer, weights: Weights = "float32"):
        if not isinstance(model, Transformer):
            raise TypeError(f"fast decoding is for Transformers, and this model is a {type(model).__name__}")
        if weights not in get_args(Weights):
            raise ValueError(f"weights must be one of {', '.join(get_args(Weights))}, got {weights!r:.80}")
        device = model.output.weight.device
        if weights == "int8" and device.type != "cpu":
            raise ValueError(f"weights in eight bits are for the CPU, and this model is on {device}")
        config = self.config = model.config
        self.original, self.weights, self.device = model, weights, device
        self.d_k = model.decoder.layers[0].self_attention.d_k
        self.d_v = model.decoder.layers[0].self_attention.d_v
        with torch.no_grad():
            self.src_embedding = model.src_embedding.weight.detach().float().clone()
            tied = model.tgt_embedding.weight is model.src_embedding.weight
            self.tgt_embedding = self.src_embedding if tied else model.tgt_embedding.weight.detach().float().clone()
            self.positions = None if model.positions is None else model.positions.detach().float().clone()
            self.encoder = [Layer(layer, weights) for layer in model.encoder.layers]
            self.decoder = [Layer(layer, weights) for layer in model.decoder.layers]
            self.encoder_norm, self.decoder_norm = Norm(model.encoder.norm), Norm(model.decoder.norm)
            filled_up = F.pad(model.output.weight.detach().float(), (0, 0, 0, -config.vocab_size % BLOCK))
            self.output = product(filled_up, None, weights)
            self.forbidden = torch.tensor([config.pad_id, config.bos_id], device=device)
