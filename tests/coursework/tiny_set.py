"""A set of three small questions for the tests of the grader: text to counts, arrays to arrays, a gradient by torch."""

from collections import Counter
from itertools import pairwise

import numpy as np
import torch

from coursework.questions import Limits, ProblemSet, Question, Test


def bigrams(words):
    """How often each pair of neighbours occurs."""
    return dict(Counter(pairwise(words)))


def some_words(rng):
    """Words of a small vocabulary, so that pairs come again."""
    return ([f"w{n}" for n in rng.integers(0, 4, size=20)],)


def softmax(scores):
    """Softmax over the last axis."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def slope(x):
    """The gradient of the sum of tanh."""
    return 1 - torch.tanh(x) ** 2


SET = ProblemSet(
    name="A tiny set",
    secret="of the tests alone",
    questions=(
        Question("counts", "Count bigrams", (Test("twenty words", "bigrams", some_words, bigrams, points=2),)),
        Question(
            "softmax",
            "A softmax",
            (
                Test("one row", "softmax", lambda rng: (rng.normal(size=5),), softmax, points=1),
                Test("large scores", "softmax", lambda rng: (1000 * rng.normal(size=(2, 3)),), softmax, points=2),
            ),
        ),
        Question(
            "slope",
            "A gradient",
            (Test("a matrix", "slope", lambda rng: (torch.tensor(rng.normal(size=(2, 2))),), slope, points=3),),
        ),
    ),
    preload=("numpy", "torch", "attention_book"),
    limits=Limits(cpu_seconds=2, wall_seconds=100, memory_bytes=1 << 28),
)
