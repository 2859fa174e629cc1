"""Embeddings with and without the factor √d_model, drawn small or large, tied to the output layer or not.

Every arm starts from the same draws: only the size of the embeddings and the factor behind them differ. So two arms in
which size times factor is the same compute the same encoder states before the first step; their logits differ, because
a tied output layer sees the size without the factor.
"""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from ...data.batching import Batch, token_batches
from ...little_language.language import mean_entropy, sample, word_vocabulary
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.losses import label_smoothed_cross_entropy
from ...training.schedules import warmup_then_decay
from ...training.trainer import validation_loss

QUESTION = "Does a Transformer need its embeddings multiplied by √d_model, and what does that depend on?"
ARMS = {
    "small_times_root": {"std": "1/√d_model", "factor": True, "tied": True, "small_positions": False},
    "small": {"std": "1/√d_model", "factor": False, "tied": True, "small_positions": False},
    "small_all": {"std": "1/√d_model", "factor": False, "tied": True, "small_positions": True},
    "large": {"std": "1", "factor": False, "tied": True, "small_positions": False},
    "large_untied": {"std": "1", "factor": False, "tied": False, "small_positions": False},
    "large_times_root": {"std": "1", "factor": True, "tied": True, "small_positions": False},
}
CONFIGURATION = {
    "arms": ARMS,
    "peak_rates": [4e-3, 1e-2],
    "steps": 300,
    "tokens_per_batch": 300,
    "warmup": 0.1,
    "clip": 1.0,
    "preset": "tiny",
    "train_pairs": 10_000,
    "held_out_pairs": 200,
    "curve_every": 50,
}
SEEDS = [0, 1, 2, 3, 4]


class ScaledTransformer(Transformer):
    """A Transformer whose embeddings have another size, and a factor of their own.

    Args:
        config: the shape.
        std: standard deviation of an embedding's numbers at the start.
        factor: what an embedding is multiplied by before its position is added.
        place_factor: what the position is multiplied by.
    """

    def __init__(self, config: TransformerConfig, std: float, factor: float, place_factor: float = 1.0):
        super().__init__(config)
        self.factor, self.place_factor = factor, place_factor
        with torch.no_grad():
            for weight in {self.src_embedding.weight, self.tgt_embedding.weight}:
                weight.mul_(std * math.sqrt(config.d_model))  # they were drawn with the standard deviation 1/√d_model

    def _embed(self, embedding: nn.Embedding, tokens: Tensor, start: int = 0) -> Tensor:
        end = start + tokens.shape[1]
        return self.dropout(embedding(tokens) * self.factor + self.positions[start:end] * self.place_factor)


def build(arm: dict[str, Any], config: TransformerConfig, seed: int) -> ScaledTransformer:
    """The model of an arm before its first step."""
    root = math.sqrt(config.d_model)
    config = replace(config, tie_embeddings=arm["tied"])
    std, factor = 1.0 if arm["std"] == "1" else 1 / root, root if arm["factor"] else 1.0
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return ScaledTransformer(config, std, factor, 1 / root if arm["small_positions"] else 1.0)


@torch.inference_mode()
def position_share(model: ScaledTransformer, batches: list[Batch]) -> float:
    """Which part of the squared length of a source vector, words and positions added up, is the positions'.

    Counted as |p|² / (|e|² + |p|²) with e and p as they are added, mean over the tokens of the batches.
    """
    shares = []
    for batch in batches:
        word = (model.src_embedding(batch.src) * model.factor).square().sum(-1)
        place = (model.positions[: batch.src.shape[1]] * model.place_factor).square().sum(-1)
        shares.append((place / (word + place))[batch.src != model.config.pad_id])
    return torch.cat(shares).mean().item()


@torch.inference_mode()
def first_logits(model: Transformer, batches: list[Batch]) -> dict[str, float]:
    """Variance of the logits over the vocabulary, and the mean logit of the token that was fed in."""
    variance, own = [], []
    for batch in batches:
        logits, real = model(batch.src, batch.tgt_in), batch.tgt_in != model.config.pad_id
        variance.append(logits.var(-1)[real])
        own.append(logits.gather(-1, batch.tgt_in[..., None])[..., 0][real])
    return {"logit_variance": torch.cat(variance).mean().item(), "own_logit": torch.cat(own).mean().item()}


def train(model: Transformer, encoded: list, held_out: list[Batch], seed: int, rate: float, setting: dict) -> dict:
    """Train, and measure the held-out loss in nats per token as it goes.

    Returns:
        ``curve``: the held-out loss every so many steps; ``tokens``: target tokens trained on.
    """
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    steps, curve, tokens, epoch, batches = setting["steps"], [], 0, 0, []
    for step in range(steps):
        if not batches:
            batches, epoch = token_batches(encoded, setting["tokens_per_batch"], seed, epoch), epoch + 1
        batch = batches.pop()
        for group in optimizer.param_groups:
            group["lr"] = warmup_then_decay(step + 1, steps, setting["warmup"] * steps, rate)
        loss = label_smoothed_cross_entropy(model.train()(batch.src, batch.tgt_in), batch.tgt_out, smoothing=0.0)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), setting["clip"])
        optimizer.step()
        tokens += batch.target_tokens
        if (step + 1) % setting["curve_every"] == 0:
            with torch.inference_mode():
                curve.append(round(validation_loss(model.eval(), held_out), 5))
    return {"curve": curve, "tokens": tokens}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm at every rate from the same draws on the same batches.

    Returns:
        ``floor``, the least possible held-out loss, ``log_vocabulary``, and metrics named ``ARM/WHAT`` at the start and
        ``ARM/RATE/WHAT`` after training.
    """
    words = word_vocabulary("es")
    pairs = sample(configuration["train_pairs"], seed=seed, clauses=1)
    seen = {pair.source for pair in pairs}
    new = sample(configuration["held_out_pairs"], seed=seed + 1_000, clauses=1, exclude=seen)
    as_ids = [[(words.encode(pair.source), words.encode(pair.target)) for pair in some] for some in (pairs, new)]
    held_out = token_batches(as_ids[1], 4000, seed=0, epoch=0)
    preset = getattr(TransformerConfig, configuration["preset"])
    metrics = {"floor": mean_entropy(new).per_token, "log_vocabulary": math.log(len(words))}
    tokens = 0
    for name, arm in configuration["arms"].items():
        config = preset(len(words), dropout=0.0)
        model = build(arm, config, seed).eval()
        with torch.inference_mode():
            metrics[f"{name}/first_loss"] = validation_loss(model, held_out)
        metrics |= {f"{name}/{what}": value for what, value in first_logits(model, held_out).items()}
        metrics[f"{name}/position_share"] = position_share(model, held_out)
        for rate in configuration["peak_rates"]:
            model = build(arm, config, seed)
            found = train(model, as_ids[0], held_out, seed, rate, configuration)
            tokens += found["tokens"]
            metrics[f"{name}/{rate:g}/curve"] = found["curve"]
            metrics[f"{name}/{rate:g}/loss"] = found["curve"][-1]
            metrics[f"{name}/{rate:g}/position_share"] = position_share(model, held_out)
    return {"tokens": tokens, **metrics}
