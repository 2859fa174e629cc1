"""Translations of the little language with the grammar's judgement, and that of the two models of a noisy channel."""

import math
from collections.abc import Iterable, Sequence

from ...counting.text import CountingTranslator
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


def probabilities(
    translator: CountingTranslator, source: str, translations: Iterable[str], target: str = "es"
) -> list[tuple[str, float, float, bool]]:
    """What the two models of a noisy channel say of some translations, and what the grammar says.

    Returns:
        For each translation its text, P(translation), P(source | translation), and whether it is right.
    """
    x, found = translator.source_words(source), []
    for text in translations:
        y = translator.target_words(text)
        fluency, fit = translator.language_model.log_prob(y), translator.channel.log_prob(y, x)
        found.append((text, math.exp(fluency), math.exp(fit), is_right(source, text, target)))
    return found


def times_as_probable(translator: CountingTranslator, source: str, one: str, other: str) -> tuple[float, float]:
    """How many times as probable one translation is as another, to each of the two models of a noisy channel.

    Returns:
        The ratio P(one) / P(other) of the language model, and P(source | one) / P(source | other) of the channel.
    """
    x, (y, z) = translator.source_words(source), (translator.target_words(text) for text in (one, other))
    fluent = translator.language_model.log_prob(y) - translator.language_model.log_prob(z)
    faithful = translator.channel.log_prob(y, x) - translator.channel.log_prob(z, x)
    return math.exp(fluent), math.exp(faithful)


def newspaper_counts(translator: CountingTranslator, sentences: Iterable[str]) -> tuple[int, int, float]:
    """What the language model has counted for *A diario Tom lee* and for *Tom lee el periódico.*

    Args:
        translator: a noisy channel.
        sentences: the target sentences that it was trained on.

    Returns:
        How many of them begin with *a diario*, how many hold *lee el periódico*, and the probability of *periódico*
        after *lee el*.
    """
    counted = [f" {' '.join(translator.target_words(sentence))} " for sentence in sentences]
    begun = sum(words.startswith(" a diario ") for words in counted)
    held = sum(" lee el periódico " in words for words in counted)
    return begun, held, translator.language_model.prob("periódico", ("lee", "el"))
