"""The checks of *What helped?* take every right answer and name what is wrong with the others."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from tokenizers import Tokenizer, models

from attention_book.checks.training import what_helped as checks

from ..diagnosis import diagnosis

LADDER = {"recipe": 1.6, "together": 1.5, "kept": 2 / 3, "first": 0.615}
CUTS = {"cats": 0.729, "c ats": 0.081, "c at s": 0.09, "c a t s": 0.1}


def test_the_ladder_passes():
    assert checks.check_ladder(LADDER)
    assert checks.check_ladder(LADDER | {"kept": Fraction(2, 3), "first": np.float32(1.6 / 2.6)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recipe": 2.2}, "best teacher's gain"),
        ({"recipe": 1.0}, "weakest teacher's gain"),
        ({"recipe": -1.6}, "new score minus the old one"),
        ({"recipe": 2.6}, "the whole ladder"),
        ({"together": 0.9}, "over the best teacher"),
        ({"together": 3.1}, "not the old model"),
        ({"together": 0.5}, "the pupil comes later"),
        ({"kept": 0.839}, "measure from the average teacher"),
        ({"kept": 1 / 3}, "the share that is lost"),
        ({"kept": 0.985}, "not of the score"),
        ({"kept": 0.444}, "not from the best"),
        ({"first": 0.385}, "came with the teaching"),
        ({"first": 0.516}, "not by the ensemble's"),
        ({"first": 0.846}, "not the best"),
        ({"first": 61.5}, "(first) is not 61.5."),
        ({"first": ...}, "still to be predicted"),
        ({"first": "8/13"}, "one number"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_ladder_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_ladder(LADDER | change))


def test_the_cuts_pass_in_any_spacing():
    assert checks.check_cuts(CUTS)
    assert checks.check_cuts({"c  a t s": Fraction(1, 10), " cats ": 0.9**3, "c at s": 0.09, "c ats": 0.081})


def test_the_cuts_are_those_that_the_library_draws():
    vocabulary = {piece: number for number, piece in enumerate(["c", "a", "t", "s", "e", "at", "ats", "cats", "eat"])}
    merges = [("a", "t"), ("at", "s"), ("c", "ats"), ("e", "at")]
    drawing = Tokenizer(models.BPE(vocabulary, merges, dropout=checks.LEFT_OUT))
    draws = 20_000
    found = Counter(" ".join(drawing.encode("cats").tokens) for _ in range(draws))
    assert set(found) == set(CUTS)
    for way, share in CUTS.items():
        assert abs(found[way] / draws - share) < 6 * (share * (1 - share) / draws) ** 0.5


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (CUTS | {"cats": 0.9}, "each of them must be kept"),
        (CUTS | {"cats": 0.81}, "not two"),
        (CUTS | {"cats": 0.6561}, "e+at never fits"),
        (CUTS | {"c ats": 0.1}, "must be kept as well"),
        (CUTS | {"c ats": 0.09}, "both a+t and at+s"),
        (CUTS | {"c ats": 0.0729}, "e+at never fits"),
        (CUTS | {"c at s": 0.1}, "a+t must be kept"),
        (CUTS | {"c at s": 0.009}, "never drawn"),
        (CUTS | {"c at s": 0.081}, "need not be kept"),
        (CUTS | {"c a t s": 0.001}, "only this one is drawn"),
        (CUTS | {"c a t s": 0.0001}, "only this one is drawn"),
        (CUTS | {"c a t s": 0.081}, "the others need not be kept"),
        (CUTS | {"c a t s": 10}, "has not the probability 10."),
        (CUTS | {"c a t s": "0.1"}, "number"),
        (CUTS | {"c a t s": ...}, "of “c a t s” is still open"),
        (CUTS | {"c a ts": 0.0}, "No choice of merges"),
        (CUTS | {"c eat s": 0.0}, "does not spell"),
        ({"cats": 0.729, "c ats": 0.081, "c at s": 0.09}, "sum to 0.900"),
        ({"cats": ...}, "still open"),
        ({1: 0.729}, "Give a dictionary"),
        ([0.729], "Give a dictionary"),
    ],
)
def test_the_cuts_name_the_mistake(answers, message):
    assert message in diagnosis(checks.check_cuts(answers))
