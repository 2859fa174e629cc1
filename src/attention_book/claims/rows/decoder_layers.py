"""M rows about a whole decoder layer: what in it could break the causal mask, and whether the order matters."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import torch
from torch import Tensor, nn

from ...attention.masks import causal_mask, leak
from ...models.blocks import DecoderLayer
from ...models.config import TransformerConfig
from ..claim import Claim, Verdict

LENGTH = 5


def _layers() -> list[tuple[DecoderLayer, Tensor, Tensor]]:
    """Decoder layers of both kinds with random parameters, each with a target (LENGTH, 8) and a source (1, 4, 8)."""
    found = []
    with torch.random.fork_rng():
        torch.manual_seed(1)
        for norm in ("pre", "post"):
            config = TransformerConfig.tiny(d_model=8, n_heads=2, d_ff=32, dropout=0.0, norm=norm)
            layer = DecoderLayer(config).double().eval()
            found.append((layer, *(torch.randn(shape, dtype=torch.float64) for shape in ((LENGTH, 8), (1, 4, 8)))))
    return found


def _sublayers(layer: DecoderLayer, source: Tensor, mask: Tensor | None) -> list[Callable[[Tensor], Tensor]]:
    """Self-attention, attention to the source and feed-forward, each with its Add & Norm."""
    return [
        lambda x: layer.add_self(x, lambda h: layer.self_attention(h, mask=mask)[0]),
        lambda x: layer.add_cross(x, lambda h: layer.cross_attention(h, source)[0]),
        lambda x: layer.add_feed_forward(x, layer.feed_forward),
    ]


def _chained(parts, x: Tensor) -> Tensor:
    x = x[None]
    for part in parts:
        x = part(x)
    return x[0]


def layer_leaks() -> dict[str, Any]:
    """M01: a decoder layer with its feed-forward network, and two things that do break the mask."""
    may, leaks = causal_mask(LENGTH), []
    for layer, x, source in _layers():
        with torch.random.fork_rng():
            torch.manual_seed(2)
            over_rows = nn.Linear(LENGTH * 8, LENGTH * 8).double()

        def masked(x, layer=layer, source=source):
            return _chained(_sublayers(layer, source, may), x)

        def unmasked(x, layer=layer, source=source):
            return _chained(_sublayers(layer, source, None), x)

        def flattened(x, masked=masked, over_rows=over_rows):
            return over_rows(masked(x).reshape(-1)).reshape(LENGTH, 8)

        leaks.append([leak(layer.feed_forward, x), *(leak(fn, x) for fn in (masked, unmasked, flattened))])
    names = ("feed_forward", "layer", "layer_without_mask", "with_a_layer_over_all_rows")
    return {name: max(found) for name, *found in zip(names, *leaks, strict=True)}


def decide_layer_leaks(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M01: the network sees one position at a time."""
    if value["layer"] or value["feed_forward"]:
        return "right", f"The layer leaks {value['layer']:.2g}, its feed-forward network {value['feed_forward']:.2g}."
    why = (
        "They treat each position by itself (Vaswani et al. 2017, §3.3). A whole decoder layer leaks exactly "
        f"{value['layer']:g}; without its mask it leaks {value['layer_without_mask']:.2f}, and followed by one linear "
        f"layer over all positions {value['with_a_layer_over_all_rows']:.2f}."
    )
    return "wrong", why


def sublayer_orders() -> dict[str, Any]:
    """M02: a decoder layer's three sublayers in all orders, with the mask and without."""
    layer, x, source = _layers()[0]
    with_mask, without = (
        [leak(lambda x, parts=parts: _chained(parts, x), x) for parts in permutations(_sublayers(layer, source, mask))]
        for mask in (causal_mask(LENGTH), None)
    )
    return {
        "orders": len(with_mask),
        "largest_leak": max(with_mask),
        "smallest_leak_without_mask": min(without),
    }


def decide_sublayer_orders(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M02: the order does not matter."""
    if value["largest_leak"]:
        return "right", f"In some order the layer leaks {value['largest_leak']:.2g}."
    why = (
        f"In all {value['orders']:.0f} orders of the three sublayers the leak is exactly {value['largest_leak']:g}, "
        f"and without the mask at least {value['smallest_leak_without_mask']:.2f}. It survives because nothing else in "
        "the layer mixes target positions, in whatever order."
    )
    return "wrong", why


CLAIMS = (
    Claim(
        "M01",
        "The feed-forward networks of a decoder let later positions through the causal mask.",
        layer_leaks,
        decide_layer_leaks,
        "translator/does-the-tower-leak#blocks-leak",
    ),
    Claim(
        "M02",
        "The causal mask holds because the masked self-attention stands before the attention to the source.",
        sublayer_orders,
        decide_sublayer_orders,
        "translator/does-the-tower-leak#blocks-leak",
    ),
)
