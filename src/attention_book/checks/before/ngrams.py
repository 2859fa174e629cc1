"""Checks for *N-grams*: shares, a smoothing, a fair perplexity.

The oracle is the package's n-gram model, which has tests of its own against brute force.
"""

import math
from collections.abc import Mapping

from ...counting.ngrams import UNKNOWN, NGramModel
from ..known_mistakes import expect_predictions, near, recognise
from ..report import NotYet, Report, attempt, checking, expect_number
from ..tables import first_difference, same

# Each number to be predicted: its value, and what other values come from.
_SHARES = {
    "a": (1 / 36, {1 / 18: "after *cats* the sentence ends in one of two: that factor is missing",
                   1 / 12: "*cats* begins one sentence of three, and that factor is missing"}),
    "b": (7 / 18, {1.0: "the map has other ways to </s>, and they have their share, too",
                   11 / 18: "that is the probability of a sentence that is *not* one of the three",
                   1 / 729: "the model writes one of them or another, so their probabilities are added",
                   1 / 2: "*I like cats* ends after *cats* in one of two: that factor is missing",
                   4 / 9: "after *cats* came *like* in one of two: in *cats like fish* that factor is missing",
                   5 / 9: "after *cats* came *like* once and the end once: each of the two has a factor 1/2"}),
    "c": (55 / 252, {1 / 3: "that is the bare share: count as if T(like) = 3 more words had come after *like*",
                     5 / 21: "P(dogs) is mixed from counts too, 13/126 and not 1/7",
                     5 / 24: "P(dogs) is smoothed too, 13/126 and not 1/12",
                     13 / 315: "that is after <s>; asked is after *like*, where 3 kinds have been seen"}),
}  # fmt: skip
_THREE = (["I", "like", "cats"], ["I", "like", "dogs"], ["cats", "like", "fish"])


@checking
def check_shares(predictions: object) -> Report:
    """Are the three predictions right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _SHARES, 1e-4)
    return Report(
        True, "1/36, 7/18 and 55/252: after *like* every word has been seen once, and still gives something away."
    )


@checking
def check_witten_bell(candidate: object) -> Report:
    """Does ``candidate(following, lower)`` mix the counts after a context with the shorter context as it should?"""
    letters = [list("abcab"), list("abd"), list("eabcc"), list("abab")]
    for sentences, context in ((_THREE, "like"), (_THREE, "<s>"), (_THREE, "cats"), (letters, "b"), (letters, "a")):
        model = NGramModel(sentences, 2)
        lower = {word: model.prob(word, ()) for word in model.vocabulary}
        following = dict(model.counts[(context,)])
        got = attempt(candidate, following, lower)
        got = _probabilities(got, lower, context)
        right = {word: model.prob(word, [context]) for word in lower}
        if same(got, right):
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
        hint = recognise(got, mistakes, same)
        if hint is None:
            summed = sum(got.values())
            hint = f"they sum to {summed:.4g}" if abs(summed - 1) > 1e-6 else first_difference(got, right)
        raise NotYet(f"After *{context}*: {hint}.")
    lower = {"cats": 0.5, "fish": 0.3, "</s>": 0.2}
    never = "After a context that never came, `following` is empty, and the shorter context speaks alone"
    try:
        got = _probabilities(attempt(candidate, {}, lower), lower, "a context that never came")
    except NotYet as fault:
        if isinstance(fault.__cause__, ZeroDivisionError):
            raise NotYet(f"{never}; yours divides by 0 there.") from None
        raise
    if not same(got, lower):
        raise NotYet(f"{never}: {first_difference(got, lower)}.")
    return Report(True, "After every context they sum to 1, nothing is 0, and they are what the formula gives.")


def _probabilities(got: object, lower: Mapping[str, float], context: str) -> dict[str, float]:
    """P(w | context) of every word, where the answer has one for each."""
    if not isinstance(got, Mapping):
        raise NotYet("Expected a dictionary with a probability for each word of `lower`.")
    if missing := sorted(lower.keys() - got.keys()):
        raise NotYet(f"After *{context}* there is no probability of {missing[0]!r}: unseen words need one too.")
    return {word: expect_number(got[word], f"P({word} | {context})") for word in lower}


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
