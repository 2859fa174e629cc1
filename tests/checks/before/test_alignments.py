"""The checks of *Attention as alignment* and *Who told the verb?*: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.checks.before import alignments as checks
from attention_book.translation.evaluation import alignment_error_rate

from ..diagnosis import diagnosis

SHOWN = {"a": True, "b": False, "c": False, "d": True, "e": False}


def test_what_weights_show_passes():
    assert checks.check_shown(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_each_wrong_conclusion_from_a_weight_is_named(name):
    said = diagnosis(checks.check_shown(SHOWN | {name: not SHOWN[name]}))
    assert said.startswith(f"{name} is {SHOWN[name]}: ")


def test_open_or_missing_conclusions_are_named():
    assert "still open" in diagnosis(checks.check_shown(SHOWN | {"c": ...}))
    assert "True (it follows)" in diagnosis(checks.check_shown(SHOWN | {"c": 0}))
    assert "for each of" in diagnosis(checks.check_shown({"a": True}))


GUESSES = {"a": 1 / 4, "b": 3 / 10, "c": 1 / 5, "d": 3 / 8}


def test_guesses_pass_and_are_those_of_the_measure():
    assert checks.check_guesses(GUESSES)
    assert checks.check_guesses(GUESSES | {"d": 0.38})
    gold = [{(n, n) for n in range(10)}] * 4
    sure = {(n, n) for n in range(6)}
    wrong = {(n + 1, n) for n in range(6, 10)}
    rights = {"b": (1, 1, 1, 1), "c": (2, 2, 2, 2)}
    assert alignment_error_rate([sure] * 4, gold).error_rate == pytest.approx(GUESSES["a"])
    for name, counts in rights.items():
        guessed = [{*sure, *list(wrong)[n:], *((j, j) for _, j in list(wrong)[:n])} for n in counts]
        assert alignment_error_rate(guessed, gold).error_rate == pytest.approx(GUESSES[name])
    assert 1 - 2 * (6 + 4 * GUESSES["d"]) / 20 == GUESSES["a"]


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("a", 0.4, "recall that is lost"),
        ("a", 0.75, "1 less the error rate"),
        ("a", 0.625, "counts twice"),
        ("a", 0, "missing"),
        ("b", 0.7, "1 less"),
        ("b", 0.125, "ten links are proposed"),
        ("b", 0.65, "counts twice"),
        ("c", 0.8, "1 less"),
        ("c", 0, "half of the guesses"),
        ("c", 1 / 9, "ten links are proposed"),
        ("d", 0.5, "lower the error rate already"),
        ("d", 0.25, "still raise it"),
        ("d", 0.75, "half of that"),
        ("d", 0.6, "(d) is not 0.6."),
        ("d", ..., "still to be predicted"),
    ],
)
def test_wrong_guesses_are_named(name, wrong, message):
    assert message in diagnosis(checks.check_guesses(GUESSES | {name: wrong}))


def least(gold):
    chosen = sum(len({j for _, j in links}) for links in gold)
    return 1 - 2 * chosen / (chosen + sum(map(len, gold)))


def one_by_one(gold):
    right = sure = 0
    for links in gold:
        linked = []
        for _, target in sorted(links):
            sure += 1
            if target not in linked:
                linked.append(target)
        right += len(linked)
    return Fraction(sure - right, sure + right)


def by_the_measure(gold):
    proposed = [frozenset(dict((j, (i, j)) for i, j in sorted(links)).values()) for links in gold]
    return alignment_error_rate(proposed, gold).error_rate


@pytest.mark.parametrize("right", [least, one_by_one, by_the_measure, lambda gold: np.array([least(gold)])])
def test_the_least_error_passes(right):
    assert checks.check_least_error(right)


def counted(count):
    """The error rate if so many links of a sentence are proposed, all of them right."""

    def error(gold):
        proposed = sum(count({i for i, _ in links}, {j for _, j in links}) for links in gold)
        return 1 - 2 * proposed / (proposed + sum(map(len, gold)))

    return error


def every_word_linked(gold):
    right = sum(len({j for _, j in links}) for links in gold)
    proposed = sum(1 + max(j for _, j in links) for links in gold)
    return 1 - 2 * right / (proposed + sum(map(len, gold)))


def recall(gold):
    return sum(len({j for _, j in links}) for links in gold) / sum(map(len, gold))


def pooled_places(gold):
    proposed = len({j for links in gold for _, j in links})
    return 1 - 2 * proposed / (proposed + sum(map(len, gold)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda gold: 0.0, "out of reach"),
        (lambda gold: 1 - sum(len({j for _, j in s}) for s in gold) / sum(map(len, gold)), "counts precision as well"),
        (lambda gold: least([{(j, i) for i, j in s} for s in gold]), "each *target* word has one link"),
        (lambda gold: np.mean([least([s]) for s in gold]), "summed over the sentences"),
        (lambda gold: 1 - least(gold), "1 less the error rate"),
        (counted(lambda i, j: min(len(i), len(j))), "a source word may have several"),
        (counted(lambda i, j: 1 + max(j)), "better left without one"),
        (every_word_linked, "better left without one"),
        (pooled_places, "count within each sentence"),
        (counted(lambda i, j: max(len(i), len(j))), "With the links"),
        (lambda gold: 1 / (1 + recall(gold)), "counts twice"),
        (lambda gold: min(least(gold), 0.2), "With the links"),
        (lambda gold: 0.37, "not 0.3700."),
        (lambda gold: [0.5], "one number"),
    ],
)
def test_wrong_least_errors_are_named(wrong, message):
    assert message in diagnosis(checks.check_least_error(wrong))


def links(weights, n_source, n_target):
    best = weights.argmax(1).tolist()
    return {(i, j) for j, i in enumerate(best[:n_target]) if i < n_source}


def test_links_pass():
    assert checks.check_links(links)
    assert links(*checks.observed()) == {(2, 0), (0, 2)}


def late(weights, n_source, n_target):
    return {(i, j) for j, i in enumerate(weights[1:].argmax(1).tolist()) if i < n_source}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (late, "made *after* it was read"),
        (lambda w, n, m: {(i, j) for j, i in enumerate(w[1:].argmax(1).tolist())}, "made *after* it was read"),
        (lambda w, n, m: {(i, j) for j, i in enumerate(w[:m].argmax(1).tolist())}, "`</s>` and no word"),
        (lambda w, n, m: {(i, j) for j, i in enumerate(w.argmax(1).tolist()) if i < n}, "the last row belongs"),
        (lambda w, n, m: {(i, j) for j, i in enumerate(w.argmax(1).tolist())}, "neither of the source nor"),
        (lambda w, n, m: {(j, i) for i, j in links(w, n, m)}, "changed places"),
        (lambda w, n, m: {(i, int(w[:m, i].argmax())) for i in range(n)}, "each *source* word chose"),
        (lambda w, n, m: links(w, n, m) | {(1, 1)}, "(1, 1) is no link"),
        (lambda w, n, m: links(w, n, m) - {(2, 0)}, "(2, 0) is missing"),
        (lambda w, n, m: w, "set of pairs"),
    ],
)
def test_wrong_links_are_named(wrong, message):
    assert message in diagnosis(checks.check_links(wrong))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_least_error(least)
        checks.check_links(links)


def falls(a, h, h_other, w):
    return a * ((h - h_other) @ w)


def one_at_a_time(a, h, h_other, w):
    found = []
    for j in range(len(a)):
        exchanged = h.clone()
        exchanged[j] = h_other[j]
        found.append(a @ h @ w - a @ exchanged @ w)
    return found


@pytest.mark.parametrize("right", [falls, one_at_a_time, lambda *given: falls(*given).numpy()])
def test_falls_pass(right):
    assert checks.check_falls(right)


def test_falls_add_up_to_that_of_all_exchanges():
    for a, h, h_other, w in checks._exchanged():
        torch.testing.assert_close(falls(a, h, h_other, w).sum(), a @ h @ w - a @ h_other @ w)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda a, h, o, w: -falls(a, h, o, w), "The sign"),
        (lambda a, h, o, w: (h - o) @ w, "weights are missing"),
        (lambda a, h, o, w: a @ h @ w - falls(a, h, o, w), "after each exchange"),
        (lambda a, h, o, w: a * (h @ w), "leaves the state out"),
        (lambda a, h, o, w: a * (o @ w), "what the other states say"),
        (lambda a, h, o, w: falls(a, h, o, w).abs(), "then its fall is negative"),
        (lambda a, h, o, w: falls(a, h, o, w) / falls(a, h, o, w).sum(), "not shares"),
        (lambda a, h, o, w: falls(a, h, o, w).sum(), "all exchanges together"),
        (lambda a, h, o, w: float(falls(a, h, o, w).sum()), "all exchanges together"),
        (lambda a, h, o, w: falls(a, h, o, w) + 1, "A wrong number at"),
        (lambda a, h, o, w: a[:, None] * (h - o), "a number per state"),
        (lambda a, h, o, w: 3, "the falls"),
    ],
)
def test_wrong_falls_are_named(wrong, message):
    assert message in diagnosis(checks.check_falls(wrong))


@pytest.mark.parametrize(
    "right",
    [
        lambda like, cats: 1 if like or cats else -1,
        lambda like, cats: max(like, cats) - 0.5,
        lambda like, cats: torch.tensor(2.0 * (like + cats > 0) - 1),
    ],
)
def test_witnesses_who_cover_for_each_other_pass(right):
    assert checks.check_silent(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda like, cats: like + cats - 0.5, "The exchange of like alone takes the log-odds from 1.5 to 0.5"),
        (lambda like, cats: 1 if like and cats else -1, "The exchange of like alone"),
        (lambda like, cats: 1 if like else -1, "The exchange of like alone"),
        (lambda like, cats: 1 if cats else -1, "The exchange of cats alone"),
        (lambda like, cats: 1, "odds(0, 0) is 1"),
        (lambda like, cats: max(like, cats), "odds(0, 0) is 0"),
        (lambda like, cats: -1, "odds(1, 1) is -1"),
        (lambda like, cats: "plural", "one number"),
    ],
)
def test_witnesses_who_are_noticed_are_named(wrong, message):
    assert message in diagnosis(checks.check_silent(wrong))
