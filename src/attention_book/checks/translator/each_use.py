"""Checks for *What each use is for*: one row changed, what still arrives, even weights, a choice without effect."""

import math
from functools import cache

import torch
from torch import Tensor

from ...analysis.ablation import fixed
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ..answers import as_tensor, each_answer, judge_statements
from ..drawn import Normal, seeded
from ..known_mistakes import diagnose, expect_predictions
from ..report import NotYet, Report, agrees, attempt, checking, expect_array

_ROW = {  # weights 1/10, 2/5, 1/2 over the values 10, 5, 0; another memory: 1/5, 4/5 over 10, 20
    "chosen": (3.0, {5.0: "the keys differ, so the weights do: e⁰ : e^log 4 : e^log 5 is 1 : 4 : 5",
                     math.log(4) * 5: "the scores are weights only after softmax"}),
    "even": (5.0, {15.0: "the weights have to sum to 1", 3.0: "these are the weights that the keys give"}),
    "silent": (0.0, {5.0: "silenced heads give 0, and not the mean of the values",
                     3.0: "silenced heads give 0, whatever their weights are"}),
    "another": (18.0, {15.0: "the other memory's keys differ, so its weights do: 1 : 4",
                       3.0: "keys and values both come from the other memory",
                       12.0: "the second key, log 4, gets the larger weight"}),
}  # fmt: skip


@checking
def check_row(predictions: object) -> Report:
    """Are these the outputs of one row: with its own weights, even ones, silenced, and with another memory?"""
    answers = dict(each_answer(predictions, _ROW, "a number for each of", open_name=None))
    expect_predictions(answers, _ROW, tolerance=5e-3)
    return Report(True, "Even weights leave the values and drop the keys; silence drops both.")


@cache
def _arrives() -> dict[str, bool]:
    """Ask a small Transformer of random weights, one use of which is changed, which numbers move."""
    with seeded(0):
        model = Transformer(TransformerConfig.tiny(vocab_size=20, n_layers=2)).double().eval().requires_grad_(False)
    src, tgt = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[1, 9, 10, 11]])
    other_src, other_first, other_last = src.clone(), tgt.clone(), tgt.clone()
    other_src[0, -1], other_first[0, 1], other_last[0, -1] = 12, 13, 13

    def moved(use: str, way: str, after: tuple[Tensor, Tensor]) -> bool:
        with fixed(model, use, way):
            return not torch.equal(model(*after)[0, -1], model(src, tgt)[0, -1])

    with fixed(model, "encoder_self", "silent"):
        first_rows = [model.encode(ids).states[0, 0] for ids in (src, other_src)]
    return {
        "a": not torch.equal(*first_rows),
        "b": moved("encoder_self", "silent", (other_src, tgt)),
        "c": moved("cross", "even", (other_src, tgt)),
        "d": moved("cross", "silent", (other_src, tgt)),
        "e": moved("decoder_self", "itself", (src, other_first)),
        "f": moved("decoder_self", "even", (src, other_first)),
        "g": moved("decoder_self", "silent", (src, other_last)),
    }


_ARRIVES_WHY = {
    "a": "no row of the encoder sees another, and what else it has works on each row alone",
    "b": "the last source word has a vector of its own in the memory, and cross-attention reads it",
    "c": "the values still arrive, as their mean, and one of them has changed",
    "d": "cross-attention is the only way from the source to the decoder",
    "e": "each row of the decoder sees itself alone, and the rest of a layer works on each row alone",
    "f": "the last row still receives the mean of all earlier values",
    "g": "the residual connections carry each row's own vector past every attention",
}


@checking
def check_arrives(answers: object) -> Report:
    """Is it said rightly what still arrives when one use is changed? A random Transformer is the judge."""
    judge_statements(answers, _arrives(), _ARRIVES_WHY, "it can change", "it cannot", put="yours")
    return Report(True, "Only an attention carries anything from row to row, and only cross-attention from the source.")


@checking
def check_even(candidate: object) -> Report:
    """Does ``candidate(v, may)`` give each query the mean of the values that it may see, and 0 where it sees none?

    ``v`` is (n, d_v), ``may`` (m, n) is True where a query may attend to a key.
    """
    normal = Normal(6)
    for m, n, d_v in ((3, 4, 2), (4, 4, 3), (1, 5, 2)):
        v = normal(n, d_v)
        may = torch.rand(m, n, generator=normal.generator) < 0.5
        may[0, : n - 1], may[-1] = True, False
        if m == n:
            may = torch.ones(n, n, dtype=torch.bool).tril()
        elif m == 1:
            may = torch.tensor([[True, False, True, True, False]])
        seen = may.double()
        counts = seen.sum(dim=1, keepdim=True)
        right = seen @ v / counts.clamp(min=1)
        got = as_tensor(attempt(candidate, v, may))
        if isinstance(got, Tensor) and got.shape == (m, d_v) and got.isnan().any() and not counts.all():
            raise NotYet("A query that may see no key gets NaN, from 0 ÷ 0. Give it 0.")
        got = expect_array(got, (m, d_v), "one row per query, as wide as a value")
        if agrees(got, right):
            continue
        diagnose(got, right, {
            "The masked values are mixed in as well.": v.mean(dim=0).expand(m, d_v),
            "The values are added up: the weights of a row sum to its number of keys, and not to 1.": seen @ v,
            "It is divided by the number of all keys, and not by the number of allowed ones.": seen @ v / n,
            "Hidden keys keep a weight: a softmax over True and False is no mask.": torch.softmax(seen, dim=1) @ v,
            "True hides and False shows: `may` is True where a query may attend.": (
                (1 - seen) @ v / (1 - seen).sum(dim=1, keepdim=True).clamp(min=1)
            ),
            "A query that may see no key gets the mean of all values: give it 0.": torch.where(
                counts > 0, right, v.mean(dim=0)
            ),
        })  # fmt: skip
    return Report(True, "The mean of the allowed values: nothing of the queries and the keys is left in it.")


@checking
def check_choice(weights: object, values: object) -> Report:
    """Does a row that chooses sharply have the output that even weights give, and not that of silence?

    ``weights`` and ``values`` are three numbers each; the largest weight is above 0.9, and no two values are equal.
    """
    row = expect_array(as_tensor(weights), (3,), "a weight per token", name="`weights`")
    values = expect_array(as_tensor(values), (3,), "a value per token", name="`values`")
    if (row < 0).any():
        raise NotYet("`weights` holds a negative weight; softmax gives none.")
    if abs(row.sum() - 1) > 1e-3:
        raise NotYet(f"`weights` sums to {row.sum():g}, and the weights of a row sum to 1.")
    if row.max() <= 0.9:
        raise NotYet(f"The largest weight is {row.max():g}: let the row choose, with more than 0.9.")
    spread = float(values.max() - values.min())
    if float(values.sort().values.diff().min()) <= 1e-3 * spread:
        raise NotYet("Two of the values are equal: with equal values, no choice could matter. Make them differ.")
    own, even = float(row @ values), float(values.mean())
    if abs(own - even) > 1e-2 * spread:
        raise NotYet(f"The row's own output is {own:.4g}, and that of even weights is {even:.4g}.")
    if abs(own) <= 1e-2 * spread:
        raise NotYet("The output is 0, which silence gives as well: let silence give another output.")
    return Report(True, "The row chooses, and its choice makes no difference: a harm of 0 does not show even weights.")
