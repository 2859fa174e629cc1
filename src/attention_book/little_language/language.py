"""A little language whose best possible translator is known: English sentences with Spanish or Hindi translations.

Sentences come from a synchronous context-free grammar (`grammar`), clauses joined by *and* and *but* to any
length. Every English sentence has exactly one derivation; what the target language leaves open is a set of free
choices with stated probabilities. So the probability of every translation and the entropy of the target given the
source are known exactly, and no model's cross-entropy, summed over a target sentence and its `</s>`, can be lower on
average: the difference is a Kullback–Leibler divergence, which is never negative (Cover & Thomas 2006, *Elements of
Information Theory*, theorem 2.6.3).
"""

import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from . import grammar
from .choices import CONNECTIVES, HINDI_CHOICES, SPANISH_CHOICES
from .clauses import GRAMMAR
from .grammar import Node, Replay, Rule, entropy_of, outcomes, path_count, place
from .lexicon import FUNCTION_WORDS, LEXICON, Entry
from .sentences import MARKS, LittlePair, Sentence, chooser, draw, likeliest, parse, write, write_clause
from .words import WordVocabulary, capitalise, detokenize, tokenize

__all__ = [
    "CLAUSES",
    "LittlePair",
    "MeanEntropy",
    "WordVocabulary",
    "conditional_entropy",
    "count_sources",
    "detokenize",
    "english_words",
    "free_choices",
    "log_prob",
    "mean_entropy",
    "pair_for",
    "sample",
    "tokenize",
    "translations",
    "word_vocabulary",
]

CLAUSES = {1: 0.55, 2: 0.30, 3: 0.15}  # the default distribution of the number of clauses


class MeanEntropy(NamedTuple):
    """Entropy of the target given the source over a sample of pairs, in nats.

    Args:
        per_sentence: mean over the pairs, and `error` its standard error.
        per_token: total entropy over the total of target tokens, `</s>` included.
        sentences, tokens: the two totals.
    """

    per_sentence: float
    per_token: float
    error: float
    sentences: int
    tokens: int


def _check_target(target: str) -> None:
    if target not in MARKS:
        raise ValueError(f"target={target!r}: the little language has {' and '.join(map(repr, MARKS))}")


def _derivation(pair: LittlePair) -> Sentence:
    _check_target(pair.target_lang)
    return pair.derivation or parse(pair.source)


def sample(
    n: int,
    seed: int,
    target: str = "es",
    clauses: int | Mapping[int, float] = CLAUSES,
    exclude: Collection[str] = (),
) -> list[LittlePair]:
    """Draws `n` pairs, with repetition, as the grammar's probabilities have it.

    Args:
        n: number of pairs.
        seed: the same seed gives the same pairs on every machine. The English sides do not depend on `target`, and the
            first pairs do not depend on `n`.
        target: "es" (Spanish) or "hi" (Hindi).
        clauses: how many clauses a sentence has: a number, or a distribution {number: weight}.
        exclude: English sentences not to draw, say those of a training set.

    Returns:
        The pairs, in the order drawn.

    Raises:
        ValueError: n below 0, an unknown target, a number of clauses below 1, or nothing left after `exclude`.
    """
    _check_target(target)
    if n < 0:
        raise ValueError(f"n={n}: ask for 0 pairs or more")
    spread = {clauses: 1.0} if isinstance(clauses, int) else dict(clauses)
    if not spread or min(spread) < 1 or min(spread.values()) < 0 or sum(spread.values()) <= 0:
        raise ValueError(f"clauses={clauses!r}: give a number from 1 on, or such numbers with their weights")
    excluded = frozenset(exclude)
    choose_source = chooser(random.Random(f"little language, {seed}, en"))
    choose_target = chooser(random.Random(f"little language, {seed}, {target}"))
    pairs: list[LittlePair] = []
    refused = 0
    while len(pairs) < n:
        pair = write(draw(choose_source, spread), target, choose_target)
        if pair.source not in excluded:
            pairs.append(pair)
            refused = 0
        elif (refused := refused + 1) > 10_000:
            raise ValueError(
                "10 000 sentences in a row were among those excluded: exclude fewer or ask for more clauses"
            )
    return pairs


