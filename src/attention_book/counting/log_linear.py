"""A log-linear language model: features of the context give words scores, and a softmax turns scores into shares."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from jaxtyping import Float, Int

from ..attention.probability import softmax
from .ngrams import END, START, UNKNOWN

Features = Callable[[Sequence[str]], Sequence[str]]


def last_two_words(context: Sequence[str]) -> list[str]:
    """The features of a trigram: the word before, and the word before that."""
    return [f"1 before: {context[-1]}", f"2 before: {context[-2]}"]


def with_ending(context: Sequence[str]) -> list[str]:
    """The same and the last two letters of the word before: what a count of whole words cannot share."""
    return [*last_two_words(context), f"ends in: {context[-1][-2:]}"]


class LogLinearModel:
    r"""Scores are sums of weights, one weight for each feature of the context and each next word.

    .. math:: s(w) = b_w + \sum_{f \in \phi(h)} W_{f w}, \qquad P(w \mid h) = \operatorname{softmax}(s)_w

    The loss is −ln P of the word that came, in nats. Its derivative with respect to the scores is p − y, where y is 1
    at that word and 0 elsewhere; a feature's row of W gets the sum of p − y over the contexts that have the feature.
    (Rosenfeld 1996, §3; as a road to networks, Neubig 2017, §4.)

    Args:
        sentences: tokens of each training sentence; they fix the vocabulary and the features, and nothing is learned
            yet.
        features: φ, the names of the features of a context; it gets at least two words, ``<s>`` where there are none.
        least_count: words seen less often count as ``<unk>``.

    Attributes:
        vocabulary: words that may come next, sorted, with ``</s>`` and ``<unk>``.
        weights: W with the bias b as its first row, (1 + features) × vocabulary; zeros at first, so all words are
            equally likely.

    Raises:
        ValueError: no sentences.
    """

    def __init__(self, sentences: Iterable[Sequence[str]], features: Features = last_two_words, least_count: int = 1):
        sentences = [tuple(sentence) for sentence in sentences]
        if not sentences:
            raise ValueError("a log-linear model needs at least one sentence to take its words from")
        counts: dict[str, int] = {}
        for sentence in sentences:
            for word in sentence:
                counts[word] = counts.get(word, 0) + 1
        self._known = {word for word, count in counts.items() if count >= least_count} - {UNKNOWN}
        self.vocabulary = tuple(sorted(self._known | {END, UNKNOWN}))
        self._word_id = {word: i for i, word in enumerate(self.vocabulary)}
        self.features = features
        names = {name for sentence in sentences for context, _ in self._events(sentence) for name in features(context)}
        self._feature_id = {name: i for i, name in enumerate(sorted(names), start=1)}
        self.weights: Float[np.ndarray, "rows words"] = np.zeros((1 + len(names), len(self.vocabulary)))

    def _events(self, sentence: Sequence[str]) -> list[tuple[list[str], str]]:
        filled = [START, START, *(word if word in self._known else UNKNOWN for word in sentence), END]
        return [(filled[:i], filled[i]) for i in range(2, len(filled))]

    def encode(
        self, sentences: Iterable[Sequence[str]]
    ) -> tuple[Int[np.ndarray, "events width"], Int[np.ndarray, " events"]]:
        """Every prediction that sentences ask for: rows of W that are active, and the id of the word that came.

        Rows are filled up with 0, the bias, which is counted once; features never seen in training are left out.
        """
        active, came = [], []
        for sentence in sentences:
            for context, word in self._events(sentence):
                active.append([i for name in self.features(context) if (i := self._feature_id.get(name))])
                came.append(self._word_id[word])
        rows = np.zeros((len(active), max(map(len, active), default=0)), dtype=int)
        for row, ids in zip(rows, active, strict=True):
            row[: len(ids)] = ids
        return rows, np.array(came, dtype=int)

    def scores(self, rows: Int[np.ndarray, "events width"]) -> Float[np.ndarray, "events words"]:
        """s for each event: the bias and the weights of its features."""
        active = self.weights[rows] * (rows > 0)[..., None]
        return self.weights[0] + active.sum(axis=1)

    def loss_and_gradient(
        self, rows: Int[np.ndarray, "events width"], came: Int[np.ndarray, " events"]
    ) -> tuple[float, Float[np.ndarray, "rows words"]]:
        """Mean −ln P of the words that came, in nats, and its derivative with respect to `weights`.

        Raises:
            ValueError: no events.
        """
        if not len(came):
            raise ValueError("there is nothing to predict")
        p = softmax(self.scores(rows))
        events = np.arange(len(came))
        loss = -float(np.log(p[events, came]).mean())
        error = p
        error[events, came] -= 1  # p − y
        error /= len(came)
        gradient = np.zeros_like(self.weights)
        gradient[0] = error.sum(axis=0)
        for column in rows.T:
            real = column > 0
            np.add.at(gradient, column[real], error[real])
        return loss, gradient

    def fit(
        self, sentences: Sequence[Sequence[str]], epochs: int = 5, rate: float = 0.5, batch: int = 128, seed: int = 0
    ) -> list[float]:
        """Learn the weights by gradient descent in small batches, each weight with a step size of its own.

        The step of a weight is the rate divided by the root of the sum of its squared derivatives so far (AdaGrad,
        Duchi et al. 2011), since rare features get few chances.

        Returns:
            The mean loss of each epoch, in nats per token, as it was met.
        """
        rows, came = self.encode(sentences)
        rng, squares, losses = np.random.default_rng(seed), np.full_like(self.weights, 1e-8), []
        for _ in range(epochs):
            order, total = rng.permutation(len(came)), 0.0
            for start in range(0, len(order), batch):
                chosen = order[start : start + batch]
                loss, gradient = self.loss_and_gradient(rows[chosen], came[chosen])
                squares += gradient**2
                self.weights -= rate * gradient / np.sqrt(squares)
                total += loss * len(chosen)
            losses.append(total / len(came))
        return losses

    def prob(self, word: str, context: Sequence[str] = ()) -> float:
        """P(word | context); a context shorter than two words is filled with ``<s>``."""
        return self.distribution(context)[word if word in self._word_id else UNKNOWN]

    def distribution(self, context: Sequence[str] = ()) -> dict[str, float]:
        """P(w | context) for each word of `vocabulary`."""
        context = [START, START, *(word if word in self._known or word == START else UNKNOWN for word in context)]
        ids = [i for name in self.features(context) if (i := self._feature_id.get(name))]
        p = softmax(self.scores(np.array([ids], dtype=int).reshape(1, -1)))[0]
        return dict(zip(self.vocabulary, p.tolist(), strict=True))

    def cross_entropy(self, sentences: Iterable[Sequence[str]]) -> float:
        """Mean −ln P a token, in nats; every ``</s>`` is a token.

        Raises:
            ValueError: no sentences.
        """
        rows, came = self.encode(sentences)
        if not len(came):
            raise ValueError("a cross-entropy needs at least one sentence")
        total = 0.0
        for start in range(0, len(came), 1024):
            p = softmax(self.scores(rows[start : start + 1024]))
            total -= float(np.log(p[np.arange(len(p)), came[start : start + 1024]]).sum())
        return total / len(came)
