"""Paired tests from totals: the bounds by hand, and the p-value by adding up a coin's chances."""

import math

import pytest

from attention_book.readers.verdict.paired_words import PairedWords


def by_hand(ahead, behind):
    n = ahead + behind
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(max(ahead, behind), n + 1)) / 2**n)


def test_the_totals_bound_how_many_words_are_split():
    few = PairedWords(6, 2, 10)
    assert (few.fewest_split, few.most_split) == (4, 8)
    many = PairedWords(9, 7, 10)  # at least six were found by both
    assert (many.fewest_split, many.most_split) == (2, 4)
    assert PairedWords(5, 5, 10).independent_split == 5.0


@pytest.mark.parametrize("split", [26, 60, 126])
def test_the_p_value_is_that_of_a_coin(split):
    assert PairedWords(76, 50, 494).p_value(split) == pytest.approx(by_hand((split + 26) // 2, (split - 26) // 2))


def test_more_split_words_are_more_like_a_coin():
    words = PairedWords(70, 50, 200)
    chances = [words.p_value(split) for split in range(words.fewest_split, words.most_split + 1, 2)]
    assert chances == sorted(chances)
    settled = words.settled_up_to()
    assert words.p_value(settled) <= 0.05 < words.p_value(settled + 2)


def test_a_small_lead_is_never_settled_and_none_is_no_lead():
    assert PairedWords(8, 4, 208).settled_up_to() is None
    assert PairedWords(3, 3, 9).p_value(0) == 1.0


def test_impossible_counts_are_refused():
    with pytest.raises(ValueError, match="found of 5 words"):
        PairedWords(6, 2, 5)
    for split in (3, 5, 10):
        with pytest.raises(ValueError, match="do not split"):
            PairedWords(6, 2, 10).p_value(split)
