"""The checks of *When to stop* take every right answer and name what is wrong with the others."""

import numpy as np
import pytest

from attention_book.checks.verdict import stopping as checks

from ..diagnosis import diagnosis

MOMENTS = {"last_by_loss": 5, "kept_by_loss": 17, "kept_by_score": 22, "kept_by_score_1": 17}
FOLLOWS = {"a": False, "b": False, "c": False, "d": True, "e": True, "f": True}


def stop(scores, patience):
    best = 0
    for place, score in enumerate(scores):
        if score > scores[best]:
            best = place
        if place - best >= patience:
            return best, place
    return best, len(scores) - 1


def stop_by_array(scores, patience):
    scores = np.array(scores)
    for last in range(len(scores)):
        best = int(scores[: last + 1].argmax())
        if last - best == patience:
            break
    return np.int64(best), np.int64(last)


def at_or_above(scores, patience):
    best = 0
    for place, score in enumerate(scores):
        if score >= scores[best]:
            best = place
        if place - best >= patience:
            return best, place
    return best, len(scores) - 1


def falls_in_a_row(scores, patience):
    falls = 0
    for place in range(1, len(scores)):
        falls = falls + 1 if scores[place] < scores[place - 1] else 0
        if falls == patience:
            return scores.index(max(scores[: place + 1])), place
    return scores.index(max(scores)), len(scores) - 1


def test_the_stop_passes():
    assert checks.check_stop(stop) and checks.check_stop(stop_by_array)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda s, p: tuple(place + 1 for place in stop(s, p)), "Count from 0"),
        (lambda s, p: (s.index(max(s)), len(s) - 1), "never seen"),
        (lambda s, p: stop(s, p + 1), "too late"),
        (lambda s, p: stop(s, p - 1) if p > 1 else stop(s, p), "too early"),
        (lambda s, p: (stop(s, p)[1],) * 2, "kept"),
        (at_or_above, "has not risen"),
        (falls_in_a_row, "falls in a row"),
        (lambda s, p: stop(s, p)[0], "2 values"),
        (lambda s, p: None, "returned None"),
        (3, "Expected a function"),
    ],
)
def test_the_stop_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_stop(wrong))


def test_the_moments_pass_and_are_those_that_the_rule_gives():
    assert checks.check_moments(MOMENTS) and checks.check_moments({name: float(x) for name, x in MOMENTS.items()})
    by_loss, last = stop([-loss for loss in checks.LOSSES], 2)
    assert (last + 1, checks.SCORES[by_loss]) == (MOMENTS["last_by_loss"], MOMENTS["kept_by_loss"])
    for patience, name in ((2, "kept_by_score"), (1, "kept_by_score_1")):
        assert checks.SCORES[stop(list(checks.SCORES), patience)[0]] == MOMENTS[name]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"last_by_loss": 3}, "lowest loss"),
        ({"last_by_loss": 4}, "within the patience"),
        ({"last_by_loss": 10}, "long before the end"),
        ({"last_by_loss": 2}, "goes on falling"),
        ({"kept_by_loss": 20}, "not those of the last"),
        ({"kept_by_loss": 5.0}, "that is the loss"),
        ({"kept_by_loss": 23}, "the loss alone"),
        ({"kept_by_loss": 22}, "the loss alone"),
        ({"kept_by_score": 23}, "has stopped before"),
        ({"kept_by_score": 20}, "not those of the last"),
        ({"kept_by_score": 17}, "training goes on"),
        ({"kept_by_score_1": 16}, "not those of the last"),
        ({"kept_by_score_1": 20}, "the first validation"),
        ({"kept_by_score_1": 22}, "the first validation"),
        ({"kept_by_score_1": 23}, "the first validation"),
        ({"kept_by_score_1": 21}, "is not 21"),
        ({"kept_by_score": ...}, "still to be predicted"),
        ({"kept_by_score": "22"}, "one number"),
    ],
)
def test_the_moments_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_moments(MOMENTS | change))


def test_the_conclusions_pass_and_each_wrong_one_is_answered_with_its_reason():
    assert checks.check_stop_follows(FOLLOWS)
    wrong = [FOLLOWS | {name: not right} for name, right in FOLLOWS.items()]
    reasons = {diagnosis(checks.check_stop_follows(answers)) for answers in wrong}
    assert len(reasons) == len(FOLLOWS) and all(told[0] in FOLLOWS for told in reasons)


@pytest.mark.parametrize("patience", [1, 2, 3, 9])
def test_more_patience_never_keeps_a_lower_score_as_statement_e_says(patience):
    draw = np.random.default_rng(patience)
    for _ in range(50):
        scores = draw.integers(0, 9, size=12).tolist()
        assert scores[stop(scores, patience + 1)[0]] >= scores[stop(scores, patience)[0]]
