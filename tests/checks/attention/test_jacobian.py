"""The checks of the softmax Jacobian, of its size and of its use in learning: they pass what is right."""

import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy.special import softmax

from attention_book.attention import probability
from attention_book.checks.attention import jacobian as checks

from ..diagnosis import diagnosis

RIGHT = {"a": 0.125, "b": -0.075, "c": 0.0196, "d": -0.8}


def test_entries_pass():
    assert checks.check_entries(RIGHT)
    assert checks.check_entries(RIGHT | {"a": np.float64(1 / 8)})
    assert checks.check_entries(
        {"a": Fraction(1, 8), "b": Fraction(-3, 40), "c": torch.tensor(0.0196), "d": np.array([-0.8])}
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": 0.25}, "The answer to a is not 0.25: divide by C as well."),
        ({"b": 0.075}, "the sign: what one weight gains, the others lose"),
        ({"c": 0.9604}, "that is p², not p (1 − p)"),
        ({"d": -1.6}, "divide by C as well"),
        ({"d": -1.0}, "subtract from g its mean under the weights"),
        ({"d": 0.8}, "the sign"),
        ({"d": -4.0}, "multiply by the weight of score 3"),
        ({"d": -0.6667}, "the mean of g is taken under the weights"),
        ({"d": 0.3}, "that is what score 2 receives"),
        ({"d": 0.7}, "The answer to d is not 0.7."),
        ({"a": 0.5}, "that is the weight"),
        ({"c": -0.0098}, "The answer to c is not -0.0098"),
        ({"d": [-0.8, 0.5]}, "one number"),
        ({"c": ...}, "Question c is still open"),
        ({"c": "x"}, "to be one number"),
        ({"e": 1.0}, "for each of the letters a, b, c, d"),
    ],
)
def test_entries_name_the_slip(change, told):
    assert told in diagnosis(checks.check_entries(RIGHT | change))


def test_the_gradient_of_the_last_entry_is_torchs():
    scores = (2 * torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64).log()).requires_grad_()
    torch.softmax(scores / 2, dim=0).backward(torch.tensor([0.0, 0.0, -10.0], dtype=torch.float64))
    np.testing.assert_allclose(scores.grad, [0.5, 0.3, RIGHT["d"]])


def right_jacobian(s, c):
    p = softmax(s / c)
    return (np.diag(p) - np.outer(p, p)) / c


def by_loops(s, c):
    e = [np.exp((x - max(s)) / c) for x in s]
    p = [x / sum(e) for x in e]
    return np.array([[(p[i] * ((i == j) - p[j])) / c for j in range(len(s))] for i in range(len(s))])


def by_autograd(s, c):
    return torch.autograd.functional.jacobian(lambda x: torch.softmax(x / c, dim=-1), torch.tensor(s)).numpy()


def with_the_packages_softmax(s, c):
    p = probability.softmax(s / c)
    return (np.diag(p) - np.outer(p, p)) / c


@pytest.mark.parametrize("right", [right_jacobian, by_loops, by_autograd, with_the_packages_softmax])
def test_jacobian_passes(right):
    before = sys.getprofile()
    assert checks.check_jacobian(right)
    assert sys.getprofile() is before


def from_weights(matrix):
    return lambda s, c: matrix(softmax(s / c), c)


def overflowing(s, c):
    p = np.exp(s / c) / np.exp(s / c).sum()
    return (np.diag(p) - np.outer(p, p)) / c


def off_in_one_cell(s, c):
    j = right_jacobian(s, c)
    j[1, 2] += 0.01
    return j


