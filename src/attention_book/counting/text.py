"""From text to text by counting: words out of sentences, a translation of the words, a sentence again."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ..little_language.words import detokenize, tokenize
from .ibm1 import IBMModel1
from .ngrams import NGramModel
from .noisy_channel import NoisyChannel

_OPENING, _ENDING = {"¿", "¡"}, {".", "?", "!", "।"}


class Capitals:
    """Takes the capital off a word that has it only because it begins a sentence.

    *Cats* and *cats* are one word, *Tom* is not *tom*. The words inside of sentences tell which: a word at the
    beginning loses its capital if inside the small form is more frequent than the one with the capital.

    Args:
        sentences: tokens of each sentence, as `tokenize` returns them.
    """

    def __init__(self, sentences: Iterable[Sequence[str]]):
        self._inside = Counter(
            word for words in sentences for word, begins in zip(words, _beginnings(words), strict=True) if not begins
        )

    def off(self, words: Sequence[str]) -> list[str]:
        """The tokens without such capitals."""
        return [
            small if begins and self._inside[small := word[0].lower() + word[1:]] > self._inside[word] else word
            for word, begins in zip(words, _beginnings(words), strict=True)
        ]


def with_capitals(words: Sequence[str]) -> list[str]:
    """The tokens with a capital where a sentence begins."""
    return [
        word[0].upper() + word[1:] if begins else word for word, begins in zip(words, _beginnings(words), strict=True)
    ]


def _beginnings(words: Sequence[str]) -> list[bool]:
    """Which tokens are the first words of a sentence: opening marks may stand before them."""
    begins, found = True, []
    for word in words:
        found.append(begins and word not in _OPENING)
        begins = word in _ENDING or (begins and word in _OPENING)
    return found


class CountingTranslator:
    """A translator that was only ever shown counts: a noisy channel, or each word by itself.

    Words are split as in the little language, marks apart; a capital at the beginning of a sentence is taken off where
    the word also occurs without it, and put back at the end.

    Args:
        pairs: (source, target) sentences to count in.
        order: of the n-gram model of the target language.
        rounds: of expectation–maximisation.
        least_count: target words seen less often count as ``<unk>`` for the language model.
        choices, beam_size: of the search, see `NoisyChannel`.
        word_for_word: translate each word alone, in the order of the source, by its most probable translation; then
            the language model and the search are not used.

    Attributes:
        channel: the translation model that was used: P(source | target), or P(target | source) word for word.
        language_model: the n-gram model.

    Raises:
        ValueError: no pairs.
    """

    def __init__(
        self,
        pairs: Iterable[tuple[str, str]],
        order: int = 3,
        rounds: int = 10,
        least_count: int = 2,
        choices: int = 6,
        beam_size: int = 20,
        word_for_word: bool = False,
    ):
        pairs = list(pairs)
        self._source = Capitals(tokenize(source) for source, _ in pairs)
        self._target = Capitals(tokenize(target) for _, target in pairs)
        words = [(self.source_words(source), self.target_words(target)) for source, target in pairs]
        self.language_model = NGramModel([target for _, target in words], order, least_count=least_count)
        self.word_for_word = word_for_word
        if word_for_word:
            self.channel = IBMModel1(words).fit(rounds)
        else:
            self.channel = IBMModel1([(target, source) for source, target in words]).fit(rounds)
            self._search = NoisyChannel(self.language_model, self.channel, choices, beam_size)

    def source_words(self, sentence: str) -> list[str]:
        """The tokens of a sentence of the source language, without the capitals of beginnings."""
        return self._source.off(tokenize(sentence))

    def target_words(self, sentence: str) -> list[str]:
        """The tokens of a sentence of the target language, without the capitals of beginnings."""
        return self._target.off(tokenize(sentence))

    def translate(self, text: Sequence[str], *, beam_size: int = 0, length_penalty: float = 0.0) -> list[str]:
        """Translate sentences; `beam_size` and `length_penalty` are there for `evaluate` and are not used."""
        return [self._translate(sentence) for sentence in text]

    def _translate(self, sentence: str) -> str:
        words = self.source_words(sentence)
        if self.word_for_word:
            best = [self.channel.best(word, count=1) for word in words]
            translated = [found[0][0] if found else word for found, word in zip(best, words, strict=True)]
        else:
            translated = self._search.translate(words)
        return detokenize(with_capitals(translated))
