"""Which of our parameters is which of torch's: found by their numbers, after `to_torch` has copied them.

And faults planted in such a copy: does a count of parameters notice them, a comparison of names and shapes, or one of
logits?
"""

import copy
from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor, nn

from ...models.config import TransformerConfig
from ...models.torch_transformer import TorchTransformer, to_torch
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


def _one_layer_less(copied: TorchTransformer) -> None:
    decoder = copied.transformer.decoder
    decoder.layers, decoder.num_layers = decoder.layers[:-1], decoder.num_layers - 1


def _uneven_networks(copied: TorchTransformer, moved: int = 4) -> None:
    """Take some inner numbers from the first feed-forward network, and give the second as many more, which add 0."""
    for layer, more in zip(copied.transformer.decoder.layers, (-moved, moved), strict=True):
        inner, width = layer.linear1.weight.shape
        first, second = nn.Linear(width, inner + more).double(), nn.Linear(inner + more, width).double()
        kept = min(inner, inner + more)
        for parameter in (first.weight, first.bias, second.weight):
            parameter.zero_()
        first.weight[:kept], first.bias[:kept] = layer.linear1.weight[:kept], layer.linear1.bias[:kept]
        second.weight[:, :kept], second.bias[:] = layer.linear2.weight[:, :kept], layer.linear2.bias
        layer.linear1, layer.linear2 = first, second


def _norms_exchanged(copied: TorchTransformer) -> None:
    layer = copied.transformer.decoder.layers[0]
    layer.norm1, layer.norm2 = layer.norm2, layer.norm1


def _queries_and_keys_exchanged(copied: TorchTransformer) -> None:
    attention = copied.transformer.decoder.layers[0].self_attn
    for parameter in (attention.in_proj_weight, attention.in_proj_bias):
        queries, keys, values = parameter.clone().chunk(3)
        parameter.copy_(torch.cat([keys, queries, values]))


def _more_dropout(copied: TorchTransformer) -> None:
    for module in copied.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.5
        elif isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.5


FAULTS: dict[str, Callable[[TorchTransformer], None]] = {
    "the decoder has one layer too few": _one_layer_less,
    "one feed-forward network is wider, another narrower by as much": _uneven_networks,
    "two norms of a layer are exchanged": _norms_exchanged,
    "W^Q and W^K of an attention are exchanged, with their biases": _queries_and_keys_exchanged,
    "dropout is 0.5 in place of 0.1": _more_dropout,
}
"""What is changed in a copy, by its name on the page."""


def _small_copy() -> tuple[TorchTransformer, Tensor, Tensor]:
    """A right copy in double precision of a small model with random parameters, with ids of sources and targets."""
    model = Transformer(TransformerConfig.tiny(20, d_model=16, n_heads=2, d_ff=24, n_layers=2, dropout=0.1))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    src, tgt = torch.randint(4, 20, (2, 3, 6))
    return to_torch(model.double().eval()).eval(), src, tgt


@cache
def noticed() -> dict[str, tuple[bool, bool, bool]]:
    """Whether the count, the names with their shapes, and the logits in evaluation notice each of `FAULTS`."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        right, src, tgt = _small_copy()
        found = {}
        for name, plant in FAULTS.items():
            wrong = copy.deepcopy(right)
            plant(wrong)
            shapes, logits = zip(*((_shapes(one), one.eval()(src, tgt)) for one in (right, wrong)), strict=True)
            counts = [sum(shape.numel() for shape in one.values()) for one in shapes]
            moved = bool((logits[0] - logits[1]).abs().max() > 1e-9)
            found[name] = (counts[0] != counts[1], shapes[0] != shapes[1], moved)
    return found


def parted(plant: Callable[[TorchTransformer], None] = _more_dropout, rate: float = 0.01) -> tuple[float, float]:
    """The largest difference between the logits of two copies, one with a fault: as copied, and after one step of each.

    Both take the same step: of gradient descent, on one batch, with the same random numbers. Logits are compared in
    evaluation.

    Args:
        plant: what plants the fault, such as one of `FAULTS`.
        rate: learning rate of the step.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        right, src, tgt = _small_copy()
        both, differences = (right, copy.deepcopy(right)), []
        with torch.no_grad():
            plant(both[1])
        for step in range(2):
            for one in both if step else ():
                torch.manual_seed(1)
                logits = one.train()(src, tgt)
                nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), tgt[:, 1:].flatten()).backward()
                with torch.no_grad():
                    for parameter in one.parameters():
                        parameter -= rate * parameter.grad
            with torch.no_grad():
                first, second = (one.eval()(src, tgt) for one in both)
            differences.append(float((first - second).abs().max()))
    return differences[0], differences[1]


def _shapes(copied: TorchTransformer) -> dict[str, torch.Size]:
    return {name: parameter.shape for name, parameter in copied.named_parameters()}


def fault_answers() -> dict[str, str]:
    """The page's table: does a test notice a fault, by the place of the fault in `FAULTS` and by the test."""
    return {
        f"fault_{n}_{test}": "yes" if one else "no"
        for n, told in enumerate(noticed().values(), start=1)
        for test, one in zip(("count", "names", "outputs"), told, strict=True)
    }
