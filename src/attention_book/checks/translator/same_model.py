"""Checks for *Is it the same model?*: a count of parameters, torch's names, and what makes the logits differ.

The names are held against a copy by `to_torch`, the statements against logits of such copies.
"""

import copy
from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor, nn

from ...attention.masks import causal_mask
from ...models.config import TransformerConfig
from ...models.torch_transformer import TorchTransformer, to_torch
from ...models.transformer import Transformer
from ...studies.translator.matched_parameters import matched
from ...studies.translator.parameter_counts import by_formula
from ..answers import judge_statements
from ..drawn import seeded
from ..known_mistakes import near, refuse_number
from ..report import NotYet, Report, attempt, checking, expect_number


def _wrong_counts(c: TransformerConfig) -> dict[str, int | float]:
    """What known mistakes count."""
    d, d_ff, n = c.d_model, c.d_ff, c.n_layers
    right, matrix = by_formula(c)["all"], c.vocab_size * c.d_model
    return {
        "The biases are missing: four per attention, two per feed-forward network, one per norm.": (
            right - n * (12 * d + 2 * (d_ff + d) + 5 * d)
        ),
        "The biases of the attentions are missing.": right - n * 12 * d,
        "The biases of the feed-forward networks are missing.": right - n * 2 * (d_ff + d),
        "The norms are missing: each has a factor and a shift per coordinate.": right - n * 10 * d,
        "A norm has a factor and a shift per coordinate, so 2·d_model numbers.": right - n * 5 * d,
        "A decoder layer has two attentions.": right - n * 4 * (d * d + d),
        "A decoder layer has two attentions, and three norms.": right - n * (4 * (d * d + d) + 2 * d),
        "A decoder layer has three norms.": right - n * 2 * d,
        "The embeddings are missing.": right - matrix,
        "The matrix is counted twice: the output layer is the embedding.": right + matrix,
        "The matrix is counted three times: source, target and output share it.": right + 2 * matrix,
        "The output layer has no bias.": right + c.vocab_size,
        "These are two layers: there are n_layers on each side.": matrix + (right - matrix) / n,
        "n_layers is counted twice: there are n_layers on each side, and not in each of two stacks again.": (
            2 * right - matrix
        ),
        "Post-norm has no norm at the end of a stack.": right + 4 * d,
        "An attention has a fourth matrix, W^O.": right - n * 3 * (d * d + d),
    }  # fmt: skip


@checking
def check_parameters(candidate: object) -> Report:
    """Does ``candidate(vocab_size, d_model, d_ff, n_layers)`` count the parameters of a post-norm Transformer?

    Tied embeddings, biases in attentions and feed-forward networks, none in the output layer, fixed positions.
    """
    for sizes in ((1000, 24, 40, 3), (37000, 512, 2048, 6), (11, 8, 8, 1)):
        config = TransformerConfig(
            **dict(zip(("vocab_size", "d_model", "d_ff", "n_layers"), sizes, strict=True)), n_heads=4, norm="post"
        )
        right = float(by_formula(config)["all"])
        got = expect_number(attempt(candidate, *sizes))
        if got != right:
            where = "For vocab_size={}, d_model={}, d_ff={}, n_layers={}".format(*sizes)
            refuse_number(where, got, right, _wrong_counts(config), near(), spec=",.0f")
    return Report(True, "The number of heads is in no term: many narrow heads cost what one wide head costs.")


def _wrong_name(ours: str, got: str, right: str) -> str:
    """What is wrong with a name of torch's: the first of the parts in which it differs from the right one."""
    stack = ours.partition(".")[0]
    if not got.startswith(f"{stack}."):
        return f"both programs call the two stacks `encoder` and `decoder`, and this one belongs to the {stack}"
    if ours.startswith((f"{stack}.norm", "encoder.layers", "decoder.layers")):
        if ".layers." in ours and not got.startswith(ours[: ours.index(".layers.") + 9]):
            return "both programs number the layers in the same way, as in `encoder.layers.0.`"
        if ".layers." not in ours:
            return "the norm at the end of a stack has the same name in both programs"
    if "in_proj" in right:
        if "in_proj" not in got:
            return "torch has one matrix and one bias for queries, keys and values together"
        if got.replace("in_proj.", "in_proj_") == right:
            return "`in_proj_weight` and `in_proj_bias` are one word each, with a `_` where the others have a dot"
    if ("cross_attention" in ours) != ("multihead_attn" in got):
        return "the attention to the source is `multihead_attn`, and the attention to the own side is `self_attn`"
    if "norm" in right and right.split(".")[3] not in got.split("."):
        return "torch numbers the norms of a layer in the order of its sublayers, and a decoder layer has three"
    if right.rpartition(".")[2] not in got:
        return "a bias stays a bias, and a matrix or a gain stays a `weight`"
    return "compare it with the figure, part by part"


@checking
def check_their_name(candidate: object) -> Report:
    """Does ``candidate(name)`` give torch's name for each parameter of our two stacks?"""
    for ours, right in matched("pre", 2).items():
        got = attempt(candidate, ours)
        if not isinstance(got, str):
            raise NotYet(f"For `{ours}` it returned {type(got).__name__}: a name is a string.")
        if got != right:
            raise NotYet(f"For `{ours}` it gives `{got}`: {_wrong_name(ours, got, right)}.")
    return Report(True, f"All {len(matched('pre', 2))} names are torch's.")


