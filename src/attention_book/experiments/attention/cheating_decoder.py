"""A decoder that sees the whole target in training: what its loss promises, and what it can do alone.

The language is a dictionary. A source sentence is a row of words, drawn evenly; its translation puts each word's
translation at the same place. Each word has several synonyms to choose from, and a fair coin chooses. So a model that
does not see the answer cannot lose less than ``floor``, and one that does not know the source is right with
probability ``chance``: 1 in so many words.
"""

from typing import Any

import torch
import torch.nn.functional as F

from ...models.config import TransformerConfig
from ...models.transformer import Transformer
from ..toy_dictionary import Dictionary, UnmaskedTransformer, with_start

QUESTION = "What does a translator learn whose decoder is not kept from looking ahead in training?"
CONFIGURATION = {
    "words": [16, 64],
    "synonyms": 2,
    "length": 6,
    "preset": "tiny",
    "dropout": 0.0,
    "batch": 64,
    "steps": 1000,
    "learning_rate": 1e-3,
    "held_out": 500,
    "curve_every": 20,
}
SEEDS = [0, 1, 2, 3, 4]


def train(model: Transformer, language: Dictionary, seed: int, configuration: dict[str, Any]) -> list[float]:
    """Train with the whole target given; returns the loss of each step, in nats per token."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=configuration["learning_rate"])
    losses = []
    for _ in range(configuration["steps"]):
        src, target = language.sample(configuration["batch"], configuration["length"], generator)
        labels = F.pad(target, (0, 1), value=model.config.eos_id)
        logits = model(src, with_start(target, model.config.bos_id))
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.inference_mode()
def examine(model: Transformer, language: Dictionary, seed: int, configuration: dict[str, Any]) -> dict[str, float]:
    """The share of right words on new sentences, as the model is given less and less of the answer."""
    length = configuration["length"]
    src, target = language.sample(configuration["held_out"], length, torch.Generator().manual_seed(seed))
    given = with_start(target, model.config.bos_id)
    memory = model.encode(src)
    whole = model.decode(given, memory).argmax(-1)[:, :length]
    masked = Transformer.decode(_with_mask(model), given, memory).argmax(-1)[:, :length]
    prefix = [model.decode(given[:, : i + 1], memory)[:, -1].argmax(-1) for i in range(length)]
    own = given[:, :1]
    for _ in range(length):
        own = torch.cat([own, model.decode(own, memory)[:, -1:].argmax(-1)], dim=1)
    return {
        "whole_target": language.share_right(whole, target),
        "mask_put_on": language.share_right(masked, target),
        "prefix_only": language.share_right(torch.stack(prefix, dim=1), target),
        "alone": language.share_right(own[:, 1:], target),
    }


def _with_mask(model: Transformer) -> Transformer:
    """The same weights in a model that masks."""
    with torch.random.fork_rng():
        masked = Transformer(model.config).eval()
    masked.load_state_dict(model.state_dict())
    return masked


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train both decoders on each language from the same first weights and examine them.

    Returns:
        Metrics named ``ARM_WORDS_WHAT``, such as ``unmasked_64_alone``.
    """
    length, every, metrics, tokens = configuration["length"], configuration["curve_every"], {}, 0
    for words in configuration["words"]:
        language = Dictionary(words, configuration["synonyms"], torch.Generator().manual_seed(seed))
        metrics |= {f"floor_{words}": language.floor(length), f"chance_{words}": 1 / words}
        preset = getattr(TransformerConfig, configuration["preset"])
        config = preset(language.vocab_size, dropout=configuration["dropout"])
        for arm, kind in (("masked", Transformer), ("unmasked", UnmaskedTransformer)):
            with torch.random.fork_rng():
                torch.manual_seed(seed)
                model = kind(config)
            losses = train(model, language, seed + 1_000, configuration)
            tokens += len(losses) * configuration["batch"] * (length + 1)
            found = examine(model.eval(), language, seed + 2_000, configuration)
            found["loss"] = sum(losses[-50:]) / len(losses[-50:])
            metrics |= {f"{arm}_{words}_{name}": value for name, value in found.items()}
            windows = [losses[i : i + every] for i in range(0, len(losses), every)]
            metrics[f"{arm}_{words}_curve"] = [round(sum(window) / len(window), 5) for window in windows]
    return {"tokens": tokens, **metrics}
