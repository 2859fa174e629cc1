"""Checks for *The noisy channel*: predicted products, a search among all sentences, two that are one to Model 1.

The oracle of a search is another one, over every sentence of the words that may stand in it.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations, product

from ...counting.ibm1 import IBMModel1
from ...counting.ngrams import NGramModel
from ...counting.noisy_channel import NoisyChannel
from ...little_language import language as little_language
from ...little_language.sentences import parse
from ..known_mistakes import expect_predictions
from ..report import NotYet, Report, attempt, checking

# Each number to be predicted: its value, and what other values come from.
_PRODUCTS = {
    "a": (1 / 9, {1 / 4: "three words may make each English one, the empty word among them: divide by 3²; and the "
                         "empty word makes neither *white* nor *dogs*, so each sum is 1",
                  1 / 6: "the empty word makes neither *white* nor *dogs*: each sum is 1",
                  1.0: "divide by the number of ways to choose: 3 makers for each of two words",
                  0.0: "Model 1 takes each word by itself: *blancos* makes *white*, *perros* makes *dogs*"}),
    "b": (0.0, {1 / 27: "*perros* has been followed by *negros* alone: without smoothing P(*perros blancos*) is 0",
                1 / 9: "that is P(x | y); P(y) is 0, because *perros* has been followed by *negros* alone",
                1 / 18: "that is *white cats* and *gatos blancos*; nothing in *gatos blancos* makes *dogs*"}),
    "c": (11 / 168, {0.0: "smoothed as Witten and Bell did it is more than 0",
                     1 / 12: "P(blancos) is smoothed, too: (1 + 5/6)/(9 + 5) in place of 1/6",
                     1 / 18: "P(blancos) is mixed from counts and the vocabulary: (1 + 5 · 1/6)/(9 + 5)",
                     11 / 84: "that is P(blancos); after *perros* it gets T = 1 of c + T = 2 parts"}),
}  # fmt: skip


@checking
def check_products(predictions: object) -> Report:
    """Are the three predictions right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _PRODUCTS, 1e-5)
    return Report(True, "1/9, 0 and 11/168: smoothing makes a translation possible that no pair has.")


_PHRASES = (("black cats", "gatos negros"), ("white cats", "gatos blancos"), ("black dogs", "perros negros"))


@checking
def check_search(candidate: object) -> Report:
    """Does ``candidate(x, words, longest, score)`` return the y, of 1 to ``longest`` words, with the highest score?"""
    phrases = [(x.split(), y.split()) for x, y in _PHRASES]
    channel = NoisyChannel(NGramModel([y for _, y in phrases], 2), IBMModel1([(y, x) for x, y in phrases]).fit(10))
    words = sorted({word for _, y in phrases for word in y})
    cases = [
        (x.split(), words, 1 + len(x.split()), channel.log_score)
        for x in ("white dogs", "black cats", "white white dogs")
    ]
    cases += [(["a"], list("pqr"), 4, _drawn(seed, "pqr", 4)) for seed in (2, 4, 7)]
    for x, choice, longest, score in cases:
        got = attempt(candidate, list(x), list(choice), longest, score)
        if isinstance(got, str) or not isinstance(got, Sequence) or not all(isinstance(word, str) for word in got):
            raise NotYet("Expected the words of one sentence, as a list or a tuple.")
        if foreign := [word for word in got if word not in choice]:
            raise NotYet(f"{foreign[0]!r} is none of the words {', '.join(choice)}.")
        if not 1 <= len(got) <= longest:
            raise NotYet(f"Expected 1 to {longest} words, got {len(got)}.")
        best = max(_sentences(choice, range(1, longest + 1)), key=lambda y, x=x, score=score: score(x, y))
        if score(x, got) > score(x, best) - 1e-9:
            continue
        told = f"For *{' '.join(x)}* it finds {list(got)} with the score {score(x, got):.3f}"
        hint = _search_mistake(list(got), x, choice, longest, score)
        raise NotYet(f"{told}; {list(best)} has {score(x, best):.3f}" + (f": {hint}." if hint else "."))
    return Report(True, "It finds the best of all sentences, whatever the score: a search without a beam.")


