"""Sentences of one clause with gaps: which words fit a gap, and with which probability, exactly.

The grammar gives every English sentence a probability, the product of the shares of its rules; no sentence has two
derivations. So the probability of a word in a gap, given all words that can be seen, is a ratio of two sums over
derivations (the inside probabilities of Baker 1979, "Trainable grammars for speech recognition"). The sums are taken
by a chart, without listing the sentences.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float

from .clauses import GRAMMAR
from .grammar import Element, Grammar, Rule
from .language import english_words
from .lexicon import FUNCTION_WORDS, Entry
from .morphology import Features, Lexeme
from .sentences import QUESTIONS
from .words import WordVocabulary

GAP = "<mask>"
"""What stands in place of a hidden word."""
Value = Float[np.ndarray, " words"] | float
_VOWELS = "aeiou"
_MARKS = {"Statement": (".", 1 - QUESTIONS), "Question": ("?", QUESTIONS)}


@cache
def gap_vocabulary() -> WordVocabulary:
    """The English words and marks of the little language, and the mark of a gap as one more word."""
    return WordVocabulary([*english_words(), GAP])


class Gaps:
    """The inside probabilities of sentences of one clause in which some words are hidden.

    Args:
        words: the words and the mark of one sentence, the first without its capital, :data:`GAP` for a hidden word.
        asked: the position whose word is asked for, which must be a gap; None asks for the whole sentence only.
        grammar: whose categories Statement and Question are the clauses.

    Raises:
        ValueError: if there are no words, or no gap at the asked position.

    A value is a number for what does not hold the asked position, and for what holds it an array: one probability for
    each word that may stand there.
    """

    def __init__(self, words: Sequence[str], asked: int | None = None, grammar: Grammar = GRAMMAR):
        if not words:
            raise ValueError("a sentence has at least its mark; there are no words")
        if asked is not None and not 0 <= asked < len(words):
            raise ValueError(f"there is no position {asked} in a sentence of {len(words)} words")
        if asked is not None and words[asked] != GAP:
            raise ValueError(f"position {asked} holds {words[asked]!r}: ask for a position that holds {GAP}")
        self.words, self.asked, self.grammar = tuple(words), asked, grammar
        self.vocabulary = gap_vocabulary()
        self._phrases: dict[tuple, dict[tuple[Features, int], Value]] = {}
        self._entries: dict[tuple, dict[int, Value]] = {}

    def total(self) -> Value:
        """The probability of the sentence with its gaps; with an asked position, one for each word there."""
        found: Value = 0.0
        last = len(self.words) - 1
        for mood, (mark, share) in _MARKS.items():
            end = self._word(mark, last)
            if end is None:
                continue
            for (_, at), value in self._category(mood, 0, "").items():
                if at == last:
                    found = found + share * value * end
        return found

    def _word(self, word: str, at: int) -> Value | None:
        """1 if this word may stand at this position; at the asked one, 1 at the place of the word; else None."""
        if at >= len(self.words):
            return None
        if at == self.asked:
            return self._one_hot(word)
        return 1.0 if self.words[at] in (word, GAP) else None

    def _one_hot(self, word: str) -> Value:
        row = np.zeros(len(self.vocabulary))
        row[self.vocabulary.encode(word)[0]] = 1.0
        return row

    def _spelled(self, spelling: str, start: int, sound: str) -> tuple[int, Value] | None:
        """Where a spelling of one or two words ends, and its value, if it may stand here after *a* or *an*."""
        if sound and (spelling[0] in _VOWELS) is (sound == "consonant"):
            return None
        value: Value = 1.0
        for n, word in enumerate(spelling.split()):
            one = self._word(word, start + n)
            if one is None:
                return None
            value = value * one
        return start + len(spelling.split()), value

    def _category(self, name: str, start: int, sound: str) -> dict[tuple[Features, int], Value]:
        """Phrases of a category that begin here: their features and their end, with the sum of their probabilities."""
        key = (name, start, sound)
        if key not in self._phrases:
            found: dict[tuple[Features, int], Value] = {}
            options = self.grammar.categories[name]
            total = sum(weight for weight, _ in options)
            for weight, rule in options:
                for end, value in self._rule(rule, start, sound).items():
                    place = (_features(rule), end)
                    found[place] = found.get(place, 0.0) + weight / total * value
            self._phrases[key] = found
        return self._phrases[key]

    def _entry(self, name: str, start: int, sound: str, wanted: Features | None) -> dict[int, Value]:
        """Words of a class that begin here, in the form for some features or, for None, in the infinitive."""
        key = (name, start, sound, wanted)
        if key not in self._entries:
            found: dict[int, Value] = {}
            options = self.grammar.categories[name]
            total = sum(weight for weight, _ in options)
            for weight, entry in options:
                spelling = entry.source.form(wanted) if wanted else entry.source.lemma
                if (spelled := self._spelled(spelling, start, sound)) is not None:
                    end, value = spelled
                    found[end] = found.get(end, 0.0) + weight / total * value
            self._entries[key] = found
        return self._entries[key]

    def _rule(self, rule: Rule, start: int, sound: str) -> dict[int, Value]:
        """Where what a rule writes may end, over all features that the role may have with which a word agrees."""
        roles = {e.agree for e in rule.english.elements if e.agree}
        if not roles:
            return self._written(rule, start, sound, {})
        (role,) = roles
        found: dict[int, Value] = {}
        for features in self._possible(rule.roles[role]):
            for end, value in self._written(rule, start, sound, {role: features}).items():
                found[end] = found.get(end, 0.0) + value
        return found

    def _possible(self, category: str) -> set[Features]:
        return {_features(rule) for _, rule in self.grammar.categories[category]}

    def _written(self, rule: Rule, start: int, sound: str, fixed: dict[str, Features]) -> dict[int, Value]:
        """Where the elements of a rule may end, one after the other, if a role has these features."""
        states: dict[tuple[int, str], Value] = {(start, sound): 1.0}
        for element in rule.english.elements:
            after: dict[tuple[int, str], Value] = {}
            for (at, heard), value in states.items():
                for end, sounds, one in self._element(rule, element, at, heard, fixed):
                    after[end, sounds] = after.get((end, sounds), 0.0) + value * one
            states = after
        return {end: value for (end, _), value in states.items()}

    def _element(
        self, rule: Rule, element: Element, at: int, sound: str, fixed: dict[str, Features]
    ) -> list[tuple[int, str, Value]]:
        stem, agree = element.stem, element.agree
        if stem in rule.roles:
            category = rule.roles[stem]
            if not isinstance(self.grammar.categories[category][0][1], Entry):
                return [(end, "", value) for (features, end), value in self._category(category, at, sound).items()
                        if fixed.get(stem, features) == features]  # fmt: skip
            wanted = fixed[agree] if agree else Features(number=rule.number)
            if not agree and self.grammar.categories[category][0][1].source.kind == "verb":
                wanted = None
            return [(end, "", value) for end, value in self._entry(category, at, sound, wanted).items()]
        lexeme: Lexeme | None = FUNCTION_WORDS["en"].get(stem)
        if stem == "a":
            return self._article(at)
        spelled = self._spelled(lexeme.form(fixed[agree]) if agree and lexeme else stem, at, sound)
        return [(spelled[0], "", spelled[1])] if spelled else []

    def _article(self, at: int) -> list[tuple[int, str, Value]]:
        """*A* before a consonant and *an* before a vowel: the next word decides."""
        both = ((self._word("a", at), "consonant"), (self._word("an", at), "vowel"))
        return [(at + 1, sound, value) for value, sound in both if value is not None]


def _features(rule: Rule | Entry) -> Features:
    if isinstance(rule, Rule) and rule.features:
        return rule.features["en"]
    return Features(number=rule.number if isinstance(rule, Rule) else "sg")


def gap_probabilities(sentence: str, gap: int = 0) -> dict[str, float]:
    r"""Which words fit a gap of a sentence of one clause, with their exact probabilities, the likeliest first.

    .. math:: P(w \mid \text{what is seen}) = \frac{P(\text{sentence with } w)}{\sum_v P(\text{sentence with } v)}

    Other gaps of the sentence stay open: the sums go over all words that may stand there.

    Args:
        sentence: in normal spelling, with ``<mask>`` for every hidden word, such as ``"<mask> like cats."``.
        gap: which gap is asked for, counted from 0.

    Raises:
        ValueError: there is no such gap, or no sentence of one clause fits.
    """
    vocabulary = gap_vocabulary()
    words = vocabulary.tokens(vocabulary.encode(sentence))
    places = [n for n, word in enumerate(words) if word == GAP]
    if not 0 <= gap < len(places):
        raise ValueError(f"{sentence!r} has {len(places)} gaps: there is no gap {gap} (counted from 0)")
    row = Gaps(words, places[gap]).total()
    if not np.any(row):
        raise ValueError(f"no sentence of one clause of the little language fits {sentence!r}")
    row = row / np.sum(row)
    order = np.argsort(-row, kind="stable")
    return {vocabulary.tokens([int(n)])[0]: float(row[n]) for n in order if row[n] > 0}
