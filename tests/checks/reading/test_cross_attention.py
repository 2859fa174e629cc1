"""The checks of *Reading cross-attention*: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.analysis.head_profiles import normalised_entropy
from attention_book.checks.reading import cross_attention as checks
from attention_book.experiments.link_study import error_rates, word_weights
from attention_book.translation.evaluation import alignment_error_rate

from ..diagnosis import diagnosis

HAND = {"precision": 2 / 3, "recall": 1 / 2, "AER": 2 / 5}
ROWS = {"Los": [0], "paraguas": [1, 2, 3], "rojos": [4], ".": [5]}
ENTROPY = {"A": 1, "B": 0, "C": 0.5}


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


def test_entropies_are_those_of_the_package():
    rows = torch.tensor(list(checks.ROWS.values()))
    assert normalised_entropy(rows).tolist() == pytest.approx(list(ENTROPY.values()))
    assert checks.check_entropy(ENTROPY) and checks.check_entropy(ENTROPY | {"C": Fraction(1, 2)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": 1.386}, "divide by log 4"),
        ({"A": 0}, "least certain"),
        ({"B": 1}, "nothing to guess"),
        ({"C": 0.693}, "log 2, in nats"),
        ({"C": 1}, "only two of four"),
        ({"C": 0.25}, "Row C is not 0.25."),
        ({"B": ...}, "Row B is still open"),
        ({"B": [1]}, "Expected row B to be one number"),
    ],
)
def test_entropies_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_entropy(ENTROPY | change))


def rate(counts):
    links, in_sure, in_possible, sure = counts.sum(axis=-2).T
    return 1 - (in_sure + in_possible) / (links + sure)


def test_validation_and_test_disagree_so_that_peeking_shows():
    validation, test = checks.head_counts()
    assert rate(validation).argmin() != rate(test).argmin()
    assert rate(test) == pytest.approx(error_rates(test))


def test_a_fair_choice_passes():
    def chosen(validation, test):
        head = rate(validation).argmin()
        return head, rate(test)[head]

    assert checks.check_choice(chosen)
    assert checks.check_choice(lambda v, t: [int(rate(v).argmin()), float(rate(t)[rate(v).argmin()])])


def each(counts):
    return (1 - (counts[..., 1] + counts[..., 2]) / (counts[..., 0] + counts[..., 3])).mean(axis=1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda v, t: (rate(t).argmin(), rate(t).min()), "chosen on the test"),
        (lambda v, t: (rate(v).argmin(), rate(v).min()), "error rate on validation"),
        (lambda v, t: (rate(v).argmax(), rate(t)[rate(v).argmax()]), "better if it is lower"),
        (lambda v, t: (rate(v).argmin(), each(t)[rate(v).argmin()]), "summed over the sentences"),
        (lambda v, t: (rate(v).argmin(), 1 - rate(t)[rate(v).argmin()]), "1 less the error rate"),
        (lambda v, t: (rate(v).argmin(), 0.5), "it should be head"),
        (lambda v, t: rate(t)[rate(v).argmin()], "Expected 2 values"),
        (lambda v, t: (rate(v), rate(t)), "Expected the head to be one number"),
    ],
)
def test_an_unfair_choice_is_named(wrong, message):
    assert message in diagnosis(checks.check_choice(wrong))
