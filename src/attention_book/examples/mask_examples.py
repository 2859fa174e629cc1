"""Examples of masks: what a row is fed and asked for, what it may see, and weights that were chosen by hand."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..analysis.seed_statistics import number
from ..attention.masks import causal_mask, leak
from ..models.blocks import DecoderLayer
from ..models.config import TransformerConfig

HINDI = [[0.10, 0.10, 0.80], [0.75, 0.15, 0.10], [0.10, 0.70, 0.30]]
"""How much each word of आप कैसे हैं looks at *How are you*, before a row is divided by its sum."""


def rows_of_training(target: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """A row per token of a target, of which the last is ``</s>``: its number, the input, what it may see, its label."""
    given = ["<s>", *target[:-1]]
    pairs = enumerate(zip(given, target, strict=True))
    return [(str(row), token, " ".join(given[: row + 1]), asked) for row, (token, asked) in pairs]


def seen_told(mask: Bool[Tensor, "length length"], tokens: Sequence[str]) -> str:
    """A mask in words: what each token may attend to."""
    seen = [", ".join(token for token, may in zip(tokens, row, strict=True) if may) for row in mask]
    return " ".join(f"{token} may attend to {others}." for token, others in zip(tokens, seen, strict=True))


def flow_told(flow: Float[Tensor, "length length"], words: Sequence[str]) -> str:
    """A leak matrix in words: the derivative of each output with respect to each input."""
    told = []
    for word, row in zip(words, flow.tolist(), strict=True):
        sizes = ", ".join(f"{size:.2f} to {other!r}" for size, other in zip(row, words, strict=True))
        told.append(f"Output {word!r}: {sizes}.")
    return " ".join(told)


def hindi_weights(causal: bool = False) -> Float[Tensor, "3 3"]:
    """The weights from the Hindi words to the English ones; each row sums to 1.

    Args:
        causal: whether a causal mask hides later words of the source, which is wrong.
    """
    weights = torch.tensor(HINDI) * (causal_mask(3) if causal else 1)
    return weights / weights.sum(dim=-1, keepdim=True)


def layer_leak_rows(length: int = 5) -> list[tuple[str, str]]:
    """The leak of a decoder's layer with and without its mask, and of two things behind it that mix positions.

    Args:
        length: of the target; parameters and inputs are random, the same each time, in double precision.
    """
    config = TransformerConfig.tiny(d_model=8, n_heads=2, d_ff=32, dropout=0.0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layer, over_positions = DecoderLayer(config).double().eval(), torch.nn.LayerNorm(length).double()
        all_numbers = torch.nn.Linear(8 * length, 8 * length).double()
        x, source = torch.randn(length, 8).double(), torch.randn(1, 4, 8).double()

    def whole(x: Tensor, mask: Tensor | None = None) -> Tensor:
        return layer(x[None], source, self_mask=causal_mask(length) if mask is None else mask)[0][0]

    everything = torch.ones(length, length, dtype=torch.bool)
    measured = {
        "the layer with its mask": whole,
        "the layer without it": lambda x: whole(x, everything),
        "with its mask, then a linear layer over all positions": lambda x: all_numbers(whole(x).flatten()).view(
            x.shape
        ),
        "with its mask, then a normalisation over the positions": lambda x: over_positions(whole(x).T).T,
    }
    return [(name, number(leak(fn, x), ".2f") if leak(fn, x) else "0") for name, fn in measured.items()]
