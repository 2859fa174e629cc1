"""What the shipped translator loses when one of its three uses of attention stops choosing, or stops reading."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int

from ...analysis.ablation import fixed
from ...data.batching import Encoded, encode_pairs
from ...data.corpora import load
from ...data.subwords import Subwords
from ...models.transformer import Transformer
from ...translation.translator import Translator

QUESTION = "What does a trained translator lose when one of its three uses of attention gets fixed weights, or none?"
CONFIGURATION = {
    "translator": "en-es",
    "corpus": "tatoeba-en-es",
    "split": "validation",
    "sentences": 500,
    "arms": [
        "encoder_self/even",
        "encoder_self/itself",
        "encoder_self/silent",
        "decoder_self/even",
        "decoder_self/itself",
        "decoder_self/silent",
        "cross/even",
        "cross/silent",
        "cross/another",
    ],
    "lengths": {"up to 7": [1, 7], "8 to 10": [8, 10], "11 and more": [11, 1000]},
}
"""``lengths``: the least and the largest number of source tokens, without special ones, of each group of sentences."""
SEEDS = [1]


def partners(n: int, seed: int) -> Int[np.ndarray, " n"]:
    """For each of n sentences another one, each once: a single ring through all of them, in a drawn order.

    Raises:
        ValueError: if there are fewer than two.
    """
    if n < 2:
        raise ValueError(f"{n} sentences: a sentence needs another one to be given the source of")
    order = np.random.default_rng(seed).permutation(n)
    chosen = np.empty(n, dtype=int)
    chosen[order] = np.roll(order, -1)
    return chosen


@torch.inference_mode()
def scores(
    model: Transformer, encoded: Sequence[Encoded], sources: Sequence[int] | None = None
) -> tuple[Float[np.ndarray, " sentences"], Int[np.ndarray, " sentences"]]:
    """Loss and right guesses of each sentence, summed over its target tokens, ``</s>`` among them.

    Args:
        model: in evaluation mode.
        encoded: source and target ids of each pair, without special tokens. They go one by one, without padding.
        sources: for each pair, the place of the pair whose source is read in place of its own.

    Returns:
        Nats, without label smoothing, and how often the most probable token is the right one.
    """
    losses, right = [], []
    for place, (_, target) in enumerate(encoded):
        source = encoded[place if sources is None else sources[place]][0]
        tgt = torch.tensor([[Subwords.bos_id, *target]])
        asked = torch.tensor([*target, Subwords.eos_id])
        logits = model(torch.tensor([[*source, Subwords.eos_id]]), tgt)[0].double()
        losses.append(float(F.cross_entropy(logits, asked, reduction="sum")))
        right.append(int((logits.argmax(dim=-1) == asked).sum()))
    return np.array(losses), np.array(right)


def change(differences: Float[np.ndarray, " sentences"], tokens: Int[np.ndarray, " sentences"]) -> tuple[float, float]:
    """A difference a token and its standard error over sentences, by the delta method for a ratio of two sums.

    Args:
        differences: of each sentence, summed over its tokens.
        tokens: how many it has.
    """
    mean = differences.sum() / tokens.sum()
    residual = differences - mean * tokens
    return float(mean), float(math.sqrt(len(tokens)) * residual.std(ddof=1) / tokens.sum())


def by_length(
    differences: Float[np.ndarray, " sentences"],
    tokens: Int[np.ndarray, " sentences"],
    lengths: Int[np.ndarray, " sentences"],
    groups: Mapping[str, Sequence[int]],
) -> dict[str, tuple[float, float]]:
    """:func:`change` of each group of sentences by its name; a group of fewer than two sentences is left out.

    Args:
        differences, tokens: as in :func:`change`.
        lengths: how many source tokens each sentence has.
        groups: by name, the least and the largest length that belong to it.
    """
    inside = {name: (least <= lengths) & (lengths <= most) for name, (least, most) in groups.items()}
    return {name: change(differences[here], tokens[here]) for name, here in inside.items() if here.sum() > 1}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Score the same sentences with the whole translator and in every arm.

    Returns:
        ``loss`` and ``right`` of the whole translator, a token; ``arms``: for each arm ``loss``, ``right``, and
        ``change``, the change of the loss per token with its standard error over sentences, and ``by_length``, the same
        for each group of lengths; ``in_group``, how many sentences are in each. ``tokens`` is 0: nothing is trained.
        The seed draws whose source a sentence is given in the arm ``cross/another``.
    """
    pairs = getattr(load(configuration["corpus"]), configuration["split"])[: configuration["sentences"]]
    translator = Translator.from_pretrained(configuration["translator"])
    model = translator.model.eval()
    encoded = encode_pairs(pairs, translator.subwords, model.config.max_len)
    tokens = np.array([len(target) + 1 for _, target in encoded])
    lengths, groups = np.array([len(source) for source, _ in encoded]), configuration["lengths"]
    whole, right = scores(model, encoded)
    arms = {}
    for arm in configuration["arms"]:
        use, _, way = arm.partition("/")
        if way == "another":
            found, guessed = scores(model, encoded, partners(len(encoded), seed).tolist())
        else:
            with fixed(model, use, way):
                found, guessed = scores(model, encoded)
        arms[arm] = {
            "loss": round(float(found.sum() / tokens.sum()), 6),
            "change": [round(x, 6) for x in change(found - whole, tokens)],
            "right": round(float(guessed.sum() / tokens.sum()), 6),
            "by_length": {
                name: [round(x, 6) for x in both]
                for name, both in by_length(found - whole, tokens, lengths, groups).items()
            },
        }
    return {
        "tokens": 0,
        "target_tokens": int(tokens.sum()),
        "sentences": len(encoded),
        "in_group": {
            name: int(((least <= lengths) & (lengths <= most)).sum()) for name, (least, most) in groups.items()
        },
        "loss": round(float(whole.sum() / tokens.sum()), 6),
        "right": round(float(right.sum() / tokens.sum()), 6),
        "arms": arms,
    }
