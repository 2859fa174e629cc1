"""Cutting in any order: by hand, against the batches that train, and what no cut may do."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_book.data.batch_cutting import (
    cells,
    cut_by_sentences,
    cut_by_tokens,
    padding_share,
    sorted_in_buckets,
)
from attention_book.data.batching import padded_batch, padding_waste, token_batches

FIVE = [5, 9, 4, 8, 5]


def test_five_sentences_by_hand():
    drawn = cut_by_tokens(FIVE, sorted_in_buckets(FIVE, 1), 18)
    assert drawn == [[0, 1], [2, 3], [4]] and [cells(FIVE, group) for group in drawn] == [18, 16, 5]
    assert padding_share(FIVE, drawn) == pytest.approx(8 / 39)
    whole = cut_by_tokens(FIVE, sorted_in_buckets(FIVE, 5), 18)
    assert whole == [[2, 0, 4], [3, 1]] and padding_share(FIVE, whole) == pytest.approx(2 / 33)
    assert sorted_in_buckets(FIVE, 2) == [0, 1, 2, 3, 4] and sorted_in_buckets(FIVE, 3) == [2, 0, 1, 4, 3]


def test_a_shorter_sentence_after_a_longer_one_counts_as_long_as_the_row():
    assert cut_by_tokens([9, 2, 2], [0, 1, 2], 18) == [[0, 1], [2]]
    assert cut_by_tokens([30, 2, 2], [0, 1, 2], 18) == [[0], [1, 2]]


@given(st.lists(st.integers(1, 30), max_size=40), st.integers(1, 45), st.integers(1, 90))
def test_every_sentence_is_in_one_batch_and_no_batch_is_larger_than_it_may_be(lengths, bucket, budget):
    order = sorted_in_buckets(lengths, bucket)
    groups = cut_by_tokens(lengths, order, budget)
    assert [place for group in groups for place in group] == order and sorted(order) == list(range(len(lengths)))
    assert all(cells(lengths, group) <= budget or len(group) == 1 for group in groups)
    for group, after in pairwise(groups):  # none could have taken one more
        assert cells(lengths, [*group, after[0]]) > budget


def test_the_whole_sort_cuts_the_rectangles_that_train():
    draw = random.Random(3)
    encoded = [([7] * draw.randint(1, 20), [8] * draw.randint(1, 20)) for _ in range(300)]
    lengths = [max(map(len, pair)) + 1 for pair in encoded]
    groups = cut_by_tokens(lengths, sorted_in_buckets(lengths, 300), 100)
    trained = token_batches(encoded, 100, seed=0, epoch=0)
    ours = sorted((len(group), max(lengths[place] for place in group)) for group in groups)
    theirs = sorted((len(b.src), max(b.src.shape[1], b.tgt_out.shape[1])) for b in trained)
    assert ours == theirs


def test_the_share_is_the_packages_where_both_sides_are_equally_long():
    encoded = [([7] * (n - 1), [8] * (n - 1)) for n in FIVE]
    groups = cut_by_tokens(FIVE, range(5), 18)
    batches = [padded_batch([encoded[place] for place in group]) for group in groups]
    assert padding_share(FIVE, groups) == pytest.approx(padding_waste(batches))
    assert padding_share([], []) == 0


def test_by_sentences_leaves_the_rest_to_the_last():
    assert cut_by_sentences([3, 1, 0, 2, 4], 2) == [[3, 1], [0, 2], [4]]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: sorted_in_buckets(FIVE, 0), "bucket"),
        (lambda: cut_by_tokens(FIVE, range(5), 0), "budget"),
        (lambda: cut_by_sentences(range(5), 0), "count"),
    ],
)
def test_sizes_that_are_none_are_refused(call, name):
    with pytest.raises(ValueError, match=f"{name} is 0; it must be at least 1"):
        call()
