"""The probability of a translation, factor by factor: what a model expects next, and what came."""

from typing import NamedTuple

import torch

from ..models.concurrency import evaluating
from ..models.search_interface import check_count, inference
from .translator import Translator


class Factor(NamedTuple):
    """One factor of the chain rule: a token, given the source and the tokens before it.

    Attributes:
        token: the token that came, spelt with its ▁ where a word begins.
        probability: what the model gave it.
        likeliest: the model's likeliest tokens at this place with their probabilities, the likeliest first.
    """

    token: str
    probability: float
    likeliest: tuple[tuple[str, float], ...]


def factors(translator: Translator, source: str, target: str | None = None, count: int = 5) -> list[Factor]:
    r"""P(target | source) as a product, one factor a token, the end token ``</s>`` included.

    .. math:: P(y \mid x) = \prod_{t=1}^{T} P(y_t \mid y_1, \dots, y_{t-1}, x)

    Args:
        translator: its model gives the probabilities, in one pass over the whole target.
        source: a sentence.
        target: any sentence of the target language; the translator's own translation if None.
        count: how many of the likeliest tokens are wanted at each place.

    Returns:
        One factor a token. Multiplied, they are the probability of these tokens in this spelling; the same sentence cut
        into other subwords would have another one.

    Raises:
        TypeError: if `count` is no whole number.
        ValueError: if a sentence is empty or too long, or `count` is below 1.
    """
    check_count("count", count)
    if target is None:
        target = translator.translate(source, split=False)
    subwords, model = translator.subwords, evaluating(translator.model)
    given, came = ([*subwords.encode(text), subwords.eos_id] for text in (source, target))
    if len(given) == 1 or len(came) == 1:
        raise ValueError("a factor needs a source and a target that are not empty")
    device = next(model.parameters()).device
    with inference(model):
        tgt_in = torch.tensor([[subwords.bos_id, *came[:-1]]], device=device)
        p = model(torch.tensor([given], device=device), tgt_in)[0].double().softmax(dim=-1)
    best = p.topk(min(count, p.shape[-1]), dim=-1)
    likeliest = [
        tuple(zip(subwords.tokens(ids), values, strict=True))
        for ids, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
    probabilities = p[range(len(came)), came].tolist()
    return [Factor(*factor) for factor in zip(subwords.tokens(came), probabilities, likeliest, strict=True)]


def chance_of(translator: Translator, source: str, begun: str, word: str) -> float:
    """The probability that a begun translation goes on with a word, or with its first piece if it has several.

    Args:
        translator: its model gives the probability.
        source: a sentence.
        begun: the words that are written already.
        word: the next one.
    """
    model, subwords = evaluating(translator.model), translator.subwords
    src = torch.tensor([[*subwords.encode(source), subwords.eos_id]])
    written = torch.tensor([[subwords.bos_id, *subwords.encode(begun)]])
    with inference(model):
        probabilities = model.decode(written, model.encode(src))[0, -1].softmax(dim=-1)
    return float(probabilities[subwords.encode(f" {word}")[0]])