def off_in_a_square(s, c):
    j = right_jacobian(s, c)
    j[:2, :2] += np.array([[0.01, -0.01], [-0.01, 0.01]])
    return j


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda s, c: c * right_jacobian(s, c), "with respect to s/C: multiply by 1/C"),
        (lambda s, c: right_jacobian(s, 1.0), "The temperature is ignored"),
        (lambda s, c: right_jacobian(s, 1.0) / c, "divide inside the softmax too"),
        (lambda s, c: right_jacobian(s, c) / c, "divided by C twice"),
        (lambda s, c: c**2 * right_jacobian(s, c), "multiplied by C, and should be divided"),
        (lambda s, c: right_jacobian(s, 1 / c), "Scores are multiplied by C"),
        (lambda s, c: -right_jacobian(s, c), "The sign is wrong"),
        (from_weights(lambda p, c: np.diag(p) / c), "diag(p) only"),
        (from_weights(lambda p, c: np.diag(p * (1 - p)) / c), "everything else is missing"),
        (from_weights(lambda p, c: (np.diag(p) - p**2) / c), "Use np.outer"),
        (lambda s, c: right_jacobian(s, c) + (c != 1), "For 5 scores and C = 3: the rows do not sum to zero: row 0"),
        (from_weights(lambda p, c: (np.diag(p) - p @ p) / c), "one number, the same for all"),
        (from_weights(lambda p, c: (np.diag(p) + np.outer(p, p)) / c), "The products are added"),
        (from_weights(lambda p, c: (np.eye(len(p)) - p) / c), "log softmax"),
        (from_weights(lambda p, c: -np.outer(p, p) / c), "diag(p) is missing"),
        (from_weights(lambda p, c: p), "wrong shape"),
        (off_in_one_cell, "the rows do not sum to zero: row 1 (counted from 0) sums to 0.01."),
        (off_in_a_square, "it is wrong at row 0, column 0 (counted from 0)"),
        (overflowing, "the exponentials overflow"),
        (probability.softmax_jacobian, "It calls the package's `softmax_jacobian`"),
        (lambda s, c: 1.0 * probability.softmax_jacobian(s, c), "It calls the package's `softmax_jacobian`"),
        (lambda s, c: right_jacobian(s, 1.0), "The temperature is ignored"),
        (lambda s, c: np.full((len(s), len(s)), np.nan), "NaN"),
        (lambda s, c: s.sort(), "in place"),
        (lambda s, c: right_jacobian(s, c).tolist(), "to be a NumPy array"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_jacobian_names_the_mistake(wrong, told):
    assert told in diagnosis(checks.check_jacobian(wrong))


def query_gradient(q, k, v, g, *, root=None, weights=None):
    root = np.sqrt(len(q)) if root is None else root
    a = softmax(k @ q / np.sqrt(len(q))) if weights is None else weights
    return (a * ((v - a @ v) @ g)) @ k / root


def by_a_loop(q, k, v, g):
    a = softmax(k @ q / np.sqrt(len(q)))
    output = sum(weight * value for weight, value in zip(a, v, strict=True))
    parts = (weight * (g @ (value - output)) * key for weight, key, value in zip(a, k, v, strict=True))
    return sum(parts) / np.sqrt(len(q))


def by_the_mean_key(q, k, v, g):
    """The mean under the weights taken off the keys, and not off the values."""
    a = softmax(k @ q / np.sqrt(len(q)))
    return (a * (v @ g)) @ (k - a @ k) / np.sqrt(len(q))


def by_autograd(q, k, v, g):
    query = torch.tensor(q).requires_grad_()
    output = torch.softmax(torch.tensor(k) @ query / len(q) ** 0.5, dim=-1) @ torch.tensor(v)
    return torch.autograd.grad(output, query, torch.tensor(g))[0].numpy()


def by_a_matrix(q, k, v, g):
    a = softmax(k @ q / np.sqrt(len(q)))
    return ((np.diag(a) - np.outer(a, a)) @ (v @ g)) @ k / np.sqrt(len(q))


def by_broadcasting(q, k, v, g):
    a, heard = softmax(k @ q / np.sqrt(len(q))), v @ g
    return (a[:, None] * a * (heard[:, None] - heard)).sum(axis=1) @ k / np.sqrt(len(q))


@pytest.mark.parametrize("right", [query_gradient, by_a_loop, by_the_mean_key, by_autograd])
def test_query_gradient_passes(right):
    assert checks.check_query_gradient(right)
    assert not tracemalloc.is_tracing()


def test_memory_is_measured_although_it_is_traced_already():
    tracemalloc.start()
    try:
        assert checks.check_query_gradient(query_gradient) and tracemalloc.is_tracing()
        assert not checks.check_query_gradient(by_a_matrix)
    finally:
        tracemalloc.stop()


def weights_of(q, k):
    return softmax(k @ q / len(q) ** 0.5)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda q, k, v, g: query_gradient(q, k, v, g, root=1.0), "the factor 1/√d_k is missing"),
        (lambda q, k, v, g: query_gradient(q, k, v, g, root=len(q)), "divided by d_k in all"),
        (lambda q, k, v, g: (weights_of(q, k) * (v @ g)) @ k / len(q) ** 0.5, "the output is not subtracted"),
        (
            lambda q, k, v, g: (weights_of(q, k) * ((v - v.mean(0)) @ g)) @ k / len(q) ** 0.5,
            "the plain mean of the values",
        ),
        (
            lambda q, k, v, g: ((v - weights_of(q, k) @ v) @ g) @ k / len(q) ** 0.5,
            "the weight of the key is missing",
        ),
        (lambda q, k, v, g: (v @ g) @ k, "softmax is left out"),
        (lambda q, k, v, g: -query_gradient(q, k, v, g), "the sign is wrong"),
        (lambda q, k, v, g: query_gradient(q, k, v, g, weights=softmax(k @ q)), "without the division"),
        (lambda q, k, v, g: query_gradient(q, k, v, g) / len(k), "the mean over the keys"),
        (lambda q, k, v, g: weights_of(q, k) * ((v - weights_of(q, k) @ v) @ g) / len(q) ** 0.5, "one per score"),
        (lambda q, k, v, g: query_gradient(q, k, v, g) + 0.1, "it is wrong at element 0"),
        (lambda q, k, v, g: np.roll(query_gradient(q, k, v, g), 1), "it is wrong at element 0"),
        (lambda q, k, v, g: query_gradient(q, k, v, g).sum(), "to be a NumPy array"),
        (lambda q, k, v, g: np.outer(v @ g, v @ g), "wrong shape"),
        (by_a_matrix, "Form no n × n matrix"),
        (by_broadcasting, "Form no n × n matrix"),
        (lambda q, k, v, g: np.zeros(len(q)), "it is wrong at element 0"),
        (lambda q, k, v, g: np.full(len(q), np.nan), "NaN"),
    ],
)
def test_query_gradient_names_the_mistake(wrong, told):
    assert told in diagnosis(checks.check_query_gradient(wrong))


