"""The checks of the chapter on attention as alignment: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
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
