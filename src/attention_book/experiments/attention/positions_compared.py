"""Four ways to tell a translator where a word stands, trained on short sentences and examined on short and long ones.

The language is the little one, English to Spanish, whose entropy is known: no model loses less on average than the
floor. Training sees sentences of one and two clauses, up to a length. Of the longer sentences examined, those of two
clauses hold nothing that training lacked, except that they are longer; three and four clauses are new.
"""

from collections.abc import Sequence
from typing import Any

import torch

from ...little_language.language import LittlePair, mean_entropy, word_vocabulary
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ...training.trainer import Trainer, TrainingSettings
from ..little_language_study import encoded, examined_pairs, share_right, token_losses, training_pairs

QUESTION = "How well do sinusoidal, learned, rotary and no positions serve inside and beyond the training length?"
CONFIGURATION = {
    "kinds": ["none", "sinusoidal", "learned", "rotary"],
    "target": "es",
    "preset": "tiny",
    "dropout": 0.0,
    "max_len": 128,
    "drawn": 20_000,
    "clauses": {"1": 0.5, "2": 0.5},
    "longest": 16,
    "training": {"tokens": 500_000, "tokens_per_batch": 400, "peak_rate": 4e-3, "smoothing": 0.0},
    "groups": {
        "4–8": [4, 8, 1],
        "9–12": [9, 12, 2],
        "13–16": [13, 16, 2],
        "17–20": [17, 20, 2],
        "21–24": [21, 24, 2],
        "25–32": [25, 32, 3],
        "33–40": [33, 40, 4],
    },
    "examined": 120,
}
"""``longest`` and the ``groups`` [shortest, longest, clauses] count tokens of the longer side, ``</s>`` included."""
SEEDS = [0, 1, 2, 3, 4]


def train(kind: str, pairs: Sequence[LittlePair], seed: int, configuration: dict[str, Any]) -> tuple[Transformer, int]:
    """A model with positions of one kind, and the target tokens that it was trained on."""
    words = word_vocabulary(configuration["target"])
    sizes = {"dropout": configuration["dropout"], "max_len": configuration["max_len"]}
    config = getattr(TransformerConfig, configuration["preset"])(len(words), positions=kind, **sizes)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(config)
        settings = TrainingSettings(seed=seed, **configuration["training"])
        trainer = Trainer(model, encoded(pairs, words), settings)
        trainer.run(progress=False)
    return model.eval(), trainer.tokens


def examine(
    model: Transformer, groups: dict[str, list[LittlePair]], configuration: dict[str, Any]
) -> dict[str, list[float]]:
    """Loss a token and share of right sentences for each group; and the loss at each target position of long pairs."""
    words = word_vocabulary(configuration["target"])
    losses = {name: token_losses(model, pairs, words) for name, pairs in groups.items()}
    beyond = [name for name, (shortest, *_) in configuration["groups"].items() if shortest > configuration["longest"]]
    width = max(losses[name].shape[1] for name in beyond)
    long = torch.cat(
        [torch.nn.functional.pad(losses[n], (0, width - losses[n].shape[1]), value=torch.nan) for n in beyond]
    )
    shared = (~long.isnan()).sum(0) >= configuration["examined"]  # positions that enough sentences reach
    return {
        "loss": [round(values.nanmean().item(), 5) for values in losses.values()],
        "right": [share_right(model, pairs, words) for pairs in groups.values()],
        "at_position": [round(value, 5) for value in long[:, shared].nanmean(0).tolist()],
    }


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train each kind on the same pairs from the same other parameters, and examine it.

    Returns:
        ``floor``: for each group the entropy of the target given the source, in nats per token; ``pairs``: how many
        were trained on; for each kind ``KIND_loss``, ``KIND_right``, ``KIND_at_position`` from :func:`examine`; and for
        the learned positions the mean length of the trained vectors and of those that training never reached, and
        ``cut_loss``: the losses when the latter are set to zero.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        pairs = training_pairs(seed, configuration)
        groups = examined_pairs(seed, pairs, configuration)
        metrics: dict[str, Any] = {
            "pairs": len(pairs),
            "floor": [round(mean_entropy(group).per_token, 5) for group in groups.values()],
        }
        tokens = 0
        for kind in configuration["kinds"]:
            model, spent = train(kind, pairs, seed, configuration)
            tokens += spent
            found = examine(model, groups, configuration)
            metrics |= {f"{kind}_{name}": values for name, values in found.items()}
            if kind == "learned":
                metrics |= _untrained(model, groups, configuration)
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **metrics}


@torch.no_grad()
def _untrained(
    model: Transformer, groups: dict[str, list[LittlePair]], configuration: dict[str, Any]
) -> dict[str, float | list[float]]:
    """How long learned vectors are inside and beyond the training length, and the loss without the latter."""
    norms, reached = model.positions.norm(dim=-1), configuration["longest"]
    metrics: dict[str, float | list[float]] = {
        "norm_inside": round(norms[:reached].mean().item(), 5),
        "norm_beyond": round(norms[reached:].mean().item(), 5),
    }
    model.positions[reached:] = 0
    words = word_vocabulary(configuration["target"])
    cut = [token_losses(model, group, words).nanmean().item() for group in groups.values()]
    return metrics | {"cut_loss": [round(loss, 5) for loss in cut]}
