"""The checks of the chapter on decoding: they pass what is right and name what is wrong."""

import heapq
import math

import numpy as np
import pytest
import torch

from attention_book.checks.before import decoding as checks
from attention_book.examples.small_bigram import ANIMALS, END, SmallBigram
from attention_book.translation.decoding import beam_search, gnmt_penalty

from ..diagnosis import diagnosis


def greedy(following, max_len, choose=lambda row: max(row, key=row.get), seen=lambda words: words):
    words = []
    while len(words) < max_len and (not words or words[-1] != END):
        words.append(choose(following(seen(words))))
    return words


def endless(following, max_len):
    words = []
    while True:
        row = following(words)
        words.append(max(row, key=row.get))
        if words[-1] == END:
            return words


def goes_on(following, max_len):
    words = []
    for _ in range(max_len):
        row = following(words)
        words.append(max(row, key=row.get))
    return words


def test_greedy_passes():
    assert checks.check_greedy(greedy)
    assert checks.check_greedy(lambda following, max_len: tuple(greedy(following, max_len)))
    assert checks.check_greedy(
        lambda f, n: greedy(f, n, lambda row: sorted(row.items(), key=lambda one: -one[1])[0][0])
    )
    assert checks.check_greedy(lambda f, n: greedy(f, n, seen=tuple))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (endless, "It never stops where no `</s>` comes"),
        (goes_on, "It goes on after `</s>`"),
        (lambda following, max_len: [w for w in greedy(following, max_len) if w != END], "`</s>` is missing"),
        (lambda f, n: greedy(f, n, seen=lambda words: words[-1:]), "the last word only"),
        (lambda f, n: greedy(f, n, lambda row: min(row, key=row.get)), "the least probable word"),
        (lambda f, n: greedy(f, n, lambda row: next(iter(row))), "the first word that is listed"),
        (lambda f, n: greedy(f, n, seen=lambda words: []), "the empty beginning"),
        (lambda f, n: greedy(f, n, lambda row: sorted(row)[0]), "It differs at word"),
        (lambda f, n: greedy(f, n)[:0], "It differs in its length"),
        (lambda f, n: [1, 2], "Expected a list of words"),
        (lambda f, n: greedy(f, n - 1), "stop at max_len = 7 tokens; it has 6"),
        (lambda f, n: greedy(f, n)[::-1], "It differs at word 0"),
        (lambda f, n: " ".join(greedy(f, n)), "Expected a list of words"),
        (lambda f, n: None, "`return` missing"),
    ],
)
def test_greedy_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_greedy(wrong))


def beam_step(live, following, beam_size, join=lambda total, p: total + math.log(p), cut=True):
    grown = [((*words, word), join(total, p)) for words, total in live for word, p in following(words).items()]
    grown.sort(key=lambda prefix: prefix[1], reverse=True)
    grown = grown[:beam_size] if cut else grown
    return [one for one in grown if one[0][-1] != END], [one for one in grown if one[0][-1] == END]


def each_its_best(live, following, beam_size):
    parts = [beam_step([one], following, 1) for one in live]
    return tuple(sorted((p for part in parts for p in part[n]), key=lambda one: -one[1]) for n in (0, 1))


def ends_apart(live, following, beam_size):
    return beam_step(live, following, 99)[0][:beam_size], beam_step(live, following, beam_size)[1]


def ends_live_on(live, following, beam_size):
    going, ended = beam_step(live, following, beam_size)
    return sorted(going + ended, key=lambda one: -one[1]), ended


def cut_per_prefix(live, following, beam_size):
    parts = [beam_step([one], following, beam_size) for one in live]
    return tuple(sorted((p for part in parts for p in part[n]), key=lambda one: -one[1]) for n in (0, 1))


def last_word_alone(live, following, beam_size):
    both = beam_step(live, following, beam_size)
    return tuple([(words, math.log(following(words[:-1])[words[-1]])) for words, _ in part] for part in both)


def with_a_heap(live, following, beam_size):
    """Tuples in place of lists, totals as tensors, and of equals the last first."""
    grown = [
        ((*words, w), torch.tensor(total + math.log(p), dtype=torch.float64))
        for words, total in live
        for w, p in following(words).items()
    ]
    best = heapq.nlargest(beam_size, reversed(grown), key=lambda one: float(one[1]))
    return tuple(one for one in best if one[0][-1] != END), tuple(one for one in best if one[0][-1] == END)


def with_numpy(live, following, beam_size):
    rows = [([*words, w], np.float64(total) + np.log(p)) for words, total in live for w, p in following(words).items()]
    best = [rows[place] for place in np.argsort([-total for _, total in rows], kind="stable")[:beam_size]]
    return [one for one in best if one[0][-1] != END], [one for one in best if one[0][-1] == END]


