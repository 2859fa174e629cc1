"""What each part of the Transformer is worth: one part left out or exchanged, everything else equal, trained anew.

The language is the little one, English to Spanish, whose entropy is known, so that a loss can be read as a distance
from the best possible. All arms of a seed see the same sentences in the same order, and those parameters that two arms
share start from the same numbers.
"""

from collections.abc import Sequence
from typing import Any

import torch

from ...analysis.ablated_parts import remove
from ...little_language.language import LittlePair, mean_entropy, sample, word_vocabulary
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.trainer import Trainer, TrainingSettings
from ..little_language_study import encoded, length, share_right, token_losses, training_pairs

QUESTION = "How much does a translator lose without each of its parts, at the same number of training tokens?"
CONFIGURATION = {
    "arms": {
        "whole": {},
        "no_scale": {"without": "scale"},
        "no_positions": {"model": {"positions": "none"}},
        "learned_positions": {"model": {"positions": "learned"}},
        "rotary_positions": {"model": {"positions": "rotary"}},
        "no_residuals": {"without": "residuals"},
        "post_norm": {"model": {"norm": "post"}},
        "no_feed_forward": {"without": "feed_forward"},
        "one_head": {"model": {"n_heads": 1}},
        "no_warm_up": {"training": {"warmup": 0.0}},
        "smoothed_labels": {"training": {"smoothing": 0.1}},
    },
    "target": "es",
    "preset": "tiny",
    "model": {"dropout": 0.0, "max_len": 64},
    "training": {"tokens": 250_000, "tokens_per_batch": 400, "peak_rate": 4e-3, "warmup": 0.04, "smoothing": 0.0},
    "drawn": 20_000,
    "clauses": {"1": 0.5, "2": 0.5},
    "longest": 16,
    "examined": 400,
}
"""An arm says what it changes: settings of the ``model`` or of the ``training``, or the part that it is ``without``."""
SEEDS = [0, 1, 2, 3, 4]


def held_out_pairs(seed: int, seen: Sequence[LittlePair], configuration: dict[str, Any]) -> list[LittlePair]:
    """New pairs, drawn as those of training were, whose English side is in no training pair."""
    clauses = {int(number): share for number, share in configuration["clauses"].items()}
    exclude, found, part = {pair.source for pair in seen}, [], 0
    while len(found) < configuration["examined"]:
        drawn = sample(500, 1_000 * (seed + 1) + part, configuration["target"], clauses, exclude)
        found += [pair for pair in drawn if length(pair) <= configuration["longest"]]
        part += 1
    return found[: configuration["examined"]]


def build(arm: dict[str, Any], seed: int, configuration: dict[str, Any]) -> Transformer:
    """The model of an arm before its first step."""
    words = word_vocabulary(configuration["target"])
    sizes = configuration["model"] | arm.get("model", {})
    config = getattr(TransformerConfig, configuration["preset"])(len(words), **sizes)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(config)
    return remove(model, arm["without"]) if "without" in arm else model


def train(arm: dict[str, Any], pairs: Sequence[LittlePair], seed: int, configuration: dict[str, Any]):
    """A trained model of an arm, and the target tokens that it was trained on."""
    model = build(arm, seed, configuration)
    settings = TrainingSettings(seed=seed, **(configuration["training"] | arm.get("training", {})))
    trainer = Trainer(model, encoded(pairs, word_vocabulary(configuration["target"])), settings)
    trainer.run(progress=False)
    return model.eval(), trainer.tokens


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm on the same pairs, and examine it on the same new ones.

    Returns:
        ``pairs``: how many were trained on; ``floor``: the entropy of the examined targets given their sources, in nats
        per token; and for each arm ``ARM/loss`` in nats per target token, ``ARM/right``, the share of sentences that
        the model, writing alone, turns into one of their translations, and ``ARM/parameters``.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        pairs = training_pairs(seed, configuration)
        new = held_out_pairs(seed, pairs, configuration)
        words = word_vocabulary(configuration["target"])
        metrics: dict[str, Any] = {"pairs": len(pairs), "floor": round(mean_entropy(new).per_token, 5)}
        tokens = 0
        for name, arm in configuration["arms"].items():
            model, spent = train(arm, pairs, seed, configuration)
            tokens += spent
            metrics[f"{name}/loss"] = round(token_losses(model, new, words).nanmean().item(), 5)
            metrics[f"{name}/right"] = share_right(model, new, words)
            metrics[f"{name}/parameters"] = sum(parameter.numel() for parameter in model.parameters())
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **metrics}