TWO_OF_A_HUNDRED = np.array([0.0, 0.0] + 98 * [-50.0])


def test_mean_size_passes():
    assert checks.check_mean_size(TWO_OF_A_HUNDRED, np.zeros(4))
    assert checks.check_mean_size([0, 0] + 18 * [-30], [0, 3])
    assert checks.check_mean_size(tuple(TWO_OF_A_HUNDRED + 7), torch.zeros(8).numpy())


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (np.arange(2.0), np.arange(2.0)[::-1], "above a tenth of the second"),
        (np.array([20.0, 0, 0, 0]), np.zeros(4), "The first norm should be the larger one"),  # a winner
        (np.zeros(100), np.zeros(4), "Which keys should share the weight?"),  # a crowd
        (np.zeros(4), TWO_OF_A_HUNDRED, "above a tenth"),
        (np.zeros(4), np.zeros(100), "above a tenth"),
        (np.zeros(2), np.array([10.0, 0]), "How many entries is it a mean of?"),
        (np.zeros(2), np.array([2000.0, 0]), "exactly 0 in the computer's numbers"),
        (np.zeros(201), np.zeros(4), "at most 200 scores"),
        (np.zeros(1), np.zeros(4), "Give first as one vector of at least 2"),
        (np.zeros(4), np.array([np.inf, 0, 0, 0]), "finite"),
        (np.zeros(4), "x", "to be a NumPy array"),
        (np.zeros((1, 4)), np.zeros(4), "Give first as one vector"),
        (np.zeros(4), np.array([0, 0, 0, np.nan]), "NaN"),
    ],
)
def test_mean_size_says_what_is_missing(first, second, told):
    assert told in diagnosis(checks.check_mean_size(first, second))


