"""Sentences built so that two readings of an attention head disagree: does it find a noun's verb, or the word before?

Each sentence is *I VERB [DETERMINER] [ADJECTIVE] NOUN.*, in all combinations. Without determiner and adjective the word
before the noun is the verb, and no weight can tell the readings apart; with them it is not.
"""

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import torch
from jaxtyping import Float

from ..models.search_interface import inference
from ..translation.translator import Translator

VERBS = ("like", "see", "found")
DETERMINERS = (None, "the", "my", "two")
ADJECTIVES = (None, "old", "small")
NOUNS = ("cats", "dogs", "houses", "books", "flowers", "friends")
ROLES = ("subject", "verb", "determiner", "adjective", "noun")
HEADER = ("such as", *ROLES[:-1], "noun, itself")


def sentences() -> Iterator[dict[str, str]]:
    """Each sentence as a dictionary from the role of a word to the word, in the order of the words."""
    for verb, determiner, adjective, noun in product(VERBS, DETERMINERS, ADJECTIVES, NOUNS):
        words = {"subject": "I", "verb": verb, "determiner": determiner, "adjective": adjective, "noun": noun}
        yield {role: word for role, word in words.items() if word is not None}


def weights_by_role(
    translator: Translator, layer: int, head: int, built: Iterable[dict[str, str]] | None = None
) -> dict[tuple[str, ...], dict[str, float]]:
    """Where a head of the encoder looks from the noun, on average over the sentences of a kind.

    Args:
        translator: its encoder is looked at.
        layer, head: which head, from 0.
        built: the sentences, each with a word in the role ``"noun"``; all of `sentences` if None. A full stop is added.

    Returns:
        For each list of roles that occurs, the mean weight of the noun's row on each role, and on ``"end"``: the full
        stop and ``</s>`` together.

    Raises:
        ValueError: if a word is not one subword.
    """
    model, subwords = translator.model, translator.subwords
    kinds: dict[tuple[str, ...], list[list[int]]] = {}
    for words in sentences() if built is None else built:
        ids = [*subwords.encode(" ".join(words.values()) + "."), subwords.eos_id]
        if len(ids) != len(words) + 2:
            raise ValueError(f"a word of {' '.join(words.values())!r} is not one subword: {subwords.tokens(ids)}")
        kinds.setdefault(tuple(words), []).append(ids)
    found = {}
    for roles, rows in kinds.items():  # of one length, so that nothing is padded
        with inference(model):
            tgt = torch.full((len(rows), 1), subwords.bos_id)
            weights = model.attention_weights(torch.tensor(rows), tgt)["encoder_self"]
        shares = weights[layer, :, head, roles.index("noun")].double().mean(dim=0).tolist()
        found[roles] = dict(zip(roles, shares, strict=False)) | {"end": shares[-2] + shares[-1]}
    return found


def seen_by_head(
    translator: Translator, layer: int, head: int, sentence: str
) -> tuple[list[str], Float[np.ndarray, "length length"]]:
    """The tokens of a sentence, without the mark of a space, and the weights of one head of the encoder on them.

    Args:
        translator, layer, head: as for :func:`weights_by_role`.
        sentence: in the source language.
    """
    told = translator.translate(sentence, return_attention=True)
    return [token.removeprefix("▁") for token in told.source_tokens], told.encoder_self[layer, head]


def rows(found: dict[tuple[str, ...], dict[str, float]]) -> list[tuple[str, ...]]:
    """A row per kind of sentence, for :data:`HEADER`: the first such sentence, then the weights on its roles.

    Args:
        found: as :func:`weights_by_role` returns it, of :func:`sentences`.
    """
    examples: dict[tuple[str, ...], str] = {}
    for words in sentences():
        examples.setdefault(tuple(words), f"{' '.join(words.values())}.")
    told = lambda shares, role: f"{shares[role]:.2f}" if role in shares else ""  # noqa: E731
    return [(examples[kind], *(told(shares, role) for role in ROLES)) for kind, shares in found.items()]


def numbers(found: dict[tuple[str, ...], dict[str, float]]) -> dict[str, float | int]:
    """What is said of the rows of :func:`rows`, by name: what stands before the noun, and the role that is asked about.

    Args:
        found: as for :func:`rows`.
    """
    adjective, determiner, both = (
        found["subject", "verb", *between, "noun"]
        for between in (("adjective",), ("determiner",), ("determiner", "adjective"))
    )
    built = list(sentences())
    return {
        "n_built": len(built),
        "n_words": len({word for words in built for word in words.values()}),
        "adjective_before": adjective["adjective"],
        "adjective_verb": adjective["verb"],
        "determiner_before": determiner["determiner"],
        "determiner_verb": determiner["verb"],
        "both_before": both["adjective"],
        "both_determiner": both["determiner"],
    }
