"""Checks for *Counting and regression*: shares, smoothing, perplexities, rounds of EM, two directions, word order.

The oracles are the package's counting models, each of which has tests of its own against brute force.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from operator import eq

from ...counting.ibm1 import NOTHING, IBMModel1
from ...counting.ngrams import UNKNOWN, NGramModel
from ...little_language import language as little_language
from ...little_language.sentences import parse
from ..known_mistakes import expect_predictions, near, recognise
from ..report import NotYet, Report, attempt, checking, expect_number, expect_parts

# Each number to be predicted: its value, and what other values come from.
_SHARES = {
    "a": (1 / 36, {1 / 18: "after *cats* the sentence ends in one of two: that factor is missing",
                   1 / 12: "*cats* begins one sentence of three, and that factor is missing"}),
    "b": (0.0, {1 / 18: "that is *cats like dogs*: no sentence begins with *dogs*",
                13 / 315: "that is P(dogs | <s>) with smoothing; here there is none"}),
    "c": (55 / 252, {1 / 3: "that is the bare share: count as if T(like) = 3 more words had come after *like*",
                     5 / 21: "P(dogs) is mixed from counts too, 13/126 and not 1/7",
                     5 / 24: "P(dogs) is smoothed too, 13/126 and not 1/12",
                     13 / 315: "that is after <s>; asked is after *like*, where 3 kinds have been seen"}),
    "d": (8 / 9, {4 / 5: "that is after three rounds", 2 / 3: "that is after two rounds",
                  16 / 17: "that is after five rounds, or with one other word in place of two"}),
}  # fmt: skip
_THREE = (["I", "like", "cats"], ["I", "like", "dogs"], ["cats", "like", "fish"])


@checking
def check_shares(predictions: object) -> Report:
    """Are the four predictions right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _SHARES, 1e-4)
    return Report(True, "1/36, 0, 55/252 and 8/9: the ratio to each other word doubles with every round.")


@checking
def check_witten_bell(candidate: object) -> Report:
    """Does ``candidate(following, lower)`` mix the counts after a context with the shorter context as it should?"""
    letters = [list("abcab"), list("abd"), list("eabcc"), list("abab")]
    for sentences, context in ((_THREE, "like"), (_THREE, "<s>"), (_THREE, "cats"), (letters, "b"), (letters, "a")):
        model = NGramModel(sentences, 2)
        lower = {word: model.prob(word, ()) for word in model.vocabulary}
        following = dict(model.counts[(context,)])
        got = attempt(candidate, following, lower)
        if not isinstance(got, Mapping):
            raise NotYet("Expected a dictionary with a probability for each word of `lower`.")
        if missing := sorted(lower.keys() - got.keys()):
            raise NotYet(f"After *{context}* there is no probability of {missing[0]!r}: unseen words need one too.")
        got = {word: expect_number(got[word], f"P({word} | {context})") for word in lower}
        right = {word: model.prob(word, [context]) for word in lower}
        if _same(got, right):
            continue
        total, kinds = sum(following.values()), len(following)
        count = {word: following.get(word, 0) for word in lower}
        mistakes = (
            ({w: count[w] / total for w in lower}, "those are the bare shares: unseen words get 0"),
            ({w: (count[w] + kinds * lower[w]) / total for w in lower}, "the kinds are missing below the bar"),
            ({w: (count[w] + total * lower[w]) / (2 * total) for w in lower}, "T is the number of *different* words "
             "after the context, not of all"),
            ({w: (count[w] + kinds * lower[w]) / (total + len(lower)) for w in lower}, "below the bar stands the size "
             "of the vocabulary in place of T, the number of kinds"),
            ({w: (count[w] + 1) / (total + len(lower)) for w in lower}, "that is add-one smoothing, which treats all "
             "unseen words alike"),
            ({w: (count[w] + kinds / len(lower)) / (total + kinds) for w in lower}, "the kinds' share is spread "
             "evenly; the shorter context knows better"),
        )  # fmt: skip
        hint = recognise(got, mistakes, _same)
        if hint is None:
            summed = sum(got.values())
            hint = f"they sum to {summed:.4g}" if abs(summed - 1) > 1e-6 else _first_difference(got, right)
        raise NotYet(f"After *{context}*: {hint}.")
    return Report(True, "After every context they sum to 1, nothing is 0, and they are what the formula gives.")