def loss_gradient(s, y, c):
    return (softmax(s / c) - y) / c


def by_the_chain_rule(s, y, c):
    return probability.softmax_jacobian(s, c) @ (-y / softmax(s / c))


@pytest.mark.parametrize("right", [loss_gradient, by_the_chain_rule])
def test_loss_gradient_passes(right):
    assert checks.check_loss_gradient(right)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda s, y, c: softmax(s / c) - y, "With C = 2.5 and a one-hot y, the 1/C is missing"),
        (lambda s, y, c: (softmax(s) - y) / c, "softmax(s), without the temperature"),
        (lambda s, y, c: softmax(s) - y, "softmax(s), and the 1/C is missing"),
        (lambda s, y, c: -loss_gradient(s, y, c), "the sign is wrong"),
        (lambda s, y, c: right_jacobian(s, c) @ (softmax(s / c) - y), "the gradient of the squared error"),
        (lambda s, y, c: loss_gradient(s, y, c) / len(s), "divided by the number of scores"),
        (lambda s, y, c: loss_gradient(s, y, c) / c, "divided by C twice"),
        (lambda s, y, c: loss_gradient(s, y, c) * c**2, "multiplied by C, and should be divided"),
        (lambda s, y, c: loss_gradient(s, np.eye(len(s))[y.argmax()], c), "y is treated as one-hot"),
        (lambda s, y, c: loss_gradient(s, y, c) + 0.1, "it is wrong at element 0"),
        (lambda s, y, c: float(c), "to be a NumPy array"),
        (lambda s, y, c: loss_gradient(s, y, c)[:5], "wrong shape"),
        (lambda s, y, c: softmax(s / c) / c, "it is wrong at element"),
    ],
)
def test_loss_gradient_names_the_mistake(wrong, told):
    assert told in diagnosis(checks.check_loss_gradient(wrong))


def reached(one, other, c, component=0.0):
    """The norm of the derivative of the two weights by the query, by autograd, for a query of equal components."""
    keys, query = torch.tensor(np.stack([one, other])), torch.full((256,), component, dtype=torch.float64)
    return torch.autograd.functional.jacobian(lambda q: torch.softmax(keys @ q / c, dim=0), query).norm().item()


ONES, FIRST = np.ones(256), np.eye(256)[0]
REACHED = {
    "a": reached(ONES, -ONES, 16, component=1 / 32),  # a lead of 2 · 256 / 32 = 16
    "b": reached(ONES, -ONES, 1, component=1 / 32),
    "c": reached(FIRST, -FIRST, 16),
    "d": reached(ONES + 5, -ONES + 5, 16),
}


