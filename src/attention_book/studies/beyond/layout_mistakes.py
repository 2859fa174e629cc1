"""Another program's computation from the names of a layout alone, and what it makes of a layout with a mistake."""

from collections.abc import Callable
from functools import cache

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ...attention.multi_head import merge_heads, split_heads
from ...models.config import TransformerConfig
from ...models.one_stack.decoder_only import DecoderOnly
from ...translation.export.gpt2_layout import Layout, to_gpt2_layout

HEADS, LENGTH, STREAMS = 4, 16, 8
"""Heads of the model here, and the size of the batch that it reads."""
SOURCE = 5
"""How many of its tokens are the source, where a prefix mask lets them see each other."""
HEADER = ("mistake", "names and shapes", "probability that moves to other tokens")


def gpt2_logits(
    layout: Layout, tokens: Int[Tensor, "batch length"], n_heads: int
) -> Float[Tensor, "batch length vocab_size"]:
    """What GPT-2's formulas, with a ReLU, compute from a layout; nothing of our model is used but how heads are split.

    Args:
        layout: arrays by GPT-2's names, as from `to_gpt2_layout`.
        tokens: ids, not padded.
        n_heads: which no array tells.
    """
    w = {name.removeprefix("transformer."): array for name, array in layout.items()}

    def norm(x, name):
        scale, shift = w[f"{name}.weight"], w[f"{name}.bias"]
        return F.layer_norm(x, x.shape[-1:], scale, shift)

    def linear(x, name):
        return x @ w[f"{name}.weight"] + w[f"{name}.bias"]

    x = w["wte.weight"][tokens] + w["wpe.weight"][: tokens.shape[1]]
    for n in range(sum(name.endswith("attn.c_attn.weight") for name in w)):
        layer = f"h.{n}"
        joined = linear(norm(x, f"{layer}.ln_1"), f"{layer}.attn.c_attn")
        q, k, v = (split_heads(part, n_heads) for part in joined.chunk(3, -1))
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(merge_heads(heads), f"{layer}.attn.c_proj")
        inner = linear(norm(x, f"{layer}.ln_2"), f"{layer}.mlp.c_fc")
        x = x + linear(inner.relu(), f"{layer}.mlp.c_proj")
    return norm(x, "ln_f") @ w["lm_head.weight"].T


def _altered(layout: Layout, ending: str, change: Callable[[Tensor], Tensor]) -> Layout:
    return {name: change(array) if name.endswith(ending) else array for name, array in layout.items()}


def _exchanged(array: Tensor) -> Tensor:
    """Keys before queries."""
    q, k, v = array.chunk(3, dim=-1)
    return torch.cat([k, q, v], dim=-1)


def _head_by_head(array: Tensor) -> Tensor:
    """The columns of head 0's query, key and value, then those of head 1, as some other layouts have them."""
    return array.unflatten(-1, (3, HEADS, -1)).transpose(-3, -2).flatten(-3)


MISTAKES: dict[str, Callable[[Layout], Layout]] = {
    "none": lambda layout: layout,
    "mlp.c_fc stored as (out, in)": lambda layout: _altered(layout, "mlp.c_fc.weight", lambda a: a.T),
    "wpe left out": lambda layout: {name: a for name, a in layout.items() if "wpe" not in name},
    "attn.c_proj stored as (out, in)": lambda layout: _altered(layout, "attn.c_proj.weight", lambda a: a.T),
    "queries and keys exchanged": lambda layout: _altered(
        _altered(layout, "c_attn.weight", _exchanged), "c_attn.bias", _exchanged
    ),
    "c_attn joined head by head": lambda layout: _altered(
        _altered(layout, "c_attn.weight", _head_by_head), "c_attn.bias", _head_by_head
    ),
    "wte without the factor √d": lambda layout: _altered(layout, "wte.weight", lambda a: a / a.shape[1] ** 0.5),
}
"""By what the table calls it, what a mistake makes of a layout."""


@cache
def right() -> tuple[DecoderOnly, Layout, Int[Tensor, "batch length"]]:
    """A model with random weights, its layout, and the tokens that it reads."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = TransformerConfig.tiny(n_heads=HEADS, dropout=0.0, max_len=LENGTH)
        model = DecoderOnly(config).double().eval()
        tokens = torch.randint(3, config.vocab_size, (STREAMS, LENGTH))
    return model, to_gpt2_layout(model), tokens


def refused(layout: Layout, wanted: Layout) -> str:
    """What a program that knows the names and shapes it wants says: a name that is missing, a shape, or nothing."""
    if missing := sorted(wanted.keys() - layout.keys()):
        return f"{missing[0].removeprefix('transformer.')} is missing"
    if any(layout[name].shape != array.shape for name, array in wanted.items()):
        return "a wrong shape"
    return ""


@torch.no_grad()
def moved(layout: Layout) -> float:
    """The share of probability that another layout gives to other tokens, as a mean over rows: 0 if none, at most 1."""
    _, own, tokens = right()
    first, second = (gpt2_logits(one, tokens, HEADS).softmax(-1) for one in (own, layout))
    return float((first - second).abs().sum(-1).mean() / 2)


@torch.no_grad()
def prefix_numbers() -> dict[str, float]:
    """What would move if the weights of a model with a prefix mask were written, which `to_gpt2_layout` refuses.

    Returns:
        ``prefix_source`` and ``prefix_target``: per cent of the probability, as means over the rows of each side.
    """
    causal, layout, tokens = right()
    model = DecoderOnly(causal.config, prefix=True).double().eval()
    model.load_state_dict(causal.state_dict())  # a mask has no weights
    wanted = model.stream(tokens[:, :SOURCE], tokens[:, SOURCE:]).softmax(-1)
    apart = 50 * (gpt2_logits(layout, tokens, HEADS).softmax(-1) - wanted).abs().sum(-1)
    return {
        "prefix_source": float(apart[:, :SOURCE].mean()),
        "prefix_target": float(apart[:, SOURCE:].mean()),
    }


@torch.no_grad()
def repeated(layout: Layout) -> float:
    """The probability that a layout gives to the token just read, as the next one: a mean over rows.

    Random weights with a tied output repeat what they read, since the input's own vector scores highest with itself.

    Args:
        layout: arrays by GPT-2's names, which `refused` finds nothing wrong with.
    """
    _, _, tokens = right()
    given = gpt2_logits(layout, tokens, HEADS).softmax(-1)
    return float(given.gather(-1, tokens[..., None]).mean())


def rows() -> list[tuple[str, str, str]]:
    """The table of the mistakes, for :data:`HEADER`."""
    _, own, _ = right()
    found = []
    for name, mistake in MISTAKES.items():
        layout = mistake(own)
        said = refused(layout, own)
        found.append((name, said or "accepted", "–" if said else f"{100 * moved(layout):.0f} %"))
    return found


def silent() -> int:
    """How many of the mistakes names and shapes do not show."""
    return sum(said == "accepted" for name, said, _ in rows() if name != "none")
