"""Checks for *Three uses of attention*: shapes, what reaches what, cross-attention, its mask, and six tables."""

import math
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask, padding_mask
from ...attention.probability import softmax
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ..answers import each_answer, is_one_of, judge_statements
from ..drawn import Normal, seeded
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_parts, first_difference

SOURCE_PIECES, TARGET_PIECES = 9, 4  # of the exercise on shapes, special tokens not counted
_USES = ("encoder_self", "decoder_self", "cross")


@checking
def check_shapes(answers: object) -> Report:
    """Are these the shapes (rows, columns) of one head's weights, by use, in training on one pair?"""
    src, tgt = SOURCE_PIECES + 1, TARGET_PIECES + 1
    shapes = dict(zip(_USES, ((src, src), (tgt, tgt), (tgt, src)), strict=True))
    for use, got in each_answer(answers, _USES, put="yours"):
        right = shapes[use]
        if not isinstance(got, (tuple, list)) or len(got) != 2 or not all(type(n) is int for n in got):
            raise NotYet(f"`{use}`: give two whole numbers, (rows, columns).")
        if tuple(got) == right:
            continue
        why = ""
        if use == "cross" and tuple(got) == right[::-1]:
            why = "Queries are rows, and here the target asks."
        elif tgt + 1 in got:
            why = "`</s>` is asked for and never fed, so it has no row."
        elif TARGET_PIECES in got and use != "encoder_self":
            why = "The decoder is fed `<s>` as well."
        elif SOURCE_PIECES in got:
            why = "The source ends in `</s>`, which the encoder reads."
        elif src + 1 in got:
            why = "The source has no `<s>`; it ends in `</s>`."
        raise NotYet(f"`{use}`: not {tuple(got)}. {why or 'Who asks, and whose keys are there?'}")
    return Report(True, f"{tgt} rows are asked for {tgt} tokens, of which the last is `</s>`.")


@cache
def _reached() -> dict[str, bool]:
    """Ask a small Transformer of random weights which of its attention weights move."""
    with seeded(0):
        model = Transformer(TransformerConfig.tiny(vocab_size=20, n_layers=2)).double().eval().requires_grad_(False)
    src, tgt = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[1, 9, 10, 11]])
    other_src, other_tgt = src.clone(), tgt.clone()
    other_src[0, -1], other_tgt[0, -1] = 12, 13
    before = model.attention_weights(src, tgt)
    new_source, new_target = model.attention_weights(other_src, tgt), model.attention_weights(src, other_tgt)

    def moved(after: dict[str, Tensor], use: str, layer: int, row: int | slice) -> bool:
        return not torch.equal(after[use][layer][:, :, row], before[use][layer][:, :, row])

    return {
        "a": moved(new_source, "encoder_self", 0, 0),
        "b": moved(new_source, "decoder_self", 0, slice(None)),
        "c": moved(new_source, "decoder_self", 1, 2),
        "d": moved(new_source, "decoder_self", 1, 0),
        "e": moved(new_source, "cross", 0, 0),
        "f": moved(new_target, "encoder_self", 1, slice(None)),
        "g": moved(new_target, "cross", 1, slice(0, 3)),
    }


_REACH_WHY = {
    "a": "an encoder has no causal mask: the first word has a score with the last",
    "b": "below the first cross-attention, the decoder has seen nothing of the source",
    "c": "the states that ask and answer in layer 1 have read the source in layer 0",
    "d": "the first row has one key, and softmax over one score is 1 whatever the score",
    "e": "the memory has changed, so its keys have",
    "f": "nothing of the target ever reaches the encoder",
    "g": "rows before the changed one do not see it, in any layer",
}


@checking
def check_reach(answers: object) -> Report:
    """Is it said rightly which weights move (True) and which do not (False)? A random Transformer is the judge."""
    judge_statements(answers, _reached(), _REACH_WHY, "it can change", "it cannot", put="yours")
    return Report(True, "The source reaches the decoder through cross-attention, and the target never goes back.")


