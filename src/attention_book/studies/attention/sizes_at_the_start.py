"""Words, positions and scores before the first step: how large, which fault shows where, and what weakens a word."""

import math
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import torch
import torch.nn.functional as F

from ...analysis.recording import recording
from ...analysis.seed_statistics import number
from ...data.batching import Batch, token_batches
from ...experiments.attention.embedding_scale import ARMS, ScaledTransformer, build, first_logits, position_share
from ...little_language.language import sample, word_vocabulary
from ...models.config import TransformerConfig

CONFIG = TransformerConfig.tiny(1000, dropout=0.0)
ROOT, D_K = math.sqrt(CONFIG.d_model), CONFIG.d_model // CONFIG.n_heads
FAULTS: dict[str, dict[str, float]] = {
    "none": {},
    "scores not divided": {"query_factor": math.sqrt(D_K)},
    "scores divided by √d_model": {"query_factor": math.sqrt(D_K) / ROOT},
    "factor forgotten": {"factor": 1.0},
    "σ = 1, factor kept": {"std": 1.0},
    "σ = 1, factor forgotten": {"std": 1.0, "factor": 1.0},
}
"""How each fault is planted: what :func:`symptoms` is given."""
FAULT_HEADER = ("fault", "variance of the scores", "first loss − log vocab_size", "position's share")
LARGE = {"D": "large", "F": "large_times_root"}
"""The kinds with a large table that is also the output's, as their page calls them, and as their experiment does."""


class Symptoms(NamedTuple):
    """Three measurements of a model before its first step.

    Attributes:
        scores: the variance of the scores of one query in the first layer, mean over queries and heads.
        loss: the loss above that of equal probabilities, in nats per token.
        share: the position's share of the squared length of what the first layer reads.
    """

    scores: float
    loss: float
    share: float


@torch.inference_mode()
def symptoms(std: float = 1 / ROOT, factor: float = ROOT, query_factor: float = 1.0) -> Symptoms:
    """Measure the *tiny* model, with a fault or without, on a batch of random tokens.

    Args:
        std: the standard deviation of the embedding table.
        factor: what a row is multiplied by where the table is read.
        query_factor: what W^Q of the first layer is multiplied by; x here is the same as a divisor √d_k / x.
    """
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = ScaledTransformer(CONFIG, std, factor).eval()
    random = torch.Generator().manual_seed(1)
    tokens = torch.randint(4, CONFIG.vocab_size, (16, 12), generator=random)
    batch = Batch(src=tokens, tgt_in=tokens[:, :-1], tgt_out=tokens[:, 1:])
    model.encoder.layers[0].self_attention.w_q.weight.mul_(query_factor)
    weights = model.attention_weights(tokens, tokens)["encoder_self"][0]
    scores = weights.log().var(dim=-1).mean()  # up to a constant per row
    logits = model(tokens, batch.tgt_in).flatten(0, 1)
    loss = F.cross_entropy(logits, batch.tgt_out.flatten())
    above = loss - math.log(CONFIG.vocab_size)
    return Symptoms(scores.item(), above.item(), position_share(model, [batch]))


def all_symptoms() -> dict[str, Symptoms]:
    """The symptoms of each of `FAULTS`, by name."""
    return {fault: symptoms(**changes) for fault, changes in FAULTS.items()}


def fault_rows(seen: Mapping[str, Symptoms]) -> list[tuple[str, ...]]:
    """A row per fault, under `FAULT_HEADER`."""
    return [
        (fault, number(it.scores, ".2f"), number(it.loss, ".2f"), number(it.share, ".0%")) for fault, it in seen.items()
    ]


def fault_numbers() -> dict[str, int]:
    """What a page's text is given, by name: the sizes of the model."""
    return {"fault_heads": CONFIG.n_heads, "fault_width": CONFIG.d_model, "fault_d_k": D_K}


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
def _little_sentences(pairs: int) -> Batch:
    words = word_vocabulary("es")
    drawn = sample(pairs, seed=1_000, clauses=1)
    (batch,) = token_batches([(words.encode(p.source), words.encode(p.target)) for p in drawn], 10**6, seed=0, epoch=0)
    return batch


def _lengths_in_the_sum(model: ScaledTransformer, batch: Batch) -> tuple[float, float, float]:
    first, last = model.decoder.layers[0], model.decoder.layers[-1]
    with recording(first, last) as calls:
        model(batch.src, batch.tgt_in)
    added = calls[last][0].output[0] - calls[first][0].inputs[0]
    word = model.tgt_embedding(batch.tgt_in) * model.factor
    place = (model.positions[: batch.tgt_in.shape[1]] * model.place_factor).expand_as(word)
    real = batch.tgt_in != model.config.pad_id
    return tuple(x.norm(dim=-1)[real].mean().item() for x in (word, place, added))


@torch.inference_mode()
def itself(arm: str, seed: int = 0, pairs: int = 30) -> Itself:
    """Measure a kind of the experiment before its first step, on sentences of the little language.

    Args:
        arm: one of the experiment's.
        seed: of the parameters.
        pairs: how many sentences.
    """
    batch = _little_sentences(pairs)
    model = build(ARMS[arm], TransformerConfig.tiny(len(word_vocabulary("es")), dropout=0.0), seed).eval()
    lengths = _lengths_in_the_sum(model, batch)
    own = first_logits(model, [batch])["own_logit"]
    model.place_factor = 0.0
    return Itself(*lengths, own, first_logits(model, [batch])["own_logit"])


def large_tables(seeds: int = 5) -> dict[str, Itself]:
    """The kinds of `LARGE`, means over seeds."""
    found = {kind: [itself(arm, seed) for seed in range(seeds)] for kind, arm in LARGE.items()}
    return {kind: Itself(*(sum(x) / seeds for x in zip(*each, strict=True))) for kind, each in found.items()}
