"""The example of two heads as tables: what every word asks, what it finds, and what one head finds instead."""

import math
from collections.abc import Collection, Iterable

from ...examples.two_heads_by_hand import FEATURES, TOKENS, X, steps

ASKING_HEADER = ("word", "head", "query", "key", "value")
KEY_HEADER = ("word", "key: pronoun, verb, noun, number", "value: person, number, pronoun, noun")
FINDING_HEADER = ("query of", "head", "scores ÷ 2", "weights", "what the head finds")
ANSWER_HEADER = ("word", "heads side by side", *FEATURES[5:])
Rows = list[tuple[str, ...]]


def told(numbers: Iterable[float]) -> str:
    """A row of numbers, each with at most three decimals."""
    return "(" + ", ".join(f"{x:.3f}".rstrip("0").rstrip(".") for x in numbers) + ")"


def feature_rows() -> Rows:
    """A row per word: its features."""
    return [(word, *row) for word, row in zip(TOKENS, X.astype(int).astype(str).tolist(), strict=True)]


def head_rows(*names: str, words: Collection[str] = TOKENS) -> Rows:
    """A row per word and head: some lines of :func:`attention_book.examples.two_heads_by_hand.steps`."""
    lines = steps(2)
    each = [(i, word, h) for i, word in enumerate(TOKENS) if word in words for h in (0, 1)]
    return [(word, str(h), *(told(lines[name][h, i]) for name in names)) for i, word, h in each]


def asking_rows() -> Rows:
    """Queries, keys and values, for :data:`ASKING_HEADER`."""
    return head_rows("q", "k", "v")


def key_rows() -> Rows:
    """A row per word: its key and its value in either head, for :data:`KEY_HEADER`."""
    return [(word, key, value) for word, head, key, value in head_rows("k", "v") if head == "0"]


def finding_rows(*words: str) -> Rows:
    """Scores, weights and what they fetch, for :data:`FINDING_HEADER`; of all words if none is named."""
    return head_rows("scores", "weights", "heads", words=words or TOKENS)


def answer_rows() -> Rows:
    """The joined heads and the features that were empty, for :data:`ANSWER_HEADER`."""
    joined, output = (steps(2)[name] for name in ("joined", "output"))
    return [(word, told(joined[i]), *(f"{x:.3f}" for x in output[i, 5:])) for i, word in enumerate(TOKENS)]


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
