"""The small case of *Encoder only*: four sentences by hand."""

import math
from collections.abc import Mapping, Sequence

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


def numbers() -> dict[str, float]:
    """What the page's text is given, by name."""
    return {
        "subject_gap": word_loss(FOUR, 0),
        "verb_gap": word_loss(FOUR, 1),
        "mean_gap": (word_loss(FOUR, 0) + word_loss(FOUR, 1)) / 2,
        "subject_left": word_loss(FOUR, 0, LEFT),
        "verb_left": word_loss(FOUR, 1, LEFT),
    }
