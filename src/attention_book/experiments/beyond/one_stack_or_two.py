"""Translating with one stack or with two: decoder-only models beside the encoder–decoder, on the little language.

All arms see the same pairs, English to Spanish, in the same order, for the same number of target tokens. Three
encoder layers and three decoder layers have as many matrices as seven layers of one stack: an encoder layer has 12 d²
weights, a decoder layer with its third sublayer 16 d², and 3 · 12 + 3 · 16 = 7 · 12.

The grammar gives the exact probability of every translation. So the *excess*, by which a model's loss on some sentences
exceeds the grammar's own loss on the same ones, estimates the divergence of the two distributions, which is never
negative.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from ...data.batching import Batch
from ...little_language.language import LittlePair, log_prob, word_vocabulary
from ...models.config import TransformerConfig
from ...models.one_stack.decoder_only import DecoderOnly, stream_labels
from ...models.transformer import Transformer
from ...training.trainer import Trainer, TrainingSettings
from ..little_language_study import encoded, examined_pairs, share_right, token_losses, training_pairs

QUESTION = "Does a translator need an encoder, at equal parameters and equal tokens?"
CONFIGURATION = {
    "arms": {
        "two-stacks": {"layers": 3, "stacks": 2},
        "causal": {"layers": 7},
        "prefix": {"layers": 7, "prefix": True},
        "both": {"layers": 7, "both": True},
    },
    "target": "es",
    "preset": "tiny",
    "max_len": 96,
    "sizes": {"d_model": 48, "d_ff": 192},
    "drawn": 10_000,
    "clauses": {"1": 1.0},
    "longest": 18,
    "training": {"tokens": 100_000, "tokens_per_batch": 150, "peak_rate": 4e-3, "smoothing": 0.0},
    "groups": {"one clause": [3, 18, 1]},
    "examined": 400,
    "opened": 40,
}
"""``tokens`` counts those of the target, ``longest`` those of the longer side with its ``</s>``."""
SEEDS = [0, 1, 2]


class StreamLogits(nn.Module):
    """The same model, asked for what follows every token of the stream."""

    def __init__(self, model: DecoderOnly):
        super().__init__()
        self.model = model

    def forward(self, src: Tensor, stream: Tensor) -> Tensor:
        """Logits of the whole stream, which begins with the source."""
        return self.model.stream(*stream.tensor_split([src.shape[1]], dim=1))


class StreamTrainer(Trainer):
    """Trains on every token of the stream. The budget still counts the tokens of the target alone."""

    def train_step(self, batch: Batch) -> float:
        """One update on source and target; a trainer of the wrapped model asks for both."""
        config = self.model.model.config
        labels = stream_labels(batch.src, batch.tgt_out, config.pad_id, config.bos_id, config.eos_id)
        return super().train_step(replace(batch, tgt_in=torch.cat([batch.src, batch.tgt_in], 1), tgt_out=labels))


def build(arm: dict[str, Any], configuration: dict[str, Any]) -> Transformer | DecoderOnly:
    """A new model of an arm."""
    words = word_vocabulary(configuration["target"])
    preset = getattr(TransformerConfig, configuration["preset"])
    sizes = configuration["sizes"] | {"dropout": 0.0, "max_len": configuration["max_len"], "n_layers": arm["layers"]}
    config = preset(len(words), **sizes)
    return Transformer(config) if arm.get("stacks") == 2 else DecoderOnly(config, prefix=arm.get("prefix", False))


def train(
    arm: dict[str, Any], pairs: Sequence[LittlePair], seed: int, configuration: dict[str, Any]
) -> tuple[Transformer | DecoderOnly, int]:
    """A trained model of an arm, and the target tokens that it was trained on."""
    settings = TrainingSettings(seed=seed, **configuration["training"])
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = build(arm, configuration)
        kind, asked = (StreamTrainer, StreamLogits(model)) if arm.get("both") else (Trainer, model)
        trainer = kind(asked, encoded(pairs, word_vocabulary(configuration["target"])), settings)
        trainer.run(progress=False)
    return model.eval(), trainer.tokens


def grammar_loss(pairs: Sequence[LittlePair]) -> float:
    """The loss of the best possible model on these very translations, in nats per token, ``</s>`` included."""
    return -sum(log_prob(pair) for pair in pairs) / sum(pair.target_tokens for pair in pairs)


@torch.inference_mode()
def source_shares(model: DecoderOnly, pairs: Sequence[LittlePair], configuration: dict[str, Any]) -> list[float]:
    """In each layer, the share of its weights that a row of the target gives to the source: mean over rows and heads.

    The separator's row and all further rows count, in sentences taken one by one.
    """
    words, shares = word_vocabulary(configuration["target"]), []
    for source, target in encoded(pairs, words):
        src, tgt = torch.tensor([[*source, words.eos_id]]), torch.tensor([[words.bos_id, *target]])
        weights = model.weights(src, tgt)[:, 0, :, src.shape[1] :, : src.shape[1]]
        shares.append(weights.sum(-1).mean(dim=1))  # (n_layers, tgt_len)
    return [round(share, 4) for share in torch.cat(shares, dim=1).mean(dim=1).tolist()]


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm on the same pairs, and examine it on sentences that no arm was trained on.

    Returns:
        ``pairs``; ``grammar``, the grammar's own loss in nats per token; for each arm ``ARM_parameters``, ``ARM_loss``,
        ``ARM_right``, the share of sentences that greedy search translates right, and for the arms of one stack
        ``ARM_shares`` from :func:`source_shares`.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        words, tokens = word_vocabulary(configuration["target"]), 0
        pairs = training_pairs(seed, configuration)
        (examined,) = examined_pairs(seed, pairs, configuration).values()
        metrics: dict[str, Any] = {"pairs": len(pairs), "grammar": round(grammar_loss(examined), 5)}
        for name, arm in configuration["arms"].items():
            model, spent = train(arm, pairs, seed, configuration)
            tokens += spent
            metrics |= {
                f"{name}_parameters": sum(p.numel() for p in model.parameters()),
                f"{name}_loss": round(token_losses(model, examined, words).nanmean().item(), 5),
                f"{name}_right": share_right(model, examined, words),
            }
            if isinstance(model, DecoderOnly):
                metrics[f"{name}_shares"] = source_shares(model, examined[: configuration["opened"]], configuration)
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **metrics}
