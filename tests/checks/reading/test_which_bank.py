"""The checks of the page on *bank* and *it*: they pass what is right and name what is wrong."""

import math

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.checks.reading import which_bank as checks

from ..diagnosis import diagnosis

APART = {"half": 1 / math.sqrt(5), "three_quarters": 1.5 / math.sqrt(3.25), "stream": 3.5 / math.sqrt(16.25)}


def test_the_cosines_pass():
    assert checks.check_apart(APART)
    assert checks.check_apart({"half": 0.447, "three_quarters": 0.832, "stream": 0.868})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"half": 3}, "divide it by both lengths"),
        ({"half": 0}, "half of each vector is that of the bank"),
        ({"half": 0.2}, "not by their squares"),
        ({"half": 1}, "so the vectors do"),
        ({"three_quarters": 3.75}, "divide it by both lengths"),
        ({"three_quarters": 0.316}, "three quarters are on the word itself"),
        ({"three_quarters": 0.447}, "the cosine at one half"),
        ({"stream": 3.5}, "divide it by both lengths"),
        ({"stream": 0.832}, "the cosine with the money"),
        ({"stream": 0.894}, "of the stream and the river"),
        ({"stream": 0.5}, "(stream) is not 0.5."),
        ({"stream": ...}, "still to be predicted"),
    ],
)
def test_wrong_cosines_are_named(wrong, message):
    assert message in diagnosis(checks.check_apart(APART | wrong))


def cosines(vectors):
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    return unit @ unit.T


def by_table(vectors, kinds):
    return (kinds[cosines(vectors).fill_diagonal_(-2).argmax(1)] == kinds).sum()


def in_a_loop(vectors, kinds):
    rows, kinds, count = np.asarray(vectors), list(kinds), 0
    for i, row in enumerate(rows):
        alike = {j: row @ other / np.linalg.norm(row) / np.linalg.norm(other) for j, other in enumerate(rows) if j != i}
        count += int(kinds[max(alike, key=alike.get)] == kinds[i])
    return count


@pytest.mark.parametrize("right", [by_table, in_a_loop])
def test_the_count_passes(right):
    assert checks.check_nearest(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda v, k: (k[cosines(v).argmax(1)] == k).sum(), "leave out the row itself"),
        (lambda v, k: by_table(v, k) / len(v), "return their number"),
        (lambda v, k: len(v) - by_table(v, k), "of another kind"),
        (lambda v, k: (k[(v @ v.T).fill_diagonal_(-1e9).argmax(1)] == k).sum(), "by the dot product"),
        (lambda v, k: (k[torch.cdist(v, v).fill_diagonal_(1e9).argmin(1)] == k).sum(), "by distance"),
        (lambda v, k: (k[cosines(v).argmin(1)] == k).sum(), "smallest cosine"),
        (lambda v, k: -1, "and not -1."),
        (lambda v, k: None, "None"),
    ],
)
def test_wrong_counts_are_named(wrong, message):
    assert message in diagnosis(checks.check_nearest(wrong))


VALUES, FIRST, SECOND = [[0, 0], [1, 2], [2, 4]], [0.4, 0.2, 0.4], [0.2, 0.6, 0.2]


@pytest.mark.parametrize("made", [list, np.asarray, torch.tensor, lambda rows: tuple(rows)])
def test_two_stories_with_one_output_pass(made):
    assert checks.check_same_output(made(VALUES), made(FIRST), made(SECOND))


def test_another_pair_of_stories_passes():
    values = [[1.0, 1.0], [3.0, 0.0], [5.0, -1.0]]
    assert checks.check_same_output(values, [0.6, 0.1, 0.3], [0.4, 0.5, 0.1])
    assert not checks.check_same_output(values, [0.5, 0.1, 0.4], [0.3, 0.7, 0.0])


@pytest.mark.parametrize(
    ("values", "first", "second", "message"),
    [
        (VALUES, FIRST, [1, 0, 0], "tell the same story"),
        (VALUES, FIRST, [0, 0, 1], "The outputs differ: (1.0, 2.0) and (2.0, 4.0)"),
        ([[100, 0], [100, 1], [101, 0]], [0, 1, 0], [1, 0, 0], "The outputs differ: (100.0, 1.0) and (100.0, 0.0)"),
        ([[1, 2], [1, 2], [3, 4]], [1, 0, 0], [0, 1, 0], "values 0 and 1 are equal"),
        (VALUES, [1.5, 0, -0.5], SECOND, "negative weight"),
        ([[0, 0], [1, 2], [2, 4]], [0, 1, 0], [0.4, 0.2, 0.4], "`first` holds a zero"),
        ([[0, 0], [1, 2], [2, 4]], [0.2, 0.6, 0.2], [0.5, 0, 0.5], "`second` holds a zero"),
        (VALUES, [0.5, 0, 0.6], SECOND, "sums to 1.1"),
        ([[1, 2], [3, 4]], FIRST, SECOND, "wrong shape"),
        (VALUES, [0.5, 0.5], SECOND, "wrong shape"),
        (..., FIRST, SECOND, "`values`"),
        (VALUES, ..., SECOND, "`first`"),
    ],
)
def test_stories_that_do_not_agree_in_their_output_are_named(values, first, second, message):
    assert message in diagnosis(checks.check_same_output(values, first, second))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_nearest(by_table)
        checks.check_same_output(VALUES, FIRST, SECOND)
