"""Words, positions and scores before the first step: how large they are, and which fault of a root shows where."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
import torch.nn.functional as F

from ...analysis.seed_statistics import number
from ...data.batching import Batch
from ...experiments.attention.embedding_scale import ScaledTransformer, position_share
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
