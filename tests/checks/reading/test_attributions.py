"""The checks of *What a word depends on* take every right answer and name what is wrong with the others."""

import math

import numpy as np
import pytest
import torch

from attention_book.checks.reading import attributions as checks
from attention_book.studies.reading.two_words import of_log_p

from ..diagnosis import diagnosis

TWO = {"gradient": 0.036, "leaving out": 0.1088, "integrated": 0.3375}


def test_the_two_words_pass():
    assert checks.check_two_words(TWO)
    found = of_log_p(checks.PARTS)
    exact = {
        "gradient": found["gradient × input"]["two"],
        **{n: found[n]["two"] for n in ("leaving out", "integrated")},
    }
    assert checks.check_two_words({name: np.float64(value) for name, value in exact.items()})
    assert checks.check_two_words({name: torch.tensor(value) for name, value in exact.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gradient": 2}, "attribution of the score"),
        ({"gradient": 0.018}, "that is the slope"),
        ({"gradient": 0.072}, "sum over both"),
        ({"gradient": 1.964}, "and not P"),
        ({"leaving out": -0.1269}, "ln P without the word"),
        ({"leaving out": -0.1088}, "counts as positive"),
        ({"leaving out": 0.675}, "both left out"),
        ({"leaving out": 0.1012}, "loss of P"),
        ({"integrated": 0.675}, "share it evenly"),
        ({"integrated": 0.1088}, "leaving out"),
        ({"integrated": 0.0091}, "ln P = −ln 2"),
        ({"integrated": "a third"}, "one number"),
        ({"gradient": ...}, "still to be predicted"),
    ],
)
def test_the_two_words_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_two_words(TWO | change))


def slope_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0]


def left_out(f, x):
    rows = []
    for j in range(len(x)):
        without = x.clone()
        without[j] = 0
        rows.append(f(x) - f(without))
    return torch.stack(rows)


def by_backward(f, x):
    x = x.clone().requires_grad_()
    f(x).backward()
    return torch.einsum("wd,wd->w", x.grad, x)


@pytest.mark.parametrize("right", [by_backward, lambda f, x: (slope_of(f, x) * x).sum(-1)])
def test_gradient_times_input_passes(right):
    assert checks.check_gradient_times_input(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda f, x: slope_of(f, x).sum(-1), "multiply it by the embedding"),
        (lambda f, x: slope_of(f, x).norm(dim=-1), "length of the gradient"),
        (lambda f, x: (slope_of(f, x) * x).sum(-1).abs(), "signs are gone"),
        (lambda f, x: (slope_of(f, x) * x).sum(0)[:3], "not over the words"),
        (lambda f, x: slope_of(f, x) * x, "one number per word"),
        (left_out, "set to 0"),
        (lambda f, x: 2 * (slope_of(f, x) * x).sum(-1), "wrong number"),
        (lambda f, x: None, "returned None"),
    ],
)
def test_gradient_times_input_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_gradient_times_input(wrong))


def integrated(points):
    def candidate(f, x, steps):
        return sum(slope_of(f, x * a) for a in points(steps)) / steps * x

    return lambda f, x, steps: candidate(f, x, steps).sum(-1)


@pytest.mark.parametrize(
    "right",
    [
        integrated(lambda n: [(k + 0.5) / n for k in range(n)]),
        integrated(lambda n: [(k + 1) / n for k in range(n)]),
        integrated(lambda n: [k / n for k in range(n)]),
        integrated(lambda n: [k / (n - 1) for k in range(n)]),
        integrated(lambda n: torch.linspace(0, 1, n).tolist()),
    ],
)
def test_integrated_gradients_pass(right):
    assert checks.check_integrated(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda f, x, n: (slope_of(f, x) * x).sum(-1), "mean of the gradients on the way"),
        (lambda f, x, n: n * integrated(lambda m: [(k + 0.5) / m for k in range(m)])(f, x, n), "take their mean"),
        (lambda f, x, n: left_out(f, x), "set to 0"),
        (lambda f, x, n: (slope_of(f, x / 2) * x).sum(-1), "middle of the way"),
        (lambda f, x, n: integrated(lambda m: [(k + 0.5) / m for k in range(m)])(f, x, 64), "as `steps` says"),
        (lambda f, x, n: torch.zeros(3), "wrong number"),
        (lambda f, x, n: torch.zeros(3, 4), "one number per word"),
        (lambda f, x, n: None, "returned None"),
    ],
)
def test_integrated_gradients_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_integrated(wrong))


@pytest.mark.parametrize(("first", "second"), [(5, -4), (5, -5), (3, -9), (torch.tensor(6.0), np.float32(-5.5))])
def test_a_word_that_costs_more_alone_passes(first, second):
    assert checks.check_alone({"first": first, "second": second})


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (4, 1, "0.307 nats: not by more than 2"),
        (5, 5, "0.007 nats: not by more than 2. Where the second word"),
        (0, 0, "0.693 is the most"),
        (2, -1, "1.000 nats: not by more than 2."),
        (-4, 5, "not by more than 2"),
        (9, -4, "0.686 nats: not by less than 0.5."),
        (500, 0.0, "not by more than 2"),
        (1e6, -1e6, "will do"),
        (math.inf, 5, "finite"),
        ("five", 5, "one number"),
        (..., 5, "in place of each"),
    ],
)
def test_parts_that_cost_otherwise_are_named(first, second, message):
    assert message in diagnosis(checks.check_alone({"first": first, "second": second}))
