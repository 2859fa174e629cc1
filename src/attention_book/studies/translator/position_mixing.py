"""Which parts of a block mix positions: the derivative of each output row with respect to each input row.

And what a stack of nothing but attentions makes of the rows, with and without a residual connection around each.
"""

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
        "layer norm": layer_norm,
        "feed-forward network": feed_forward,
        "residual connection, pre-norm": lambda x: add["pre"](x[None], feed_forward)[0],
        "residual connection, post-norm": lambda x: add["post"](x[None], feed_forward)[0],
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
    """The largest derivatives across positions, a row per part; a 0 is exact."""
    x = sentence()
    return [(name, *(f"{value:.2f}" if value else "0" for value in reach(part, x))) for name, part in parts().items()]


ATTENTIONS, SEEDS, WIDE = 6, 20, 64


def cosines(residual: bool, seed: int) -> Float[Tensor, "stages length length"]:
    """The cosine between the rows of any two words, before the first of some random attentions and after each.

    Args:
        residual: whether what an attention finds is added to its input, or takes its place.
        seed: of the rows and of the matrices, which are normal with the variance 1 / `WIDE`.
    """
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    x, found = normal(LENGTH, WIDE), []
    for _ in range(ATTENTIONS + 1):
        found.append(torch.cosine_similarity(x[:, None], x[None], dim=-1))
        q, k, v, o = (normal(WIDE, WIDE) / WIDE**0.5 for _ in range(4))
        mixture = scaled_dot_product_attention(x @ q, x @ k, x @ v)[0] @ o
        x = x + mixture if residual else mixture
    return torch.stack(found)


def alike() -> dict[str, Float[Tensor, "stages length length"]]:
    """:func:`cosines` without and with the residual connection, mean over the seeds."""
    kinds = {"the mixture replaces the word": False, "the mixture is added to the word": True}
    return {
        name: torch.stack([cosines(residual, seed) for seed in range(SEEDS)]).mean(dim=0)
        for name, residual in kinds.items()
    }
