"""The checks of *Which head would you show?*: right answers pass, wrong ones are named."""

from fractions import Fraction

import numpy as np
import pytest

from attention_book.checks.reading import choosing as checks
from attention_book.experiments.link_study import error_rates

from ..diagnosis import diagnosis

LUCK = {"one head": 0.0878, "8 heads": 0.5205, "48 heads": 0.9879, "48 heads, two sentences": 0.3103}
PROMISE = {"promised": 1 / 4, "kept": 5 / 8, "no choice": 11 / 24}
ERRORS = np.array([[1, 3], [2, 1], [2, 2]])  # a row per head, a column per sentence of four words


def test_the_promise_is_that_of_the_table():
    chosen = ERRORS.argmin(axis=0)
    promised, kept = ERRORS[chosen, [0, 1]].mean() / 4, ERRORS[chosen, [1, 0]].mean() / 4
    assert [promised, kept, ERRORS.mean() / 4] == pytest.approx(list(PROMISE.values()))
    assert checks.check_promise(PROMISE) and checks.check_promise(PROMISE | {"kept": Fraction(5, 8), "no choice": 0.46})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"promised": 1 / 2}, "*fewest*"),
        ({"promised": 1 / 8}, "one sentence of four words"),
        ({"promised": 1}, "divide it by four"),
        ({"promised": 5 / 8}, "keep on the other"),
        ({"kept": 1 / 4}, "what they promise"),
        ({"kept": 3 / 4}, "the first choice alone"),
        ({"kept": 1 / 2}, "the second choice alone"),
        ({"kept": 7 / 16}, "takes in the sentence"),
        ({"kept": 2.5}, "divide it by four"),
        ({"no choice": 11 / 6}, "divide it by four"),
        ({"no choice": 11 / 12}, "six shares"),
        ({"no choice": 1 / 4}, "no head is chosen"),
        ({"no choice": 0.9}, "is not 0.9."),
        ({"kept": ...}, "still open"),
        ({"x": 1}, "Give a dictionary"),
    ],
)
def test_the_promise_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_promise({**PROMISE, **change}))


def test_luck_is_what_drawing_gives():
    right = np.random.default_rng(0).random((20_000, 48, 12)) < 2 / 3
    first = right[..., :6].all(-1)
    drawn = [first[:, 0].mean(), first[:, :8].any(1).mean(), first.any(1).mean(), right.all(-1).any(1).mean()]
    assert drawn == pytest.approx(list(LUCK.values()), abs=0.015)
    assert checks.check_luck(LUCK) and checks.check_luck({**LUCK, "one head": Fraction(64, 729)})
    assert checks.check_luck({name: round(value, 2) for name, value in LUCK.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"one head": 2 / 3}, "that is one word"),
        ({"one head": 0.1317}, "that is five words"),
        ({"one head": 0.9122}, "at least one error"),
        ({"one head": 0.0014}, "every word wrongly"),
        ({"one head": 4}, "at most 1"),
        ({"8 heads": 0.7023}, "do not add up"),
        ({"8 heads": 0.4795}, "none of them"),
        ({"8 heads": 0.0878}, "eight chances"),
        ({"48 heads": 4.2140}, "at most 1"),
        ({"48 heads": 1}, "nearly"),
        ({"48 heads, two sentences": 0.976}, "the same head"),
        ({"48 heads, two sentences": 0.3700}, "at once"),
        ({"48 heads, two sentences": 0.6897}, "none of them"),
        ({"48 heads, two sentences": 0.4277}, "twelve words"),
        ({"48 heads": 0.7}, "is not 0.7."),
        ({"8 heads": ...}, "still open"),
        ({"8 heads": [1]}, "to be one number"),
        ({"x": 1}, "Give a dictionary"),
    ],
)
def test_luck_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_luck({**LUCK, **change}))


def rate(counts):
    links, in_sure, in_possible, sure = counts.sum(axis=-2).T
    return 1 - (in_sure + in_possible) / (links + sure)


def test_validation_and_test_disagree_so_that_peeking_shows():
    validation, test = checks.head_counts()
    assert rate(validation).argmin() != rate(test).argmin()
    assert rate(test) == pytest.approx(error_rates(test))


def test_a_fair_choice_passes():
    def chosen(validation, test):
        head = rate(validation).argmin()
        return head, rate(test)[head]

    assert checks.check_choice(chosen)
    assert checks.check_choice(lambda v, t: [int(rate(v).argmin()), float(rate(t)[rate(v).argmin()])])


def each(counts):
    return (1 - (counts[..., 1] + counts[..., 2]) / (counts[..., 0] + counts[..., 3])).mean(axis=1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda v, t: (rate(t).argmin(), rate(t).min()), "chosen on the test"),
        (lambda v, t: (rate(v).argmin(), rate(v).min()), "error rate on validation"),
        (lambda v, t: (rate(v).argmax(), rate(t)[rate(v).argmax()]), "better if it is lower"),
        (lambda v, t: (rate(v).argmin(), each(t)[rate(v).argmin()]), "summed over the sentences"),
        (lambda v, t: (rate(v).argmin(), 1 - rate(t)[rate(v).argmin()]), "1 less the error rate"),
        (lambda v, t: (rate(v).argmin(), 0.5), "it should be head"),
        (lambda v, t: rate(t)[rate(v).argmin()], "Expected 2 values"),
        (lambda v, t: (rate(v), rate(t)), "Expected the head to be one number"),
    ],
)
def test_an_unfair_choice_is_named(wrong, message):
    assert message in diagnosis(checks.check_choice(wrong))
