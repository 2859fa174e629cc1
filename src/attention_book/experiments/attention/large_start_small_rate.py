"""The arm that `with_and_without_the_root` lacks: scores that begin undivided, and a smaller learning rate for W^Q.

For Adam the division by √d_k is two things: a W^Q that begins √d_k times smaller, and a learning rate for W^Q that is
√d_k times smaller. ``divided`` has both, ``folded`` the small start alone, ``undivided`` neither. The small rate alone
is a model *with* the division whose W^Q is drawn √d_k times larger: the division is the small rate, and the larger draw
takes the small start back. So the very functions of `with_and_without_the_root` train it, and only its start is new.
"""

import math
from typing import Any

import torch

from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ..toy_dictionary import Dictionary
from . import with_and_without_the_root as three_arms

QUESTION = "Does a Transformer learn from undivided scores if W^Q has a learning rate √d_k times smaller?"
CONFIGURATION = three_arms.CONFIGURATION | {"arms": ["large_start"]}
SEEDS = three_arms.SEEDS


def model_for(d_k: int, config: TransformerConfig, seed: int) -> Transformer:
    """The divided model of this seed and width, with a W^Q that is √d_k times as large: its scores begin undivided."""
    model = three_arms.model_for("divided", d_k, config, seed)
    with torch.no_grad():
        for attention in three_arms.attentions(model):
            attention.w_q.weight *= math.sqrt(d_k)
    return model


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train the arm at every width and look at it before and after.

    Returns:
        Metrics named ``large_start/WIDTH/WHAT``, as `with_and_without_the_root.run_seed` names those of its arms:
        ``start_…``, ``end_…``, ``…_curve`` and ``close_at``. The norms of gradients are those of the divided form;
        with respect to the W^Q of the undivided form they are √d_k times as large.
    """
    language = Dictionary(configuration["words"], configuration["synonyms"], torch.Generator().manual_seed(seed))
    floor, every = language.floor(configuration["length"]), configuration["every"]
    metrics, tokens = {"floor": floor}, 0
    for width in configuration["widths"]:
        config = TransformerConfig.tiny(language.vocab_size, d_k=width, **configuration["model"])
        model = model_for(width, config, seed)
        before = three_arms.examine(model, language, seed + 2_000, configuration)
        curves = three_arms.train(model, language, seed + 1_000, configuration)
        after = three_arms.examine(model, language, seed + 2_000, configuration)
        tokens += configuration["steps"] * configuration["batch"] * (configuration["length"] + 1)
        close = [i for i, loss in enumerate(curves["loss"]) if loss < floor + configuration["close"]]
        name = f"large_start/{width}/"
        metrics |= {f"{name}start_{what}": float(f"{value:.6g}") for what, value in before.items()}
        metrics |= {f"{name}end_{what}": float(f"{value:.6g}") for what, value in after.items()}
        metrics |= {f"{name}{what}_curve": [float(f"{v:.4g}") for v in curve] for what, curve in curves.items()}
        metrics[f"{name}close_at"] = every * (close[0] + 1) if close else configuration["steps"] + 1
    return {"tokens": tokens, **metrics}
