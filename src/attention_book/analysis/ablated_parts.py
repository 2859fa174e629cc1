"""A Transformer that never had one of its parts: taken out before training, so that the rest can learn to do without.

`ablation` silences heads of a model that was trained with them, and measures how much that model relies on them. Here a
part is missing from the first step on, which measures how well the others do alone. What the configuration can switch
off (positions, heads, the kind of norm) is not repeated here.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..models.blocks import AddAndNorm, FeedForward
from ..models.transformer import Transformer
from .ablation import attentions

PARTS = ("scale", "residuals", "feed_forward")
"""What :func:`remove` can take out."""

Sequence = Float[Tensor, "batch length d_model"]


class NormAlone(nn.Module):
    r"""An Add & Norm that does not add: the sublayer's output is all that goes on.

    Before the sublayer: :math:`\operatorname{Sublayer}(\operatorname{LayerNorm}(x))`. After it:
    :math:`\operatorname{LayerNorm}(\operatorname{Sublayer}(x))`.

    Args:
        whole: the Add & Norm whose normalisation and dropout are kept.
    """

    def __init__(self, whole: AddAndNorm):
        super().__init__()
        self.norm, self.dropout, self.pre = whole.norm, whole.dropout, whole.pre

    def forward(self, x: Sequence, sublayer: Callable[[Tensor], Tensor]) -> Sequence:
        """What ``sublayer`` makes of ``x``, without ``x``."""
        if self.pre:
            return self.dropout(sublayer(self.norm(x)))
        return self.norm(self.dropout(sublayer(x)))


class NoFeedForward(nn.Module):
    """A feed-forward network that adds nothing: the residual sum around it gives back what came in."""

    def forward(self, x: Sequence) -> Sequence:
        """Zeros of the shape of ``x``."""
        return torch.zeros_like(x)


def remove(model: Transformer, part: str) -> Transformer:
    r"""Take one part out of every layer of a model, in place; all other parameters keep their numbers.

    - ``"scale"``: the scores are :math:`q \cdot k` and not :math:`q \cdot k / \sqrt{d_k}`. The attention still divides,
      so the queries are made :math:`\sqrt{d_k}` times as long before.
    - ``"residuals"``: each sublayer's output takes the place of its input, where it was added to it.
    - ``"feed_forward"``: layers of attention alone; the parameters of the two matrices are gone.

    Args:
        model: not yet trained; changed in place.
        part: one of `PARTS`.

    Returns:
        The model.

    Raises:
        ValueError: if there is no such part.

    Pitfall: the optimiser must be made afterwards, or it holds parameters that the model no longer has.
    """
    if part not in PARTS:
        raise ValueError(f"there is no part called {part!r} to remove; there are {', '.join(PARTS)}")
    if part == "scale":
        for attention in attentions(model).values():
            attention.w_q.register_forward_hook(_times(math.sqrt(attention.d_k)))
    elif part == "residuals":
        _replace(model, AddAndNorm, NormAlone)
    else:
        _replace(model, FeedForward, lambda network: NoFeedForward())
    return model


def _times(factor: float):
    def multiplied(layer, inputs, output: Tensor) -> Tensor:
        return factor * output

    return multiplied


def _replace(model: nn.Module, kind: type[nn.Module], by: Callable[[nn.Module], nn.Module]) -> None:
    """Put something else in the place of every submodule of a kind."""
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is kind:
                setattr(module, name, by(child))
