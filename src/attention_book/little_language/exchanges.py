"""One English word exchanged for another of its kind: what the grammar itself says that each Spanish word depends on.

An exchange keeps the derivation but for one rule or lexical entry, whose place another one of the same category and
with the same parts takes, so that the sentence stays in the language. Both sentences are written with the likeliest
of all free choices. Where their translations differ, the exchanged word was what decided.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool

from .clauses import GRAMMAR
from .grammar import Node
from .lexicon import Entry
from .sentences import LittlePair, Sentence, likeliest, parse, write


class Exchange(NamedTuple):
    """A sentence that differs from another in one English word.

    Attributes:
        place: of that word, from 0.
        pair: the new sentence with its likeliest translation.
        changed: for each word of the old translation, whether it is another one in the new.
    """

    place: int
    pair: LittlePair
    changed: Bool[np.ndarray, " tgt_words"]


def _roles(rule) -> dict[str, str]:
    return {} if isinstance(rule, Entry) else rule.roles


def _variants(node: Node, category: str) -> Iterator[Node]:
    """Every derivation with one other rule or entry, of the same category and with the same parts."""
    for _, rule in GRAMMAR.categories[category]:
        if rule is not node.rule and type(rule) is type(node.rule) and _roles(rule) == _roles(node.rule):
            yield Node(rule, node.children)
    for n, (child, inner) in enumerate(zip(node.children, _roles(node.rule).values(), strict=True)):
        for variant in _variants(child, inner):
            yield Node(node.rule, (*node.children[:n], variant, *node.children[n + 1 :]))


def with_likeliest_choices(pair: LittlePair) -> LittlePair:
    """The same source with the translation whose every free choice is the likeliest."""
    return write(pair.derivation or parse(pair.source), pair.target_lang, likeliest)


def exchanges(source: str | LittlePair, target: str = "es") -> list[Exchange]:
    """Every exchange of one word for another of its kind that leaves all other English words as they are.

    Left out are exchanges whose translation has another number of words, because their words cannot be compared one by
    one.

    Args:
        source: an English sentence of the language, or a pair.
        target: "es" or "hi".

    Raises:
        ValueError: the source is not in the language, or the language is unknown.
    """
    known = source.derivation if isinstance(source, LittlePair) else None
    sentence = known or parse(source.source if isinstance(source, LittlePair) else source)
    own = write(sentence, target, likeliest)
    found, seen = [], {own.source}
    for n, clause in enumerate(sentence.clauses):
        for variant in _variants(clause, sentence.mood):
            clauses = (*sentence.clauses[:n], variant, *sentence.clauses[n + 1 :])
            other = write(Sentence(sentence.mood, clauses, sentence.connectives), target, likeliest)
            if other.source in seen or len(other.source_words) != len(own.source_words):
                continue
            seen.add(other.source)
            both = zip(own.source_words, other.source_words, strict=True)
            places = [j for j, (old, new) in enumerate(both) if old != new]
            if len(places) == 1 and len(other.target_words) == len(own.target_words):
                changed = np.array(own.target_words) != np.array(other.target_words)
                found.append(Exchange(places[0], other, changed))
    return found


def some_of_each_place(found: list[Exchange], count: int, seed: int) -> list[Exchange]:
    """At most ``count`` exchanges of each word, drawn without repetition, in the order of the words."""
    rng = random.Random(f"exchanges, {seed}")
    kept = []
    for place in sorted({one.place for one in found}):
        here = [one for one in found if one.place == place]
        kept += rng.sample(here, min(count, len(here)))
    return kept
