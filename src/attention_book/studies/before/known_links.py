"""Model 1 on the little language, whose true links are known: its likelihood by round, its links beside the truth."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ...counting.ibm1 import IBMModel1
from ...experiments.little_language_study import tokens
from ...little_language import language as little_language

Link = tuple[int, int]

LANGUAGES = {"es": "Spanish", "hi": "Hindi"}


@dataclass(frozen=True)
class Trained:
    """Model 1 from English into a target language.

    Attributes:
        target: ``"es"`` or ``"hi"``.
        model: the trained model.
        n_pairs, n_words: how many pairs it was trained on, and how many words their target sides have.
    """

    target: str
    model: IBMModel1
    n_pairs: int
    n_words: int

    def likelihoods(self) -> Float[np.ndarray, " rounds_and_one"]:
        """Log-likelihood of the training pairs in nats per target word, before each round and after the last."""
        return np.array(self.model.log_likelihoods) / self.n_words

    def beside_the_truth(self, source: str) -> list[tuple[str, str, str]]:
        """A row per word of the commonest translation: the word, what made it, and what the model says made it."""
        pair = little_language.pair_for(source, self.target)
        x, y = tokens(pair, little_language.word_vocabulary(self.target))
        proposed = self.model.align(x, y)
        return [(word, _makers(x, pair.alignment, j), _makers(x, proposed, j)) for j, word in enumerate(y)]


def _makers(x: list[str], links: Iterable[tuple[int, int]], j: int) -> str:
    return " ".join(x[i] for i, linked in sorted(links) if linked == j) or "nothing"


def _pairs(target: str, n_pairs: int) -> list[tuple[list[str], list[str]]]:
    """The tokens of the pairs that both directions read; none has a source of those 200 that are held out."""
    held_out = {pair.source for pair in little_language.sample(200, 1001, "es")}
    vocabulary = little_language.word_vocabulary(target)
    return [tokens(pair, vocabulary) for pair in little_language.sample(n_pairs, 1, target, exclude=held_out)]


def train(target: str, n_pairs: int = 1000, rounds: int = 10) -> Trained:
    """Train Model 1 on pairs of the little language.

    Args:
        target: ``"es"`` or ``"hi"``.
        n_pairs: how many pairs; none has a source of those 200 that are held out.
        rounds: of expectation–maximisation.
    """
    words = _pairs(target, n_pairs)
    return Trained(target, IBMModel1(words).fit(rounds), len(words), sum(len(y) for _, y in words))


def turned_round(trained: Trained, rounds: int = 10) -> IBMModel1:
    """The other direction, *y makes x*, trained on the same pairs, turned round.

    Args:
        trained: the direction *x makes y*, as :func:`train` returns it for seed 1.
        rounds: of expectation–maximisation.
    """
    return IBMModel1([(y, x) for x, y in _pairs(trained.target, trained.n_pairs)]).fit(rounds)


def _both_ways(
    trained: Trained, backward: IBMModel1, x: list[str], y: list[str]
) -> tuple[frozenset[Link], frozenset[Link]]:
    """The links that each direction proposes, as places in x and in y."""
    return trained.model.align(x, y), frozenset((i, j) for j, i in backward.align(y, x))


def disagreement(trained: Trained, backward: IBMModel1, source: str) -> list[tuple[str, str, str, bool]]:
    """The links of a sentence that only one direction proposes: the direction, both words, and whether it is right.

    Args:
        trained, backward: both directions.
        source: the sentence, which is linked with its commonest translation.
    """
    pair = little_language.pair_for(source, trained.target)
    x, y = tokens(pair, little_language.word_vocabulary(trained.target))
    one, other = _both_ways(trained, backward, x, y)
    alone = {"x makes y": one - other, "y makes x": other - one}
    return [(way, x[i], y[j], (i, j) in pair.alignment) for way, links in alone.items() for i, j in sorted(links)]


def agreement(trained: Trained, backward: IBMModel1) -> dict[str, tuple[int, int]]:
    """How many links of new sentences are proposed by each direction, by both and by only one; how many are right.

    Both directions are asked about the 200 held-out pairs.

    Args:
        trained, backward: the directions *x makes y* and *y makes x*.

    Returns:
        By kind of link: how many are right, and how many there are.
    """
    vocabulary = little_language.word_vocabulary(trained.target)
    counted = {"x makes y": (0, 0), "y makes x": (0, 0), "both directions": (0, 0), "only one direction": (0, 0)}
    for pair in little_language.sample(200, 1001, trained.target):
        x, y = tokens(pair, vocabulary)
        one, other = _both_ways(trained, backward, x, y)
        for kind, links in zip(counted, (one, other, one & other, one ^ other), strict=True):
            right, proposed = counted[kind]
            counted[kind] = right + len(links & pair.alignment), proposed + len(links)
    return counted


def agreement_rows(counted: Mapping[str, tuple[int, int]]) -> list[tuple[str, str, str, str]]:
    """A row per kind of :func:`agreement`: its links, those that are right, and their share in per cent."""
    return [(kind, str(n), str(right), f"{100 * right / n:.0f} %") for kind, (right, n) in counted.items()]


def likelihood_lines(trained: Mapping[str, Trained]) -> dict[str, tuple[range, Float[np.ndarray, " rounds_and_one"]]]:
    """Rounds and likelihoods, a line per language."""
    found = {LANGUAGES[target]: one.likelihoods() for target, one in trained.items()}
    return {name: (range(len(line)), line) for name, line in found.items()}


def likelihood_told(trained: Mapping[str, Trained]) -> str:
    """The lines of :func:`likelihood_lines` in words."""
    lines = (
        f"{name}: {y[0]:.2f} before the first round, {y[1]:.2f} after it, {y[3]:.2f} after three, "
        f"{y[-1]:.2f} after ten."
        for name, (_, y) in likelihood_lines(trained).items()
    )
    return " ".join(["Log-likelihood in nats per word of the target by round.", *lines])