# Exact probabilities -------------------------------------------------------------------------------
def pair_for(source: str, target: str = "es", translation: str | None = None) -> LittlePair:
    """The pair of an English sentence and a translation, with its alignment.

    Args:
        source: a sentence of the language, in normal spelling ("I like cats.").
        target: "es" or "hi".
        translation: one of its translations, or None for the one whose every choice is the likeliest.

    Raises:
        ValueError: the source is not in the language, or the translation is not one of the source's.
    """
    _check_target(target)
    sentence = parse(source)
    if translation is None:
        return write(sentence, target, likeliest)
    found = _find(sentence, target, translation)
    if found is None:
        raise ValueError(f"{translation!r} is not a translation of {source!r} in the little language")
    return found[1]


def translations(source: str, target: str = "es", limit: int = 10_000) -> list[tuple[str, float]]:
    """Every translation of a sentence with its probability, the likeliest first.

    Raises:
        ValueError: the source is not in the language or has more than `limit` translations: their number is a product
            over the clauses. `log_prob` and `conditional_entropy` need no list.
    """
    _check_target(target)
    sentence = parse(source)
    joints = math.prod(len(CONNECTIVES[target][name]) for name in sentence.connectives)
    number = joints * math.prod(path_count(node, target) for node in sentence.clauses)
    if number > limit:
        raise ValueError(f"{source!r} has {number} translations, more than limit={limit}")
    found = outcomes(lambda choose: write(sentence, target, choose).target)
    return sorted(((text, p) for p, _, text in found), key=lambda pair: (-pair[1], pair[0]))


def conditional_entropy(source: str | LittlePair, target: str | None = None) -> float:
    """Entropy of the target given this source, in nats per sentence: H(Y | X = x) = −Σ_y p(y | x) ln p(y | x).

    The clauses' choices are independent, so their entropies add up and no translation is enumerated. Marks and `</s>`
    are certain and add nothing: the number is comparable with a model's cross-entropy summed over a sentence and its
    `</s>`.

    Args:
        source: an English sentence of the language, or a pair.
        target: "es" or "hi"; a pair brings its own.

    Raises:
        ValueError: the source is not in the language, or a sentence came without `target`.
    """
    if isinstance(source, LittlePair):
        sentence, target = _derivation(source), source.target_lang
    elif target is None:
        raise ValueError("conditional_entropy of a sentence needs the target language: 'es' or 'hi'")
    else:
        _check_target(target)
        sentence = parse(source)
    joints = sum(entropy_of(list(CONNECTIVES[target][name].values())) for name in sentence.connectives)
    return joints + sum(grammar.conditional_entropy(node, target) for node in sentence.clauses)


def log_prob(source: str | LittlePair, translation: str | None = None, target: str | None = None) -> float:
    """ln p(translation | source), exactly; −∞ if it is no translation of the source.

    Args:
        source: an English sentence of the language, with `translation` and `target`; or a pair alone.

    Raises:
        ValueError: the source is not in the language, or an argument is missing.
    """
    if isinstance(source, LittlePair):
        sentence, translation, target = _derivation(source), source.target, source.target_lang
    elif translation is None or target is None:
        raise ValueError("log_prob needs a pair, or a source with its translation and the target language")
    else:
        _check_target(target)
        sentence = parse(source)
    found = _find(sentence, target, translation)
    return -math.inf if found is None else found[0]


def mean_entropy(pairs: Sequence[LittlePair]) -> MeanEntropy:
    """Entropy of the target given the source over a sample: the floor under any model's expected loss there.

    Raises:
        ValueError: no pairs.
    """
    if not pairs:
        raise ValueError("mean_entropy needs at least one pair")
    each = [conditional_entropy(pair) for pair in pairs]
    mean = math.fsum(each) / len(each)
    variance = math.fsum((h - mean) ** 2 for h in each) / max(1, len(each) - 1)
    tokens = sum(pair.target_tokens for pair in pairs)
    return MeanEntropy(mean, math.fsum(each) / tokens, math.sqrt(variance / len(each)), len(each), tokens)


@lru_cache(maxsize=1 << 12)
def _clause_outcomes(node: Node, target: str) -> dict[tuple[str, ...], tuple[float, tuple[int, ...]]]:
    placed = place(node)
    found = outcomes(lambda choose: tuple(text for text, _ in write_clause(placed, target, choose)))
    return {words: (probability, path) for probability, path, words in found}


