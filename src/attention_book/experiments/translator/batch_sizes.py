"""The same number of target tokens, cut into many small batches or few large ones, each with several learning rates.

The language is the little one, English to Spanish, whose entropy is known: no model loses less on average than that.
A larger batch means fewer updates, each along a less noisy gradient, so the rate that suits it is another: every size
is tried with every rate, and the best rate of each is for the reader to take.
"""

import time
from collections.abc import Sequence
from typing import Any

import torch

from ...little_language.language import LittlePair, mean_entropy, word_vocabulary
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.trainer import Trainer, TrainingSettings
from ..little_language_study import encoded, examined_pairs, token_losses, training_pairs

QUESTION = "At a fixed number of target tokens, how large should a batch be?"
CONFIGURATION = {
    "sizes": [100, 300, 900],
    "rates": [2e-3, 4e-3, 8e-3, 16e-3],
    "target": "es",
    "preset": "tiny",
    "dropout": 0.0,
    "drawn": 10_000,
    "clauses": {"1": 0.5, "2": 0.5},
    "longest": 16,
    "training": {"tokens": 100_000, "smoothing": 0.0},
    "groups": {"one clause": [4, 12, 1], "two clauses": [9, 16, 2]},
    "examined": 150,
}
"""``sizes`` are tokens per batch, padding counted. ``longest`` and the ``groups`` [shortest, longest, clauses] count
tokens of the longer side, ``</s>`` included."""
SEEDS = [0, 1, 2, 3, 4]


def train(
    size: int, rate: float, pairs: Sequence[LittlePair], seed: int, configuration: dict[str, Any]
) -> tuple[Transformer, Trainer]:
    """A model trained with batches of one size at one peak rate; the trainer knows its steps and tokens."""
    words = word_vocabulary(configuration["target"])
    config = getattr(TransformerConfig, configuration["preset"])(len(words), dropout=configuration["dropout"])
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(config)
        settings = TrainingSettings(seed=seed, tokens_per_batch=size, peak_rate=rate, **configuration["training"])
        trainer = Trainer(model, encoded(pairs, words), settings)
        trainer.run(progress=False)
    return model.eval(), trainer


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train with each size and each rate on the same pairs from the same first parameters.

    Returns:
        ``floor``, the entropy of the examined targets given their sources in nats per token; ``pairs``; ``loss``, one
        row per size and one column per rate, in nats per token of pairs that training had not; ``steps``, the updates
        of each size; ``processor_seconds``, the time that one run of each size took the processor, its examination
        counted, mean over the rates.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        words = word_vocabulary(c["target"])
        pairs = training_pairs(seed, c)
        examined = [pair for group in examined_pairs(seed, pairs, c).values() for pair in group]
        losses, steps, times, tokens = [], [], [], 0
        for size in c["sizes"]:
            row, start = [], time.process_time()
            for rate in c["rates"]:
                model, trainer = train(size, rate, pairs, seed, c)
                tokens += trainer.tokens
                row.append(round(token_losses(model, examined, words).nanmean().item(), 5))
            losses.append(row)
            steps.append(trainer.step)
            times.append(round((time.process_time() - start) / len(c["rates"]), 2))
    finally:
        torch.set_num_threads(threads)
    floor = round(mean_entropy(examined).per_token, 5)
    return {
        "tokens": tokens,
        "pairs": len(pairs),
        "floor": floor,
        "loss": losses,
        "steps": steps,
        "processor_seconds": times,
    }
