"""Checks for *The noisy channel*: two sentences that are one to Model 1."""

import math
from collections import Counter

from ...counting.ibm1 import IBMModel1
from ...little_language import language as little_language
from ...little_language.sentences import parse
from ..report import NotYet, Report, checking


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
