"""The checks of *Circulating claims*: they pass what is right and name what is wrong."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
import torch

from attention_book.attention.probability import softmax
from attention_book.checks.claims import check_claim, check_guesses, check_largest_weight
from attention_book.claims import Claim

from .diagnosis import diagnosis

TRUE = {"N01": "wrong", "N02": "right", "N13": "right"}


def largest_weight():
    return float(softmax(np.array([3.0, 1.0, 1.0])).max())


GOOD = Claim(
    id="X01",
    claim="The largest of the weights of the scores 3, 1 and 1 is above one half.",
    compute=largest_weight,
    decide=lambda value: ("right" if value > 0.5 else "wrong", f"It is {value:.3f}."),
    chapter="attention/scaled-dot-product#sdp-softmax",
)


def test_right_guesses_pass():
    report = check_guesses(TRUE)
    assert report and "All 3 verdicts" in report.message


@pytest.mark.parametrize(
    ("guesses", "told"),
    [
        (TRUE | {"N01": "right"}, "2 of 3 as computed. N01 is wrong: e¹⁰ is 22026.47"),
        (TRUE | {"N02": "wrong", "N13": "unsupported"}, "1 of 3 as computed. N02 is right: "),
        (TRUE | {"N02": ...}, "N02 is still open"),
        (TRUE | {"N02": "true"}, "Answer N02 with one of right, wrong, misleading, unsupported; got 'true'"),
        (TRUE | {"N16": "right"}, "There is no claim N16. Ids go from N01 to M18"),
        ({}, "Give a dictionary"),
        ("right", "Give a dictionary"),
    ],
)
def test_wrong_guesses_are_told(guesses, told):
    assert told in diagnosis(check_guesses(guesses))


def test_a_claim_that_can_lose_passes():
    report = check_claim(GOOD)
    assert report and report.message.startswith("The claim is right, it could have come out otherwise")
    assert "Softmax sees differences" in report.message
    false = dataclasses.replace(GOOD, claim="It is above 0.9.", decide=lambda v: ("right" if v > 0.9 else "wrong", "x"))
    assert check_claim(false).message.startswith("The claim is wrong, it could")
    exact = {"compute": lambda: {"n": 6}, "decide": lambda v: ("right" if v["n"] == 6 else "wrong", "x")}
    assert check_claim(dataclasses.replace(GOOD, **exact))
    named = dataclasses.replace(GOOD, compute=lambda: ["a", True], decide=lambda v: ("right" if v[1] else "wrong", "x"))
    assert check_claim(named)


counter = itertools.count()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"id": "N05"}, "The id N05 is taken"),
        ({"claim": "Weights sum to 1"}, "full stop"),
        ({"compute": lambda: np.float64(0.5)}, "the value is a NumPy number"),
        ({"compute": lambda: {"a": torch.ones(2)}}, "the value['a'] is an array. Return `.tolist()`"),
        ({"compute": lambda: [1.0, math.inf]}, "the value[1] is inf, which JSON does not know"),
        ({"compute": lambda: (1, 2)}, "is a tuple"),
        ({"compute": lambda: {4: 0.1}}, "A key of the value is 4. JSON knows texts as keys only: write '4'"),
        ({"compute": lambda: next(counter)}, "Computed twice it gives two values, 0 and 1. Fix the seed"),
        ({"compute": lambda: 1 / 0}, "It raises ZeroDivisionError"),
        ({"decide": lambda value: ("right", "It is so.")}, "`decide` says right to every value that the check tries"),
        ({"decide": lambda value: "right"}, "`decide` returns a verdict and a reason"),
        ({"decide": lambda value: ("true", "It is so.")}, "The verdict is one of right, wrong,"),
        ({"decide": lambda value: ("right", " ")}, "`decide` gives no reason"),
        (
            {"decide": lambda value: ("right", "x") if value == largest_weight() else 1 / 0},
            "`decide` breaks on every other value",
        ),
        ({"chapter": "attention/masks#nothing"}, "there is no label 'nothing'"),
        ({"chapter": "attention/nothing#x"}, "there is no page chapters/attention/nothing.md"),
    ],
)
def test_a_claim_that_is_none_is_told_why(change, told):
    assert told in diagnosis(check_claim(dataclasses.replace(GOOD, **change)))


def largest(rows=10_000, keys=64, scale=1.0, of=lambda weights: weights.max(axis=1)):
    weights = softmax(scale * np.random.default_rng(1).normal(size=(rows, keys)))
    return float(of(weights).mean())


def below(value):
    mean = value["mean"] if isinstance(value, dict) else value[0] if isinstance(value, list) else value
    return ("wrong" if mean < 0.25 else "right", f"The mean is {mean}.")


def about_the_largest(compute, decide=below):
    return dataclasses.replace(GOOD, claim="At least a quarter.", compute=compute, decide=decide)


@pytest.mark.parametrize(
    "compute",
    [
        largest,
        lambda: [largest(), 0.0006],
        lambda: {"rows": 40_000, "mean": largest(rows=40_000)},
        lambda: float(
            np.mean([torch.randn(64, generator=torch.Generator().manual_seed(n)).softmax(0).max() for n in range(5000)])
        ),
    ],
)
def test_the_largest_weight_decided_rightly_passes(compute):
    assert check_largest_weight(about_the_largest(compute))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compute", "told"),
    [
        (lambda: largest(scale=8.0), "multiplied by 8"),
        (lambda: largest(scale=2.0), "the mean, over many rows"),
        (lambda: largest(keys=640), "rows of 640 weights"),
        (lambda: largest(of=lambda weights: weights), "mean of all weights"),
        (lambda: largest(rows=2), "A few rows leave it to chance"),
        (lambda: 0.11, "A few rows leave it to chance"),
        (lambda: 0.25, "the quarter of the claim"),
        (lambda: True, "No number in true"),
    ],
)
def test_what_is_not_the_mean_of_the_largest_weight_is_told(compute, told):
    assert told in diagnosis(check_largest_weight(about_the_largest(compute)))


def test_a_verdict_the_wrong_way_round_is_told():
    reversed_ = lambda value: ("right" if value < 0.25 else "wrong", "x")  # noqa: E731
    assert "is below a quarter, and `decide` says right" in diagnosis(
        check_largest_weight(about_the_largest(largest, reversed_))
    )
    always = lambda value: ("wrong", "x")  # noqa: E731
    assert "says wrong to every value" in diagnosis(check_largest_weight(about_the_largest(largest, always)))
    assert "Expected a `Claim`" in diagnosis(check_largest_weight(...))


def test_something_else_is_no_claim():
    assert "Expected a `Claim`, got str" in diagnosis(check_claim("Weights sum to 1."))
