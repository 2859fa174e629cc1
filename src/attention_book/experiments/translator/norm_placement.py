"""Deep, narrow translators that normalise before or after each sublayer, trained with and without a warm-up.

The language is the little one, English to Spanish, whose entropy is known: no model loses less on average than the
floor. The two kinds of model start from the same matrices, and all trainings of a seed see the same batches.
"""

from typing import Any

import torch

from ...data.batching import token_batches
from ...little_language.language import mean_entropy, sample, word_vocabulary
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.trainer import Trainer, TrainingSettings, validation_loss
from ..little_language_study import encoded

QUESTION = "Does a Transformer of six layers learn without a warm-up, with the norm before and after each sublayer?"
CONFIGURATION = {
    "arms": {
        "pre_warm": {"norm": "pre", "warmup": 0.1},
        "pre_cold": {"norm": "pre", "warmup": 0.0},
        "post_warm": {"norm": "post", "warmup": 0.1},
        "post_cold": {"norm": "post", "warmup": 0.0},
    },
    "peak_rates": [1e-3, 4e-3],
    "target": "es",
    "preset": "tiny",
    "n_layers": 6,
    "dropout": 0.0,
    "drawn": 20_000,
    "clauses": {"1": 0.5, "2": 0.5},
    "held_out": 100,
    "training": {
        "tokens": 80_000,
        "tokens_per_batch": 400,
        "smoothing": 0.0,
        "validate_every": 16_000,
    },
}
"""``warmup`` is the share of the tokens during which the learning rate rises to its peak."""
SEEDS = [0, 1, 2, 3, 4]


def build(norm: str, seed: int, configuration: dict[str, Any]) -> Transformer:
    """The model of an arm before its first step: at one seed, the matrices are the same whatever the norm."""
    words = word_vocabulary(configuration["target"])
    sizes = {name: configuration[name] for name in ("n_layers", "dropout")}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Transformer(getattr(TransformerConfig, configuration["preset"])(len(words), norm=norm, **sizes))


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm at every peak rate on the same batches.

    Returns:
        ``floor``: the entropy of the held-out targets given their sources, in nats per token; ``seen``: the target
        tokens at each validation; and for each arm and rate ``ARM/RATE/curve``, the held-out loss at these, and
        ``ARM/RATE/loss``, the last of them.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        words = word_vocabulary(configuration["target"])
        clauses = {int(number): share for number, share in configuration["clauses"].items()}
        pairs = sample(configuration["drawn"], seed, configuration["target"], clauses)
        seen = {pair.source for pair in pairs}
        new = sample(configuration["held_out"], seed + 1_000, configuration["target"], clauses, exclude=seen)
        held_out = token_batches(encoded(new, words), 2_000, seed=0, epoch=0)
        metrics: dict[str, Any] = {"floor": round(mean_entropy(new).per_token, 5)}
        tokens = 0
        for name, arm in configuration["arms"].items():
            for rate in configuration["peak_rates"]:
                training = {"peak_rate": rate, "warmup": arm["warmup"], **configuration["training"]}
                trainer = Trainer(
                    build(arm["norm"], seed, configuration),
                    encoded(pairs, words),
                    TrainingSettings(seed=seed, **training),
                    validate=lambda model: {"validation_loss": validation_loss(model, held_out)},
                )
                trainer.run(progress=False)
                tokens += trainer.tokens
                metrics["seen"] = [record["tokens"] for record in trainer.curve]
                metrics[f"{name}/{rate:g}/curve"] = [round(record["validation_loss"], 5) for record in trainer.curve]
                metrics[f"{name}/{rate:g}/loss"] = metrics[f"{name}/{rate:g}/curve"][-1]
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **metrics}
