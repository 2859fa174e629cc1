"""The checks of attention by tiles: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.tiles import PartialMean, cuts, finished, merged, partial_mean, tiled_attention
from attention_book.checks.beyond import tiles as checks

from ..diagnosis import diagnosis

RUNNING = {"shrink": 1 / 4, "total": 11 / 8, "summed": 7.5, "output": 4}


def test_the_keys_are_printed_as_they_are_asked_about():
    assert checks.four_keys().splitlines() == [
        "key 0: score ln 1, value 16", "key 1: score ln 2, value 0", "key 2: score ln 8, value 4",
        "key 3: score ln 4, value 3",
    ]  # fmt: skip


def test_running_passes():
    assert checks.check_running(RUNNING)
    assert checks.check_running({name: Fraction(number) for name, number in RUNNING.items()})
    assert checks.check_running({name: torch.tensor(number) for name, number in RUNNING.items()})
    assert checks.check_running(RUNNING | {"output": np.float32(4.0004)})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shrink": 4}, "(shrink) is not 4: that is how many times larger"),
        ({"shrink": 1 / 8}, "largest score so far, ln 2"),
        ({"shrink": 1}, "larger score than all before it"),
        ({"shrink": 1 / 2}, "that was for key 1"),
        ({"total": 2.5}, "has to be shrunk first"),
        ({"total": 11}, "after subtracting ln 8"),
        ({"total": 1}, "the new key alone"),
        ({"total": 0.375}, "the new key adds 1"),
        ({"summed": 60}, "weighs the values by 1, 2, 8 and 4"),
        ({"summed": 9}, "counts by a half"),
        ({"summed": 6}, "before key 3"),
        ({"summed": 4}, "not divided yet"),
        ({"output": 7.5}, "divide it by the total"),
        ({"output": 5.75}, "the plain mean"),
        ({"output": 5}, "(output) is not 5."),
        ({"output": ...}, "(output) is still to be predicted"),
        ({"output": "4"}, "one number"),
    ],
)
def test_running_names_the_fault(changed, message):
    assert message in diagnosis(checks.check_running(RUNNING | changed))


def by_formula(one, other):
    largest = np.maximum(one[0], other[0])
    safe = np.where(np.isinf(largest), 0.0, largest)
    a, b = np.exp(one[0] - safe), np.exp(other[0] - safe)
    return largest, a * one[1] + b * other[1], a * one[2] + b * other[2]


def by_cases(one, other):
    """Row by row, the part with the larger score first."""
    rows = []
    for i in range(len(one[0])):
        a, b = sorted([[x[i] for x in part] for part in (one, other)], key=lambda part: -part[0][0])
        shrink = math.exp(b[0][0] - a[0][0]) if math.isfinite(b[0][0]) else 0.0
        rows.append((a[0], a[1] + shrink * b[1], a[2] + shrink * b[2]))
    return [np.array(column) for column in zip(*rows, strict=True)]


def shrinking(factors):
    def merge(one, other):
        largest = np.maximum(one[0], other[0])
        safe = np.where(np.isinf(largest), 0.0, largest)
        a, b = factors(one[0], other[0], safe)
        return largest, a * one[1] + b * other[1], a * one[2] + b * other[2]

    return merge


def test_merge_passes():
    assert checks.check_merge(by_formula)
    assert checks.check_merge(by_cases)
    assert checks.check_merge(lambda one, other: by_formula(other, one))
    assert checks.check_merge(lambda one, other: merged(PartialMean(*one), PartialMean(*other)))
    assert checks.check_merge(lambda one, other: [part.tolist() for part in by_formula(one, other)])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (shrinking(lambda a, b, r: (1.0, 1.0)), "nothing is shrunk"),
        (shrinking(lambda a, b, r: (np.exp(r - a), np.exp(r - b))), "upside down"),
        (shrinking(lambda a, b, r: (np.exp(a - r), 1.0)), "the first part is shrunk and the second is not"),
        (shrinking(lambda a, b, r: (1.0, np.exp(b - r))), "the second part is shrunk and the first is not"),
        (shrinking(lambda a, b, r: (np.exp(b - r), np.exp(a - r))), "by the other's largest score"),
        (lambda a, b: shrinking(lambda x, y, r: (np.exp(x - np.maximum(x, y)), np.exp(y - np.maximum(x, y))))(a, b),
         "What is −∞ minus −∞?"),
        (lambda a, b: (a[0], *by_formula(a, b)[1:]), "the largest score is wrong"),
        (lambda a, b: (by_formula(a, b)[0], a[1] + b[1], by_formula(a, b)[2]), "the total is wrong"),
        (lambda a, b: (*by_formula(a, b)[:2], a[2] + b[2]), "the sum of values is wrong"),
        (lambda a, b: by_formula(a, b)[:2], "Expected 3 values"),
        (lambda a, b: (by_formula(a, b)[0][0], *by_formula(a, b)[1:]), "shape"),
        (lambda a, b: a.clear(), "It raises"),
        (lambda a, b: None, "Is the `return` missing"),
        (3, "Expected a function"),
    ],
)  # fmt: skip
def test_merge_names_the_fault(wrong, message):
    with np.errstate(all="ignore"):
        assert message in diagnosis(checks.check_merge(wrong))


COUNTS = {"read": 6, "cut": 3, "cells": 68, "wasted": 13}


def test_counts_pass():
    assert checks.check_counts(COUNTS)
    assert checks.check_counts({name: float(number) for name, number in COUNTS.items()})
    assert checks.check_counts({name: np.int64(number) for name, number in COUNTS.items()})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"read": 9}, "three lie wholly in the future"),
        ({"read": 3}, "diagonal are not all"),
        ({"read": 4}, "have tiles too"),
        ({"cut": 6}, "hides nothing"),
        ({"cut": 2}, "corner is cut too"),
        ({"cells": 100}, "the whole table"),
        ({"cells": 55}, "a tile is computed whole"),
        ({"cells": 96}, "at the edge are smaller"),
        ({"wasted": 45}, "all pairs of the future"),
        ({"wasted": 18}, "a tile of 2 × 2"),
        ({"wasted": 12}, "cut them after 4 and after 8"),
        ({"wasted": ...}, "`wasted` is still open"),
        ({"wasted": "13"}, "one number"),
        ({"more": 1}, "one number for each of read, cut, cells, wasted"),
    ],
)
def test_counts_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_counts(COUNTS | changed))


def online(q, k, v, size):
    largest, total, summed = np.full((len(q), 1), -np.inf), np.zeros((len(q), 1)), np.zeros((len(q), v.shape[1]))
    for start in range(0, len(k), size):
        scores = q @ k[start : start + size].T / math.sqrt(q.shape[1])
        new = np.maximum(largest, scores.max(axis=1, keepdims=True))
        shrink, exponentials = np.exp(largest - new), np.exp(scores - new)
        largest, total = new, shrink * total + exponentials.sum(axis=1, keepdims=True)
        summed = shrink * summed + exponentials @ v[start : start + size]
    return summed / total


def parts_of(q, k, v, size):
    return [partial_mean(q @ k[p].T / math.sqrt(q.shape[1]), v[p]) for p in cuts(len(k), size)]


def outputs_of(q, k, v, size):
    return [finished(part) for part in parts_of(q, k, v, size)]


def unscaled(q, k, v, size):
    return online(2 * q, k, v, size)


def table(q, k, v, size):
    return scaled_dot_product_attention(q, k, v)[0]


def test_attention_passes():
    assert checks.check_attention(online)
    assert checks.check_attention(lambda q, k, v, size: tiled_attention(q, k, v, tile=(64, size)))
    assert checks.check_attention(lambda q, k, v, size: tiled_attention(q, k, v, tile=(100, size)))
    assert checks.check_attention(lambda q, k, v, size: online(q, k, v, size).tolist())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda *x: np.mean(outputs_of(*x), axis=0), "the mean of the tiles' outputs"),
        (lambda *x: np.sum(outputs_of(*x), axis=0), "the sum of the tiles' outputs"),
        (lambda *x: outputs_of(*x)[-1], "of the last tile alone"),
        (lambda *x: sum(p.summed for p in parts_of(*x)) / sum(p.total for p in parts_of(*x)), "added as they are"),
        (unscaled, "not divided by the root of the width"),
        (lambda q, k, v, n: online(q, k[: max(len(k) // n * n, 1)], v[: max(len(k) // n * n, 1)], n),
         "keys of the last tile are left out"),
        (lambda q, k, v, n: online(q, k, v, n)[:, :2], "shape"),
        (lambda q, k, v, n: online(q, k, v, n) + 1, "A wrong number at row 0"),
        (table, "Compute the scores of one tile only"),
        (lambda q, k, v, n: torch.from_numpy(online(q, k, v, n)), "torch"),
        (lambda q, k, v, n: None, "Is the `return` missing"),
        (lambda q, k: q, "It raises TypeError"),
        ("online", "Expected a function"),
    ],
)  # fmt: skip
def test_attention_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_attention(wrong))


def test_attention_names_what_is_not_finite():
    def overflowing(q, k, v, size):
        scores = q @ k.T / math.sqrt(q.shape[1])
        exponentials = np.exp(scores)
        return exponentials @ v / exponentials.sum(1, keepdims=True)

    message = diagnosis(checks.check_attention(overflowing))
    assert "With 9 keys in tiles of 2 the output is not finite. The largest score is" in message


FAILURES = {"a_fails": [1000, 1001], "b_fails": [-400, 400]}


def test_failures_pass():
    assert checks.check_failures(FAILURES)
    assert checks.check_failures({"a_fails": [-800.0, -801, -800], "b_fails": (-705.0, 705.0)})
    assert checks.check_failures({name: np.array(scores) for name, scores in FAILURES.items()})
    assert checks.check_failures({name: torch.tensor(scores) for name, scores in FAILURES.items()})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"a_fails": [1, 2, 3]}, "program A still gives the right weights"),
        ({"a_fails": [0, 1000]}, "program B fails for these scores too"),
        ({"b_fails": [400, -400]}, "program B still gives the right weights"),
        ({"b_fails": [0, 1000]}, "program A fails for these scores too"),
        ({"a_fails": [1000]}, "2 to 100 finite scores"),
        ({"a_fails": [math.inf, 0]}, "2 to 100 finite scores"),
        ({"a_fails": [[1000, 1001]]}, "2 to 100 finite scores"),
        ({"a_fails": ["a", "b"]}, "`a_fails`"),
        ({"a_fails": 1000}, "`a_fails`"),
        ({"b_fails": ...}, "`b_fails` is still open"),
        ({"c_fails": []}, "a list of scores for each of a_fails, b_fails"),
    ],
)
def test_failures_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_failures(FAILURES | changed))
