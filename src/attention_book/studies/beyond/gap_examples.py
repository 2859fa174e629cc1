"""The small cases of *Encoder only*: four sentences by hand, and the words of a sentence hidden one after the other."""

import math
from collections.abc import Mapping, Sequence

from ...analysis.seed_statistics import number
from ...little_language.gaps import GAP, Gaps, gap_vocabulary

FOUR = {("I", "read"): 0.25, ("we", "read"): 0.25, ("he", "reads"): 0.25, ("she", "reads"): 0.25}
"""A language of four sentences with their probabilities."""
Language = Mapping[tuple[str, ...], float]
LEFT, BOTH = "left", "both"
CATS, GIRLS = "I like cats.", "The girls write long letters."
TURN_HEADER = ("hidden", "probability, in %")


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


def hidden_in_turn(sentence: str) -> list[tuple[str, float]]:
    """Each word of a sentence of one clause, the mark too, with its exact probability in a gap of its own.

    Raises:
        ValueError: if the sentence is not one of the little language.
    """
    words = _words(sentence)
    if not Gaps(words).total():
        raise ValueError(f"{sentence!r} is no sentence of one clause of the little language")
    found = []
    for at, word in enumerate(words):
        row = Gaps([*words[:at], GAP, *words[at + 1 :]], at).total()
        found.append((word, float(row[gap_vocabulary().encode(word)[0]] / row.sum())))
    return found


def product_and_whole(sentence: str) -> tuple[float, float]:
    """The product of :func:`hidden_in_turn`, and the exact probability of the sentence."""
    return math.prod(p for _, p in hidden_in_turn(sentence)), float(Gaps(_words(sentence)).total())


def turn_rows() -> list[tuple[str, str]]:
    """A row per word of :data:`CATS`, under :data:`TURN_HEADER`, then the product and the probability of the whole."""
    product, whole = product_and_whole(CATS)
    each = [*hidden_in_turn(CATS), ("the product", product), ("the sentence itself", whole)]
    return [(name, number(100 * p, ".3g")) for name, p in each]


def _words(sentence: str) -> list[str]:
    vocabulary = gap_vocabulary()
    return vocabulary.tokens(vocabulary.encode(sentence))


def numbers() -> dict[str, float]:
    """What the page's text is given, by name."""
    (cats, whole_cats), (girls, whole_girls) = product_and_whole(CATS), product_and_whole(GIRLS)
    return {
        "subject_gap": word_loss(FOUR, 0),
        "subject_left": word_loss(FOUR, 0, LEFT),
        "cats_ratio": cats / whole_cats,
        "girls_ratio": girls / whole_girls,
    }
