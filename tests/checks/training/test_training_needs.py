"""The checks of *What training needs* take every right answer and name what is wrong with the others."""

from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
import torch

from attention_book.checks.training import training_needs as checks
from attention_book.studies.training.one_batch_at_a_time import disagreeing_batches

from ..diagnosis import diagnosis

DROPPED = {"training": [12.5, 0, 25, 6.25], "inference": [10, -5, 20, 5], "mean": [10, -5, 20, 5]}
WANDERING = {"after": Fraction(-13, 27), "size": Fraction(1, 2), "mean": 0}


def test_the_row_passes_in_every_dress_and_is_torchs():
    for dress in (list, tuple, np.array, torch.tensor):
        assert checks.check_dropped({name: dress(row) for name, row in DROPPED.items()})
    torch.manual_seed(0)
    kept = torch.nn.functional.dropout(torch.ones(10_000), checks.P)
    assert sorted(kept.unique().tolist()) == pytest.approx([0, DROPPED["training"][0] / checks.ROW[0]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"training": [10, 0, 20, 5]}, "divided by 1 − p"),
        ({"training": [50, 0, 100, 25]}, "not by p"),
        ({"training": [8, 0, 16, 4]}, "larger, not smaller"),
        ({"training": [0, -6.25, 0, 0]}, "1 means that a number is kept"),
        ({"training": [10, -5, 20, 5]}, "what inference gives"),
        ({"inference": [8, -4, 16, 4]}, "nothing is left to do"),
        ({"inference": [12.5, 0, 25, 6.25]}, "nothing is dropped"),
        ({"inference": [12.5, -6.25, 25, 6.25]}, "nothing has to be made up for"),
        ({"mean": [8, -4, 16, 4]}, "then it is divided by 0.8"),
        ({"mean": [12.5, -6.25, 25, 6.25]}, "when it is kept"),
        ({"mean": [12.5, 0, 25, 6.25]}, "that is one draw"),
        ({"mean": [1, 2, 3, 4]}, "`mean` is not that."),
        ({"mean": [1, 2, 3]}, "wrong shape"),
        ({"mean": ["a"] * 4}, "a list of 4"),
        ({"mean": 3}, "the number 3"),
        ({"mean": ...}, "still open"),
        ({"other": [1]}, "Give a dictionary"),
    ],
)
def test_the_row_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_dropped(DROPPED | change))


def by_where(x, keep, p, training):
    return torch.where(keep, x / (1 - p), 0.0) if training else x


def by_loop(x, keep, p, training):
    if not training:
        return x.clone()
    out = torch.zeros_like(x)
    for place in torch.nonzero(keep):
        out[tuple(place)] = x[tuple(place)] / (1 - p)
    return out


@pytest.mark.parametrize("right", [by_where, by_loop, lambda x, k, p, t: x * k / (1 - p) if t else x])
def test_dropout_passes(right):
    assert checks.check_dropout(right)


def in_training(formula):
    return lambda x, k, p, t: formula(x, k, p) if t else x


def changed_in_place(x, keep, p, training):
    if training:
        x *= keep / (1 - p)
    return x


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (in_training(lambda x, k, p: x), "nothing was dropped"),
        (in_training(lambda x, k, p: x * k), "otherwise the mean shrinks"),
        (in_training(lambda x, k, p: x * k / p), "not by p"),
        (in_training(lambda x, k, p: x * ~k / (1 - p)), "what `keep` says to keep"),
        (in_training(lambda x, k, p: x * k * (1 - p)), "instead of multiplying"),
        (in_training(lambda x, k, p: x * k / k.double().mean()), "the share that this mask kept"),
        (in_training(lambda x, k, p: x / (1 - p)), "none dropped"),
        (in_training(lambda x, k, p: torch.nn.functional.dropout(x, p)), "that is not x with the mask"),
        (in_training(lambda x, k, p: x[k] / (1 - p)), "wrong shape"),
        (lambda x, k, p, t: x * k / (1 - p), "return x as it is"),
        (lambda x, k, p, t: x * k if t else x * (1 - p), "already been made up for"),
        (lambda x, k, p, t: x * k / (1 - p) if t else x / (1 - p), "nothing is to be divided"),
        (lambda x, k, p, t: x * k / (1 - p) if t else x * k, "the mask is not used"),
        (changed_in_place, "in place"),
        (lambda x, k, p, t: None, "returned None"),
    ],
)
def test_dropout_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_dropout(wrong))


def test_the_wandering_passes_and_is_that_of_the_study():
    assert checks.check_wandering(WANDERING)
    assert checks.check_wandering({"after": -0.481, "size": 0.5, "mean": 0.0})
    places = list(islice(disagreeing_batches(Fraction(2, 3)), 60))
    assert places[2] == WANDERING["after"] and float(places[-1]) == pytest.approx(0.5)
    assert float(places[-1] + places[-2]) / 2 == pytest.approx(0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"after": 5 / 9}, "after two steps"),
        ({"after": 0.481}, "below 0"),
        ({"after": -1 / 3}, "after the first step"),
        ({"after": -25 / 27}, "take turns"),
        ({"size": 1 / 3}, "at the rate ½"),
        ({"size": 1}, "never reaches"),
        ({"size": 0}, "never comes to rest"),
        ({"size": 2 / 3}, "part of the last place is left"),
        ({"size": -0.5}, "distance from 0"),
        ({"mean": 0.5}, "on both sides"),
        ({"mean": 7}, "(mean) is not 7."),
        ({"mean": "0"}, "one number"),
        ({"mean": ...}, "still to be predicted"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_wandering_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_wandering(WANDERING | change))


def total(gradients):
    return sum(g.square().sum() for g in gradients).sqrt()


def by_factor(gradients, limit):
    norm = total(gradients)
    return [g * (limit / norm) if norm > limit else g for g in gradients]


def by_torch(gradients, limit):
    parameters = [torch.zeros_like(g) for g in gradients]
    for parameter, g in zip(parameters, gradients, strict=True):
        parameter.grad = g.clone()
    torch.nn.utils.clip_grad_norm_(parameters, limit)
    return [parameter.grad for parameter in parameters]


@pytest.mark.parametrize("right", [by_factor, by_torch, lambda g, c: tuple(by_factor(g, c))])
def test_clipping_passes(right):
    assert checks.check_clipped(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda g, c: [x * min(1, c / max(1e-9, x.norm().item())) for x in g], "its own norm"),
        (lambda g, c: [x.clamp(-c, c) for x in g], "cut off"),
        (lambda g, c: [x * c / max(total(g).item(), 1e-9) for x in g], "stays as it is"),
        (lambda g, c: [x * min(1, c / max(1e-9, total(g).item() ** 2)) for x in g], "not the sum of squares"),
        (lambda g, c: [x * min(1, c / max(1e-9, sum(y.norm().item() for y in g))) for x in g], "sum of the norms"),
        (lambda g, c: [x * min(1, c / max(1e-9, max(y.abs().max().item() for y in g))) for x in g], "largest number"),
        (lambda g, c: list(g), "Nothing was scaled"),
        (lambda g, c: [x * (c / total(g)).clamp(max=1) if total(g) else x + 1 for x in g], "not the clipped"),
        (lambda g, c: [x * torch.clamp(c / total(g), max=1) * (1 if x.any() else c / total(g)) for x in g], "NaN"),
        (lambda g, c: by_factor(g, c)[0], "Return a list"),
        (lambda g, c: [x.reshape(-1) for x in by_factor(g, c)], "wrong shape"),
        (lambda g, c: None, "returned None"),
    ],
)
def test_clipping_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_clipped(wrong))