def _drawn(seed: int, words: Sequence[str], longest: int) -> Callable[[Sequence[str], Sequence[str]], float]:
    """A score drawn for each sentence, whatever the source."""
    rng = random.Random(seed)
    table = {y: rng.uniform(-9, -1) for y in _sentences(words, range(1, longest + 1))}
    return lambda x, y: table[tuple(y)]


def _sentences(words: Sequence[str], lengths: Sequence[int]) -> list[tuple[str, ...]]:
    return [y for length in lengths for y in product(words, repeat=length)]


def _search_mistake(got: list, x: list, words: list, longest: int, score: Callable) -> str | None:
    greedy: list[str] = []
    while len(greedy) < longest:
        longer = max(([*greedy, word] for word in words), key=lambda y: score(x, y))
        if greedy and score(x, longer) <= score(x, greedy):
            break
        greedy = longer
    every = _sentences(words, range(1, longest + 1))
    mistakes = (
        (min(every, key=lambda y: score(x, y)), "that is the worst: the highest score is wanted"),
        (max(_sentences(words, [longest]), key=lambda y: score(x, y)), "shorter sentences count, too"),
        (max(_sentences(words, [len(x)]), key=lambda y: score(x, y)), "y need not have as many words as x"),
        (max(_sentences(words, range(1, longest)), key=lambda y: score(x, y)), f"{longest} words are allowed"),
        (max((y for n in range(1, longest + 1) for y in permutations(words, n)), key=lambda y: score(x, y)),
         "a word may stand in y more than once"),
        (greedy, "taking the best next word each time may miss the best sentence"),
    )  # fmt: skip
    return next((reason for wrong, reason in mistakes if got == list(wrong)), None)


@checking
def check_same_to_model_one(first: object, second: object) -> Report:
    """Are these two sentences of the little language that mean different things and are one and the same to Model 1?"""
    pairs = []
    for sentence in (first, second):
        if not isinstance(sentence, str) or not sentence.strip():
            raise NotYet("Give two English sentences.")
        try:
            pairs.append(little_language.pair_for(sentence))
        except ValueError as error:
            raise NotYet(f"{error}") from error
    vocabulary = little_language.word_vocabulary("es")
    words = [vocabulary.tokens(vocabulary.encode(sentence)) for sentence in (first, second)]
    if words[0] == words[1]:
        raise NotYet("They are one sentence.")
    if extra := (Counter(words[0]) - Counter(words[1])) + (Counter(words[1]) - Counter(words[0])):
        raise NotYet(f"They differ in their words, not only in the order: {', '.join(sorted(extra))}.")
    if little_language.log_prob(first, pairs[1].target, "es") > -math.inf:
        raise NotYet(f"{pairs[1].target!r} translates both: they mean the same.")
    clauses = [Counter(parse(sentence).clauses) for sentence in (first, second)]
    if clauses[0] == clauses[1]:
        raise NotYet("They say the same, with their clauses in another order: what is true of the one is of the other.")
    sample = little_language.sample(200, 0)
    model = IBMModel1([tuple(vocabulary.tokens(vocabulary.encode(s)) for s in (p.source, p.target)) for p in sample])
    y = vocabulary.tokens(vocabulary.encode(pairs[0].target))
    scores = [model.fit(2).log_prob(words[0], y), model.log_prob(words[1], y)]
    if not (scores[0] == scores[1] or abs(scores[0] - scores[1]) < 1e-9):
        raise NotYet(f"Model 1 gives {pairs[0].target!r} the scores {scores[0]:.4f} and {scores[1]:.4f}.")
    return Report(True, f"To Model 1 {pairs[0].target!r} is as good a translation of the one as of the other.")
