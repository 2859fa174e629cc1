"""Checks for *What a word depends on*: attributions by hand and as functions, a word left out alone or with another."""

import math

import torch

from ..answers import each_answer
from ..drawn import Normal
from ..known_mistakes import diagnose, expect_predictions
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

PARTS = {"two": 2.0, "girls": 2.0}
"""What each of two source words adds to the score of the written word; the only other answer has the score 0."""


def _log_p(score: int | float) -> float:
    return -math.log1p(math.exp(-score)) if score > 0 else score - math.log1p(math.exp(score))


_REST = 1 / (1 + math.exp(4))
_GAIN = _log_p(4) - _log_p(0)
_OF_TWO = {
    "gradient": (
        2 * _REST,
        {
            2.0: "that is the attribution of the score; the slope of ln P is 1 − P",
            _REST: "that is the slope; multiply it by what the word adds",
            4 * _REST: "that is the sum over both words",
            2 * (1 - _REST): "the slope of ln P is 1 − P, and not P",
        },
    ),
    "leaving out": (
        _log_p(4) - _log_p(2),
        {
            _log_p(2): "that is ln P without the word; how much less is it than with both?",
            _log_p(2) - _log_p(4): "a loss counts as positive: ln P with the word minus ln P without it",
            _GAIN: "that is both left out; leave out one",
            math.exp(_log_p(4)) - math.exp(_log_p(2)): "that is the loss of P; take the one of ln P",
        },
    ),
    "integrated": (
        _GAIN / 2,
        {
            _GAIN: "that is the sum over both words, and they share it evenly",
            (_log_p(4) - _log_p(2)): "that is leaving out",
            -_log_p(4) / 2: "the way begins with no word, where ln P = −ln 2, and not 0",
        },
    ),
}


@checking
def check_two_words(predictions: object) -> Report:
    """Are these the three attributions of ln P to one of the two words of `PARTS`?"""
    answers = dict(each_answer(predictions, _OF_TWO, "a number for each of", open_name=None))
    expect_predictions(answers, _OF_TWO, tolerance=3e-3)
    return Report(True, "The gradient sees least, since the answer is nearly certain; the way there sees most.")


def _drawn_functions(normal: Normal):
    """Functions of (words, d) to a number, and where they are taken: a sum, a saturating one, a product.

    The product comes last: it is linear in each of its words, so that leaving out and gradient × input are the same
    there, and a check that met it first would take one for the other.
    """
    first = normal(3, 4)
    mixing = normal(4, 4)
    yield (lambda x: (x * first).sum()), normal(3, 4)
    yield (lambda x: torch.nn.functional.logsigmoid((x * first).sum())), normal(3, 4)
    yield (lambda x: (x[0] @ mixing * x[1]).sum() + x[-1].sum()), normal(3, 4)


@checking
def check_gradient_times_input(candidate: object) -> Report:
    """Does ``candidate(f, x)`` give each word's gradient of ``f`` at ``x``, (words, d), dotted with its embedding?"""
    for f, x in _drawn_functions(Normal(6)):
        leaf = x.clone().requires_grad_()
        (slope,) = torch.autograd.grad(f(leaf), leaf)
        got = expect_array(attempt(candidate, f, x), (3,), "one number per word").detach()
        right = (slope * x).sum(-1)
        if not agrees(got, right, tolerance=1e-4):
            mistakes = {
                "That is the sum of the gradient; multiply it by the embedding first.": slope.sum(-1),
                "That is the length of the gradient; dot it with the embedding.": slope.norm(dim=-1),
                "The signs are gone: a word may speak against the written one.": right.abs(),
                "Sum over the numbers of an embedding, and not over the words.": (slope * x).sum(0)[:3],
                "That is how much f loses when the word's embedding is set to 0.": _left_out(f, x),
            }
            diagnose(got, right, mistakes, tolerance=1e-4)
    return Report(True, "Right for a sum, a saturating function and a product.")


def _left_out(f, x: torch.Tensor) -> torch.Tensor:
    losses = []
    for j in range(len(x)):
        without = x.clone()
        without[j] = 0
        losses.append(f(x) - f(without))
    return torch.stack(losses)


def _steep(normal: Normal):
    """A function that rises early on the way to x and is flat at its middle, so that no single point will do."""
    first, x = normal(3, 4).abs(), normal(3, 4).abs()
    strength = 10 / (x * first).sum()
    return (lambda at: torch.nn.functional.logsigmoid(strength * (at * first).sum())), x


@checking
def check_integrated(candidate: object) -> Report:
    """Does ``candidate(f, x, steps)`` give integrated gradients from 0 to ``x``, complete within 1 % at 400 steps?"""
    steep = _steep(Normal(8))
    for f, x in (*_drawn_functions(Normal(7)), steep):
        right = _integrated(f, x)
        got = expect_array(attempt(candidate, f, x, 400), (3,), "one number per word").detach()
        if not agrees(got, right, tolerance=0.02):
            leaf = x.clone().requires_grad_()
            (slope,) = torch.autograd.grad(f(leaf), leaf)
            mistakes = {
                "That is gradient × input at x; take the mean of the gradients on the way.": (slope * x).sum(-1),
                "The gradients are added up; take their mean.": 400 * right,
                "That is how much f loses when the word's embedding is set to 0.": _left_out(f, x),
                "That is the gradient at the middle of the way; take the mean over all points.": _integrated(f, x, 1),
            }
            diagnose(got, right, mistakes, tolerance=0.02)
    few = expect_array(attempt(candidate, *steep, 2), (3,), "one number per word").detach()
    if agrees(few, _integrated(*steep), tolerance=0.02):
        raise NotYet("With 2 points it is as exact as with 400: take as many points as `steps` says.")
    return Report(True, "Complete: the numbers of all words sum to f(x) − f(0).")


def _integrated(f, x: torch.Tensor, steps: int = 2000) -> torch.Tensor:
    mean = torch.zeros_like(x)
    for k in range(steps):
        point = (x * ((k + 0.5) / steps)).requires_grad_()
        mean += torch.autograd.grad(f(point), point)[0] / steps
    return (mean * x).sum(-1)


@checking
def check_alone(parts: object) -> Report:
    """Does the first word cost more than 2 nats when left out alone, and do both together cost less than 0.5?"""
    values = dict(each_answer(parts, ("first", "second"), "a number for each of", open_name=None))
    if any(value is ... for value in values.values()):
        raise NotYet("Put a number in place of each ...")
    first, second = (expect_number(values[name], f"the part of the {name} word") for name in values)
    if max(abs(first), abs(second)) > 500:
        raise NotYet("Parts between −500 and 500 will do.")
    whole = _log_p(first + second)
    alone, both = whole - _log_p(second), whole - _log_p(0)
    if alone <= 2:
        hint = " Where the second word does not speak against it, 0.693 is the most." if second >= 0 else ""
        raise NotYet(f"Without the first word alone, ln P falls by {alone:.3f} nats: not by more than 2.{hint}")
    if both >= 0.5:
        raise NotYet(f"Without both words, ln P falls by {both:.3f} nats: not by less than 0.5.")
    return Report(True, f"Alone the first word costs {alone:.2f} nats; both together cost {both:.2f}.")
