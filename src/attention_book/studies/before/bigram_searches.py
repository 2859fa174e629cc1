"""Searches of the small bigram language as a page prints them: all sentences, a beam step by step, its stops."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.figure import Figure

from ...analysis.seed_statistics import number
from ...examples.small_bigram import END, START, SmallBigram
from ...pages.figures.plotting import curves
from ...translation.beam_tree import BeamTree, first_finished
from ...translation.decoding import gnmt_penalty, greedy_decode

Rows = list[tuple[str, ...]]


def sentence_rows(model: SmallBigram) -> Rows:
    """A row per sentence, the most probable first: its words, the factors of its probability, and their product."""
    rows = []
    for words, probability in model.sentences():
        bigrams = zip((START, *words), (*words, END), strict=True)
        factors = " · ".join(f"{model.table[last][word]:g}" for last, word in bigrams)
        rows.append((" ".join(words), factors, f"{probability:.4f}"))
    return rows


def greedy_beside_best(model: SmallBigram) -> dict[str, int | float | str]:
    """What greedy search writes, and what is most probable.

    Returns:
        ``n_sentences`` and ``total``, how many sentences there are and the sum of their probabilities;
        ``greedy_text``, ``greedy_p`` and ``greedy_rank``, counted from 1; ``best_text`` and ``best_p``.
    """
    sentences, (greedy,) = model.sentences(), greedy_decode(model, model.source)
    texts, written = [" ".join(sentence.words) for sentence in sentences], model.spelt(greedy.tokens[:-1])
    return {
        "n_sentences": len(sentences),
        "total": math.fsum(sentence.probability for sentence in sentences),
        "greedy_text": written,
        "greedy_p": math.exp(greedy.log_prob),
        "greedy_rank": texts.index(written) + 1,
        "best_text": texts[0],
        "best_p": sentences[0].probability,
    }


def step_rows(model: SmallBigram, tree: BeamTree) -> Rows:
    """A row per candidate of a search: its step, its words, its probability, the logarithm, and what became of it."""
    return [
        (str(n), model.spelt(one.tokens), f"{math.exp(one.log_prob):.4f}", number(one.log_prob, ".3f"), one.fate)
        for n, step in enumerate(tree.steps, start=1)
        for one in step.candidates
    ]


@dataclass(frozen=True)
class Race:
    """Every sentence's score with each length penalty.

    Attributes:
        alphas: the penalties, in rising order.
        scores: of each sentence, one per penalty.
    """

    alphas: Sequence[float]
    scores: dict[str, list[float]]

    @property
    def winners(self) -> list[str]:
        """The sentence with the best score of all, per penalty."""
        return [max(self.scores, key=lambda text: self.scores[text][place]) for place in range(len(self.alphas))]

    @property
    def changes(self) -> list[float]:
        """The penalties that another sentence wins than the one before."""
        pairs = zip(self.alphas[1:], pairwise(self.winners), strict=True)
        return [alpha for alpha, (before, now) in pairs if before != now]

    def figure(self, texts: Sequence[str]) -> Figure:
        """The scores of some sentences, a line each."""
        lines = {text: (self.alphas, self.scores[text]) for text in texts}
        return curves(lines, x_label="α", y_label="score")

    def told(self, texts: Sequence[str], alphas: Sequence[float]) -> str:
        """The figure in words, at some of the penalties."""
        at = [self.alphas.index(alpha) for alpha in alphas]
        each = (f"{text}: {', '.join(number(self.scores[text][place], '.3f') for place in at)}" for text in texts)
        return f"The scores with α = {', '.join(f'{alpha:g}' for alpha in alphas)}. {'; '.join(each)}."


def race(model: SmallBigram, alphas: Sequence[float]) -> Race:
    """The score of every sentence of the language with each length penalty."""
    found = {}
    for words, probability in model.sentences():
        length = len(words) + 1
        found[" ".join(words)] = [math.log(probability) / gnmt_penalty(length, alpha) for alpha in alphas]
    return Race(alphas, found)


def stop_numbers(model: SmallBigram, tree: BeamTree, alpha: float) -> dict[str, int | float | str]:
    """How the rule that stops a beam of two decides, after the third step.

    Returns:
        ``cats_score``, the score of what has finished; ``live_text``, ``live_log`` and
        ``live_reach``, the prefix that lives and the best score that it can come to; ``stop_0`` and ``stop_6``, after
        which step the search stops without a penalty and with α = 0.6.
    """
    (live,) = tree.steps[2].of("kept")
    return {
        "cats_score": number(first_finished(tree, alpha).score, ".3f"),
        "live_text": model.spelt(live.tokens),
        "live_log": number(live.log_prob, ".3f"),
        "live_reach": number(tree.reach(alpha, 3), ".3f"),
        "stop_0": tree.decided_at(0.0),
        "stop_6": tree.decided_at(0.6),
    }