@checking
def check_cross_attention(candidate: object) -> Report:
    """Does ``candidate(x, memory, w_q, w_k, w_v, real)`` give the output and the weights of one head?

    ``x`` is (m, d), ``memory`` (n, d), the projections (d, d_k), (d, d_k), (d, d_v); ``real`` (n,) is False at padding.
    """
    normal = Normal(3)
    for m, n, d, d_k, d_v, loud in ((3, 5, 6, 4, 2, 1.0), (4, 4, 6, 3, 5, 1.0), (3, 5, 6, 4, 2, 100.0)):
        x, memory, w_q, w_k, w_v = normal(m, d), normal(n, d), normal(d, d_k), normal(d, d_k), normal(d, d_v)
        real = torch.arange(n) < n - 1
        memory[-1] *= loud  # what stands at padding may have any score
        output, weights = expect_parts(attempt(candidate, x, memory, w_q, w_k, w_v, real), ("output", "weights"))
        if isinstance(weights, Tensor) and weights.dim() == 2 and m != n:
            known = {
                (m, m): "Its keys come from the decoder. Keys and values are made of `memory`.",
                (n, n): "Its queries come from the encoder. The decoder, `x`, asks.",
                (n, m): "The source asks the target: the other way round.",
            }
            if tuple(weights.shape) in known:
                raise NotYet(f"The weights are {tuple(weights.shape)}. {known[tuple(weights.shape)]}")
        weights = expect_array(weights, (m, n), "a row for each target position, a column for each source position",
                               name="the weights")  # fmt: skip
        q, k, v = x @ w_q, memory @ w_k, memory @ w_v
        right = F.scaled_dot_product_attention(q, k, torch.eye(n, dtype=torch.float64), attn_mask=real)
        if isinstance(output, Tensor) and output.shape == (m, d) and agrees(output, right @ memory):
            raise NotYet("The memory itself is mixed: W^V is missing.")
        output = expect_array(output, (m, d_v), "one row per target position, d_v wide", name="the output")
        if not agrees(weights, right):
            if loud > 1 and weights[:, ~real].max() > 1e-6:
                raise NotYet("Padding whose score is large gets weight: a finite number is added to it. Make it −∞.")
            scores = q @ k.T / math.sqrt(d_k)
            hidden = scores.masked_fill(~real, -math.inf)
            known = {
                "Padding is not hidden: the last key is no word.": softmax(scores),
                "Each column sums to 1, not each row.": softmax(hidden.T).T,
                "The columns sum to 1 over the queries.": softmax(scores.T).T,
                "The scores are not divided by √d_k.": softmax(hidden * math.sqrt(d_k)),
                "They are divided by √d, the width of the states: a key is d_k wide.": softmax(
                    hidden * math.sqrt(d_k) / math.sqrt(d)
                ),
                "Weights on padding are set to 0 after the softmax, so the rows no longer sum to 1.": (
                    softmax(scores) * real
                ),
                "Other target positions are hidden: no causal mask belongs here, all of the source is known.": (
                    softmax(hidden.masked_fill(~causal_mask(n)[:m], -math.inf))
                ),
                "True hides and False shows: `real` is True where a key may be attended to.": (
                    softmax(scores.masked_fill(real, -math.inf))
                ),
                **({"Its keys come from the decoder. Keys and values are made of `memory`.": softmax(
                    (q @ (x @ w_k).T / math.sqrt(d_k)).masked_fill(~real, -math.inf))} if m == n else {}),
            }  # fmt: skip
            fault = recognise(weights, known)
            raise NotYet(fault or f"Wrong weight at {first_difference(weights, right, axes=('query', 'key'))}.")
        if not agrees(output, right @ v):
            if m == n and agrees(output, right @ (x @ w_v)):
                raise NotYet("Its values come from the decoder: the weights mix rows of `memory @ w_v`.")
            raise NotYet(f"Wrong output at {first_difference(output, right @ v, axes=('query', 'coordinate'))}.")
    return Report(True, "Rows from the target, columns from the source, and values from where the keys are from.")


@checking
def check_memory_projections(candidate: object) -> Report:
    """Does ``candidate(memory, w_k, w_v)`` give [(K, V), …], one per layer? ``w_k`` and ``w_v`` are (layers, d, d)."""
    normal = Normal(8)
    memory, (all_k, all_v) = normal(5, 6), normal(2, 3, 6, 6)
    got = attempt(candidate, memory, all_k, all_v)
    if not isinstance(got, list) or len(got) != 3:
        raise NotYet("Expected a list with a pair (K, V) for each of the 3 layers.")
    chained = memory
    for n, (w_k, w_v, pair) in enumerate(zip(all_k, all_v, got, strict=True)):
        parts = expect_parts(pair, ("K", "V"))
        for name, part, w, other, first in zip("KV", parts, (w_k, w_v), (w_v, w_k), (all_k[0], all_v[0]), strict=True):
            part = expect_array(part, (5, 6), "a row for each source position", name=f"{name} of layer {n}")
            if agrees(part, memory @ w):
                continue
            known = {
                "it is the encoder output itself; W^K and W^V of the layer are missing": memory,
                "the first layer's matrix was used: each layer has its own": memory @ first,
                "K and V are exchanged": memory @ other,
                "it is made of the layer below's: every layer reads the same memory": chained @ w,
                "the matrix stands transposed": memory @ w.T,
            }
            fault = recognise(part, known) or first_difference(part, memory @ w)
            raise NotYet(f"{name} of layer {n}: {fault}.")
        chained = parts[1]
    return Report(True, "Two projections per layer of one memory, and nothing of the target in them: computed once.")


_KEYS = {
    "cross": (
        12,
        {
            6: "each layer has a W^K of its own",
            16: "its keys come from the source",
            96: "its keys never change while the sentence is written, so they are made once",
        },
    ),
    "own": (
        72,
        {
            16: "that is with a cache: each written token adds one row per layer",
            36: "there are two layers",
            96: "its keys come from the decoder's own rows",
            90: "`</s>` is written last and never read, and `<s>` is read: that is 8 rows, not 9",
            128: "at the first step there is one row, and not eight",
        },
    ),
    "training": (
        12,
        {
            6: "each layer has a W^K of its own",
            16: "its keys come from the source",
            96: "in training there are no steps: all rows of the target are computed in one pass",
            0: "training keeps no keys, but it has to make them",
        },
    ),
    "batch": (
        36,
        {
            12: "that is one sentence, and here there are three",
            18: "there are two layers",
            28: "a projection does not know which rows are padding, so it projects them too",
        },
    ),
}


