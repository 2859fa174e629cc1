"""Translations of the little language with the grammar's judgement, and what stands before a word in a text."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ...little_language import language as little_language


def is_right(source: str, translation: str, target: str = "es") -> bool:
    """Whether the grammar gives this translation to that sentence."""
    return little_language.log_prob(source, translation, target) > -math.inf


def judged(source: str, translation: str, target: str = "es") -> str:
    """A translation with ✓ if it is right and ✗ if not."""
    return f"{translation} {'✓' if is_right(source, translation, target) else '✗'}"


def judged_rows(asked: Sequence[str], outputs: Iterable[Sequence[str]], target: str = "es") -> list[tuple[str, ...]]:
    """A row per sentence: the sentence, and what each translator made of it, judged.

    Args:
        asked: the source sentences.
        outputs: for each translator, one translation per sentence.
        target: language of the translations.

    Raises:
        ValueError: if a translator has not one translation per sentence.
    """
    columns = [
        [judged(source, translation, target) for source, translation in zip(asked, one, strict=True)] for one in outputs
    ]
    return list(zip(asked, *columns, strict=True))


def words_before(word: str, sentences: Iterable[Sequence[str]]) -> Mapping[str, int]:
    """How often each word, in small letters, stands right before a word."""
    return Counter(a.lower() for words in sentences for a, b in pairwise(words) if b == word)