@checking
def check_fair_perplexity(candidate: object) -> Report:
    """Does ``candidate(model, sentences, words)`` score every word as one of all words, also those a model lumps?"""
    train = [["a", "b", "a", "c"], ["b", "a", "d"], ["a", "b", "e", "a"], ["b", "f"]]
    held_out = [["a", "c", "b"], ["f", "a", "g"]]
    words = set("abcdefgh")
    for least_count in (1, 2, 9):
        model = NGramModel(train, 2, least_count=least_count)
        known = words & set(model.vocabulary)
        unknown = words - known
        got = expect_number(attempt(candidate, model, held_out, set(words)), "the perplexity")

        right = _perplexity(model, held_out, 1 / len(unknown))
        if abs(got - right) < 1e-6 * right:
            continue
        mistakes = {
            model.perplexity(held_out): "a word that the model calls `<unk>` is scored as if it had been named",
            _perplexity(
                model, held_out, 1 / len(words)
            ): "P(<unk>) is divided by all words; it stands only for those the model does not know",
            _perplexity(
                model, held_out, float(len(unknown))
            ): "P(<unk>) is multiplied: a share of it goes to each word",
            _perplexity(model, held_out, 1 / len(unknown), 1 / len(unknown)): "the known words were divided as well",
            math.log(right): "that is the mean surprise: its exponential is asked for",
            right ** (sum(map(len, held_out)) / len(held_out) + 1): "that is a sentence's: divide by the tokens",
            right
            ** (1 + len(held_out) / sum(map(len, held_out))): "each `</s>` is a token too: divide by them as well",
        }
        hint = recognise(got, mistakes, near(rel_tol=1e-6))
        told = f"A model of {len(known)} of {len(words)} words gets {got:.4g} and should get {right:.4g}"
        raise NotYet(f"{told}: {hint}." if hint else f"{told}.")
    return Report(True, "Now each model is asked for the same words, and one that names none of them looks as it is.")


def _perplexity(model: NGramModel, sentences: list, of_unknown: float, of_known: float = 1.0) -> float:
    """The perplexity if what is given to `<unk>`, and to every other word, is multiplied."""
    surprises = [
        -math.log(model.prob(word, context) * (of_unknown if word == UNKNOWN else of_known))
        for sentence in sentences
        for context, word in model.events(sentence)
    ]
    return math.exp(sum(surprises) / len(surprises))


_PAIRS = (
    ("cats dogs", "gatos perros"),
    ("dogs birds dogs", "perros pájaros perros"),
    ("birds", "pájaros gatos"),
    ("cats", "gatos"),
)


@checking
def check_em_round(candidate: object) -> Report:
    """Does ``candidate(pairs, t)`` return the table of the next round? ``<null>`` stands in each x already."""
    pairs = [((NOTHING, *x.split()), tuple(y.split())) for x, y in _PAIRS]
    cells = {(word, given) for x, y in pairs for word in y for given in x}
    column = Counter(given for _, given in cells)
    t = {(word, given): 1 / column[given] for word, given in cells}
    for number in (1, 2, 3):
        model = IBMModel1([(x[1:], y) for x, y in pairs]).fit(number)
        right = {(word, given): model.t(word, given) for word, given in cells}
        got = attempt(candidate, pairs, t)
        if not isinstance(got, Mapping) or got.keys() != cells:
            raise NotYet("Expected a dictionary with the same keys as `t`, (word of y, word of x).")
        got = {cell: expect_number(got[cell], f"t{cell}") for cell in cells}
        if not _same(got, right):
            raise NotYet(f"Round {number}: {_em_mistake(pairs, t, got, right)}.")
        t = right
    return Report(True, "Three rounds agree with the package, a word that stands twice in a sentence included.")