@pytest.mark.parametrize("right", [beam_step, with_a_heap, with_numpy])
def test_the_beams_step_passes(right):
    assert checks.check_beam_step(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (each_its_best, "the best continuation of each prefix"),
        (lambda *a: beam_step(*a, join=lambda total, p: total * math.log(p)), "It multiplies log-probabilities"),
        (lambda *a: beam_step(*a, join=lambda total, p: total + p), "adds probabilities to logarithms"),
        (ends_apart, "beam_size live prefixes beside those that ended"),
        (lambda *a: beam_step(*a, cut=False), "It keeps everything"),
        (ends_live_on, "is among the live ones"),
        (lambda *a: beam_step(*a)[::-1], "two lists are swapped"),
        (lambda *a: tuple(part[::-1] for part in beam_step(*a)), "in the wrong order"),
        (lambda *a: 1.0, "Expected 2 values"),
        (lambda *a: beam_step(*a)[0][:2], "must be a pair"),
        (lambda *a: ([1.0], []), "must be a pair"),
        (lambda *a: ([], []), "`green` -1.136, `blue` -2.901 and finished nothing; got live nothing"),
        (cut_per_prefix, "never across prefixes"),
        (last_word_alone, "add that of the prefix"),
        (lambda live, following, k: beam_step(live, following, k - 1), "got live"),
        (lambda *a: beam_step(*a, join=lambda total, p: total + math.log2(p)), "expected live"),
        (lambda live, following, k: beam_step(live[:1], following, k), "expected live"),
        (lambda *a: ..., "returned Ellipsis"),
    ],
)
def test_the_beams_step_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_beam_step(wrong))


@pytest.mark.parametrize(
    "right",
    [
        lambda log_prob, length, alpha: log_prob / ((5 + length) / 6) ** alpha,
        lambda log_prob, length, alpha: log_prob * (6 / (5 + length)) ** alpha,
        lambda log_prob, length, alpha: torch.tensor(log_prob, dtype=torch.float64) / ((5 + length) / 6) ** alpha,
        lambda log_prob, length, alpha: np.array([log_prob]) * np.exp(-alpha * np.log((5 + length) / 6)),
    ],
)
def test_the_score_passes(right):
    assert checks.check_score(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda lp, n, a: lp * gnmt_penalty(n, a), "It multiplies by the penalty"),
        (lambda lp, n, a: lp / n**a, "first adds 5"),
        (lambda lp, n, a: lp / (n / 6) ** a, "The 5 is missing"),
        (lambda lp, n, a: lp / (5 + n) ** a, "The 6 is missing"),
        (lambda lp, n, a: lp / (5 + n / 6) ** a, "the whole sum"),
        (lambda lp, n, a: gnmt_penalty(n, a) / lp, "the other way round"),
        (lambda lp, n, a: lp / gnmt_penalty(n, 0.6), "and α = 1.0: got"),
        (lambda lp, n, a: f"{lp}", "to be one number"),
        (lambda lp, n, a: math.nan, "finite number"),
        (lambda lp, n, a: lp / ((5 + n) / 6 * a), "α is a factor"),
        (lambda lp, n, a: lp - gnmt_penalty(n, a), "It subtracts the penalty"),
        (lambda lp, n, a: lp / gnmt_penalty(n - 1, a), "does not count `</s>`"),
        (lambda lp, n, a: lp, "got -2, expected"),
    ],
)
def test_the_score_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_score(wrong))


TRAP = {
    "<s>": {"a": 0.3, "b": 0.28, "c": 0.22, "d": 0.2},
    **{word: {f"{word}{n}": 0.5 for n in (1, 2)} for word in "abc"},
    **{f"{word}{n}": {END: 1.0} for word in "abc" for n in (1, 2)},
    "d": {END: 1.0},
}


def test_a_trap_passes_and_says_what_is_lost():
    report = checks.check_beam_trap(TRAP)
    assert report and "misses `d` (0.200), one of 7 sentences" in report.message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (ANIMALS, "The beam of 3 finds the most probable sentence, `hide`"),
        ({**TRAP, "d": {END: 0.9}}, "This is no language: what follows 'd'"),
        ({**TRAP, "d": {END: 0.5, "d": 0.5}}, "leave out loops"),
        ({**TRAP, "d": {"e": 1.0}}, "no row of their own"),
        ({**TRAP, "<s>": {"d": 0.15, "a": 0.3, "b": 0.28, "c": 0.27}}, "A tie"),
        ({"a": {END: 1.0}}, "no row for `<s>`"),
        ([0.3, 0.7], "dictionary of dictionaries"),
        ({"<s>": 1.0}, "dictionary of dictionaries"),
    ],
)
def test_a_trap_that_is_none_is_told_why(wrong, message):
    assert message in diagnosis(checks.check_beam_trap(wrong))


LATE = {
    "<s>": {"a": 0.62, "b": 0.38},
    "a": {END: 0.8, "x": 0.2},
    "b": {"c": 1.0},
    "c": {"d": 1.0},
    "d": {END: 1.0},
    "x": {END: 1.0},
}


