"""Why an untrained model with a large table is sure that each word follows itself, and what weakens this certainty."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import torch

from ...analysis.seed_statistics import number
from ...data.batching import Batch, token_batches
from ...experiments.attention.embedding_scale import ARMS, ScaledTransformer, build, first_logits
from ...little_language.language import sample, word_vocabulary
from ...models.config import TransformerConfig

LARGE = {"D": "large", "F": "large_times_root"}
"""The kinds with a large table that is also the output's, as their page calls them, and as their experiment does."""
HEADER = ("kind", "word", "position", "what the layers add", "logit of the last word, positions set to 0")


class Itself(NamedTuple):
    """What stands in a decoder's sum before training, and what comes of it at the output.

    Attributes:
        word: the mean length of a word in the decoder's sum, factor included.
        position: the same of a position.
        added: the same of all that the decoder's layers add.
        own: the mean logit of the word that was read.
        own_alone: the same with all positions set to zero.
    """

    word: float
    position: float
    added: float
    own: float
    own_alone: float


@cache
def _sentences(pairs: int) -> Batch:
    words = word_vocabulary("es")
    drawn = sample(pairs, seed=1_000, clauses=1)
    (batch,) = token_batches([(words.encode(p.source), words.encode(p.target)) for p in drawn], 10**6, seed=0, epoch=0)
    return batch


def _lengths(model: ScaledTransformer, batch: Batch) -> tuple[float, float, float]:
    sums: list[torch.Tensor] = []
    keep = lambda module, given, made: sums.extend((given[0], made[0]))  # noqa: E731
    hooks = [layer.register_forward_hook(keep) for layer in model.decoder.layers]
    try:
        model(batch.src, batch.tgt_in)
    finally:
        for hook in hooks:
            hook.remove()
    word = model.tgt_embedding(batch.tgt_in) * model.factor
    place = (model.positions[: batch.tgt_in.shape[1]] * model.place_factor).expand_as(word)
    real = batch.tgt_in != model.config.pad_id
    return tuple(x.norm(dim=-1)[real].mean().item() for x in (word, place, sums[-1] - sums[0]))


@torch.inference_mode()
def itself(arm: str, seed: int = 0, pairs: int = 30) -> Itself:
    """Measure a kind of the experiment before its first step, on sentences of the little language.

    Args:
        arm: one of the experiment's.
        seed: of the parameters.
        pairs: how many sentences.
    """
    batch = _sentences(pairs)
    model = build(ARMS[arm], TransformerConfig.tiny(len(word_vocabulary("es")), dropout=0.0), seed).eval()
    lengths = _lengths(model, batch)
    own = first_logits(model, [batch])["own_logit"]
    model.place_factor = 0.0
    return Itself(*lengths, own, first_logits(model, [batch])["own_logit"])


def both(seeds: int = 5) -> dict[str, Itself]:
    """The kinds of `LARGE`, means over seeds."""
    found = {kind: [itself(arm, seed) for seed in range(seeds)] for kind, arm in LARGE.items()}
    return {kind: Itself(*(sum(x) / seeds for x in zip(*each, strict=True))) for kind, each in found.items()}


def rows(seen: Mapping[str, Itself]) -> list[tuple[str, ...]]:
    """A row per kind, under `HEADER`."""
    return [
        (kind, *(number(x, ".1f") for x in (it.word, it.position, it.added)), number(it.own_alone, ".0f"))
        for kind, it in seen.items()
    ]
