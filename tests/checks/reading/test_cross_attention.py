"""The checks of *Reading cross-attention* and *Links in real sentences*: right answers pass, wrong ones are named."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.reading import cross_attention as checks
from attention_book.experiments.link_study import word_weights
from attention_book.translation.evaluation import alignment_error_rate

from ..diagnosis import diagnosis

HAND = {"precision": 2 / 3, "recall": 1 / 2, "AER": 2 / 5}
ROWS = {"Los": [0], "paraguas": [1, 2, 3], "rojos": [4], ".": [5]}
LATE = {"AER": 1 / 3, "AER, one step late": 3 / 5}


def test_the_hand_case_is_that_of_its_weights():
    best = checks.small_weights().argmax(dim=1).tolist()[: len(checks.TARGET)]
    links = {(i, j) for j, i in enumerate(best) if i < len(checks.SOURCE)}
    scores = alignment_error_rate([links], [checks.SURE], [checks.POSSIBLE])
    assert pytest.approx({"precision": scores.precision, "recall": scores.recall, "AER": scores.error_rate}) == HAND
    assert torch.allclose(checks.small_weights().sum(dim=1), torch.ones(4, dtype=torch.float64))
    assert checks.check_by_hand(HAND) and checks.check_by_hand(HAND | {"precision": Fraction(2, 3), "AER": 0.4})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"precision": 1 / 3}, "no error of precision"),
        ({"precision": 1}, "looks at *She*"),
        ({"precision": 0}, "written next"),
        ({"recall": 2 / 5}, "sure links alone"),
        ({"recall": 1}, "was not found"),
        ({"AER": 3 / 5}, "still to be taken from 1"),
        ({"AER": 1.0}, "written next"),
        ({"AER": 5 / 8}, "|S| counts"),
        ({"AER": 3 / 7}, "harmonic mean"),
        ({"AER": 5 / 12}, "not averaged"),
        ({"AER": 0.9}, "is not 0.9."),
        ({"AER": ...}, "The AER is still open"),
        ({"recall": "half"}, "Expected the recall to be one number"),
        ({"F": 1}, "Give a dictionary"),
    ],
)
def test_the_hand_case_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_by_hand(HAND | change))


def linked(first=0, last=-1, base=1, end=None, keep=True):
    """A candidate that numbers columns from ``base`` and writes ``end`` for the last one."""

    def candidate(weights):
        columns = [row.index(max(row)) for row in weights[first : len(weights) + 1 + last]]
        found = [end if i == len(weights[0]) - 1 and end != "number" else i + base for i in columns]
        return found if keep else [one for one in found if one is not None]

    return candidate


def test_links_pass():
    assert checks.check_links(linked(last=-2))
    assert checks.check_links(lambda weights: tuple(linked(last=-2)(weights)))
    assert checks.check_links(lambda weights: np.array(linked(last=-2)(weights), dtype=object))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (linked(first=1), "one step late"),
        (linked(), "it belongs to no word"),
        (linked(last=-2, base=0), "numbered from 0"),
        (linked(last=-2, end="number"), "has no link, so its entry is None"),
        (linked(last=-2, base=0, end="number"), "numbered from 1, and"),
        (linked(end="number"), "the last column, `</s>`, is no word"),
        (linked(last=-2, keep=False), "put None there"),
        (lambda weights: [1] * (len(weights) - 1), "it should be"),
        (lambda weights: None, "None"),
        (lambda weights: 3, "Return a list"),
        (lambda weights: np.array(3), "Return a list"),
        (lambda weights: ["a"] * (len(weights) - 1), "each link"),
    ],
)
def test_links_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_links(wrong))


PRECISE = {"proposed": 1, "right": 1, "true links": 4}


def test_precise_counts_pass_and_are_those_of_links():
    links, gold = {(0, 0)}, {(0, 0), (1, 1), (2, 2), (3, 3)}
    scores = alignment_error_rate([links], [gold], [gold])
    assert scores.precision == 1 and scores.error_rate == pytest.approx(0.6)
    assert checks.check_precise(PRECISE) and checks.check_precise({"proposed": 2, "right": 2.0, "true links": 9})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"true links": 3}, "not above ½"),
        ({"proposed": 3, "right": 3}, "not above ½"),
        ({"proposed": 2}, "The precision is 1/2"),
        ({"right": 2}, "at most either"),
        ({"true links": 0}, "at most either"),
        ({"proposed": 0, "right": 0}, "no precision"),
        ({"true links": 4.5}, "whole numbers"),
        ({"true links": -4}, "none is below 0"),
        ({"right": ...}, "still open"),
        ({"right": "all"}, "to be one number"),
        ({"x": 1}, "Give a dictionary"),
    ],
)
def test_precise_counts_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_precise(PRECISE | change))


def test_the_two_readings_are_those_of_their_weights():
    best = checks.dog_weights().argmax(dim=1).tolist()
    gold = {(0, 0), (1, 1), (2, 2)}
    for rows, name in ((best[:-1], "AER"), (best[1:], "AER, one step late")):
        links = {(i, j) for j, i in enumerate(rows) if i < 3}
        assert alignment_error_rate([links], [gold], [gold]).error_rate == pytest.approx(LATE[name])
    assert torch.allclose(checks.dog_weights().sum(dim=1), torch.ones(4, dtype=torch.float64))
    assert checks.check_late(LATE) and checks.check_late({"AER": 0.33, "AER, one step late": Fraction(3, 5)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"AER": 2 / 3}, "taken from 1"),
        ({"AER": 3 / 5}, "one step late"),
        ({"AER": 3 / 7}, "proposes nothing"),
        ({"AER": 0}, "looks at *dog*"),
        ({"AER": 1 / 2}, "divide by 6"),
        ({"AER, one step late": 2 / 5}, "taken from 1"),
        ({"AER, one step late": 2 / 3}, "only two links"),
        ({"AER, one step late": 1 / 3}, "the right reading"),
        ({"AER, one step late": 1}, "rightly even so"),
        ({"AER": 0.9}, "is not 0.9."),
        ({"AER": ...}, "still open"),
        ({"late": 1}, "Give a dictionary"),
    ],
)
def test_the_two_readings_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_late({**LATE, **change}))


A_AND_B = {
    "A": {"links": 6, "sure": 2, "possible": 6},
    "B": {"links": 4, "sure": 3, "possible": 3},
}


def test_possible_links_may_change_the_winner():
    def links(sure, possible, wrong):
        return {(0, n) for n in [*range(sure), *range(4, 4 + possible), *range(20, 20 + wrong)]}

    gold, possible = {(0, n) for n in range(4)}, {(0, n) for n in range(4, 10)}
    loose, strict = (
        [alignment_error_rate([each], [gold], [marked]).error_rate for each in (links(2, 4, 0), links(3, 0, 1))]
        for marked in (gold | possible, gold)
    )
    assert loose == pytest.approx([0.2, 0.25]) and strict == pytest.approx([0.6, 0.25])
    assert checks.check_possible(**A_AND_B)
    assert checks.check_possible({"links": 5, "sure": 2, "possible": 5}, {**A_AND_B["B"], "sure": np.int64(3)})


@pytest.mark.parametrize(
    ("head", "change", "message"),
    [
        ("A", {"possible": 4}, "A should have the lower one"),
        ("B", {"possible": 4}, "A should have the lower one"),
        ("B", {"sure": 0, "possible": 2}, "B should be lower"),
        ("A", {"sure": 5}, "only 4 sure links"),
        ("A", {"possible": 1}, "a sure link is possible"),
        ("B", {"links": 2}, "counted among the links"),
        ("A", {"links": 6.5}, "whole numbers"),
        ("B", {"sure": -1}, "none is below 0"),
        ("A", {"links": ...}, "still open"),
        ("B", {"links": "four"}, "to be one number"),
        ("A", {"x": 1}, "Give a dictionary"),
    ],
)
def test_possible_links_name_the_mistake(head, change, message):
    given = {**A_AND_B, head: {**A_AND_B[head], **change}}
    assert message in diagnosis(checks.check_possible(**given))


def test_rows_pass_in_any_order_and_type():
    assert checks.check_rows(ROWS)
    assert checks.check_rows({word: np.array(rows[::-1]) for word, rows in ROWS.items()})
    assert checks.check_rows({word: set(rows) for word, rows in ROWS.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Los": [1]}, "after its pieces were read"),
        ({"paraguas": [2, 3, 4]}, "after its pieces were read"),
        ({"paraguas": [1]}, "three pieces"),
        ({"paraguas": [3]}, "three pieces"),
        ({"rojos": [4, 5]}, "1 piece, so as many rows"),
        ({".": [9]}, "there are only the rows 0 to 6"),
        ({"rojos": [2]}, "count the rows"),
        ({"rojos": [4.5]}, "count the rows"),
        ({"rojos": 4}, "Give a list of row numbers"),
        ({"rojos": ["four"]}, "Give a list of row numbers"),
        ({".": ...}, "is still open"),
        ({"x": [1]}, "Give a dictionary"),
    ],
)
def test_rows_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_rows({**ROWS, **change}))


def in_loops(weights, source, target, first=0, over_columns=sum, over_rows=None):
    over_rows = over_rows or (lambda rows: [sum(column) / len(rows) for column in zip(*rows, strict=True)])
    rows = weights.tolist()[first : first + len(target)]
    sides, merged = [*source, source[-1] + 1], []
    for row in rows:
        merged.append(
            [over_columns([w for w, i in zip(row, sides, strict=True) if i == n]) for n in range(sides[-1] + 1)]
        )
    return [over_rows([row for row, j in zip(merged, target, strict=True) if j == n]) for n in range(target[-1] + 1)]


def test_word_weights_pass():
    assert checks.check_word_weights(lambda w, s, t: word_weights(w, s, t, "to come"))
    assert checks.check_word_weights(lambda w, s, t: np.array(in_loops(w, s, t)))
    assert checks.check_word_weights(lambda w, s, t: torch.tensor(in_loops(w, s, t)))
    assert checks.check_word_weights(in_loops)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": 1}, "just read"),
        ({"over_columns": lambda c: sum(c) / len(c)}, "The columns of a word are averaged"),
        ({"over_rows": lambda rows: [sum(c) for c in zip(*rows, strict=True)]}, "The rows of a word are added up"),
        ({"over_rows": lambda rows: rows[0]}, "first piece"),
        ({"over_rows": lambda rows: [max(c) for c in zip(*rows, strict=True)]}, "The largest weight"),
        ({"over_rows": lambda rows: rows[-1]}, "A wrong number at"),
        ({"over_columns": max}, "A wrong number at"),
    ],
)
def test_word_weights_name_the_mistake(change, message):
    wrong = checks.check_word_weights(lambda w, s, t: torch.tensor(in_loops(w, s, t, **change), dtype=w.dtype))
    assert message in diagnosis(wrong)


def test_word_weights_without_the_end_have_a_wrong_shape():
    assert "shape" in diagnosis(checks.check_word_weights(lambda w, s, t: torch.tensor(in_loops(w, s, t))[:, :-1]))