@checking
def check_projections(predictions: object) -> Report:
    """Are these the vectors turned into keys for 2 layers, 6 source tokens and 8 written ones, in four cases?"""
    answers = dict(each_answer(predictions, _KEYS, "a number for each of", open_name=None))
    expect_predictions(answers, _KEYS, tolerance=1e-6)
    return Report(True, "A vector needs to be turned into a key once per layer; what keeps nothing does it again.")


@checking
def check_blind_batch(src: object, tgt: object) -> Report:
    """Is this a batch with padding for which hiding the *target's* padding in cross-attention changes nothing?

    ``src`` and ``tgt`` are ids, (batch, length), 0 is padding, each row filled up at its end.
    """
    for name, ids in (("src", src), ("tgt", tgt)):
        if not isinstance(ids, Tensor) or ids.dim() != 2 or ids.dtype != torch.int64:
            raise NotYet(f"`{name}` must be a tensor of whole numbers with two axes, (batch, length).")
        real = ids != 0
        if not real[:, 0].all() or (real[:, 1:] & ~real[:, :-1]).any():
            raise NotYet(f"`{name}`: each row starts with a token, and padding stands at its end only.")
    if len(src) != len(tgt):
        raise NotYet(f"`src` has {len(src)} rows and `tgt` {len(tgt)}: each source needs its target.")
    if src.shape != tgt.shape:
        raise NotYet(
            f"The lengths differ, {src.shape[1]} and {tgt.shape[1]}: the wrong mask does not fit, and that is noticed."
        )
    if (src != 0).all() and (tgt != 0).all():
        raise NotYet("There is no padding in it, so no mask could be wrong. Add some.")
    batch, length = src.shape
    q, k, v = Normal(1)(3, batch, 1, length, 4)
    right = scaled_dot_product_attention(q, k, v, padding_mask(src))[0]
    wrong = scaled_dot_product_attention(q, k, v, padding_mask(tgt))[0]
    for row in range(batch):
        if not torch.allclose(right[row], wrong[row]):
            n_src, n_tgt = (int((ids[row] != 0).sum()) for ids in (src, tgt))
            one = abs(n_src - n_tgt) == 1
            padding = "key that is padding is" if one else "keys that are padding are"
            what = (
                f"{n_tgt - n_src} {padding} attended to" if n_tgt > n_src
                else f"{n_src - n_tgt} source {'word is' if one else 'words are'} hidden"
            )  # fmt: skip
            raise NotYet(f"Row {row} would betray it: {n_src} source and {n_tgt} target tokens, so {what}.")
    return Report(True, "Equal lengths, row by row, hide the exchange. A test needs a row whose two lengths differ.")


def tables() -> dict[str, Tensor]:
    """Six tables of weights, said to be of a pair with 4 source tokens and 5 target rows."""
    drawn = Normal(11)

    def causal(scores: Tensor) -> Tensor:
        m, n = scores.shape
        return softmax(scores.masked_fill(~torch.ones(m, n, dtype=torch.bool).tril(), -math.inf))

    return {
        "A": softmax(drawn(5, 4)),
        "B": softmax(drawn(5, 5)),
        "C": causal(drawn(5, 5)),
        "D": softmax(drawn(5, 4)).T.contiguous(),
        "E": softmax(drawn(4, 4)),
        "F": causal(drawn(5, 4)),
    }


_TABLES = {
    "A": ("cross", "5 target rows, 4 source columns, nothing hidden"),
    "B": ("impossible", "5 × 5 are the decoder's own positions, and it sees later ones"),
    "C": ("decoder_self", "5 × 5, and nothing above the diagonal"),
    "D": ("impossible", "its columns sum to 1: it is a transposed table, queries in columns"),
    "E": ("encoder_self", "4 × 4, and every word sees every other"),
    "F": ("impossible", "a causal mask over the source: the first rows may not see its end"),
}


@checking
def check_tables(answers: object) -> Report:
    """Is it said rightly which use each table of `tables` is from, or that it is impossible?"""
    for name, said in each_answer(answers, _TABLES, open_name="Table {}", put="yours"):
        right, reason = _TABLES[name]
        if not is_one_of(said, (*_USES, "impossible")):
            raise NotYet(f"Table {name}: answer with one of {', '.join(_USES)}, or impossible.")
        if said != right:
            hint = {
                "impossible": f"{name} is possible: {reason}." if right != "impossible" else "",
                "cross": f"{name} is not cross-attention: look at its shape, its zeros and its sums.",
            }.get(said, f"{name} is not {said}: look at its shape, its zeros and its sums.")
            raise NotYet(hint)
    return Report(True, "; ".join(f"{name}: {reason}" for name, (_, reason) in _TABLES.items()) + ".")
