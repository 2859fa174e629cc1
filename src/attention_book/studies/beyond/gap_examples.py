"""The small cases of *Encoder only*: four sentences by hand, labelled sentences, and what each state sees."""

import math
from collections.abc import Mapping, Sequence
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from ...analysis.information_flow import leak_matrix
from ...attention.masks import causal_mask
from ...little_language.gaps import gap_vocabulary
from ...models.config import TransformerConfig
from ...models.one_stack.encoder_only import EncoderOnly

FOUR = {("I", "read"): 0.25, ("we", "read"): 0.25, ("he", "reads"): 0.25, ("she", "reads"): 0.25}
"""A language of four sentences with their probabilities."""
Language = Mapping[tuple[str, ...], float]
LEFT, BOTH = "left", "both"


def word_loss(language: Language, position: int, seen: str = BOTH) -> float:
    """The least possible mean loss at a position, in nats.

    Args:
        language: sentences of one length with their probabilities.
        position: whose word is asked for.
        seen: :data:`BOTH` sides of it, or the words on the :data:`LEFT` alone.
    """
    loss = 0.0
    for sentence, share in language.items():
        visible = _visible(sentence, position, seen)
        same = {other: p for other, p in language.items() if _visible(other, position, seen) == visible}
        fitting = sum(p for other, p in same.items() if other[position] == sentence[position])
        loss -= share * math.log(fitting / sum(same.values()))
    return loss


def _visible(sentence: Sequence[str], position: int, seen: str) -> tuple[str, ...]:
    return (*sentence[:position], *(sentence[position + 1 :] if seen == BOTH else ()))


@cache
def flows(sentence: str = "I like cats.") -> dict[str, Float[Tensor, "length length"]]:
    """What each state of a random encoder feels of each word, with every word seen and under the causal mask."""
    vocabulary = gap_vocabulary()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = EncoderOnly(TransformerConfig.tiny(len(vocabulary), dropout=0.0, max_len=32)).double().eval()
    x = model.embed(torch.tensor([vocabulary.encode(sentence)]))[0].detach()
    masks = {"without a mask": None, "with the causal mask": causal_mask(len(x))}
    return {
        name: leak_matrix(lambda rows, mask=mask: model.encoder(rows[None], mask)[0][0], x)
        for name, mask in masks.items()
    }


def flow_told(flow: Float[Tensor, "length length"], words: Sequence[str]) -> str:
    """One of the matrices of :func:`flows` in words."""
    told = ["Largest derivative of each state with respect to each word."]
    for word, row in zip(words, flow.tolist(), strict=True):
        each = ", ".join(f"{value:.2f} to {other!r}" for other, value in zip(words, row, strict=True))
        told.append(f"State of {word!r}: {each}.")
    return " ".join(told)


def numbers() -> dict[str, float]:
    """What the page's text is given, by name."""
    return {
        "subject_gap": word_loss(FOUR, 0),
        "verb_gap": word_loss(FOUR, 1),
        "mean_gap": (word_loss(FOUR, 0) + word_loss(FOUR, 1)) / 2,
        "subject_left": word_loss(FOUR, 0, LEFT),
        "verb_left": word_loss(FOUR, 1, LEFT),
    }
