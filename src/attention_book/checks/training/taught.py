"""Checks for *Distillation*: two teachers with a pencil, what several teachers say together, the taught gradient."""

import math

import numpy as np
import torch

from ..answers import each_answer, from_list
from ..drawn import Normal
from ..known_mistakes import diagnose, expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, first_difference

TEACHERS = [[0.9, 0.1], [0.5, 0.5]]
"""Two teachers of two words; the first word is in the reference."""
_GEOMETRIC = math.sqrt(0.45) / (math.sqrt(0.45) + math.sqrt(0.05))
_TWO = {
    "mean": (
        0.7,
        {
            1.4: "divide the sum by the number of teachers",
            _GEOMETRIC: "that comes of averaged scores; average the probabilities",
            math.sqrt(0.45): "that is a geometric mean, and not even a probability yet",
        },
    ),
    "scores": (
        _GEOMETRIC,
        {
            0.7: "that is the mean of the probabilities; here the scores are averaged before the softmax",
            math.sqrt(0.45): "√(0.9 · 0.5) belongs to the first word; divide by the sum over both words",
        },
    ),
    "loss": (
        -math.log(0.7),
        {
            -math.log(0.45) / 2: "that is the mean of both losses; take the logarithm of the mean probability",
            -math.log(0.45): "that is the sum of both losses; take the logarithm of the mean probability",
            math.log(0.7): "a loss is minus the logarithm",
            -math.log2(0.7): "that is in bits; nats take the natural logarithm",
        },
    ),
    "losses": (
        -math.log(0.45) / 2,
        {
            -math.log(0.7): "that is the loss of the mean; take the mean of the two losses",
            -math.log(0.45): "that is the sum; divide by the number of teachers",
            math.log(0.45) / 2: "a loss is minus the logarithm",
        },
    ),
}


@checking
def check_two_teachers(predictions: object) -> Report:
    """Are these what the two `TEACHERS` say together, averaged in both ways, and their losses at the first word?"""
    answers = dict(each_answer(predictions, _TWO, "a number for each of", open_name=None))
    expect_predictions(answers, _TWO, tolerance=6e-3)
    return Report(True, "The loss of the mean is below the mean of the losses, and that holds for all teachers.")


@checking
def check_mean_prediction(candidate: object) -> Report:
    """Does ``candidate(logits)`` give the logarithm of the mean probability of the teachers, over the first axis?"""
    normal = Normal(6)
    for shape, size in (((3, 2, 5), 1.0), ((2, 4, 7), 4.0), ((4, 3, 6), 8.0)):
        logits = size * normal(*shape) + 30 * normal(shape[0], 1, 1)  # a softmax does not see what is added to a row
        got = expect_array(attempt(candidate, logits), shape[1:], "one row per position, one column per token")
        p = logits.softmax(-1)
        right = p.mean(0).log()
        if agrees(got, right):
            continue
        mistakes = {
            "The scores are averaged. Take the softmax of each teacher first, and average probabilities.": logits.mean(
                0
            ),
            "Scores are averaged before the softmax. Take the softmax of each teacher first.": (
                logits.mean(0).log_softmax(-1)
            ),
            "Logarithms are averaged, so one doubting teacher vetoes a token. Average the probabilities.": (
                logits.log_softmax(-1).mean(0)
            ),
            "Those are probabilities; the logarithm is still to be taken.": right.exp(),
            "The sum is not yet divided by the number of teachers.": p.sum(0).log(),
            "That is the surest teacher for each token, and no distribution.": p.max(0)[0].log(),
            "The softmax goes over the teachers; it goes over the tokens, the last axis.": logits.softmax(0)
            .mean(0)
            .log(),
            "The softmax goes over the positions; it goes over the tokens, the last axis.": logits.softmax(1)
            .mean(0)
            .log(),
            "That is the first teacher alone.": p[0].log(),
            "The softmax is taken twice.": p.softmax(-1).mean(0).log(),
        }
        diagnose(got, right, mistakes)
    return Report(True, "Right for two, three and four teachers, whatever is added to a teacher's scores.")


@checking
def check_taught_gradient(candidate: object) -> Report:
    """Is ``candidate(z, y, r, epsilon, taught)`` the gradient of the taught loss with respect to the scores z?"""
    generator = np.random.default_rng(7)
    for size, y, epsilon, taught in ((5, 1, 0.1, 0.7), (4, 3, 0.0, 0.5), (6, 0, 0.2, 0.0), (3, 2, 0.3, 1.0)):
        z, r = generator.standard_normal(size), generator.dirichlet(np.ones(size))
        got = attempt(candidate, z, y, r, epsilon, taught)
        got = got.detach().numpy() if isinstance(got, torch.Tensor) else from_list(got)
        got = expect_array(got, (size,), "one number per score", like=np.array(0), name="the gradient")
        leaf = torch.tensor(z, requires_grad=True)
        log_p = leaf.log_softmax(0)
        smoothed = torch.nn.functional.cross_entropy(leaf[None], torch.tensor([y]), label_smoothing=epsilon)
        ((1 - taught) * smoothed - taught * (torch.tensor(r) * log_p).sum()).backward()
        right = leaf.grad.numpy()
        if agrees(got, right):
            continue
        certain = np.eye(size)[y]
        target, p = (1 - epsilon) * certain + epsilon / size, log_p.detach().exp().numpy()
        mistakes = {
            "the sign is turned: the gradient points uphill": -right,
            "λ and 1 − λ have changed places": p - taught * target - (1 - taught) * r,
            "the reference is still to be smoothed": p - (1 - taught) * certain - taught * r,
            "the lesson is added in full: the reference keeps the share 1 − λ only": p - target - taught * r,
            "p stands there twice: both parts have a p, with the shares 1 − λ and λ": 2 * p
            - (1 - taught) * target
            - taught * r,
            "the reference alone teaches there: the lesson r is missing": p - target,
            "the lesson alone teaches there: the reference is missing": p - r,
            "those are scores minus the target: take their softmax first": z - (1 - taught) * target - taught * r,
            "that is the target: it is still to be subtracted from p": (1 - taught) * target + taught * r,
            "those are the probabilities: the target is still to be subtracted": p,
            "that is the mean over the tokens: the loss is their sum": right / size,
        }
        hint = recognise(got, mistakes)
        raise NotYet(f"With {size} scores, ε = {epsilon} and λ = {taught}: {hint or first_difference(got, right)}.")
    return Report(True, "It is the gradient that torch finds: p minus one target, mixed of reference and lesson.")


@checking
def check_veto(teachers: object) -> Report:
    """Do the mean of probabilities and the mean of scores of these three teachers prefer different words?"""
    given = teachers.detach().numpy() if isinstance(teachers, torch.Tensor) else from_list(teachers)
    rows = expect_array(
        given, (3, 2), "a row per teacher, a column per word", like=np.array(0), name="the array of teachers"
    )
    if (rows < 0).any() or not np.allclose(rows.sum(1), 1):
        raise NotYet("Each row holds two probabilities, so it has no negative number and sums to 1.")
    if (rows == 0).any():
        raise NotYet("A probability of 0 has no logarithm; take a very small one.")
    mean, scores = rows.mean(0), np.log(rows).mean(0)
    if mean[0] <= mean[1]:
        raise NotYet(f"The mean of probabilities gives the first word {mean[0]:.3f} and does not prefer it.")
    if scores[0] >= scores[1]:
        raise NotYet("The mean of scores does not prefer the second word yet: let one teacher forbid the first.")
    return Report(True, "One teacher vetoes the first word in the mean of scores, but not in that of probabilities.")
