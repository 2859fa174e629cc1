"""Checks for *The same weights under other names*: shapes, a joined matrix, and other weights of the same model."""

import numpy as np
import torch

from ...models.config import TransformerConfig
from ...models.one_stack.decoder_only import DecoderOnly
from ...studies.beyond.layout_mistakes import gpt2_logits, refused
from ...translation.export.gpt2_layout import Layout, to_gpt2_layout
from ..known_mistakes import diagnose, predictions_check
from ..report import NotYet, Report, attempt, checking, expect_array, expect_parts

check_sizes = predictions_check(
    {
        "columns": (
            3 * 768,
            {
                768: "the matrices of queries, keys and values stand side by side",
                3072: "that is the width inside of the feed-forward network",
                192: "the matrices of all heads are stored together",
            },
        ),
        "rows": (
            4 * 768,
            {
                768: "matrices are stored as (in, out), and this one reads the inner vector, which is 4 d wide",
                2304: "that is the width of the joined queries, keys and values",
            },
        ),
        "fit": (
            3,
            {
                0: "look for matrices with as many rows as columns",
                1: "the matrices of a feed-forward network that is d wide inside are square, too",
                2: "`attn.c_proj` is square, whatever the feed-forward network is",
                4: "`attn.c_attn` joins three matrices, so it is three times as wide as high",
            },
        ),
    },
    0.5,
    "Are these the columns of `attn.c_attn`, the rows of `mlp.c_proj`, and how many matrices fit transposed?",
    "A matrix that fits either way has to be tested by its outputs.",
)

_PARTS = ("w_q", "w_k", "w_v")


@checking
def check_split(candidate: object) -> Report:
    """Does ``candidate(joined)`` give `w_q`, `w_k` and `w_v` as torch stores them, of a `c_attn` of width (d, 3 d)?"""
    generator = torch.Generator().manual_seed(0)
    for d in (4, 6):
        joined = torch.randn(d, 3 * d, generator=generator)
        got = attempt(candidate, joined.clone())
        if isinstance(got, (torch.Tensor, np.ndarray)) and tuple(got.shape) == (3, d, d):
            got = tuple(got)
        parts = [torch.as_tensor(x) if isinstance(x, np.ndarray) else x for x in expect_parts(got, _PARTS)]
        for part, name in zip(parts, _PARTS, strict=True):
            expect_array(part, (d, d), "one row per output, one column per input", name=f"`{name}`")
        wanted = torch.stack([one.T for one in joined.chunk(3, dim=1)])
        mine = torch.stack([part.to(joined) for part in parts])
        if torch.allclose(mine, wanted):
            continue
        blocks = torch.stack(joined.chunk(3, dim=1))
        woven = joined.T.reshape(d, 3, d).transpose(0, 1)
        known = {
            "The parts are still (in, out); torch's linear layers have (out, in), so transpose each.": blocks,
            "The columns are in three blocks, queries first; you took every third one.": woven,
            "The columns are in three blocks, queries first; you took every third one, and did not transpose.":
                woven.transpose(1, 2),
            "Queries and keys are exchanged: queries come first.": wanted[[1, 0, 2]],
            "The order is turned round: queries come first, values last.": wanted.flip(0),
            "A reshape moves numbers between rows: cut the columns into three blocks.": joined.reshape(3, d, d),
            "A reshape moves numbers between rows: cut the columns into three blocks, and transpose each.":
                joined.reshape(3, d, d).transpose(1, 2),
        }  # fmt: skip
        diagnose(mine, wanted, known)
    return Report(True, "Three blocks of columns, each transposed.")


N_HEADS, SIZE = 2, 12
"""Heads of the model of :func:`check_other_weights`, its vocabulary and longest stream: it reads each token once."""


def small_layout() -> Layout:
    """The layout of a random model: width 8, 2 heads, 1 layer, all parameters drawn anew."""
    config = TransformerConfig(SIZE, d_model=8, n_heads=N_HEADS, d_ff=32, n_layers=1, dropout=0.0, max_len=SIZE)
    model, generator = DecoderOnly(config).double().eval(), torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return to_gpt2_layout(model)


@checking
def check_other_weights(candidate: object) -> Report:
    """Does ``candidate(layout)`` give other numbers of the same shapes, from which GPT-2 computes the same?"""
    layout = small_layout()
    got = attempt(candidate, layout)
    if not isinstance(got, dict) or not all(isinstance(array, torch.Tensor) for array in got.values()):
        raise NotYet("Return a layout: a dictionary of tensors by name.")
    if said := refused(got, layout):
        raise NotYet(f"The other program would refuse it: {said}.")
    if unknown := sorted(map(str, got.keys() - layout.keys())):
        raise NotYet(f"The other program does not know the name `{unknown[0]}`.")
    for name in layout:
        expect_array(got[name], layout[name].shape, name=f"`{name}`")
    if all(float((got[name].to(layout[name]) - layout[name]).abs().max()) < 0.1 for name in layout):
        raise NotYet("No number has changed by 0.1 or more. Change an array.")
    tokens = torch.randperm(SIZE, generator=torch.Generator().manual_seed(1))[None]
    other = {name: got[name].to(layout[name]) for name in layout}
    change = gpt2_logits(other, tokens, N_HEADS) - gpt2_logits(layout, tokens, N_HEADS)
    apart = float(change.abs().max())
    if apart >= 1e-3 and float((change - change[..., :1]).abs().max()) < 1e-3:
        raise NotYet(
            f"All logits of a row change by the same number, up to {apart:.2g}. The probabilities stay, "
            "but the exercise asks for the same logits."
        )
    if not apart < 1e-3:
        raise NotYet(f"A logit changes by {apart:.2g}, so it is another model. What cancels in the computation?")
    return Report(True, "Other numbers, the same model: only the outputs can tell whether two files agree.")
