"""N-gram language models: the next word depends on the last few, and its probability is a smoothed share of counts."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

START, END, UNKNOWN = "<s>", "</s>", "<unk>"


class NGramModel:
    r"""A language model that counts what followed the last n − 1 words, smoothed as Witten and Bell did.

    .. math:: P(w \mid h) = \frac{c(h\,w) + T(h)\,P(w \mid h')}{c(h) + T(h)}

    h is the context, c counts occurrences in the training sentences, :math:`T(h)` is the number of *different* words
    seen after h, and h' is h without its first word. After the empty context comes the uniform distribution over the
    vocabulary, so nothing has the probability 0. A context that was never seen is shortened. (Witten and Bell 1991,
    method C; in this interpolated form Chen and Goodman 1999, §2.6.)

    Args:
        sentences: tokens of each training sentence, without start and end.
        order: n, the number of words in an n-gram; 1 ignores the context.
        smoothing: ``"witten-bell"``, or ``"none"`` for bare shares c(h w) / c(h), whose zeros are the zero problem.
        least_count: words seen less often count as ``<unk>``.

    Attributes:
        vocabulary: the words that may come next, sorted: those of the training sentences, ``</s>`` and ``<unk>``.

    Raises:
        ValueError: no sentences, an order below 1, an unknown smoothing, or a reserved token in a sentence.

    Pitfall: perplexities compare only between models with one vocabulary. A model that calls many words ``<unk>`` looks
    good because ``<unk>`` is easy to predict.
    """

    def __init__(
        self,
        sentences: Iterable[Sequence[str]],
        order: int = 3,
        smoothing: str = "witten-bell",
        least_count: int = 1,
    ):
        if order < 1:
            raise ValueError(f"order must be at least 1, got {order}")
        if smoothing not in ("witten-bell", "none"):
            raise ValueError(f'smoothing must be "witten-bell" or "none", got {smoothing!r}')
        sentences = [tuple(sentence) for sentence in sentences]
        if not sentences:
            raise ValueError("an n-gram model needs at least one sentence to count in")
        words = Counter(word for sentence in sentences for word in sentence)
        reserved = {START, END} & words.keys()
        if reserved:
            raise ValueError(f"{', '.join(sorted(reserved))} must not stand in a sentence: the model puts it there")
        self.order, self.smoothing = order, smoothing
        self._known = {word for word, count in words.items() if count >= least_count} - {UNKNOWN}
        self.vocabulary = tuple(sorted(self._known | {END, UNKNOWN}))
        self.counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for context, word in self.events(sentence):
                for length in range(order):
                    self.counts[context[len(context) - length :]][word] += 1
        self._totals = {context: sum(following.values()) for context, following in self.counts.items()}

    def _as_known(self, word: str) -> str:
        return word if word in self._known or word in (START, END) else UNKNOWN

    def events(self, sentence: Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
        """What a sentence asks of the model: each word, and ``</s>``, with the n − 1 words before it.

        Contexts at the beginning are filled with ``<s>``; unknown words are ``<unk>``.
        """
        filled = [START] * (self.order - 1) + [self._as_known(word) for word in sentence] + [END]
        return [(tuple(filled[i : i + self.order - 1]), filled[i + self.order - 1]) for i in range(len(sentence) + 1)]

    def prob(self, word: str, context: Sequence[str] = ()) -> float:
        """P(word | context). Of the context only the last n − 1 words count; ``</s>`` is a word.

        Returns:
            A number from 0 to 1. Over `vocabulary` the numbers sum to 1 (without smoothing only after seen contexts;
            after others they are all 0).
        """
        return self.probs([word], context)[0]

    def probs(self, words: Sequence[str], context: Sequence[str] = ()) -> list[float]:
        """P(word | context) of several words, as :meth:`prob` one by one."""
        words = [self._as_known(word) for word in words]
        context = tuple(self._as_known(before) for before in context[max(0, len(context) - self.order + 1) :])
        if self.smoothing == "none":
            following = self.counts.get(context)
            return [following[word] / self._totals[context] if following else 0.0 for word in words]
        p = [1 / len(self.vocabulary)] * len(words)
        for length in range(len(context) + 1):
            shorter = context[len(context) - length :]
            following = self.counts.get(shorter)
            if following:
                kinds, total = len(following), self._totals[shorter]
                p = [(following[word] + kinds * lower) / (total + kinds) for word, lower in zip(words, p, strict=True)]
        return p

    def log_prob(self, sentence: Sequence[str]) -> float:
        """ln P of the whole sentence, its ``</s>`` included; −∞ if a factor is 0."""
        factors = [self.prob(word, context) for context, word in self.events(sentence)]
        return sum(map(math.log, factors)) if all(factors) else -math.inf

    def cross_entropy(self, sentences: Iterable[Sequence[str]]) -> float:
        """Mean −ln P a token over sentences, in nats; every ``</s>`` is a token. Its exponential is the perplexity.

        Raises:
            ValueError: no sentences.
        """
        total, tokens = 0.0, 0
        for sentence in sentences:
            total -= self.log_prob(sentence)
            tokens += len(sentence) + 1
        if not tokens:
            raise ValueError("a cross-entropy needs at least one sentence")
        return total / tokens

    def perplexity(self, sentences: Iterable[Sequence[str]]) -> float:
        """exp of the cross-entropy: among how many equally likely words the model chooses, so to speak."""
        return math.exp(self.cross_entropy(sentences))

    def distribution(self, context: Sequence[str] = ()) -> dict[str, float]:
        """P(w | context) for each word of `vocabulary`."""
        return dict(zip(self.vocabulary, self.probs(self.vocabulary, context), strict=True))

    def sample(self, seed: int, longest: int = 50) -> list[str]:
        """A sentence drawn from the model, word by word, without its ``</s>``.

        Args:
            seed: the same seed gives the same sentence.
            longest: words after which it is cut off.
        """
        rng, words = random.Random(seed), [START] * (self.order - 1)
        for _ in range(longest):
            distribution = self.distribution(words[len(words) - self.order + 1 :])
            (word,) = rng.choices(list(distribution), weights=list(distribution.values()))
            if word == END:
                break
            words.append(word)
        return words[self.order - 1 :]
