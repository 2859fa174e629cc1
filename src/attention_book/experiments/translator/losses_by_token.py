"""Where the loss of the shipped translator comes from: which tokens of new sentences surprise it, and by how much."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ...data.batching import Encoded, encode_pairs
from ...data.corpora import load
from ...data.subwords import Subwords
from ...models.transformer import Transformer
from ...translation.translator import Translator
from ..attention.three_uses import change

QUESTION = "Which target tokens surprise a trained translator, if it is told all the tokens before?"
CONFIGURATION = {
    "translator": "en-es",
    "corpus": "tatoeba-en-es",
    "split": "validation",
    "sentences": 2000,
    "places": ["first", "whole", "begins", "continues", "mark", "end"],
    "bins": 20,
}
SEEDS = [0]


def places(tokens: Sequence[str]) -> list[str]:
    """What each token of a sentence is, by the way that subwords are shown; the end of the sentence comes on top.

    Args:
        tokens: pieces as :meth:`Subwords.tokens` shows them, a space that belongs to a piece as ▁.

    Returns:
        One entry more than there are tokens: ``first`` for the first one, then ``whole`` for a word of one piece,
        ``begins`` for the first piece of a word of several, ``continues`` for those that follow it, ``mark`` for a
        piece without letter or digit; ``end``.
    """
    word = [any(character.isalnum() for character in token) for token in tokens]
    goes_on = [one and not token.startswith("▁") for one, token in zip(word, tokens, strict=True)]
    found = []
    for number in range(len(tokens)):
        if number == 0:
            found.append("first")
        elif not word[number]:
            found.append("mark")
        elif goes_on[number]:
            found.append("continues")
        else:
            found.append("begins" if goes_on[number + 1 : number + 2] == [True] else "whole")
    return [*found, "end"]


@torch.inference_mode()
def probabilities(model: Transformer, pair: Encoded) -> tuple[Float[Tensor, " tokens"], Float[Tensor, " tokens"]]:
    """For each target token, given those before it: its own probability, and the largest one."""
    source, target = pair
    asked = torch.tensor([*target, Subwords.eos_id])
    logits = model(torch.tensor([[*source, Subwords.eos_id]]), torch.tensor([[Subwords.bos_id, *target]]))
    each = logits[0].double().softmax(-1)
    return each.gather(-1, asked[:, None])[:, 0], each.max(-1).values


def shares(values: Float[np.ndarray, " tokens"], bins: int) -> list[float]:
    """Which share of the numbers between 0 and 1 lies in each of as many equal parts."""
    counts, _ = np.histogram(values, bins=bins, range=(0, 1))
    return [round(float(count) / len(values), 6) for count in counts]


def costliest(losses: Float[np.ndarray, " tokens"], share: float) -> float:
    """Which part of the whole loss the costliest tokens carry, as many as the share says."""
    kept = round(share * len(losses))
    return float(np.sort(losses)[::-1][:kept].sum() / losses.sum())


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Score every token of the sentences. Nothing is drawn and nothing is trained, so one seed is enough.

    Returns:
        ``loss`` in nats per token; for each place ``PLACE_count``, and ``PLACE_loss`` with its standard error over
        sentences; ``costliest_tenth`` and ``costliest_half``, their parts of the whole loss; ``own`` and ``largest``,
        how the probabilities of the true token and the largest ones are spread; ``hit``, how often they are the same.
    """
    pairs = getattr(load(configuration["corpus"]), configuration["split"])[: configuration["sentences"]]
    translator = Translator.from_pretrained(configuration["translator"])
    model, subwords = translator.model.eval(), translator.subwords
    sums: dict[str, list[tuple[float, int]]] = {place: [] for place in configuration["places"]}
    own, largest = [], []
    for pair in encode_pairs(pairs, subwords, model.config.max_len):
        p, top = probabilities(model, pair)
        own.append(p.numpy())
        largest.append(top.numpy())
        kinds = np.array(places(subwords.tokens(pair[1])))
        for place, found in sums.items():
            here = kinds == place
            found.append((float(-np.log(own[-1][here]).sum()), int(here.sum())))
    true, most = np.concatenate(own), np.concatenate(largest)
    losses = -np.log(true)
    metrics: dict[str, Any] = {"tokens": 0, "sentences": len(own), "target_tokens": len(losses)}
    metrics |= {"loss": round(float(losses.mean()), 6), "hit": round(float((true >= most).mean()), 6)}
    for place, found in sums.items():
        sentences = np.array(found)
        mean, error = change(sentences[:, 0], sentences[:, 1].astype(int))
        metrics |= {f"{place}_count": int(sentences[:, 1].sum()), f"{place}_loss": [round(mean, 6), round(error, 6)]}
    metrics |= {"costliest_tenth": round(costliest(losses, 0.1), 6), "costliest_half": round(costliest(losses, 0.5), 6)}
    bins = configuration["bins"]
    return metrics | {"own": shares(true, bins), "largest": shares(most, bins)}
