"""A translation memory: the translation of the most similar sentence that it has seen, and nothing of its own.

It is the floor under a translator that learns: what the pairs say by themselves, before anything is generalised.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

WORD = re.compile(r"\w+|[^\w\s]")


def bag(sentence: str) -> set[str]:
    """The different words and marks of a sentence, in small letters."""
    return set(WORD.findall(sentence.lower()))


class TranslationMemory:
    r"""Finds the stored source that is most similar to a sentence, and gives its translation.

    Sentences are sets of words, a word w weighs :math:`g_w = \ln(n / n_w)`, n pairs being stored and :math:`n_w` of
    them with w in their source, and two sets are compared by the cosine of their weights:

    .. math:: \frac{\sum_{w \in a \cap b} g_w^2}{\sqrt{\sum_{w \in a} g_w^2} \sqrt{\sum_{w \in b} g_w^2}}

    A word that no stored source has weighs :math:`\ln n` in the sentence that has it. Of equally similar sources the
    one stored first is taken, so the first pair where nothing is shared.

    Args:
        pairs: (source, target), at least one.

    Raises:
        ValueError: if there is no pair.
    """

    def __init__(self, pairs: Sequence[tuple[str, str]]):
        if not pairs:
            raise ValueError("a translation memory needs at least one pair")
        self.targets = [target for _, target in pairs]
        bags = [bag(source) for source, _ in pairs]
        counts = Counter(word for words in bags for word in words)
        self._unseen = math.log(len(pairs)) ** 2
        self._squares = {word: math.log(len(pairs) / count) ** 2 for word, count in counts.items()}
        self._norms = np.sqrt([sum(self._squares[word] for word in words) for words in bags])
        places = defaultdict(list)
        for place, words in enumerate(bags):
            for word in words:
                places[word].append(place)
        self._places = {word: np.array(found) for word, found in places.items()}

    def nearest(self, sentence: str) -> tuple[int, float]:
        """The place of the most similar stored source, and its cosine, from 0 to 1."""
        words = sorted(bag(sentence))
        shared = np.zeros(len(self.targets))
        for word in words:
            if word in self._places:
                shared[self._places[word]] += self._squares[word]
        squares = [self._squares.get(word, self._unseen) for word in words]
        lengths = self._norms * math.sqrt(sum(squares))
        cosines = shared / np.where(lengths > 0, lengths, 1)
        best = int(cosines.argmax())
        return best, float(cosines[best])

    def translate(self, sentences: Sequence[str]) -> list[str]:
        """For each sentence the translation of the most similar stored source."""
        return [self.targets[self.nearest(sentence)[0]] for sentence in sentences]
