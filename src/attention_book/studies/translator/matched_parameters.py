"""Which of our parameters is which of torch's: found by their numbers, after `to_torch` has copied them."""

from functools import cache

import torch

from ...models.config import TransformerConfig
from ...models.torch_transformer import to_torch
from ...models.transformer import Transformer


@cache
def matched(norm: str = "post", n_layers: int = 2) -> dict[str, str]:
    """The parameter of ``nn.Transformer`` in which each parameter of our two stacks stands, by name.

    Every number of the model is drawn anew, so that no two parameters are alike. Torch keeps three matrices of ours one
    under the other; each of the three is found in a third of torch's.

    Args:
        norm: ``"pre"`` or ``"post"``; pre-norm has a norm at the end of each stack as well.
        n_layers: layers of each stack.

    Raises:
        LookupError: if a parameter stands in none of torch's, or in several.
    """
    config = TransformerConfig.tiny(d_model=8, n_heads=2, d_ff=12, n_layers=n_layers, norm=norm)
    with torch.device("cpu"):
        model, generator = Transformer(config), torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    theirs = dict(to_torch(model).transformer.named_parameters())
    found = {}
    for name, ours in model.named_parameters():
        if name.startswith(("encoder.", "decoder.")):
            places = [
                other
                for other, whole in theirs.items()
                if any(part.shape == ours.shape and torch.equal(part, ours) for part in (whole, *whole.chunk(3)))
            ]
            if len(places) != 1:
                raise LookupError(f"{name} stands in {len(places)} parameters of torch's: {', '.join(places)}")
            found[name] = places[0]
    return found


def layer_names(stack: str) -> list[tuple[str, str]]:
    """Our name and torch's for each matrix and each norm of a layer, in the order of our layer, without its biases.

    Args:
        stack: ``"encoder"`` or ``"decoder"``.
    """
    start = f"{stack}.layers.0."
    return [
        (ours.removeprefix(start).removesuffix(".weight"), theirs.removeprefix(start).removesuffix(".weight"))
        for ours, theirs in matched().items()
        if ours.startswith(start) and ours.endswith("weight")
    ]
