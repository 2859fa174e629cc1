"""The tables of the example: what a pencil writes down for *like*."""

import math

import pytest

from attention_book.examples.two_heads_by_hand import FEATURES, TOKENS
from attention_book.studies.heads import two_heads_told


def test_numbers_are_written_without_idle_zeros():
    assert two_heads_told.told([8.0, 0.5, 0.9647, 0.0]) == "(8, 0.5, 0.965, 0)"


def test_the_rows_of_like_by_pencil():
    assert two_heads_told.feature_rows()[1] == ("like", *"01000000")
    asking, finding = two_heads_told.asking_rows(), two_heads_told.finding_rows()
    assert asking[2] == ("like", "0", "(8, 0, 0, 0)", "(0, 1, 0, 0)", "(0, 0, 0, 0)")
    assert asking[3][:3] == ("like", "1", "(0, 0, 8, 0)")
    assert finding[2][:4] == ("like", "0", "(4, 0, 0)", "(0.965, 0.018, 0.018)")
    assert two_heads_told.finding_rows("like") == finding[2:4]
    assert (
        two_heads_told.key_rows()
        == [  # the same in both heads
            ("I", "(1, 0, 0, 1)", "(1, 1, 1, 0)"),
            ("like", "(0, 1, 0, 0)", "(0, 0, 0, 0)"),
            ("cats", "(0, 0, 1, 2)", "(3, 2, 0, 1)"),
        ]
        == [row[:1] + row[3:] for row in asking if row[1] == "1"]
    )
    assert len(two_heads_told.KEY_HEADER) == 3
    assert len(asking) == len(finding) == 2 * len(TOKENS)
    assert {len(row) for row in asking} == {len(two_heads_told.ASKING_HEADER)}
    assert {len(row) for row in finding} == {len(two_heads_told.FINDING_HEADER)}


def test_the_answers_stand_where_the_features_were_empty():
    row = two_heads_told.answer_rows()[1]
    assert len(row) == len(two_heads_told.ANSWER_HEADER)
    strong, weak = math.exp(4) / (math.exp(4) + 2), 1 / (math.exp(4) + 2)
    assert row[2:] == (f"{strong + 3 * weak:.3f}", f"{weak + 2 * strong:.3f}", f"{strong:.3f}")
    assert two_heads_told.ANSWER_HEADER[2:] == FEATURES[5:]


def test_what_is_said_of_like_with_two_heads_and_with_one():
    said = two_heads_told.numbers()
    total = math.exp(4) + 2
    assert (said["strong"], said["weak"]) == pytest.approx((math.exp(4) / total, 1 / total))
    assert said["person"] == pytest.approx(said["strong"] + 3 * said["weak"])
    assert said["number"] == pytest.approx(said["weak"] + 2 * said["strong"])
    alike = math.exp(8 / math.sqrt(8))  # one head: I and cats score 8, like 0
    assert said["one_half"] == pytest.approx(alike / (2 * alike + 1))
    assert (said["one_person"], said["one_number"]) == pytest.approx((4 * said["one_half"], 3 * said["one_half"]))
