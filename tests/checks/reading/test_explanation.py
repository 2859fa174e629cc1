"""The checks of *Is attention an explanation?* take every right answer and name what is wrong with the others."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.reading import explanation as checks
from attention_book.studies.reading.same_output import changed_row, hidden_changes

from ..diagnosis import diagnosis

DIRECTIONS = {"a": 2, "b": 3, "c": 6, "d": 0}


def test_the_directions_pass():
    assert checks.check_directions(DIRECTIONS)
    assert checks.check_directions({name: Fraction(n) for name, n in DIRECTIONS.items()})
    assert set(checks.four_values()) == set(DIRECTIONS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 3}, "the sum of the weights must stay 1 as well"),
        ({"a": 1}, "the rank of [V, 1] is 2"),
        ({"b": 4}, "must stay 1"),
        ({"b": 2}, "one to the rank, not two"),
        ({"b": 1}, "hide every change"),
        ({"c": 7}, "raises the rank to 4"),
        ({"c": 3}, "directions that are left"),
        ({"d": 1}, "room to spare"),
        ({"d": -55}, "not fewer than no directions"),
        ({"d": 5}, "(d) is not 5"),
        ({"d": ...}, "still to be predicted"),
        ({"e": 1}, "Give a dictionary"),
    ],
)
def test_wrong_directions_are_named(change, message):
    assert message in diagnosis(checks.check_directions(DIRECTIONS | change))


def by_overlap(a, b):
    return 1 - torch.minimum(a, b).sum()


@pytest.mark.parametrize(
    "right",
    [
        by_overlap,
        lambda a, b: (a - b).abs().sum() / 2,
        lambda a, b: float((a - b).clamp(min=0).sum()),
        lambda a, b: sum(max(x - y, 0) for x, y in zip(a.tolist(), b.tolist(), strict=True)),
        lambda a, b: np.abs(np.asarray(a) - np.asarray(b)).sum() / 2,
    ],
)
def test_the_distance_passes(right):
    assert checks.check_distance(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda a, b: (a - b).abs().sum(), "counted twice"),
        (lambda a, b: torch.minimum(a, b).sum(), "That is the overlap"),
        (lambda a, b: (a - b).sum(), "The differences cancel"),
        (lambda a, b: (a - b).square().sum(), "not squares"),
        (lambda a, b: (a - b).norm(), "straight-line"),
        (lambda a, b: (a - b).abs().mean(), "the mean difference per key"),
        (lambda a, b: (a - b).abs().max(), "largest single difference"),
        (lambda a, b: by_overlap(a, b) + 0.1, "For (0."),
        (lambda a, b: a - b, "one number"),
        (lambda a, b: None, "None"),
    ],
)
def test_wrong_distances_are_named(wrong, message):
    assert message in diagnosis(checks.check_distance(wrong))


def by_hidden_change(weights, values):
    return changed_row(weights, values, 1.0)[0]


def the_other_way(weights, values):
    change = -hidden_changes(values)[-1]
    steps = torch.where(change < 0, weights / -change, torch.inf)
    return (weights + steps.min() * change).tolist()


def by_svd(weights, values):
    beside = np.concatenate([values.numpy(), np.ones((len(values), 1))], axis=1)
    change = np.linalg.svd(beside)[0][:, -1]
    weights = weights.numpy()
    return weights + min(w / -c for w, c in zip(weights, change, strict=True) if c < 0) * change


@pytest.mark.parametrize("right", [by_hidden_change, the_other_way, by_svd])
def test_another_row_passes(right):
    assert checks.check_another_row(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda w, v: w, "the row that was given"),
        (lambda w, v: w + hidden_changes(v)[0] * 10, "Stop when the first weight"),
        (lambda w, v: changed_row(w, v, 0.5)[0], "Go on until one is 0"),
        (lambda w, v: w.roll(1), "the change is not hidden"),
        (lambda w, v: torch.eye(len(w)).double()[0], "the change is not hidden"),
        (lambda w, v: w + 0.1, "A hidden change sums to 0"),
        (lambda w, v: w[1:], "wrong shape"),
        (lambda w, v: hidden_changes(v)[0], "sums to"),
        (lambda w, v: None, "None"),
        (lambda w, v: "w", "a string"),
    ],
)
def test_rows_that_are_no_other_row_are_named(wrong, message):
    assert message in diagnosis(checks.check_another_row(wrong))


CONCLUDED = {"a": False, "b": True, "c": True, "d": False, "e": True}


def test_what_follows_passes():
    assert checks.check_concluded(CONCLUDED)


@pytest.mark.parametrize("name", CONCLUDED)
def test_each_wrong_conclusion_is_named_with_its_reason(name):
    message = diagnosis(checks.check_concluded(CONCLUDED | {name: not CONCLUDED[name]}))
    assert message.startswith(f"{name} is {CONCLUDED[name]}: ")
    assert "True (it is possible)" in diagnosis(checks.check_concluded(CONCLUDED | {name: "yes"}))
    assert "open" in diagnosis(checks.check_concluded(CONCLUDED | {name: ...}))
