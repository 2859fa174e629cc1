"""What torch's own attention makes of a mask: its function and its layers are asked, and not believed."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ...analysis.seed_statistics import number
from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask, leak
from ...examples.mask_conventions import as_added, flow_through, stripes

WIDTH = 8
Sequence = Float[Tensor, "length width"]
Attend = Callable[[Tensor, Tensor], Tensor]


def seeded_layers() -> tuple[nn.MultiheadAttention, nn.TransformerEncoderLayer]:
    """Torch's attention and its encoder layer, of width 8 with 2 heads, the same parameters each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention = nn.MultiheadAttention(WIDTH, 2, batch_first=True).double()
        return attention, nn.TransformerEncoderLayer(WIDTH, 2, 16, dropout=0.0, batch_first=True).double()


def drawn_sequence(length: int = 5) -> Sequence:
    """A random sequence in double precision, the same each time."""
    return torch.randn(length, WIDTH, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def by_function(x: Sequence, mask: Tensor) -> Sequence:
    """A self-attention by ``F.scaled_dot_product_attention``, without projections."""
    return F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=mask)[0]


def by_layer(x: Sequence, **how: Tensor | bool) -> Sequence:
    """The self-attention of :func:`seeded_layers`; ``how`` is handed on, and asks for weights only if it says so."""
    attention, _ = seeded_layers()
    return attention(x[None], x[None], x[None], **{"need_weights": False, **how})[0][0]


def documented() -> dict[str, tuple[str, Attend]]:
    """Each function and argument that takes a mask, with what its documentation says of True, and a way to call it."""
    _, encoder = seeded_layers()
    return {
        "this book, mask": ("keep", lambda x, m: scaled_dot_product_attention(x, x, x, m)[0]),
        "F.scaled_dot_product_attention, attn_mask": ("keep", by_function),
        "the same, 0 and −∞": ("added", lambda x, m: by_function(x, as_added(m, x.dtype))),
        "the same, 1 and 0": ("added", lambda x, m: by_function(x, m.to(x.dtype))),
        "nn.MultiheadAttention, attn_mask": ("drop", lambda x, m: by_layer(x, attn_mask=m)),
        "this layer, 0 and −∞": ("added", lambda x, m: by_layer(x, attn_mask=as_added(m, x.dtype))),
        "this layer, key_padding_mask": ("drop", lambda x, m: by_layer(x, key_padding_mask=m[:1])),
        "nn.TransformerEncoderLayer, src_mask": ("drop", lambda x, m: encoder(x[None], src_mask=m)[0]),
        "this layer, src_key_padding_mask": ("drop", lambda x, m: encoder(x[None], src_key_padding_mask=m[:1])[0]),
    }


def reading_rows() -> list[tuple[str, str, str, str, str]]:
    """Each of :func:`documented`: name, documented meaning, flow through cells of True and of False, and meaning."""
    rows = []
    for name, (said, attend) in documented().items():
        padding = "padding" in name  # which says the same in each row
        flow = flow_through(attend, stripes(5)[:1].expand(5, 5) if padding else stripes(5))
        rows.append((name, said, _size(flow.marked_true), _size(flow.marked_false), flow.true_means))
    return rows


def _size(value: float) -> str:
    return number(value, ".2f") if value else "0"


def leaks() -> dict[str, float]:
    """The leak of the function and of the layer under a causal mask where True means "keep", and under its opposite."""
    x, may, found = drawn_sequence(), causal_mask(5), {}
    for name, attend in (("function", by_function), ("layer", lambda x, mask: by_layer(x, attn_mask=mask))):
        found[f"{name}_right"] = leak(lambda x, attend=attend: attend(x, may), x)
        found[f"{name}_wrong"] = leak(lambda x, attend=attend: attend(x, ~may), x)
    return found


def empty_sentence_rows() -> list[tuple[str, str]]:
    """Whether the layer's output for a sentence that is padding alone is finite, in four ways to ask for it."""
    layer, _ = seeded_layers()
    padding = torch.tensor([[False] * 3, [True] * 3])
    x = torch.randn(2, 3, WIDTH, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def answer(need_weights: bool) -> str:
        output, _ = layer(x, x, x, key_padding_mask=padding, need_weights=need_weights)
        return "NaN" if output[1].isnan().any() else "finite"

    rows = [(f"in training, weights {'' if wanted else 'not '}asked for", answer(wanted)) for wanted in (False, True)]
    layer.eval()
    before = torch.backends.mha.get_fastpath_enabled()
    with torch.no_grad():
        try:
            torch.backends.mha.set_fastpath_enabled(True)
            rows.append(("evaluated without gradients, weights not asked for", answer(False)))
            torch.backends.mha.set_fastpath_enabled(False)
            rows.append(("the same, its fast path switched off", answer(False)))
        finally:
            torch.backends.mha.set_fastpath_enabled(before)
    return rows
