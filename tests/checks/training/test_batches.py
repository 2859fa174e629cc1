"""The checks of *Batches*: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.training import batches as checks

from ..diagnosis import diagnosis

BY_HAND = {"drawn_batches": 3, "drawn_padding": 10, "sorted_batches": 2, "sorted_padding": 6}
STATEMENTS = {"a": True, "b": False, "c": True, "d": True, "e": False}


def test_the_count_by_hand_passes():
    assert checks.SIX == [4, 7, 3, 9, 5, 4] and checks.BUDGET == 20  # [4 7] [3 9] [5 4], and [3 4 4 5] [7 9]
    assert 2 * 7 + 2 * 9 + 2 * 5 - 32 == 10 and 4 * 5 + 2 * 9 - 32 == 6
    assert checks.check_by_hand(BY_HAND)
    assert checks.check_by_hand({name: np.int64(n) for name, n in BY_HAND.items()})
    assert checks.check_by_hand({name: torch.tensor(float(n)) for name, n in BY_HAND.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drawn_batches": 2}, "counts cells, padding too"),
        ({"drawn_batches": 6}, "may share a batch"),
        ({"drawn_padding": 22}, "one batch of all six"),
        ({"drawn_padding": 6}, "of the sorted sentences"),
        ({"drawn_padding": 42}, "those are all cells"),
        ({"sorted_batches": 3}, "which is allowed"),
        ({"sorted_batches": 1}, "more than the budget"),
        ({"sorted_padding": 10}, "as drawn"),
        ({"sorted_padding": 38}, "those are all cells"),
        ({"sorted_padding": 0}, "always has padding"),
        ({"sorted_padding": 7}, "(sorted_padding) is not 7."),
        ({"sorted_padding": "6"}, "one number"),
        ({"sorted_padding": ...}, "still to be predicted"),
        ({"more": 1}, "Give a dictionary"),
    ],
)
def test_the_count_by_hand_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_by_hand(BY_HAND | change))


def totals(batches):
    return sum(map(sum, batches)), sum(len(batch) * max(batch) for batch in batches)


def share(batches):
    filled, whole = totals(batches)
    return 1 - filled / whole


def share_by_loop(batches):
    padded = [max(batch) - length for batch in batches for length in batch]
    return Fraction(sum(padded), totals(batches)[1])


def share_as_a_tensor(batches):
    return torch.tensor(share(batches))


@pytest.mark.parametrize("right", [share, share_by_loop, share_as_a_tensor])
def test_the_share_passes(right):
    assert checks.check_share(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda b: 1 - share(b), "cells that hold tokens"),
        (lambda b: 100 * share(b), "per cent"),
        (lambda b: sum(share([one]) for one in b) / len(b), "mean of shares"),
        (lambda b: totals(b)[1] / totals(b)[0] - 1, "not by the tokens"),
        (lambda b: totals(b)[1] - totals(b)[0], "number of padded cells"),
        (lambda b: 1 - totals(b)[0] / (sum(map(len, b)) * max(map(max, b))), "its own longest"),
        (lambda b: 0.5, "it gives 0.5 and not 0.2051."),
        (lambda b: [share(b)], "one number"),
        (lambda b: None, "returned None"),
        (0.2, "Expected a function"),
    ],
)
def test_the_share_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_share(wrong))


def cut(lengths, budget):
    batches, longest = [], 0
    for length in lengths:
        if not batches or (len(batches[-1]) + 1) * max(longest, length) > budget:
            batches.append([])
            longest = 0
        batches[-1].append(length)
        longest = max(longest, length)
    return batches


def cut_by_searching(lengths, budget):
    found, start = [], 0
    while start < len(lengths):
        fits = [e for e in range(start + 1, len(lengths) + 1) if (e - start) * max(lengths[start:e]) <= budget]
        end = max(fits, default=start + 1)
        found.append(tuple(lengths[start:end]))
        start = end
    return tuple(found)


@pytest.mark.parametrize("right", [cut, cut_by_searching])
def test_the_cut_passes(right):
    assert checks.check_cut(right)


def ruled(full):
    def candidate(lengths, budget):
        batches = []
        for length in lengths:
            if not batches or full(batches[-1], length, budget):
                batches.append([])
            batches[-1].append(length)
        return batches

    return candidate


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (ruled(lambda b, n, budget: sum(b) + n > budget), "counts cells"),
        (ruled(lambda b, n, budget: (len(b) + 1) * n > budget), "longest of all its rows"),
        (ruled(lambda b, n, budget: (len(b) + 1) * max(*b, n) >= budget), "exactly as many"),
        (ruled(lambda b, n, budget: len(b) * max(*b, n) > budget), "a row too"),
        (ruled(lambda b, n, budget: (len(b) + 1) * max(b) > budget), "widened the rectangle"),
        (lambda lengths, budget: [[n] for n in lengths], "may share a batch"),
        (lambda lengths, budget: cut(lengths, budget)[:-1], "last batch left out"),
        (lambda lengths, budget: [[], *cut(lengths, budget)], "is empty"),
        (lambda lengths, budget: cut(sorted(lengths), budget), "order has changed"),
        (lambda lengths, budget: [*cut(lengths, budget), [3]], "belongs to one batch"),
        (lambda lengths, budget: list(lengths), "a list of batches"),
        (lambda lengths, budget: len(lengths), "a list of batches"),
        (lambda lengths, budget: [list(lengths)] if lengths else [], "it gives"),
        (lambda lengths, budget: lengths.sort() or cut(lengths, budget), "in place"),
    ],
)
def test_the_cut_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_cut(wrong))


def test_the_statements_pass():
    assert checks.check_statements(STATEMENTS) and set(checks.STATEMENTS) == set(STATEMENTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": False}, "as long as the longest"),
        ({"b": True}, "1 - 1.1 / 2 = 45 %"),
        ({"c": False}, "no real position"),
        ({"d": False}, "half of the cells"),
        ({"e": True}, "four times as many"),
        ({"a": "yes"}, "True (it holds) or False"),
        ({"e": ...}, "still open"),
        ({"f": True}, "Give a dictionary"),
    ],
)
def test_the_statements_name_the_mistake(change, message):
    report = checks.check_statements(STATEMENTS | change)
    assert not report and message in report.message


@pytest.mark.parametrize("found", [([5, 5, 4], 10), ((5, 5, 4), 10), ([3, 3, 2], 6)])
def test_lengths_where_sorting_loses_pass(found):
    assert checks.check_sorting_loses(*found)


@pytest.mark.parametrize(
    ("lengths", "budget", "message"),
    [
        ([5, 9, 4, 8, 5], 18, "here sorting wins"),
        ([4, 5, 5], 10, "sorted already"),
        ([5, 4], 10, "Both cuts have 1"),
        ([5, 5, 4], 4, "longer than the budget"),
        ([5, 5, 4], "10", "whole number above 0"),
        ([5, 0, 4], 10, "whole numbers above 0"),
        ("554", 10, "list of at most 50"),
        ([], 10, "list of at most 50"),
        (..., ..., "in place of each"),
    ],
)
def test_other_lengths_are_told_why(lengths, budget, message):
    assert message in diagnosis(checks.check_sorting_loses(lengths, budget))
