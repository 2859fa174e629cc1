"""A small Transformer trained with the division by √d_k and without it, at three widths of its heads.

The task is the dictionary of `cheating_decoder`: translate each word in its place by one of its synonyms, so that the
least possible loss is known. Only the width d_k of queries and keys changes between models, and how their scores begin:

- ``divided``: as in the paper; queries and keys start with components of variance 1;
- ``undivided``: the same parameters at the start, without the division;
- ``folded``: without the division, W^Q being drawn √d_k times smaller, so that the scores start as in ``divided``
  (the published code of T5 does this);
- ``glorot_divided`` and ``glorot_undivided``: the Glorot-uniform matrices of this book's models, whose queries and keys
  have a smaller variance the wider the heads are.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ...attention.multi_head import MultiHeadAttention, split_heads
from ...attention.probability import entropy
from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ..toy_dictionary import Dictionary, with_start

QUESTION = "What does a Transformer lose without the division of its scores by √d_k?"
CONFIGURATION = {
    "arms": ["divided", "undivided", "folded", "glorot_divided", "glorot_undivided"],
    "widths": [16, 64, 256],
    "words": 16,
    "synonyms": 2,
    "length": 6,
    "model": {"n_layers": 1, "n_heads": 2, "d_v": 32, "dropout": 0.0},
    "batch": 32,
    "steps": 600,
    "learning_rate": 1e-3,
    "held_out": 300,
    "every": 20,
    "close": 0.2,
    "saturated": 0.99,
}
SEEDS = (0, 1, 2, 3, 4)


def multiply_queries(attention: MultiHeadAttention) -> None:
    """Undo the division inside: queries √d_k times as long give scores √d_k times as large."""
    root = math.sqrt(attention.d_k)
    attention.w_q.register_forward_hook(lambda layer, inputs, q: root * q)


def model_for(arm: str, d_k: int, config: TransformerConfig, seed: int) -> Transformer:
    """A model of one arm; arms of one seed and width start from the same random numbers."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(config)
        for attention in attentions(model):
            if not arm.startswith("glorot"):
                for layer in (attention.w_q, attention.w_k):
                    nn.init.normal_(layer.weight, std=config.d_model**-0.5)
            if arm == "folded":
                with torch.no_grad():
                    attention.w_q.weight /= math.sqrt(d_k)
            if arm not in ("divided", "glorot_divided"):
                multiply_queries(attention)
    return model


def attentions(model: Transformer) -> list[MultiHeadAttention]:
    """Its attentions, in the order in which they are run: of the encoder, of the decoder, from decoder to encoder."""
    return [module for module in model.modules() if isinstance(module, MultiHeadAttention)]


def scores_of(attention: MultiHeadAttention, kept: dict) -> Float[Tensor, "batch n_heads q_len k_len"]:
    """What its softmax was given at the last pass, masked or not."""
    q, k = (split_heads(kept[layer], attention.n_heads) for layer in (attention.w_q, attention.w_k))
    return q @ k.transpose(-2, -1) / math.sqrt(attention.d_k)


@torch.inference_mode()
def examine(model: Transformer, language: Dictionary, seed: int, configuration: dict[str, Any]) -> dict[str, float]:
    """Loss on new sentences, and how decided the attentions are.

    Returns:
        ``loss`` and ``right`` (share of words, the right prefix given). For the attentions ``encoder``, of the source
        to itself, and ``cross``, of the target to the source: ``…_spread``, the root of the mean variance of a row of
        scores; ``…_entropy``, of a row of weights, as a share of log n; ``…_saturated``, the share of rows whose
        largest weight is above ``saturated``.
    """
    length, model = configuration["length"], model.eval()
    src, target = language.sample(configuration["held_out"], length, torch.Generator().manual_seed(seed))
    given, labels = with_start(target, model.config.bos_id), F.pad(target, (0, 1), value=model.config.eos_id)
    kept, hooks = {}, []
    for attention in attentions(model):
        for layer in (attention.w_q, attention.w_k):
            hooks.append(layer.register_forward_hook(lambda layer, inputs, output: kept.update({layer: output})))
    logits = model(src, given)
    for hook in hooks:
        hook.remove()
    found = {
        "loss": F.cross_entropy(logits.flatten(0, 1), labels.flatten()).item(),
        "right": language.share_right(logits.argmax(-1)[:, :length], target),
    }
    encoder, _, cross = attentions(model)
    for name, attention in (("encoder", encoder), ("cross", cross)):
        scores = scores_of(attention, kept)
        weights = scores.softmax(dim=-1)
        found[f"{name}_spread"] = scores.var(dim=-1, unbiased=False).mean().sqrt().item()
        found[f"{name}_entropy"] = entropy(weights).mean().item() / math.log(scores.shape[-1])
        found[f"{name}_saturated"] = (weights.amax(-1) > configuration["saturated"]).double().mean().item()
    return found


