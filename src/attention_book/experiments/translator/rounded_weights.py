"""What rounding the translator's weights costs: equal translations, BLEU and chrF on the validation sentences."""

import copy
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from ...data import corpora
from ...models.quantisation import is_matrix
from ...models.transformer import Transformer
from ...translation.evaluation import bleu_and_chrf
from ...translation.fast.fast_translator import FastTranslator
from ...translation.translator import Translator
from ..before.translators_compared import paired

QUESTION = "What do coarser weights cost: how many translations change, and what happens to BLEU and chrF?"
CONFIGURATION = {
    "translator": "en-es",
    "corpus": "tatoeba-en-es",
    "sentences": 2000,
    "beam_size": 1,
    "kept": {
        "float32": ["float32", "float32"],
        "float16": ["float16", "float32"],
        "bfloat16": ["bfloat16", "float32"],
        "int8": [[8, True], "float32"],
        "int8 whole": [[8, False], "float32"],
        "int4": [[4, True], "float32"],
        "int4 whole": [[4, False], "float32"],
        "bfloat16 products": ["float32", "bfloat16"],
        "int8 products": ["float32", "int8"],
    },
    "bootstrap": 500,
}
"""``kept``: how the weights are rounded (a type, or bits and whether each row has a scale of its own), and how the
products are computed; both are rounded where the products are."""
SEEDS = [0]  # nothing is drawn but the bootstrap's samples, whose seed sacreBLEU fixes


def rounded(matrix: Float[Tensor, "rows columns"], bits: int, by_rows: bool) -> Float[Tensor, "rows columns"]:
    """The matrix that whole numbers of so many bits and a scale can say; −2^(bits − 1) is left out."""
    most = 2 ** (bits - 1) - 1
    largest = matrix.abs().amax(dim=1, keepdim=True) if by_rows else matrix.abs().amax()
    scale = torch.where(largest > 0, largest, 1) / most
    return (matrix / scale).round().clamp(-most, most) * scale


def with_rounded_weights(model: Transformer, how: str | list) -> Transformer:
    """A copy of a model in float32, whose weights were rounded: all to a type, or its matrices to a few bits."""
    model = copy.deepcopy(model).eval().requires_grad_(False)
    for parameter in model.parameters():
        if isinstance(how, str):
            parameter.copy_(parameter.to(getattr(torch, how)).float())
        elif is_matrix(parameter):
            parameter.copy_(rounded(parameter, *how))
    return model


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Translate the validation sentences with each kind of weights.

    Returns:
        For each kind ``bleu`` and ``chrf``; ``equal``: the share of translations that are those of the first kind;
        ``error``: the root of the mean squared change of a weight in the matrices, over the root of their mean square
        (0 where only the products round); and what `paired` gives against the first kind. ``tokens`` is 0.
    """
    c = configuration
    translator = Translator.from_pretrained(c["translator"])
    pairs = corpora.load(c["corpus"]).validation[: c["sentences"]]
    first = next(iter(c["kept"]))
    texts, found = {}, {}
    for name, (how, products) in c["kept"].items():
        model = with_rounded_weights(translator.model, how)
        fast = FastTranslator(model, translator.subwords, weights=products)
        texts[name] = fast.translate([pair.source for pair in pairs], beam_size=c["beam_size"], split=False)
        scores = bleu_and_chrf(texts[name], [pair.references for pair in pairs])
        equal = sum(one == other for one, other in zip(texts[name], texts[first], strict=True)) / len(pairs)
        twins = zip(model.parameters(), translator.model.parameters(), strict=True)
        both = [(one - other.detach(), other.detach()) for one, other in twins if is_matrix(other)]
        error = sum(float(change.square().sum()) for change, _ in both)
        size = sum(float(other.square().sum()) for _, other in both)
        found[name] = {"bleu": scores.bleu, "chrf": scores.chrf, "equal": equal, "error": (error / size) ** 0.5}
    for name, tested in paired(texts, pairs, first, c["bootstrap"]).items():
        found[name] |= tested
    return {"tokens": 0, "sentences": len(pairs), "kept": found}
