"""The tables of the example: what a pencil writes down for *like*."""

import math

import pytest

from attention_book.examples.two_heads_by_hand import TOKENS
from attention_book.studies.heads import two_heads_told


def test_numbers_are_written_without_idle_zeros():
    assert two_heads_told.told([8.0, 0.5, 0.9647, 0.0]) == "(8, 0.5, 0.965, 0)"


def test_the_rows_of_like_by_pencil():
    asking = two_heads_told.asking_rows()
    assert asking[2] == ("like", "0", "(8, 0, 0, 0)", "(0, 1, 0, 0)", "(0, 0, 0, 0)")
    assert asking[3][:3] == ("like", "1", "(0, 0, 8, 0)")
    assert len(asking) == 2 * len(TOKENS)
    assert {len(row) for row in asking} == {len(two_heads_told.ASKING_HEADER)}
    first, second = two_heads_told.like_rows()
    assert first[:3] == ("0", "(4, 0, 0)", "(0.965, 0.018, 0.018)")
    assert second[:3] == ("1", "(0, 0, 4)", "(0.018, 0.018, 0.965)")
    assert len(first) == len(two_heads_told.LIKE_HEADER)


def test_keys_and_values_are_the_same_in_both_heads():
    assert two_heads_told.key_rows() == [
        ("I", "(1, 0, 0, 1)", "(1, 1)"),
        ("like", "(0, 1, 0, 0)", "(0, 0)"),
        ("cats", "(0, 0, 1, 2)", "(3, 2)"),
    ]
    assert len(two_heads_told.KEY_HEADER) == 3
    asking = [row[0:1] + row[3:] for row in two_heads_told.asking_rows()]
    assert asking[::2] == asking[1::2]


def test_what_the_heads_find_is_the_mixture_of_persons_and_numbers():
    strong, weak = math.exp(4) / (math.exp(4) + 2), 1 / (math.exp(4) + 2)
    first, second = (row[3] for row in two_heads_told.like_rows())
    assert first == two_heads_told.told([strong + 3 * weak, strong + 2 * weak])
    assert second == two_heads_told.told([weak + 3 * strong, weak + 2 * strong])


def test_what_is_said_of_like_with_two_heads_and_with_one():
    said = two_heads_told.numbers()
    total = math.exp(4) + 2
    assert (said["strong"], said["weak"]) == pytest.approx((math.exp(4) / total, 1 / total))
    assert said["person"] == pytest.approx(said["strong"] + 3 * said["weak"])
    assert said["number"] == pytest.approx(said["weak"] + 2 * said["strong"])
    alike = math.exp(8 / math.sqrt(8))  # one head: I and cats score 8, like 0
    assert said["one_half"] == pytest.approx(alike / (2 * alike + 1))
    assert (said["one_person"], said["one_number"]) == pytest.approx((4 * said["one_half"], 3 * said["one_half"]))
