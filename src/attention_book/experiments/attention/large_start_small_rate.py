"""The arm that `with_and_without_the_root` lacks: scores that begin undivided, and a smaller learning rate for W^Q.

For Adam the division by √d_k is two things: a W^Q that begins √d_k times smaller, and a learning rate for W^Q that is
√d_k times smaller. ``divided`` has both, ``folded`` the small start alone, ``undivided`` neither. Here is the small
rate alone. Everything else is as in those arms: their models, batches, seeds and measurements.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F

from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ..toy_dictionary import Dictionary, with_start
from . import with_and_without_the_root as three_arms

QUESTION = "Does a Transformer learn from undivided scores if W^Q has a learning rate √d_k times smaller?"
CONFIGURATION = three_arms.CONFIGURATION | {"arms": ["large_start"]}
SEEDS = three_arms.SEEDS


def two_rates(model: Transformer, rate: float, rate_of_queries: float) -> torch.optim.Adam:
    """Adam with a learning rate of its own for all W^Q and their biases."""
    groups: dict[bool, list[torch.nn.Parameter]] = {True: [], False: []}
    for name, parameter in model.named_parameters():
        groups[".w_q." in name].append(parameter)
    queries = {"params": groups[True], "lr": rate_of_queries}
    return torch.optim.Adam([{"params": groups[False]}, queries], lr=rate, fused=True)


def train(
    model: Transformer, optimizer: torch.optim.Optimizer, language: Dictionary, seed: int, configuration: dict[str, Any]
) -> list[float]:
    """The training of `with_and_without_the_root.train`; returns the loss, means over ``every`` steps."""
    generator = torch.Generator().manual_seed(seed)
    noted: list[float] = []
    model.train()
    for _ in range(configuration["steps"]):
        src, target = language.sample(configuration["batch"], configuration["length"], generator)
        labels = F.pad(target, (0, 1), value=model.config.eos_id)
        logits = model(src, with_start(target, model.config.bos_id))
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        noted.append(loss.item())
    every = configuration["every"]
    return [sum(noted[i : i + every]) / len(noted[i : i + every]) for i in range(0, len(noted), every)]


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train the arm at every width and look at it before and after.

    Returns:
        Metrics named ``large_start/WIDTH/WHAT``, as `with_and_without_the_root.run_seed` names those of its arms:
        ``start_…``, ``end_…``, ``loss_curve`` and ``close_at``.
    """
    language = Dictionary(configuration["words"], configuration["synonyms"], torch.Generator().manual_seed(seed))
    floor, every, rate = language.floor(configuration["length"]), configuration["every"], configuration["learning_rate"]
    metrics, tokens = {"floor": floor}, 0
    for width in configuration["widths"]:
        config = TransformerConfig.tiny(language.vocab_size, d_k=width, **configuration["model"])
        model = three_arms.model_for("undivided", width, config, seed)
        optimizer = two_rates(model, rate, rate / math.sqrt(width))
        before = three_arms.examine(model, language, seed + 2_000, configuration)
        curve = train(model, optimizer, language, seed + 1_000, configuration)
        after = three_arms.examine(model, language, seed + 2_000, configuration)
        tokens += configuration["steps"] * configuration["batch"] * (configuration["length"] + 1)
        close = [i for i, loss in enumerate(curve) if loss < floor + configuration["close"]]
        name = f"large_start/{width}/"
        metrics |= {f"{name}start_{what}": float(f"{value:.6g}") for what, value in before.items()}
        metrics |= {f"{name}end_{what}": float(f"{value:.6g}") for what, value in after.items()}
        metrics[f"{name}loss_curve"] = [float(f"{value:.4g}") for value in curve]
        metrics[f"{name}close_at"] = every * (close[0] + 1) if close else configuration["steps"] + 1
    return {"tokens": tokens, **metrics}
