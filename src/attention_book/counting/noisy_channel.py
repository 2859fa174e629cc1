"""Translation as a noisy channel: a language model says what is said, a translation model what fits the source."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .ibm1 import IBMModel1
from .ngrams import END, START, NGramModel

_LEAST = 1e-7  # of a source word whose translation nobody knows


@dataclass(frozen=True)
class _Partial:
    """A translation in the making: its words, ln P of them, and how well each source word is accounted for so far."""

    words: tuple[str, ...]
    fluency: float
    explained: np.ndarray  # of each source word: t(x_j | <null>) + the sum of t(x_j | y_i) over the words so far


class NoisyChannel:
    r"""Translate by the product of two models that were trained apart.

    .. math:: \hat y = \arg\max_y P(y)\,P(x \mid y)

    P(y) is an n-gram model of the target language, and P(x | y) is IBM Model 1 *from the target into the source*: the
    source is what came out of a noisy channel into which somebody had spoken the target language (Brown et al. 1993,
    §2). By Bayes' rule the product is proportional to P(y | x).

    The search is a beam over target words, because all y cannot be tried. A source word that is not yet accounted for
    is credited with the best that one more word could do for it: :math:`\max_w \ln t(x_j \mid w) + \ln P(w)`.

    Args:
        language_model: P(y), counted in target sentences.
        channel: t(source word | target word), trained on (target, source) pairs.
        choices: how many target words are tried for each source word.
        beam_size: how many partial translations are kept at each length.

    Raises:
        ValueError: if `choices` or `beam_size` is below 1.

    Pitfall: the channel's direction. A model trained on (source, target) pairs raises no error here; it knows no words.
    """

    def __init__(self, language_model: NGramModel, channel: IBMModel1, choices: int = 6, beam_size: int = 20):
        if choices < 1 or beam_size < 1:
            raise ValueError(f"choices and beam_size must be at least 1, got {choices} and {beam_size}")
        self.language_model, self.channel = language_model, channel
        self.choices, self.beam_size = choices, beam_size
        self._by_source: dict[str, list[tuple[str, float]]] = {}
        for word in language_model.vocabulary:
            if word == END:
                continue
            frequency = language_model.prob(word)
            for source, t in channel.best(word, count=50):
                self._by_source.setdefault(source, []).append((word, t * frequency))
        for source, words in self._by_source.items():
            words.sort(key=lambda entry: (-entry[1], entry[0]))
            self._by_source[source] = words[:choices]

    def candidates(self, word: str) -> list[tuple[str, float]]:
        """The target words tried for a source word, with t(word | candidate) · P(candidate), the best first."""
        return list(self._by_source.get(word, []))

    def log_score(self, source: Sequence[str], target: Sequence[str]) -> float:
        """ln P(target) + ln P(source | target), what the translation is chosen by."""
        explained = [
            self.channel.t(word) + sum(self.channel.t(word, other) for other in target) or _LEAST for word in source
        ]
        spread = len(source) * math.log(len(target) + 1)
        return self.language_model.log_prob(target) + sum(map(math.log, explained)) - spread

    def translate(self, source: Sequence[str], longest: int | None = None) -> list[str]:
        """The best translation that the search finds.

        Args:
            source: its tokens.
            longest: words that a translation may have; twice the source and three more if None.

        Returns:
            Tokens of the target language. A source word that no candidate is known for is left as it is, at its place
            in the order that the search chose for the others (names are often the same in both languages).
        """
        known = [word for word in source if word in self._by_source]
        if not known:
            return list(source)
        options = sorted({w for word in known for w, _ in self._by_source[word]})
        t = np.array([[self.channel.t(word, option) for word in known] for option in options])
        credit = np.array([math.log(self._by_source[word][0][1]) for word in known])
        nothing = np.array([max(self.channel.t(word), _LEAST) for word in known])
        beam, finished = [_Partial((), 0.0, nothing)], []
        for _ in range(2 * len(known) + 3 if longest is None else longest):
            fluencies, hopes = [], []
            for partial in beam:
                fluency = partial.fluency + np.log(self.language_model.probs(options, self._context(partial.words)))
                explained = np.maximum(np.log(partial.explained + t), credit)
                fluencies.append(fluency)
                hopes.append(fluency + explained.sum(axis=1))
            best_first = np.argsort(-np.concatenate(hopes), kind="stable")[: self.beam_size]
            beam = [
                _Partial((*beam[i].words, options[w]), float(fluencies[i][w]), beam[i].explained + t[w])
                for i, w in (divmod(int(place), len(options)) for place in best_first)
            ]
            for one in beam:
                end = math.log(self.language_model.prob(END, self._context(one.words)))
                channel = float(np.log(one.explained).sum()) - len(known) * math.log(len(one.words) + 1)
                finished.append((one.fluency + end + channel, one.words))
        best = max(finished, key=lambda entry: (entry[0], entry[1]))[1]
        return self._with_unknown(source, list(best))

    def _context(self, words: tuple[str, ...]) -> tuple[str, ...]:
        return (START,) * (self.language_model.order - 1) + words

    def _with_unknown(self, source: Sequence[str], words: list[str]) -> list[str]:
        """Put back the source words that nothing is known of, each after the word that translates what stood before."""
        for position, word in enumerate(source):
            if word in self._by_source:
                continue
            before = next((w for w in reversed(source[:position]) if w in self._by_source), None)
            place = 0
            if before is not None and words:
                place = 1 + max(range(len(words)), key=lambda i: self.channel.t(before, words[i]))
            words.insert(place, word)
        return words
