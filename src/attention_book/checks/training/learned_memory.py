"""Checks for *Can it learn what it looks up?*: an own key with a pencil, the mean of models, and twins without one."""

import math

import numpy as np
import torch

from ..answers import each_answer, from_list
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, first_difference

SQUARED, TEMPERATURE = (0.0, 3.0, 3.0), 3.0
"""Squared distances of three neighbours: the pair's own key, followed by *rojo*, then *rojo* and *azul*."""
MODEL, SHARE, TAUGHT = 0.4, 0.5, 0.8
"""What the model gives *rojo*, the memory's share λ of the lesson, and the lesson's share of the target."""
_FAR = math.exp(-1.0)
_OWN = 1 / (1 + 2 * _FAR)
_LESSON = (1 - SHARE) * MODEL + SHARE * 0.5
_QUOTED = (1 - SHARE) * MODEL + SHARE * (1 + _FAR) / (1 + 2 * _FAR)
_BY_HAND = {
    "own": (
        _OWN,
        {
            1.0: "e⁰ is 1, but it still has to be divided by the sum of all three",
            (1 + _FAR) * _OWN: "that is all of rojo; the own key alone is asked for",
            1 / 3: "the three do not count equally; the own key is nearest",
            1 / (1 + _FAR): "there are two others",
        },
    ),
    "others": (
        0.5,
        {
            (1 + _FAR) * _OWN: "the own key still counts; leave it out",
            _FAR * _OWN: "without the own key the weights of the other two have the sum 1",
            2 / 3: "the own key is left out, and the other two count alike",
            1.0: "the other key was followed by azul, and counts as well",
        },
    ),
    "lesson": (
        _LESSON,
        {
            _QUOTED: "the own key still counts in the memory's part",
            MODEL + SHARE * 0.5: "the model has the share 1 − λ, and not all",
            SHARE * 0.5: "the model's own part is missing",
            (1 - SHARE) * MODEL: "the memory's part is missing",
        },
    ),
    "target": (
        (1 - TAUGHT) + TAUGHT * _LESSON,
        {
            TAUGHT + (1 - TAUGHT) * _LESSON: "0.8 is the share of the lesson, and 0.2 that of the pair",
            TAUGHT * _LESSON: "the pair's part is missing: it gives rojo 1",
            1 + TAUGHT * _LESSON: "the pair has the share 0.2, and not all",
            (1 + _LESSON) / 2: "the shares are 0.2 and 0.8, and not halves",
            (1 - TAUGHT) + TAUGHT * _QUOTED: "the own key still counts in the lesson",
        },
    ),
}


@checking
def check_own_key(predictions: object) -> Report:
    """Are these the own key's weight, *rojo* by the others, *rojo* in the lesson, and *rojo* in the target?"""
    answers = dict(each_answer(predictions, _BY_HAND, "a number for each of", open_name=None))
    expect_predictions(answers, _BY_HAND, tolerance=6e-3)
    return Report(True, "The pair pulls rojo up, and the others leave room for azul.")


@checking
def check_mean_model(candidate: object) -> Report:
    """Does ``candidate(models)`` give the model whose parameters are the means of those of all models?

    A model is a dictionary from names to arrays.
    """
    generator = np.random.default_rng(3)
    for count in (2, 3):
        models = [{"A": generator.standard_normal((2, 3)), "b": generator.standard_normal(3)} for _ in range(count)]
        got = attempt(candidate, models)
        if not isinstance(got, dict) or set(got) != {"A", "b"}:
            raise NotYet("A model is wanted: a dictionary with the names of the parameters, here A and b.")
        for name, first in models[0].items():
            right = np.mean([model[name] for model in models], axis=0)
            mean = got[name].detach().numpy() if isinstance(got[name], torch.Tensor) else from_list(got[name])
            mean = expect_array(mean, first.shape, "the shape of that parameter", like=np.array(0), name=name)
            if agrees(mean, right):
                continue
            mistakes = [
                (right * count, "that is the sum; divide it by the number of models"),
                (first, "that is the first model alone"),
                (models[-1][name], "that is the last model alone"),
                ((first + models[-1][name]) / 2, "only the first and the last model count"),
                (right * count / 2, "the sum is divided by 2, however many models there are"),
            ]
            hint = recognise(mean, mistakes)
            raise NotYet(f"With {count} models, parameter {name}: {hint or first_difference(mean, right)}.")
    return Report(True, "Each parameter is the mean over the models, and the models are as they were.")


PROBES = (-2.0, -1.0, -0.5, 0.5, 1.0, 3.0)
"""The inputs at which two networks are compared."""
Network = tuple[np.ndarray, np.ndarray]


def output(network: Network, x: float) -> float:
    """What a network of one hidden layer gives for a number: c · max(0, a x), for two rows a and c of equal length."""
    a, c = network
    return float(c @ np.maximum(0.0, a * x))


def _network(got: object, name: str) -> Network:
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        raise NotYet(f"{name} is a pair (a, c) of two rows with two numbers each.")
    a, c = (expect_array(from_list(row), (2,), "one number per unit", like=np.array(0), name=name) for row in got)
    return np.asarray(a, dtype=float), np.asarray(c, dtype=float)


@checking
def check_twins(first: object, second: object) -> Report:
    """Do two networks of two hidden units compute the same, and does their mean compute something else?"""
    one, other = _network(first, "the first network"), _network(second, "the second network")
    mean = ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)
    apart = 0.0
    for x in PROBES:
        y, z = output(one, x), output(other, x)
        if not math.isclose(y, z, rel_tol=1e-6, abs_tol=1e-9):
            raise NotYet(f"At x = {x:g} the first network gives {y:.4g} and the second {z:.4g}; they have to agree.")
        apart = max(apart, abs(output(mean, x) - y))
    if all(agrees(a, b) for a, b in zip(one, other, strict=True)):
        raise NotYet("Both networks have the same parameters, so their mean is the same network.")
    if not any(abs(output(one, x)) > 1e-6 for x in PROBES):
        raise NotYet("Both networks give 0 everywhere; let them compute something.")
    if apart < 1e-6:
        raise NotYet("Their mean computes the same as they do. What can be exchanged without a change of the output?")
    return Report(True, f"They agree everywhere, and their mean is off by up to {apart:.2g}.")