def test_the_carried_penalty_is_another_search():
    model = SmallBigram(LATE)
    words, score = checks.carried_penalty(model.following, 2, 0.0, 5)
    (right,) = beam_search(model, model.source, 2, 0.0, 5)
    assert " ".join(words) == model.spelt(right.tokens) and score == pytest.approx(right.log_prob)  # α = 0: no penalty
    words, score = checks.carried_penalty(lambda words: {END: 1.0} if words else {"a": 0.5}, 1, 0.6, 5)
    assert score == pytest.approx(math.log(0.5) / gnmt_penalty(1, 0.6) / gnmt_penalty(2, 0.6))


def test_a_language_that_tells_the_carried_penalty_passes():
    report = checks.check_carried_penalty(LATE)
    assert report and "the faulty one" in report.message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"<s>": {"a": 0.6, "b": 0.4}, "a": {END: 1.0}, "b": {END: 1.0}}, "Both return `a </s>`"),
        ({**LATE, "x": {END: 0.5}}, "This is no language"),
        ({**LATE, "x": {END: 0.5, "x": 0.5}}, "leave out loops"),
        ("dogs", "dictionary of dictionaries"),
    ],
)
def test_a_language_that_does_not_tell_them_apart_is_told_why(wrong, message):
    assert message in diagnosis(checks.check_carried_penalty(wrong))


def best_first(following, top=lambda agenda: agenda.pop(agenda.index(max(agenda))), stop=False):
    agenda = [(1.0, [])]
    while agenda:
        p, words = top(agenda)
        if words and words[-1] == END:
            return words
        grown = [(p * q, [*words, word]) for word, q in following(words).items()]
        ended = [longer for _, longer in grown if longer[-1] == END]
        if stop and ended:
            return ended[0]
        agenda += grown


def least_probable_first(following):
    return best_first(following, top=lambda agenda: agenda.pop(agenda.index(min(agenda))))


def breadth_first(following):
    """The right sentence, after continuing every prefix of up to four words that is not less probable."""
    best, level = (0.0, []), [(1.0, [])]
    while level:
        grown = [(p * q, [*words, word]) for p, words in level for word, q in following(words).items()]
        best = max([best, *(one for one in grown if one[1][-1] == END)])
        level = [one for one in grown if one[1][-1] != END and one[0] > best[0]]
    return best[1]


def after_the_end(following):
    following(["red", END])
    return best_first(following)


def logs(following):
    agenda = [(0.0, ())]
    while True:
        cost, words = heapq.heappop(agenda)
        if words[-1:] == (END,):
            return list(words)
        for word, p in following(words).items():
            heapq.heappush(agenda, (cost - math.log(p), (*words, word)))


@pytest.mark.parametrize("right", [best_first, logs, lambda following: tuple(logs(following))])
def test_a_best_first_search_passes(right):
    assert checks.check_best_first(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda f: best_first(f)[:-1], "`</s>` is missing"),
        (lambda f: best_first(f, stop=True), "It returns the first finished sentence"),
        (lambda f: greedy(f, 12), "what greedy search writes"),
        (breadth_first, "are enough"),
        (after_the_end, "after `</s>`"),
        (least_probable_first, "takes the smallest number"),
        (lambda f: ["red", END], "is more probable"),
        (lambda f: " ".join(best_first(f)), "Expected a list of words"),
    ],
)
def test_a_best_first_search_is_told_its_fault(wrong, message):
    assert message in diagnosis(checks.check_best_first(wrong))


def tempered(row, temperature):
    scores = {word: math.log(p) / temperature for word, p in row.items()}
    total = sum(math.exp(score) for score in scores.values())
    return {word: math.exp(score) / total for word, score in scores.items()}


def through_softmax(row, temperature):
    scores = torch.tensor(list(row.values()), dtype=torch.float64).log() / temperature
    return dict(zip(row, scores.softmax(0), strict=True))


@pytest.mark.parametrize("right", [tempered, through_softmax])
def test_the_temperature_passes(right):
    assert checks.check_tempered(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda row, t: {word: p ** (1 / t) for word, p in row.items()}, "They do not sum to 1"),
        (lambda row, t: tempered(row, 1 / t), "It multiplies the logarithms"),
        (lambda row, t: row, "It changes nothing"),
        (lambda row, t: {word: p / t for word, p in row.items()}, "It divides the probabilities"),
        (lambda row, t: tempered({word: math.exp(p) for word, p in row.items()}, t), "to the exponent"),
        (lambda row, t: tempered(row, 0.4), "With τ = 0.5, at 'blue'"),
        (lambda row, t: list(row.values()), "Expected a dictionary"),
        (lambda row, t: {"red": 1.0}, "Expected a dictionary"),
        (lambda row, t: dict.fromkeys(row, "much"), "the probability of 'red'"),
    ],
)
def test_the_temperature_is_told_its_fault(wrong, message):
    assert message in diagnosis(checks.check_tempered(wrong))