def gradient_norms(model: Transformer) -> dict[str, float]:
    """Norm of the gradient with respect to all W^Q, all W^K, and everything else."""
    gradients: dict[str, list[Tensor]] = {"w_q": [], "w_k": [], "rest": []}
    for name, parameter in model.named_parameters():
        kind = next((kind for kind in ("w_q", "w_k") if f".{kind}.weight" in name), "rest")
        gradients[kind].append(parameter.grad)
    return {kind: nn.utils.get_total_norm(each).item() for kind, each in gradients.items()}


def train(model: Transformer, language: Dictionary, seed: int, configuration: dict[str, Any]) -> dict[str, list[float]]:
    """Train a model; returns the loss and the gradient norms, means over ``every`` steps."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=configuration["learning_rate"], fused=True)
    noted: dict[str, list[float]] = {name: [] for name in ("loss", "w_q", "w_k", "rest")}
    model.train()
    for _ in range(configuration["steps"]):
        src, target = language.sample(configuration["batch"], configuration["length"], generator)
        labels = F.pad(target, (0, 1), value=model.config.eos_id)
        logits = model(src, with_start(target, model.config.bos_id))
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        for name, value in ({"loss": loss.item()} | gradient_norms(model)).items():
            noted[name].append(value)
        optimizer.step()
    every = configuration["every"]
    return {
        name: [sum(values[i : i + every]) / len(values[i : i + every]) for i in range(0, len(values), every)]
        for name, values in noted.items()
    }


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm at every width and look at it before and after.

    Returns:
        Metrics named ``ARM/WIDTH/WHAT``: those of `examine` as ``start_…`` and ``end_…``, the four curves of `train` as
        ``…_curve``, and ``close_at``, the first step at which the training loss, averaged over ``every`` steps, is
        within ``close`` nats of the floor; one more than ``steps`` if it never is.
    """
    language = Dictionary(configuration["words"], configuration["synonyms"], torch.Generator().manual_seed(seed))
    floor, every = language.floor(configuration["length"]), configuration["every"]
    metrics, tokens = {"floor": floor}, 0
    for width in configuration["widths"]:
        config = TransformerConfig.tiny(language.vocab_size, d_k=width, **configuration["model"])
        for arm in configuration["arms"]:
            model = model_for(arm, width, config, seed)
            before = examine(model, language, seed + 2_000, configuration)
            curves = train(model, language, seed + 1_000, configuration)
            after = examine(model, language, seed + 2_000, configuration)
            tokens += configuration["steps"] * configuration["batch"] * (configuration["length"] + 1)
            close = [i for i, loss in enumerate(curves["loss"]) if loss < floor + configuration["close"]]
            name = f"{arm}/{width}/"
            metrics |= {f"{name}start_{what}": float(f"{value:.6g}") for what, value in before.items()}
            metrics |= {f"{name}end_{what}": float(f"{value:.6g}") for what, value in after.items()}
            metrics |= {f"{name}{what}_curve": [float(f"{v:.4g}") for v in curve] for what, curve in curves.items()}
            metrics[f"{name}close_at"] = every * (close[0] + 1) if close else configuration["steps"] + 1
    return {"tokens": tokens, **metrics}