def _em_mistake(pairs: list, t: dict, got: dict, right: dict) -> str:
    soft, once, by_y, hard = Counter(), {}, Counter(), Counter()
    for x, y in pairs:
        for word in y:
            total = sum(t[word, given] for given in x)
            for given in x:
                soft[word, given] += t[word, given] / total
                once[word, given] = t[word, given] / total
                by_y[word, given] += t[word, given] / sum(t[other, given] for other in y)
            hard[word, max(x, key=lambda given, word=word: t[word, given])] += 1
    hard = {cell: hard[cell] for cell in t}
    mistakes = (
        (_shares(soft, 0), "the shares of a word of y sum to 1 over the words of x: the counts are divided by the sums "
         "of the wrong side. t(y | x) is to sum to 1 over y, for each x"),
        (dict(soft), "those are the expected counts: they are still to be divided by the sum of each x"),
        (_shares(once, 1), "a pair overwrites what an earlier one counted: add"),
        (_shares(by_y, 1), "a word of y is shared out among the words of x; here a word of x is shared out "
         "among those of y"),
        (_shares(hard, 1), "each word is counted for its best x alone: count it for every x, in proportion"),
        (t, "nothing has changed"),
    )  # fmt: skip
    if hint := recognise(got, mistakes, _same):
        return hint
    sums = Counter()
    for (_, given), share in got.items():
        sums[given] += share
    off = next((given for given in sorted(sums) if abs(sums[given] - 1) > 1e-6), None)
    if off is not None:
        return f"the column of {off} sums to {sums[off]:.4g}, not to 1"
    return _first_difference(got, right)


def _shares(counts: Mapping, side: int) -> dict:
    sums = Counter()
    for cell, count in counts.items():
        sums[cell[side]] += count
    return {cell: count / sums[cell[side]] if sums[cell[side]] else 0.0 for cell, count in counts.items()}


@checking
def check_two_directions(candidate: object) -> Report:
    """Does ``candidate(forward, backward)`` return the links both directions have, and those that either has?

    Forward links are (position in x, position in y); backward ones come from the model that was given y, turned round.
    """
    cases = [
        ({(0, 0), (1, 2), (3, 1)}, {(0, 0), (2, 1), (3, 2)}),
        ({(0, 1), (1, 0), (3, 3)}, {(1, 0), (2, 2), (3, 3)}),
        ({(0, 3)}, {(0, 3)}),
        *_drawn_links(),
    ]
    for forward, backward in cases:
        turned = {(i, j) for j, i in backward}
        parts = attempt(candidate, set(forward), set(backward))
        both, either = (_links(part) for part in expect_parts(parts, ("both", "either")))
        if (both, either) == (forward & turned, forward | turned):
            continue
        told = f"With forward {sorted(forward)} and backward {sorted(backward)}"
        mistakes = (
            ((forward & backward, forward | backward), "a backward link is (position in y, position in x): turn it "
             "first"),
            ((forward | turned, forward & turned), "the two are exchanged: *both* is the smaller set"),
            (({(j, i) for i, j in forward} & backward, {(j, i) for i, j in forward} | backward), "all is turned to "
             "(y, x); the gold links are (x, y)"),
        )  # fmt: skip
        hint = recognise((both, either), mistakes, eq)
        if hint is None and both != forward & turned:
            hint = f"the links of both are {sorted(both)}, expected {sorted(forward & turned)}"
        elif hint is None:
            hint = f"the links of either are {sorted(either)}, expected {sorted(forward | turned)}"
        raise NotYet(f"{told}: {hint}.")
    return Report(True, "Turned, then compared. What both directions say is rarer and more often right.")


def _drawn_links() -> list[tuple[set, set]]:
    """Random links of both directions, some of which agree."""
    rng, cases = random.Random(4), []
    places = [(i, j) for i in range(5) for j in range(6)]
    for _ in range(3):
        forward, others = (set(rng.sample(places, 6)) for _ in range(2))
        cases.append((forward, {(j, i) for i, j in {*others, *rng.sample(sorted(forward), 2)}}))
    return cases


def _links(part: object) -> set:
    if isinstance(part, Iterable) and not isinstance(part, str):
        try:
            return {(int(i), int(j)) for i, j in part}
        except (TypeError, ValueError, RuntimeError):  # no pairs, or no numbers in them
            pass
    raise NotYet("Expected two sets of links, (position in x, position in y).")


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


def _same(got: Mapping, wanted: Mapping) -> bool:
    return got.keys() == wanted.keys() and all(abs(got[key] - wanted[key]) < 1e-6 for key in wanted)


def _first_difference(got: Mapping, wanted: Mapping) -> str:
    key = next(key for key in sorted(wanted) if abs(got[key] - wanted[key]) >= 1e-6)
    return f"at {key!r} it gives {got[key]:.6g}, expected {wanted[key]:.6g}"
