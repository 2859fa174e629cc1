"""The checks of *Distillation* take every right answer and name what is wrong with the others."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.training import taught as checks
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.training.together.distilling import Ensemble
from attention_book.training.together.lessons import losses

from ..diagnosis import diagnosis

TWO = {"mean": 0.7, "scores": 0.75, "loss": 0.3567, "losses": 0.3993}


def test_two_teachers_pass():
    assert checks.check_two_teachers(TWO)
    assert checks.check_two_teachers(TWO | {"mean": Fraction(7, 10), "loss": torch.tensor(-math.log(0.7))})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean": 1.4}, "number of teachers"),
        ({"mean": 0.75}, "averaged scores"),
        ({"mean": 0.671}, "geometric mean"),
        ({"scores": 0.7}, "before the softmax"),
        ({"scores": 0.671}, "sum over both words"),
        ({"loss": 0.3993}, "mean of both losses"),
        ({"loss": 0.7985}, "sum of both losses"),
        ({"loss": -0.3567}, "minus the logarithm"),
        ({"loss": 0.5146}, "in bits"),
        ({"losses": 0.3567}, "the loss of the mean"),
        ({"losses": 0.7985}, "that is the sum"),
        ({"losses": -0.3993}, "minus the logarithm"),
        ({"losses": 7}, "(losses) is not 7."),
        ({"mean": "7/10"}, "one number"),
        ({"mean": ...}, "still to be predicted"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_two_teachers_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_two_teachers(TWO | change))


class Saying(Transformer):
    """A model that gives the same scores, whatever it reads."""

    def __init__(self, scores):
        super().__init__(TransformerConfig.tiny(scores.shape[-1]))
        self.scores = scores

    def decode(self, tgt, memory):
        return self.scores


def by_the_package(logits):
    together = Ensemble([Saying(scores) for scores in logits])
    return together(torch.ones(1, 1).long(), torch.ones(1, 1).long())


def by_logsumexp(logits):
    return torch.logsumexp(logits.log_softmax(-1), 0) - math.log(len(logits))


def by_loop(logits):
    total = 0
    for scores in logits:
        e = (scores - scores.max(-1, keepdim=True)[0]).exp()
        total = total + e / e.sum(-1, keepdim=True)
    return torch.log(total / len(logits))


@pytest.mark.parametrize("right", [by_the_package, by_logsumexp, by_loop])
def test_the_mean_prediction_passes(right):
    assert checks.check_mean_prediction(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda z: z.mean(0), "The scores are averaged"),
        (lambda z: z.mean(0).log_softmax(-1), "before the softmax"),
        (lambda z: z.log_softmax(-1).mean(0), "vetoes a token"),
        (lambda z: z.softmax(-1).mean(0), "logarithm is still to be taken"),
        (lambda z: z.softmax(-1).sum(0).log(), "not yet divided"),
        (lambda z: z.softmax(-1).max(0)[0].log(), "surest teacher"),
        (lambda z: z.softmax(0).mean(0).log(), "over the teachers"),
        (lambda z: z.softmax(1).mean(0).log(), "over the positions"),
        (lambda z: z[0].log_softmax(-1), "first teacher alone"),
        (lambda z: z.softmax(-1).softmax(-1).mean(0).log(), "taken twice"),
        (lambda z: z.softmax(-1).mean(0, keepdim=True).log(), "wrong shape"),
        (lambda z: z.softmax(-1).mean(1).log(), "wrong shape"),
        (lambda z: 0 * z[0], "A wrong number at row 0"),
        (lambda z: z.softmax(-1).mean(0).log().numpy(), "a torch tensor"),
        (lambda z: z.sub_(z.mean()).softmax(-1).mean(0).log(), "in place"),
        (lambda z: None, "returned None"),
    ],
)
def test_the_mean_prediction_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_mean_prediction(wrong))


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def smoothed(z, y, epsilon):
    return (1 - epsilon) * np.eye(len(z))[y] + epsilon / len(z)


def by_mixture(z, y, r, epsilon, taught):
    return softmax(z) - (1 - taught) * smoothed(z, y, epsilon) - taught * r


def by_two_losses(z, y, r, epsilon, taught):
    p = softmax(z)
    return ((1 - taught) * (p - smoothed(z, y, epsilon)) + taught * (p - r)).tolist()


def by_the_package_losses(z, y, r, epsilon, taught):
    leaf = torch.tensor(z, requires_grad=True)
    given = {"smoothing": epsilon, "taught": taught, "lesson": torch.tensor(r)[None, None, None], "pad_id": -1}
    losses(leaf[None, None, None], torch.tensor([[[y]]]), **given).sum().backward()
    return leaf.grad


@pytest.mark.parametrize("right", [by_mixture, by_two_losses, by_the_package_losses])
def test_the_taught_gradient_passes(right):
    assert checks.check_taught_gradient(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda z, y, r, e, a: -by_mixture(z, y, r, e, a), "points uphill"),
        (lambda z, y, r, e, a: by_mixture(z, y, r, e, 1 - a), "changed places"),
        (lambda z, y, r, e, a: by_mixture(z, y, r, 0.0, a), "still to be smoothed"),
        (lambda z, y, r, e, a: softmax(z) - smoothed(z, y, e) - a * r, "added in full"),
        (lambda z, y, r, e, a: by_mixture(z, y, r, e, a) + softmax(z), "p stands there twice"),
        (lambda z, y, r, e, a: softmax(z) - smoothed(z, y, e), "the reference alone"),
        (lambda z, y, r, e, a: softmax(z) - r, "the lesson alone"),
        (lambda z, y, r, e, a: by_mixture(z, y, r, e, a) - softmax(z) + z, "take their softmax"),
        (lambda z, y, r, e, a: softmax(z) - by_mixture(z, y, r, e, a), "that is the target"),
        (lambda z, y, r, e, a: softmax(z), "those are the probabilities"),
        (lambda z, y, r, e, a: by_mixture(z, y, r, e, a) / len(z), "mean over the tokens"),
        (lambda z, y, r, e, a: 0 * z, "got 0"),
        (lambda z, y, r, e, a: by_mixture(z, y, r, e, a)[:-1], "wrong shape"),
        (lambda z, y, r, e, a: np.full(len(z), np.nan), "NaN"),
        (lambda z, y, r, e, a: None, "returned None"),
    ],
)
def test_the_taught_gradient_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_taught_gradient(wrong))


@pytest.mark.parametrize("as_what", [list, np.array, torch.tensor])
def test_a_veto_passes(as_what):
    assert checks.check_veto(as_what([[0.8, 0.2], [0.8, 0.2], [0.001, 0.999]]))
    assert checks.check_veto(as_what([[0.01, 0.99], [0.9, 0.1], [0.7, 0.3]]))


@pytest.mark.parametrize(
    ("teachers", "message"),
    [
        ([[0.5, 0.5]] * 3, "does not prefer it"),
        ([[0.2, 0.8]] * 3, "does not prefer it"),
        ([[0.8, 0.2]] * 3, "does not prefer the second word yet"),
        ([[0.8, 0.2], [0.8, 0.2], [0.0, 1.0]], "no logarithm"),
        ([[0.8, 0.3], [0.8, 0.2], [0.1, 0.9]], "sums to 1"),
        ([[1.2, -0.2], [0.8, 0.2], [0.1, 0.9]], "no negative"),
        ([[0.8, 0.2], [0.1, 0.9]], "shape"),
        (..., "array"),
        ("veto", "array"),
    ],
)
def test_a_veto_names_the_mistake(teachers, message):
    assert message in diagnosis(checks.check_veto(teachers))