_PAD = 0
_SRC = torch.tensor([[5, 9, 11, 4, 7, 2], [8, 3, 2, _PAD, _PAD, _PAD]])
_TGT = torch.tensor([[1, 6, 12, 9, 5], [1, 4, 7, _PAD, _PAD]])
_Change = Callable[[TorchTransformer], Tensor]


def _logits(copied: TorchTransformer, left_out: tuple[str, ...] = (), tgt_mask: Tensor | None = None) -> Tensor:
    """What a copy says, if some of its masks of padding are left out or the mask of its targets is another."""
    masks = {
        "src_key_padding_mask": _SRC == _PAD,
        "tgt_key_padding_mask": _TGT == _PAD,
        "memory_key_padding_mask": _SRC == _PAD,
    }
    length = _TGT.shape[1]
    states = copied.transformer(
        copied.embed(copied.src_embedding, _SRC),
        copied.embed(copied.tgt_embedding, _TGT),
        tgt_mask=~causal_mask(length) if tgt_mask is None else tgt_mask,
        **{name: mask for name, mask in masks.items() if name not in left_out},
    )
    return copied.output(states)


def _attentions(copied: TorchTransformer) -> list[nn.MultiheadAttention]:
    return [module for module in copied.modules() if isinstance(module, nn.MultiheadAttention)]


def _more_heads(copied: TorchTransformer) -> Tensor:
    for attention in _attentions(copied):
        attention.num_heads, attention.head_dim = 2 * attention.num_heads, attention.head_dim // 2
    return _logits(copied)


def _larger_biases_of_keys(copied: TorchTransformer) -> Tensor:
    for attention in _attentions(copied):
        _, keys, _ = attention.in_proj_bias.chunk(3)
        keys *= 2
    return _logits(copied)


def _heads_exchanged(copied: TorchTransformer) -> Tensor:
    for attention in _attentions(copied):
        for parameter in (attention.in_proj_weight, attention.in_proj_bias):
            for part in parameter.chunk(3):
                part.copy_(torch.cat(part.chunk(2)[::-1]))
        joined = attention.out_proj.weight
        joined.copy_(torch.cat(joined.chunk(2, dim=1)[::-1], dim=1))
    return _logits(copied)


def _longer_queries(copied: TorchTransformer) -> Tensor:
    for attention in _attentions(copied):
        for parameter in (attention.in_proj_weight, attention.in_proj_bias):
            queries, keys, _ = parameter.chunk(3)
            queries *= 2
            keys /= 2
    return _logits(copied)


# What the exercise changes in a copy: its words, the change, and why the logits differ or do not.
_CHANGES: dict[str, tuple[str, _Change, str]] = {
    "a": (
        "the copy has twice as many heads, each half as wide",
        _more_heads,
        "no parameter knows how many heads there are, but each head has a softmax of its own",
    ),
    "b": (
        "every bias of the keys is twice as large in the copy",
        _larger_biases_of_keys,
        "the bias adds one number to all scores of a query, and softmax does not see it",
    ),
    "c": (
        "the two heads of each attention change places, in W^Q, W^K, W^V, their biases and W^O alike",
        _heads_exchanged,
        "each head computes what it computed before, and the sum over the heads does not see their order",
    ),
    "d": (
        "the mask of the source's padding is left out in the cross-attention alone, and one source has padding",
        lambda copied: _logits(copied, left_out=("memory_key_padding_mask",)),
        "the decoder then reads the vectors of the padding",
    ),
    "e": (
        "the mask of the target's padding is left out, and all padding stands at the ends of the targets",
        lambda copied: _logits(copied, left_out=("tgt_key_padding_mask",)),
        "the mask of the future hides padding that comes later, so no real token sees any",
    ),
    "f": (
        "every query of the copy is twice as long, and every key half as long",
        _longer_queries,
        "a score is a product of both, so it stays as it was: other parameters can be the same function",
    ),
    "g": (
        "the decoder's mask is our `causal_mask`, True on the diagonal and below it",
        lambda copied: _logits(copied, tgt_mask=causal_mask(_TGT.shape[1])),
        "True hides here, so each position sees the future and nothing else",
    ),
}


def copies() -> str:
    """The changed copies of the exercise, one line each, ready to print."""
    return "\n".join(f"{letter}: {text}" for letter, (text, *_) in _CHANGES.items())


@cache
def _differ() -> dict[str, bool]:
    """Do the logits of real target tokens differ by more than rounding? NaN differs."""
    with seeded(5), torch.no_grad():
        model = Transformer(TransformerConfig.tiny(20, d_model=16, n_heads=2, d_ff=24, norm="pre"))
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
        model = model.double().eval()
        found = {}
        ours = model(_SRC, _TGT)
        for letter, (_, change, _) in _CHANGES.items():
            theirs = change(copy.deepcopy(to_torch(model)))
            found[letter] = not bool(((ours - theirs).abs()[_TGT != _PAD] < 1e-9).all())
    return found


@checking
def check_copies(answers: object) -> Report:
    """Is it said rightly which changed copies give other logits? Copies with random parameters are the judge.

    Args:
        answers: letter to True (the logits of real tokens differ by more than rounding) or False.
    """
    why = {letter: reason for letter, (*_, reason) in _CHANGES.items()}
    judge_statements(answers, _differ(), why, "the logits differ", "they agree", put="True or False")
    return Report(True, "Equal parameters are not enough, and they are not even needed.")