def _find(sentence: Sentence, target: str, translation: str) -> tuple[float, LittlePair] | None:
    """Log-probability and pair of a translation: the choices that lead to it, or None."""
    joints = {text.split()[-1] for options in CONNECTIVES[target].values() for text in options} | {"e"}
    parts: list[list[str]] = [[]]
    found: list[str] = []
    before = ""
    for word in tokenize(translation):
        if word in joints:
            parts.append([])
            found.append((", " if before == "," else "") + ("y" if word == "e" else word))
        elif word not in "¿,?.।":
            parts[-1].append(word)
        before = word
    if len(parts) != len(sentence.clauses):
        return None
    path: list[int] = []
    total = 0.0
    for i, (node, part) in enumerate(zip(sentence.clauses, parts, strict=True)):
        if i:
            options = CONNECTIVES[target][sentence.connectives[i - 1]]
            if found[i - 1] not in options:
                return None
            path += [list(options).index(found[i - 1])] if len(options) > 1 else []
            total += math.log(options[found[i - 1]])
        known = _clause_outcomes(node, target)
        if i == 0:
            known = {tuple(capitalise(words)): outcome for words, outcome in known.items()}
        if tuple(part) not in known:
            return None
        probability, taken = known[tuple(part)]
        path += taken
        total += math.log(probability)
    pair = write(sentence, target, Replay(path))
    return (total, pair) if pair.target == translation else None  # the marks, and y or e


# What the language holds ---------------------------------------------------------------------------
def count_sources(clauses: int = 1) -> int:
    """The number of distinct English sentences with so many clauses.

    Raises:
        ValueError: clauses below 1.
    """
    if clauses < 1:
        raise ValueError(f"clauses={clauses}: a sentence has at least one clause")
    joints = CONNECTIVES["en"]
    return sum(GRAMMAR.count(mood) ** clauses * len(joints[mood]) ** (clauses - 1) for mood in joints)


def free_choices(target: str) -> dict[str, dict[str, float]]:
    """Every free choice of a target language: name → {option: probability}.

    Orders and constructions come in the grammar's template notation (`grammar`), synonyms under their English
    word.
    """
    _check_target(target)
    choices = dict({"es": SPANISH_CHOICES, "hi": HINDI_CHOICES}[target])
    choices |= {name: options for name, options in CONNECTIVES[target].items() if len(options) > 1}
    for entry in (entry for entries in LEXICON.values() for entry in entries):
        if len(entry.targets[target]) > 1:
            choices[entry.source.lemma] = {lexeme.lemma: p for p, lexeme in entry.targets[target]}
    return choices


def _words(language: str) -> Iterator[str]:
    """Every word of one language, with the capitals it has inside a sentence."""
    for lexeme in FUNCTION_WORDS[language].values():
        yield from lexeme.forms.values()
    rules = [rule for options in GRAMMAR.categories.values() for _, rule in options]
    for rule in rules:
        if isinstance(rule, Entry):
            lexemes = [rule.source] if language == "en" else [lexeme for _, lexeme in rule.targets[language]]
            yield from (word for lexeme in lexemes for form in lexeme.forms.values() for word in form.split())
        else:
            yield from _literals(rule, language)
    for options in CONNECTIVES[language].values():
        yield from (word for text in options for word in tokenize(text))
    yield from {"en": ("an", ",", ".", "?"), "es": ("al", "e", "¿", "?", "."), "hi": ("को", "।", "?")}[language]


def _literals(rule: Rule, language: str) -> Iterator[str]:
    sides = (rule.english,) if language == "en" else ()
    sides += tuple(t for key, templates in rule.sides.items() if key.split(":")[0] == language for t in templates)
    for template in sides:
        yield from (e.stem for e in template.elements if e.stem not in rule.roles and not e.agree)


def english_words() -> list[str]:
    """Every English word and mark of the language once, in sorted order."""
    return sorted(set(_words("en")))


def word_vocabulary(target: str) -> WordVocabulary:
    """One vocabulary for both sides, English and the target: every word the language has, whatever the sample."""
    _check_target(target)
    return WordVocabulary([*_words("en"), *_words(target)])
