"""Whole sentences of the little language: clauses joined by *and* or *but*, with a capital and a final mark.

Sentence → Clause (connective Clause)* mark, all clauses asked or none. The connectives occur in no clause, so that a
sentence falls into its clauses in one way, on either side, and the choices of the clauses are independent.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from .choices import CONNECTIVES
from .clauses import GRAMMAR
from .grammar import Choose, Node, Placed, Words, place, realise
from .words import capitalise, detokenize, tokenize

QUESTIONS = 0.2  # share of the sentences that ask
MARKS = {"es": {"Statement": ".", "Question": "?"}, "hi": {"Statement": "।", "Question": "?"}}


class Sentence(NamedTuple):
    """The derivation of a whole sentence: its mood, its clauses and the connectives between them."""

    mood: str
    clauses: tuple[Node, ...]
    connectives: tuple[str, ...]


@dataclass(frozen=True)
class LittlePair:
    """An English sentence, one translation, and which word translates which.

    Args:
        source, target: the sentences in normal spelling.
        source_words, target_words: their tokens, `tokenize(source)` and `tokenize(target)`.
        alignment: (source position, target position) of every pair of tokens that correspond, counted from 0. Every
            token of either side is in some pair: a word without a counterpart belongs to the word that requires it
            (*the* in Hindi to its noun, *do* to the verb, a dropped pronoun to the verb that shows its person).
        target_lang: "es" or "hi".
        derivation: what the grammar drew, if it drew the pair (else `parse` finds it).
    """

    source: str
    target: str
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    alignment: frozenset[tuple[int, int]]
    target_lang: str
    derivation: Sentence | None = field(default=None, repr=False, compare=False)

    @property
    def target_tokens(self) -> int:
        """What a word-level model predicts: the words and marks of the target, and `</s>`."""
        return len(self.target_words) + 1


def chooser(rng: random.Random) -> Choose:
    """A function that draws an index with the probabilities, or weights, that it is given."""

    def choose(weights: Sequence[float]) -> int:
        rest = rng.random() * math.fsum(weights)
        for index, weight in enumerate(weights):
            rest -= weight
            if rest < 0:
                return index
        return len(weights) - 1

    return choose


def likeliest(weights: Sequence[float]) -> int:
    """The index of the largest weight, the first one of equals: a choice without chance."""
    return max(range(len(weights)), key=weights.__getitem__)


def draw(choose: Choose, clauses: Mapping[int, float]) -> Sentence:
    """Derive a sentence.

    Args:
        choose: makes every choice.
        clauses: numbers of clauses with their probabilities.
    """
    mood = ("Question", "Statement")[choose((QUESTIONS, 1 - QUESTIONS))]
    number = list(clauses)[choose(list(clauses.values()))]
    nodes = tuple(GRAMMAR.draw(mood, choose) for _ in range(number))
    names, shares = list(CONNECTIVES["en"][mood]), list(CONNECTIVES["en"][mood].values())
    return Sentence(mood, nodes, tuple(names[choose(shares)] for _ in range(number - 1)))


def _contract(words: Words) -> Words:
    """Spanish *a el* → *al*; the new word translates what both did."""
    contracted: Words = []
    for text, links in words:
        if text == "el" and contracted and contracted[-1][0] == "a":
            contracted[-1] = ("al", contracted[-1][1] | links)
        else:
            contracted.append((text, links))
    return contracted


def write_clause(placed: Placed, target: str, choose: Choose) -> Words:
    """The target words of one clause with their links, contractions made."""
    words = realise(placed, target, choose).words
    return _contract(words) if target == "es" else words


def _sounds_like_i(word: str) -> bool:
    """Whether Spanish *y* becomes *e* before this word."""
    word = word.lower()
    return word.startswith("i") or (word.startswith("hi") and word[2:3] not in "aeo")


def write(sentence: Sentence, target: str, choose: Choose) -> LittlePair:
    """Both sides of a derivation with their alignment."""
    source: list[str] = []
    words: Words = []
    for i, node in enumerate(sentence.clauses):
        joint: list[tuple[str, frozenset[int]]] = []
        if i:
            name = sentence.connectives[i - 1]
            comma, at = frozenset({len(source)}), frozenset({len(source) + 1})
            source += [",", name]
            options = CONNECTIVES[target][name]
            text = list(options)[choose(list(options.values())) if len(options) > 1 else 0]
            joint = [(",", comma), (text[2:], at)] if text.startswith(", ") else [(text, comma | at)]
        placed = place(node, len(source))
        source += placed.words
        clause = write_clause(placed, target, choose)
        if joint and joint[-1][0] == "y" and _sounds_like_i(clause[0][0]):
            joint = [*joint[:-1], ("e", joint[-1][1])]
        words += joint + clause
    end = frozenset({len(source)})
    source.append("." if sentence.mood == "Statement" else "?")
    words.append((MARKS[target][sentence.mood], end))
    if target == "es" and sentence.mood == "Question":
        words.insert(0, ("¿", end))
    source_words, target_words = capitalise(source), capitalise([text for text, _ in words])
    return LittlePair(
        detokenize(source_words),
        detokenize(target_words),
        tuple(source_words),
        tuple(target_words),
        frozenset((i, j) for j, (_, links) in enumerate(words) for i in links),
        target,
        sentence,
    )


@lru_cache(maxsize=1 << 16)
def parse(source: str) -> Sentence:
    """The derivation of an English sentence.

    Raises:
        ValueError: the sentence is not in the language; the message says which part.
    """
    words = tokenize(source)
    if not words or words[-1] not in (".", "?"):
        raise ValueError(f"{source!r} does not end with '.' or '?'")
    mood = "Question" if words[-1] == "?" else "Statement"
    parts: list[list[str]] = [[]]
    connectives: list[str] = []
    for i, word in enumerate(words[:-1]):
        if word in CONNECTIVES["en"][mood]:
            if not parts[-1] or parts[-1].pop() != ",":
                raise ValueError(f"{source!r}: write a comma before {word!r} (word {i})")
            parts.append([])
            connectives.append(word)
        else:
            parts[-1].append(word)
    nodes = []
    for i, part in enumerate(parts):
        found = GRAMMAR.parse(part, mood)
        if not found and i == 0 and part:  # the capital of the first word, unless that is a name or I
            found = GRAMMAR.parse([part[0][0].lower() + part[0][1:], *part[1:]], mood)
        if not found:
            kind = "question" if mood == "Question" else "statement"
            raise ValueError(
                f"{' '.join(part)!r} is not a {kind} of the little language (clause {i + 1} of {source!r})"
            )
        nodes.append(found[0])
    sentence = Sentence(mood, tuple(nodes), tuple(connectives))
    if write(sentence, "es", likeliest).source != source:
        raise ValueError(f"{source!r} is spelled {write(sentence, 'es', likeliest).source!r} in the little language")
    return sentence
