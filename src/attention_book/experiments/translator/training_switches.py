"""Switches of the training recipe, turned one at a time on the little language: what does each of them do?

Every arm trains the tiny model on as many target tokens, from the same first parameters, on pairs drawn from the same
grammar, and is examined on sentences whose English side no training pair has. An arm says only in what it differs from
the first one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ...data.batching import token_batches
from ...little_language.language import LittlePair, WordVocabulary, mean_entropy, word_vocabulary
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.trainer import Trainer, TrainingSettings
from ..little_language_study import encoded, examined_pairs, share_right, token_losses, training_pairs

QUESTION = "What do smoothing, decay, averaging, dropout, clipping and tied embeddings each do to a small translator?"
CONFIGURATION = {
    "target": "es",
    "preset": "tiny",
    "drawn": 20_000,
    "clauses": {"1": 1.0},
    "longest": 16,
    "groups": {"new": [3, 16, 1]},
    "examined": 200,
    "model": {"dropout": 0.0, "max_len": 64},
    "training": {"tokens": 150_000, "tokens_per_batch": 400, "peak_rate": 4e-3, "smoothing": 0.0},
    "snapshots": {"kept": 5, "apart": 7_500},
    "arms": {
        "plain": {},
        "smoothed": {"training": {"smoothing": 0.1}},
        "constant": {"stretch": 1000},
        "untied": {"model": {"tie_embeddings": False}},
        "fast": {"training": {"peak_rate": 1.6e-2}},
        "fast_unclipped": {"training": {"peak_rate": 1.6e-2, "clip": 1e9}},
        "few": {"pairs": 500},
        "few_dropped": {"pairs": 500, "model": {"dropout": 0.2}},
    },
}
"""``stretch``: the learning rate follows the schedule of a budget so many times as large, and hardly falls. ``pairs``:
how many pairs are trained on, again and again; without it all that were drawn. ``apart``: target tokens from one
snapshot of the weights to the next."""
SEEDS = [0, 1, 2, 3, 4]


@dataclass
class Run:
    """A model that was trained, and what was noted on the way.

    Attributes:
        model: in evaluation mode.
        tokens: target tokens trained on.
        norms: of the whole gradient at each step, as the optimizer was given it: at most ``clip``.
        snapshots: the parameters at the last snapshots, oldest first; the last one holds those of the end.
    """

    model: Transformer
    tokens: int
    norms: list[float] = field(default_factory=list)
    snapshots: list[dict[str, Tensor]] = field(default_factory=list)


def train(arm: dict[str, Any], pairs: Sequence[LittlePair], seed: int, configuration: dict[str, Any]) -> Run:
    """Train one arm: the trainer's own steps, on a schedule that may be stretched beyond the budget."""
    words = word_vocabulary(configuration["target"])
    sizes = configuration["model"] | arm.get("model", {})
    training = configuration["training"] | arm.get("training", {})
    budget, stretch = training["tokens"], arm.get("stretch", 1)
    settings = TrainingSettings(seed=seed, **training | {"tokens": budget * stretch, "warmup": 0.04 / stretch})
    kept, apart = configuration["snapshots"]["kept"], configuration["snapshots"]["apart"]
    due = [budget - apart * back for back in range(kept - 1, -1, -1)]
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(getattr(TransformerConfig, configuration["preset"])(len(words), **sizes))
        trainer = Trainer(model, encoded(pairs[: arm.get("pairs")], words), settings)
        run = Run(model, 0)
        while trainer.tokens < budget:
            for batch in token_batches(trainer.encoded, settings.tokens_per_batch, seed, trainer.epoch):
                trainer.train_step(batch)
                trainer.tokens += batch.target_tokens
                trainer.step += 1
                run.norms.append(gradient_norm(model))
                while due and trainer.tokens >= due[0]:
                    due.pop(0)
                    run.snapshots.append({name: p.detach().clone() for name, p in model.named_parameters()})
                if trainer.tokens >= budget:
                    break
            trainer.epoch += 1
    run.tokens = trainer.tokens
    model.eval()
    return run


def gradient_norm(model: Transformer) -> float:
    """The length of the whole gradient, all parameters together."""
    return math.sqrt(sum(p.grad.square().sum().item() for p in model.parameters()))


def put_mean(model: Transformer, snapshots: Sequence[dict[str, Tensor]]) -> None:
    """Give a model the mean of each parameter over the snapshots."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.stack([snapshot[name] for snapshot in snapshots]).mean(0))


@torch.inference_mode()
def confidences(model: Transformer, pairs: Sequence[LittlePair], words: WordVocabulary) -> tuple[Tensor, Tensor]:
    """For each target token, given the true prefix: the largest probability, and whether it is the true token's."""
    largest, right = [], []
    for batch in token_batches(encoded(pairs, words), 2000, seed=0, epoch=0):
        top, token = model(batch.src, batch.tgt_in).softmax(-1).max(-1)
        real = batch.tgt_out != words.pad_id
        largest.append(top[real])
        right.append((token == batch.tgt_out)[real])
    return torch.cat(largest), torch.cat(right)


def examine(run: Run, pairs: Sequence[LittlePair], seen: Sequence[LittlePair], words: WordVocabulary) -> dict[str, Any]:
    """What an arm came to on new pairs, and on some of those that it was trained on.

    Returns:
        ``loss``, the mean in nats per target token without smoothing; ``right``, the share of sentences that greedy
        search translates right; ``confidence``, the mean of the largest probability, ``typical``, its median, and
        ``hit``, how often it is that of the true token; ``seen_loss``, the loss on pairs of the training;
        ``averaged_loss`` and ``averaged_right``, with the mean of the snapshots; ``parameters``; the median and the
        largest norm of the gradient.
    """
    model = run.model
    top, hit = confidences(model, pairs, words)
    norms = torch.tensor(run.norms, dtype=torch.float64)
    found = {
        "loss": token_losses(model, pairs, words).nanmean().item(),
        "right": share_right(model, pairs, words),
        "confidence": top.double().mean().item(),
        "typical": top.median().item(),
        "hit": hit.double().mean().item(),
        "seen_loss": token_losses(model, seen, words).nanmean().item(),
        "median_norm": norms.median().item(),
        "largest_norm": norms.max().item(),
        "parameters": sum(p.numel() for p in model.parameters()),
    }
    put_mean(model, run.snapshots)
    found["averaged_loss"] = token_losses(model, pairs, words).nanmean().item()
    found["averaged_right"] = share_right(model, pairs, words)
    return {name: round(value, 5) if isinstance(value, float) else value for name, value in found.items()}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm on the same pairs from the same first parameters, and examine it.

    Returns:
        ``floor``: the entropy of the examined targets given the source, in nats per token; ``pairs``: how many were
        drawn for training; for each arm ``ARM_WHAT`` with what :func:`examine` found.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        words = word_vocabulary(configuration["target"])
        pairs = training_pairs(seed, configuration)
        new = [pair for group in examined_pairs(seed, pairs, configuration).values() for pair in group]
        metrics: dict[str, Any] = {"pairs": len(pairs), "floor": round(mean_entropy(new).per_token, 5)}
        tokens = 0
        for name, arm in configuration["arms"].items():
            run = train(arm, pairs, seed, configuration)
            tokens += run.tokens
            seen = pairs[: arm.get("pairs")][: len(new)]
            metrics |= {f"{name}_{what}": value for what, value in examine(run, new, seen, words).items()}
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **metrics}
