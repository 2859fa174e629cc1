"""Searches of the small bigram language as a page prints them: all sentences, a beam step by step, its stops."""

import math
from collections.abc import Sequence

from ...analysis.seed_statistics import number
from ...examples.small_bigram import END, START, SmallBigram
from ...translation.beam_tree import BeamTree, as_many_as_the_beam, first_finished
from ...translation.decoding import beam_search, exhaustive_search, gnmt_penalty, greedy_decode

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


def penalty_rows(model: SmallBigram, sentences: Sequence[str], alphas: Sequence[float]) -> Rows:
    """A row per sentence: its words, its length with the end, and its score with each length penalty.

    Raises:
        KeyError: if one of the sentences is not in the language.
    """
    known = {" ".join(sentence.words): sentence for sentence in model.sentences()}
    rows = []
    for text in sentences:
        length = len(known[text].words) + 1
        log_prob = math.log(known[text].probability)
        scores = (number(log_prob / gnmt_penalty(length, alpha), ".3f") for alpha in alphas)
        rows.append((text, str(length), *scores))
    return rows


def winner(model: SmallBigram, alpha: float, max_len: int = 5) -> str:
    """The sentence with the best score of all."""
    return model.spelt(exhaustive_search(model, model.source, max_len, alpha)[0].tokens[:-1])


def stop_rows(model: SmallBigram, tree: BeamTree, alpha: float) -> Rows:
    """A row per stop rule, for a beam of two: the rule, what the search returns, and its score."""
    outcomes = {
        "the first has finished": first_finished(tree, alpha),
        "two have finished": as_many_as_the_beam(tree, alpha, 2),
        "the rule below": beam_search(model, model.source, 2, alpha, tree.limit)[0],
    }
    return [(rule, model.spelt(found.tokens), number(found.score, ".3f")) for rule, found in outcomes.items()]


def stop_numbers(model: SmallBigram, tree: BeamTree, alpha: float) -> dict[str, int | float | str]:
    """How the rule that stops a beam of two decides, after the third step.

    Returns:
        ``cats_score`` and ``cats_log``, score and log-probability of what has finished; ``live_text``, ``live_log`` and
        ``live_reach``, the prefix that lives and the best score that it can come to; ``stop_0`` and ``stop_6``, after
        which step the search stops without a penalty and with α = 0.6.
    """
    (live,) = tree.steps[2].of("kept")
    return {
        "cats_score": number(first_finished(tree, alpha).score, ".3f"),
        "cats_log": number(tree.finished(0.0, 3)[0].log_prob, ".3f"),
        "live_text": model.spelt(live.tokens),
        "live_log": number(live.log_prob, ".3f"),
        "live_reach": number(tree.reach(alpha, 3), ".3f"),
        "stop_0": tree.decided_at(0.0),
        "stop_6": tree.decided_at(0.6),
    }
