"""The checks of *Scaled dot-product attention*: they pass what is right and name what is wrong."""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.checks.attention import dot_product as checks

from ..diagnosis import diagnosis

RIGHT_CHANGES = {"a": True, "b": False, "c": True, "d": False, "e": True, "f": False}


def test_changes_pass_and_print():
    assert checks.check_changes(RIGHT_CHANGES)
    assert [line[:3] for line in checks.changes().splitlines()] == [f"{letter}: " for letter in RIGHT_CHANGES]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": False}, "(add the same vector c to every key) leaves the outputs as they were. Every score of query i"),
        ({"b": True}, "(add the same vector c to every query) changes the outputs. The score of key j"),
        ({"d": True}, "four times as large"),
        ({"f": ...}, "Change f is still open"),
        ({"c": 1}, "Answer c with True"),
        ({"g": True}, "for each of the letters a, b, c, d, e, f"),
    ],
)
def test_changes_give_the_reason(change, told):
    assert told in diagnosis(checks.check_changes(RIGHT_CHANGES | change))


def with_weights(weights_of):
    def candidate(q, k, v):
        weights = weights_of(q @ k.transpose(-2, -1), q.shape[-1], k.shape[-2], v.shape[-1])
        return weights @ v, weights

    return candidate


def test_attention_passes():
    assert checks.check_attention(scaled_dot_product_attention)
    assert checks.check_attention(with_weights(lambda s, d_k, n, d_v: (s / d_k**0.5).softmax(-1)))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (with_weights(lambda s, d_k, n, d_v: s.softmax(-1)), "not divided"),
        (with_weights(lambda s, d_k, n, d_v: (s / d_k).softmax(-1)), "divided by d_k = 6, not by its square root"),
        (with_weights(lambda s, d_k, n, d_v: (s * d_k**0.5).softmax(-1)), "multiplied by the square root"),
        (with_weights(lambda s, d_k, n, d_v: (s / n**0.5).softmax(-1)), "number of keys"),
        (with_weights(lambda s, d_k, n, d_v: (s / d_v**0.5).softmax(-1)), "square root of d_v"),
        (with_weights(lambda s, d_k, n, d_v: (s / d_k**0.5).softmax(-2)), "over the queries, not the keys"),
        (with_weights(lambda s, d_k, n, d_v: s / d_k**0.5), "the softmax is missing"),
        (with_weights(lambda s, d_k, n, d_v: (s / d_k**0.4).softmax(-1)), "Wrong weight at row 0, column 0"),
        (lambda q, k, v: scaled_dot_product_attention(q, k, 2 * v), "The weights are right, the output is not"),
        (lambda q, k, v: scaled_dot_product_attention(q, k, v)[0], "Expected 2 values, (output, weights)"),
        (lambda q, k, v: scaled_dot_product_attention(q, k, v)[::-1], "wrong shape"),
        (with_weights(lambda s, d_k, n, d_v: (s / d_k**0.5).softmax(-1).float()), "It raises RuntimeError"),
        (lambda q, k, v: with_weights(lambda s, d_k, n, d_v: (s / d_k**0.5).softmax(-1))(q, k.T, v), "It raises"),
    ],
)
def test_attention_names_the_mistake(wrong, told):
    assert told in diagnosis(checks.check_attention(wrong))


def test_longer_key_passes():
    report = checks.check_longer_key(torch.tensor([1.0, 0.0]), torch.tensor([[1.0, 0.0], [10.0, 100.0]]))
    assert report and "Cosines 1.00 and 0.10" in report.message


@pytest.mark.parametrize(
    ("q", "keys", "told"),
    [
        ([1.0, 0.0], [[0.0, 1.0], [10.0, 100.0]], "first key has the cosine 0.00"),
        ([1.0, 0.0], [[1.0, 0.0], [9.0, 9.0]], "second key has the cosine 0.71"),
        ([1.0, 0.0], [[1.0, 0.0], [1.0, 10.0]], "gets only 0.50 of the weight. Make it longer."),
        ([1.0, 0.0], [[1.0, 0.0], [-10.0, 100.0]], "It points away"),
        ([1.0, 0.0], [[1.0, 0.0], [0.0, 0.0]], "no direction"),
        ([1.0, 0.0], [[1.0, 0.0], [1.0, math.inf]], "finite"),
        ([1.0, 0.0], [[1.0, 0.0]], "wrong shape"),
        ([[1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], "one vector"),
    ],
)
def test_longer_key_says_what_is_missing(q, keys, told):
    assert told in diagnosis(checks.check_longer_key(torch.tensor(q), torch.tensor(keys)))


def test_blind_test_passes():
    assert checks.check_blind_test(3 * torch.eye(4), 3 * torch.eye(4))
    x = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    assert checks.check_blind_test(x, x.flip(0))


@pytest.mark.parametrize(
    ("q", "k", "told"),
    [
        (torch.ones(3, 3), torch.ones(3, 3), "nearly equal"),
        (torch.tensor([[1.0, 0.0], [0.0, 5.0]]), torch.eye(2), "would notice: row 0"),
        (torch.ones(1, 2), torch.ones(1, 2), "single query"),
        (torch.ones(2, 2), torch.ones(3, 2), "matrices of one shape"),
        (np.eye(2), np.eye(2), "to be a torch tensor"),
    ],
)
def test_blind_test_says_why_a_test_would_notice(q, k, told):
    assert told in diagnosis(checks.check_blind_test(q, k))


def by_linear_programme(output, values):
    n = len(values)
    conditions = np.vstack([values.numpy().T, np.ones(n)])
    return linprog(np.zeros(n), A_eq=conditions, b_eq=[*output.tolist(), 1.0], bounds=(0, 1)).success


def in_ranges(output, values, slack=1e-9):
    return bool(((output >= values.amin(0) - slack) & (output <= values.amax(0) + slack)).all())


def test_possible_passes():
    assert checks.check_possible(by_linear_programme)
    assert checks.check_possible(lambda output, values: torch.tensor(by_linear_programme(output, values)))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda output, values: True, "larger than every value in its column"),
        (lambda output, values: bool((output <= values.amax(0) + 1e-9).all()), "smaller than every value"),
        (lambda output, values: False, "refuses a mixture"),
        (lambda output, values: any(torch.equal(output, v) for v in values), "refuses"),
        (in_ranges, "(0.6, 0.6, 0.0) for the values (1, 0, 0), (0, 1, 0) and (0, 0, 1)"),
        (lambda output, values: in_ranges(output, values, -1e-9), "Allow for rounding"),
        (lambda output, values: "yes", "Answer True or False; got str"),
        (lambda output, values: values.zero_().any().item(), "in place"),
    ],
)
def test_possible_names_what_is_wrongly_judged(wrong, told):
    assert told in diagnosis(checks.check_possible(wrong))