def test_what_reaches_a_query_is_autograds():
    assert checks.check_reach(REACHED)
    assert checks.check_reach({letter: torch.tensor(norm) for letter, norm in REACHED.items()})
    assert checks.check_reach({"a": 0.556, "b": 5.09e-6, "c": 0.0442, "d": Fraction(7, 10)})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": 8.9}, "(a) is not 8.9. The factor 1/C is missing"),
        ({"a": 0.707}, "the norm at a tie"),
        ({"a": REACHED["b"] / 16}, "those of the divided lead"),
        ({"a": 0.393}, "two rows"),
        ({"a": 0.786}, "Square the norms"),
        ({"a": 0.278}, "the length of one key"),
        ({"b": REACHED["a"]}, "That is the divided norm"),
        ({"b": REACHED["b"] / 16}, "C is 1"),
        ({"b": 11.3}, "the norm at a tie"),
        ({"b": 8.9}, "the lead in the weights is 16"),
        ({"b": 3.6e-6}, "two rows"),
        ({"b": 2.55e-6}, "the length of one key"),
        ({"b": 7.2e-6}, "Square the norms"),
        ({"c": REACHED["d"]}, "for the keys of (a) at a tie"),
        ({"c": 0.03125}, "two rows"),
        ({"c": 0.0221}, "the length of one key"),
        ({"d": 2.12}, "the length of one key"),
        ({"d": 1.414}, "the length of one key"),
        ({"d": 0.5}, "two rows"),
        ({"d": 3}, "(d) is not 3."),
        ({"d": ...}, "(d) is still open"),
        ({"d": "0.7"}, "one number"),
        ({"e": 1}, "each of the letters a, b, c, d"),
    ],
)
def test_what_reaches_a_query_names_the_fault(change, told):
    assert told in diagnosis(checks.check_reach(REACHED | change))


@pytest.mark.parametrize(
    "right",
    [
        lambda s, rate, c: (c * s, c * rate),
        lambda s, rate, c: (c * s + 7, c * rate),  # a constant in all scores changes no weight
        lambda s, rate, c: [(c * s).tolist(), np.float64(rate * c)],
        lambda s, rate, c: (torch.tensor(s) * c, torch.tensor(rate * c)),
    ],
)
def test_the_same_run_passes(right):
    assert checks.check_same_run(right)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda s, rate, c: (s, rate), "before the first step"),
        (lambda s, rate, c: (s / c, rate * c**2), "before the first step"),
        (lambda s, rate, c: (c * s, rate), "The rate is unchanged"),
        (lambda s, rate, c: (c * s, c**2 * rate), "the rate for gradient descent"),
        (lambda s, rate, c: (c * s, rate / c), "the steps must be larger"),
        (lambda s, rate, c: (c * s, rate / c**2), "the steps must be larger"),
        (lambda s, rate, c: (c * s, c**3 * rate), "after the first step."),
        (lambda s, rate, c: c * s, "2 values"),
        (lambda s, rate, c: (c * s[:2], c * rate), "wrong shape"),
        (lambda s, rate, c: (c * s, "fast"), "one number"),
        (lambda s, rate, c: None, "Is the `return` missing?"),
        (..., "Expected a function"),
    ],
)
def test_the_same_run_names_the_fault(wrong, told):
    assert told in diagnosis(checks.check_same_run(wrong))


def test_a_division_that_slows_passes():
    assert checks.check_slower([5.0] + 7 * [0.0], 1.0)
    assert checks.check_slower(np.array([6, 0, 0, 0, 0, 0, 0, 0]), 1)
    assert checks.check_slower([6, 1, 0, 0, 0, 0, 0, 0], Fraction(1, 2))


@pytest.mark.parametrize(
    ("scores", "rate", "told"),
    [
        ([8.0] + 7 * [0.0], 1, "Undivided it takes 340 steps, divided 815."),
        ([5.0] + 7 * [0.0], 4096, "Undivided it takes"),
        ([30.0] + 7 * [0.0], 1, "does not arrive"),
        ([0.0] * 8, 1, "it leads by 0"),
        ([9.0, 4.5] + 6 * [0.0], 1, "it leads by 4.5"),
        ([0.0, 9.0] + 6 * [0.0], 1, "it leads by -9"),
        ([0.0] * 7, 1, "at least 8"),
        ([0.0] * 9, 1, "Give eight scores"),
        ([0.0] * 8, 0, "above 0"),
        ([0.0] * 8, ..., "Give eight scores and a rate"),
        ([0.0] * 8, "quick", "one number"),
        ([np.inf] + 7 * [0.0], 1, "finite"),
    ],
)
def test_a_division_that_slows_names_the_fault(scores, rate, told):
    assert told in diagnosis(checks.check_slower(scores, rate))
