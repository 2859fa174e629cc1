"""Which parts of a block mix positions: the derivative of each output row with respect to each input row."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ...analysis.information_flow import leak_matrix
from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask
from ...models.blocks import AddAndNorm, FeedForward

WIDTH, LENGTH = 8, 5


def norm_over_positions(x: Float[Tensor, "length d_model"]) -> Float[Tensor, "length d_model"]:
    """What LayerNorm is not: each coordinate, normalised over the positions of the sentence."""
    centred = x - x.mean(dim=0)
    return centred / (centred.square().mean(dim=0) + 1e-5).sqrt()


def parts(seed: int = 0) -> dict[str, Callable[[Tensor], Tensor]]:
    """Functions of a sentence, by name, with matrices drawn by the seed; rows go in, and as many come out."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        feed_forward = FeedForward(WIDTH, 4 * WIDTH).double()
        add = {norm: AddAndNorm(WIDTH, 0.0, norm).double().eval() for norm in ("pre", "post")}
        layer_norm, linear = nn.LayerNorm(WIDTH).double(), nn.Linear(WIDTH, WIDTH).double()
        for module in (layer_norm, *(one.norm for one in add.values())):  # any gain and any bias
            nn.init.normal_(module.weight, 1.0, 0.3)
            nn.init.normal_(module.bias)

    def attend(x: Tensor) -> Tensor:
        return scaled_dot_product_attention(x, x, x, causal_mask(len(x)))[0]

    return {
        "linear layer": linear,
        "LayerNorm": layer_norm,
        "feed-forward": feed_forward,
        "feed-forward in pre-norm Add & Norm": lambda x: add["pre"](x[None], feed_forward)[0],
        "feed-forward in post-norm Add & Norm": lambda x: add["post"](x[None], feed_forward)[0],
        "attention, causal mask": attend,
        "a norm over the positions": norm_over_positions,
    }


def sentence(seed: int = 0) -> Float[Tensor, "length d_model"]:
    """One row of normal numbers per position."""
    return torch.randn(LENGTH, WIDTH, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def reach(part: Callable[[Tensor], Tensor], x: Float[Tensor, "length d_model"]) -> tuple[float, float]:
    """The largest derivative of an output row with respect to an earlier input row, and to a later one."""
    flow = leak_matrix(part, x)
    return flow.tril(-1).max().item(), flow.triu(1).max().item()


HEADER = ["part", "from earlier positions", "from later positions"]


def rows() -> list[tuple[str, ...]]:
    """A row per part: its largest derivative across positions, 0 where there is none at all."""
    x = sentence()
    return [(name, *(f"{value:.2f}" if value else "0" for value in reach(part, x))) for name, part in parts().items()]
