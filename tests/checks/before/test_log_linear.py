"""The checks of *Log-linear models* on right answers and on wrong ones, each of which they must name."""

from fractions import Fraction

import numpy as np
import pytest

from attention_book.checks.before.log_linear import (
    CONTEXTS,
    check_same_shares,
    check_shares_of,
    check_slopes,
    printed_points,
)
from attention_book.counting.log_linear import LogLinearModel

from ..diagnosis import diagnosis

SLOPES = {"a": -5 / 7, "b": -11 / 7, "c": 3 / 7, "d": -9 / 7}


def test_the_predicted_slopes_are_those_of_the_model():
    sentences = [s.split() for s in ("I like cats", "I like dogs", "cats like fish")]
    model = LogLinearModel(sentences, features=lambda context: [context[-1]])
    rows, came = model.encode(sentences)
    gradient = 12 * model.loss_and_gradient(rows, came)[1]
    column = {word: n for n, word in enumerate(model.vocabulary)}
    (of_cats,) = {int(row[0]) for row, word in zip(rows[8:], came[8:], strict=True) if model.vocabulary[word] == "like"}
    found = {
        "a": gradient[of_cats, column["like"]],
        "b": gradient[rows[0, 0], column["I"]],
        "c": gradient[rows[0, 0], column["dogs"]],
        "d": gradient[0, column["like"]],
    }
    assert found == pytest.approx(SLOPES)


@pytest.mark.parametrize("kind", [float, Fraction, np.float64])
def test_right_slopes_pass(kind):
    assert check_slopes({letter: kind(slope) for letter, slope in SLOPES.items()})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": 5 / 7}, "the sign"),
        ({"a": 2 / 7}, "subtract 1"),
        ({"b": -4 / 7}, "subtract 2"),
        ({"b": -11 / 84}, "the twelvefold"),
        ({"c": 0}, "the model expects it"),
        ({"c": -4 / 7}, "nothing is subtracted"),
        ({"d": 12 / 7}, "subtract 3"),
        ({"d": -20 / 7}, "not in one"),
        ({"d": ...}, "(d) is still to be predicted"),
        ({"a": "-5/7"}, "to be one number"),
    ],
)
def test_a_wrong_slope_is_recognised(change, said):
    assert said in diagnosis(check_slopes(SLOPES | change))


def total(features, points, bias):
    return bias + sum((points[name] for name in features if name in points), np.zeros(4))


def soft(scores):
    return np.exp(scores) / np.exp(scores).sum()


def by_loop(features, points, bias):
    scores = list(bias)
    for name in features:
        for place, number in enumerate(points.get(name, [0] * len(scores))):
            scores[place] += float(number)
    whole = sum(np.exp(scores))
    return [float(np.exp(score) / whole) for score in scores]


@pytest.mark.parametrize("right", [lambda *given: soft(total(*given)), by_loop])
def test_right_shares_pass(right):
    report = check_shares_of(right)
    assert report, report.message


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f, p, b: soft(total(f, p, 0 * b)), "The row b is missing"),
        (lambda f, p, b: total(f, p, b), "makes shares of them"),
        (lambda f, p, b: np.exp(total(f, p, b)), "divided by their sum"),
        (lambda f, p, b: np.mean([soft(b), *(soft(p[n]) for n in f if n in p)], axis=0), "a mean of softmaxes"),
        (lambda f, p, b: soft(np.mean([b, *(p[n] for n in f if n in p)], axis=0)), "not averaged"),
        (lambda f, p, b: soft(sum((b + p[n] for n in f if n in p), np.zeros(4))), "once for each feature"),
        (lambda f, p, b: total(f, p, b) / total(f, p, b).sum(), "takes exponentials first"),
        (lambda f, p, b: soft(b + sum(p[n] for n in f)), "KeyError"),
        (lambda f, p, b: np.full(4, 0.25), "A wrong number at"),
        (lambda f, p, b: np.full(3, 1 / 3), "wrong shape"),
        (lambda f, p, b: dict.fromkeys(f, 0.5), "Expected the shares"),
    ],
)
def test_wrong_shares_are_recognised(wrong, said):
    assert said in diagnosis(check_shares_of(wrong))


def given_back(points, contexts):
    """What the ending's row loses, the rows of the words before it get."""
    found = {name: row.copy() for name, row in points.items()}
    lost = 2 * (points["ends in: os"] - points["ends in: os"][::-1])
    found["ends in: os"] -= lost
    for before, ending in contexts:
        if ending == "ends in: os":
            found[before] += lost
    return found


def all_by_hand(points, contexts):
    """Every row of a word before holds the whole sum, and a constant on top, which softmax does not see."""
    found = {before: 3 + points[before] + points[ending] for before, ending in contexts}
    return {before: row - np.array([0, 1.0]) * before.endswith("os") for before, row in found.items()} | {
        "ends in: os": np.array([0, 1.0]),
        "ends in: as": [0.0, 0.0],
    }


@pytest.mark.parametrize("right", [given_back, all_by_hand])
def test_other_points_with_the_same_shares_pass(right):
    report = check_same_shares(right)
    assert report, report.message


def only_the_ending(points, contexts):
    return points | {"ends in: os": points["ends in: os"][::-1].copy()}


def for_the_printed_table(points, contexts):
    """Right for the numbers that the exercise prints, and written down for these alone."""
    return given_back(printed_points(), contexts)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda points, contexts: points, "still favours *negros*"),
        (lambda points, contexts: {name: row + 1 for name, row in points.items()}, "The same number was added"),
        (only_the_ending, "have to give back"),
        (lambda p, c: only_the_ending(p, c) | {"before: gatos": np.zeros(2)}, "P(negros) was"),
        (lambda p, c: {name: -row for name, row in p.items()}, "P(negros) was"),
        (for_the_printed_table, "P(negros) was"),
        (lambda p, c: {name: row for name, row in p.items() if "os" in name}, "There is no row of"),
        (lambda p, c: 3, "Expected a dictionary"),
    ],
)
def test_points_that_are_not_asked_for_are_recognised(wrong, said):
    assert said in diagnosis(check_same_shares(wrong))


def test_the_exercise_has_the_contexts_that_its_text_tells():
    assert CONTEXTS[2] == ("before: libros", "ends in: os") and len(CONTEXTS) == 5
    assert set(printed_points()) == {name for context in CONTEXTS for name in context}
