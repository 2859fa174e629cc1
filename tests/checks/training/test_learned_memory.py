"""The checks of *Can it learn what it looks up?* take every right answer and name what is wrong with the others."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.training import learned_memory as checks
from attention_book.pages.diagrams.training.keys_around import weights_of

from ..diagnosis import diagnosis

BY_HAND = {"own": 0.576, "others": 0.5, "lesson": 0.45, "target": 0.56}


def test_an_own_key_by_hand_passes():
    assert checks.check_own_key(BY_HAND)
    assert checks.check_own_key(BY_HAND | {"others": Fraction(1, 2), "target": torch.tensor(0.56)})


def test_the_own_key_s_weight_is_that_of_the_figure_s_function():
    keys = [(distance**0.5, 0.0, "any") for distance in checks.SQUARED]
    (_, own), *_ = weights_of(keys, (0.0, 0.0), 3, checks.TEMPERATURE)
    assert own == pytest.approx(BY_HAND["own"], abs=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"own": 1}, "divided by the sum"),
        ({"own": 0.788}, "all of rojo"),
        ({"own": 1 / 3}, "do not count equally"),
        ({"own": 0.731}, "two others"),
        ({"others": 0.788}, "leave it out"),
        ({"others": 0.212}, "have the sum 1"),
        ({"others": 2 / 3}, "count alike"),
        ({"others": 1}, "followed by azul"),
        ({"lesson": 0.594}, "own key still counts"),
        ({"lesson": 0.65}, "the share 1 − λ"),
        ({"lesson": 0.25}, "model's own part is missing"),
        ({"lesson": 0.2}, "memory's part is missing"),
        ({"target": 0.89}, "0.8 is the share of the lesson"),
        ({"target": 0.36}, "pair's part is missing"),
        ({"target": 1.36}, "and not all"),
        ({"target": 0.725}, "not halves"),
        ({"target": 0.675}, "own key still counts"),
        ({"target": 7}, "(target) is not 7."),
        ({"target": ...}, "still to be predicted"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_an_own_key_by_hand_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_own_key(BY_HAND | change))


def by_numpy(models):
    return {name: np.mean([model[name] for model in models], axis=0) for name in models[0]}


def by_sum(models):
    return {name: sum(model[name] for model in models) / len(models) for name in models[0]}


def by_torch(models):
    return {name: torch.stack([torch.from_numpy(model[name]) for model in models]).mean(0) for name in models[0]}


def running(models):
    mean = {name: array.copy() for name, array in models[0].items()}
    for count, model in enumerate(models[1:], 2):
        for name, array in model.items():
            mean[name] += (array - mean[name]) / count
    return mean


@pytest.mark.parametrize("right", [by_numpy, by_sum, by_torch, running])
def test_a_mean_model_passes(right):
    assert checks.check_mean_model(right)


def in_place(models):
    mean = models[0]
    for model in models[1:]:
        for name in mean:
            mean[name] += model[name]
    return {name: array / len(models) for name, array in mean.items()}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (in_place, "changes `models` in place"),
        (lambda models: {name: sum(m[name] for m in models) for name in models[0]}, "that is the sum"),
        (lambda models: dict(models[0]), "first model alone"),
        (lambda models: dict(models[-1]), "last model alone"),
        (lambda models: {n: (models[0][n] + models[-1][n]) / 2 for n in models[0]}, "first and the last model"),
        (lambda models: {n: sum(m[n] for m in models) / 2 for n in models[0]}, "divided by 2"),
        (lambda models: {n: np.zeros_like(a) for n, a in models[0].items()}, "With 2 models, parameter A"),
        (lambda models: {"A": models[0]["A"]}, "dictionary with the names"),
        (lambda models: [0.0], "dictionary with the names"),
        (lambda models: {n: 0.0 for n in models[0]}, "NumPy array"),
        (lambda models: {n: a[0] for n, a in models[0].items()}, "wrong shape"),
        (lambda models: None, "returned None"),
    ],
)
def test_a_mean_model_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_mean_model(wrong))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (([1.0, -1.0], [2.0, 3.0]), ([-1.0, 1.0], [3.0, 2.0])),  # the units change places
        (([1.0, 2.0], [1.0, 1.0]), ([4.0, 2.0], [0.25, 1.0])),  # one is stretched
        ((np.array([1, 0]), np.array([4, 5])), (np.array([1, 1]), np.array([4, 0]))),  # one is idle
    ],
)
def test_twins_pass(one, other):
    report = checks.check_twins(one, other)
    assert report, report.message


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (([1, -1], [2, 3]), ([1, -1], [2, 3]), "same parameters"),
        (([1, -1], [2, 3]), ([1, -1], [3, 2]), "have to agree"),
        (([1, -1], [0, 0]), ([2, -1], [0, 0]), "give 0 everywhere"),
        (([1, 1], [2, 2]), ([1, 1], [1, 3]), "Their mean computes the same"),
        (([1, -1, 1], [2, 3, 1]), ([1, -1], [2, 3]), "wrong shape"),
        ([1, 2, 3], ([1, -1], [2, 3]), "a pair (a, c)"),
        (..., ..., "a pair (a, c)"),
    ],
)
def test_what_are_no_twins_is_named(one, other, message):
    assert message in diagnosis(checks.check_twins(one, other))
