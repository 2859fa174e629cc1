"""The example of two heads as tables: what every word asks, what *like* finds, and what one head finds instead."""

import math
from collections.abc import Iterable

import numpy as np

from ...examples.two_heads_by_hand import FEATURES, TOKENS, steps

ASKING_HEADER = ("word", "head", "query", "key", "value")
KEY_HEADER = ("word", "key: pronoun, verb, noun, number", "value: person, number")
LIKE_HEADER = ("head", "scores ÷ 2", "weights", "finds: person, number")
Rows = list[tuple[str, ...]]


def told(numbers: Iterable[float]) -> str:
    """A row of numbers, each with at most three decimals."""
    return "(" + ", ".join(f"{x:.3f}".rstrip("0").rstrip(".") for x in numbers) + ")"


def asking_rows() -> Rows:
    """A row per word and head: query, key and value, for :data:`ASKING_HEADER`."""
    lines = steps(2)
    each = [(i, word, h) for i, word in enumerate(TOKENS) for h in (0, 1)]
    return [(word, str(h), *(told(lines[name][h, i]) for name in "qkv")) for i, word, h in each]


def _person_and_number(row: np.ndarray) -> str:
    """The first two numbers of a value, or of what a head finds; the example's *like* needs no others."""
    return told(row[:2])


def key_rows() -> Rows:
    """A row per word: its key and the beginning of its value, which both heads share, for :data:`KEY_HEADER`."""
    lines = steps(2)
    return [(word, told(lines["k"][0, i]), _person_and_number(lines["v"][0, i])) for i, word in enumerate(TOKENS)]


def like_rows() -> Rows:
    """A row per head: the scores and weights of *like*, and what they fetch, for :data:`LIKE_HEADER`."""
    lines, like = steps(2), TOKENS.index("like")
    return [
        (
            str(h),
            told(lines["scores"][h, like]),
            told(lines["weights"][h, like]),
            _person_and_number(lines["heads"][h, like]),
        )
        for h in (0, 1)
    ]


def numbers() -> dict[str, float]:
    """What *like* finds with two heads and with one, by name."""
    two, one, like = steps(2), steps(1), TOKENS.index("like")
    person, number = FEATURES.index("who?"), FEATURES.index("how many?")
    return {
        "e_4": math.exp(4),
        "strong": two["weights"][0, like, 0],
        "weak": two["weights"][0, like, 1],
        "person": two["output"][like, person],
        "number": two["output"][like, number],
        "one_half": one["weights"][0, like, 0],
        "one_person": one["output"][like, person],
        "one_number": one["output"][like, number],
    }
