"""The checks of *A task with few labels*: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import pytest
import torch

from attention_book.checks.beyond import few_labels as checks

from ..diagnosis import diagnosis

RULE = {"is": 1.792, "are": -1.792, "am": -2.485, "agree": 2}


def test_the_forms_are_printed_with_their_probabilities():
    assert [line.split() for line in checks.hidden_forms().splitlines()] == [
        ["is", "0.6"],
        ["are", "0.1"],
        ["am", "0.05"],
    ]


def test_right_numbers_pass():
    assert checks.check_rule(RULE)
    assert checks.check_rule(RULE | {"is": math.log(6), "am": torch.tensor(math.log(1 / 12)), "agree": Fraction(2)})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"is": -1.792}, "comes first"),
        ({"is": 2.485}, "likeliest of the other forms"),
        ({"are": -1.872}, "all other forms together"),
        ({"are": -0.5}, "difference of the probabilities"),
        ({"is": 6}, "ratio"),
        ({"is": 2.585}, "bits"),
        ({"am": -2.996}, "of the form alone"),
        ({"is": 0}, "no rival of itself"),
        ({"agree": 1}, "bias adds 2"),
        ({"agree": 3}, "for *am*"),
        ({"am": ...}, "am"),
    ],
)
def test_wrong_numbers_are_answered_with_where_they_come_from(changed, message):
    assert message in diagnosis(checks.check_rule(RULE | changed))


def others(forms, stood):
    return (forms != stood[:, None]) & (forms != 0)


def right(logits, forms, stood):
    rivals = logits.gather(1, forms).masked_fill(~others(forms, stood), -math.inf)
    return logits.gather(1, stood[:, None])[:, 0] - rivals.amax(1)


def by_loop(logits, forms, stood):
    found = []
    for row, group, form in zip(logits.log_softmax(-1).tolist(), forms.tolist(), stood.tolist(), strict=True):
        found.append(row[form] - max(row[other] for other in group if other not in (0, form)))
    return found


@pytest.mark.parametrize("function", [right, lambda z, f, s: torch.tensor(by_loop(z, f, s))])
def test_right_functions_pass(function):
    assert checks.check_numbers(function)


def own(z, s):
    return z.gather(1, s[:, None])[:, 0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda z, f, s: -right(z, f, s), "sign is wrong"),
        (lambda z, f, s: own(z, s) - z.gather(1, f).masked_fill(f == 0, -math.inf).amax(1), "among its rivals"),
        (
            lambda z, f, s: own(z, s) - z.gather(1, f).masked_fill(f == s[:, None], -math.inf).amax(1),
            "fills up the row",
        ),
        (lambda z, f, s: own(z, s) - z.scatter(1, s[:, None], -math.inf).amax(1), "all other words"),
        (lambda z, f, s: own(z, s) - (z.gather(1, f) * others(f, s)).sum(1) / others(f, s).sum(1), "their mean"),
        (lambda z, f, s: own(z, s) - z.gather(1, f).masked_fill(~others(f, s), math.inf).amin(1), "the worst"),
        (
            lambda z, f, s: own(z.softmax(1), s) - (z.softmax(1).gather(1, f) * others(f, s)).amax(1),
            "of the probabilities",
        ),
        (lambda z, f, s: own(z.log_softmax(1), s), "form alone"),
        (lambda z, f, s: right(z, f, s).sign(), "sign of each number"),
        (lambda z, f, s: torch.ones(len(s), dtype=z.dtype), "It begins with 1.0000"),
        (lambda z, f, s: right(z, f, s)[:2], "shape"),
    ],
)
def test_wrong_functions_are_answered_with_the_reason(wrong, message):
    assert message in diagnosis(checks.check_numbers(wrong))


@pytest.mark.parametrize(
    ("feature", "weights"),
    [
        (lambda u, v: u * v, (0, 0, 1, 0)),
        (lambda u, v: u == v, (0, 0, 2, -1)),
        (lambda u, v: (u + v) ** 2, (0, 0, 1, -2)),
        (lambda u, v: max(u, v), (1, 1, -2, 1)),
        (lambda u, v: abs(u - v), (0.0, 0.0, -1.0, 1.0)),
    ],
)
def test_features_that_compare_pass(feature, weights):
    assert checks.check_third_feature(feature, weights)


@pytest.mark.parametrize(
    ("feature", "weights", "message"),
    [
        (lambda u, v: u + v, (0, 0, 1, 0), "a sum of something"),
        (lambda u, v: 7, (0, 0, 1, 0), "a sum of something"),
        (lambda u, v: u * v, (0, 0, -1, 0), "but the sentence agrees"),
        (lambda u, v: u * v, (0, 0, 1, 2), "but the sentence is wrong"),
        (lambda u, v: u * v, (1, 0, 1, 0), "which says neither"),
        (lambda u, v: u * v, (0, 1), "four weights"),
        (lambda u, v: u * v, 1, "four weights"),
        (lambda u, v: u * v, (0, 0, "one", 0), "a weight to be one number"),
        (lambda u, v: [u, v], (0, 0, 1, 0), "the feature to be one number"),
        (lambda u: u, (0, 0, 1, 0), "TypeError"),
    ],
)
def test_features_that_do_not_are_answered_with_the_reason(feature, weights, message):
    assert message in diagnosis(checks.check_third_feature(feature, weights))
