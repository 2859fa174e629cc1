"""The checks of *Scaled dot-product attention* and *What a score can do*: they pass what is right and name faults."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.optimize import linprog, nnls

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


RIGHT_STATEMENTS = {"a": True, "b": False, "c": True, "d": True, "e": False, "f": False}


def test_statements_pass_and_print():
    assert checks.check_always(RIGHT_STATEMENTS)
    assert checks.check_always({letter: np.bool_(holds) for letter, holds in RIGHT_STATEMENTS.items()})
    assert [line[:3] for line in checks.statements().splitlines()] == [f"{letter}: " for letter in RIGHT_STATEMENTS]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": False}, "Statement a always holds. Every lead of the best key doubles"),
        ({"b": True}, "Statement b has a counterexample. A score below 0"),
        ({"c": False}, "change their sign"),
        ({"d": False}, "at most as long as the longest"),
        ({"e": True}, "(−1, 0)"),
        ({"f": True}, "two values are equal"),
        ({"e": ...}, "Statement e is still open"),
        ({"c": 1}, "Answer c with True"),
        ({"g": True}, "for each of the letters a, b, c, d, e, f"),
    ],
)
def test_statements_give_the_reason(change, told):
    assert told in diagnosis(checks.check_always(RIGHT_STATEMENTS | change))


def drawn_attention(generator):
    q, k, v = (torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((1, 2), (3, 2), (3, 2)))
    weights = lambda q, k: scaled_dot_product_attention(q, k, v)[1][0]  # noqa: E731
    return q, k, v, weights


def broken_statements(q, k, v, weights):
    """Which of the statements a to e this attention breaks."""
    before, longer = weights(q, k), torch.cat([2 * k[:1], k[1:]])
    lengths, output = v.norm(dim=1), (before @ v).norm()
    broken = {
        "a": weights(2 * q, k).max() < before.max(),
        "b": weights(q, longer)[0] < before[0],
        "c": weights(-q, k).argsort().tolist() != before.argsort().flip(0).tolist(),
        "d": output > lengths.max(),
        "e": output < lengths.min(),
    }
    return {letter for letter, is_broken in broken.items() if is_broken}


def test_what_is_said_to_hold_holds_in_every_draw_and_the_rest_is_broken_in_some():
    generator = torch.Generator().manual_seed(3)
    broken = set().union(*(broken_statements(*drawn_attention(generator)) for _ in range(300)))
    assert broken == {letter for letter, holds in RIGHT_STATEMENTS.items() if not holds} - {"f"}


def test_equal_values_hide_which_of_them_has_the_weight():
    q, k = torch.tensor([[1.0, 0], [0, 1]]), torch.eye(2)
    output, weights = scaled_dot_product_attention(q, k, torch.ones(2, 3))
    assert torch.allclose(output[0], output[1]) and not torch.allclose(weights[0], weights[1])


def from_the_output(output, weights, v, j):
    share = weights[:, j, None]
    return (output - share * v[j]) / (1 - share)


def from_the_weights(output, weights, v, j):
    left = weights.clone()
    left[:, j] = 0
    return left / left.sum(-1, keepdim=True) @ v


def by_their_logarithms(output, weights, v, j):
    scores = weights.log()
    scores[:, j] = -math.inf
    return scores.softmax(-1) @ v


def one_query_at_a_time(output, weights, v, j):
    left = [n for n in range(len(v)) if n != j]
    return torch.stack([sum(row[n] * v[n] for n in left) / sum(row[n] for n in left) for row in weights])


@pytest.mark.parametrize("right", [from_the_output, from_the_weights, by_their_logarithms, one_query_at_a_time])
def test_without_passes(right):
    assert checks.check_without(right)


def reweighted(change):
    """An answer that changes the weights of the keys that are left by ``change(others, share)``, then mixes."""

    def candidate(output, weights, v, j):
        left = [n for n in range(len(v)) if n != j]
        return change(weights[:, left], weights[:, [j]]) @ v[left]

    return candidate


def in_place(output, weights, v, j):
    weights[:, j] = 0
    return weights / weights.sum(-1, keepdim=True) @ v


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda output, weights, v, j: output, "so key j still has its share"),
        (lambda output, weights, v, j: output - weights[:, j, None] * v[j], "do not sum to 1"),
        (reweighted(lambda others, share: others), "do not sum to 1"),
        (reweighted(lambda others, share: others + share / others.shape[1]), "dealt out equally"),
        (reweighted(lambda others, share: others.softmax(-1)), "weights are no scores"),
        (reweighted(lambda others, share: torch.ones_like(others) / others.shape[1]), "the mean of the values"),
        (reweighted(lambda others, share: others / (1 - share[0])), "Each query gave key j a share of its own"),
        (reweighted(lambda others, share: others / share), "divided by the share of key j"),
        (reweighted(lambda others, share: others / others.sum(0)), "A row belongs to a query"),
        (lambda output, weights, v, j: from_the_weights(output, weights, v, j - 1), "a wrong number at row 0"),
        (reweighted(lambda others, share: others / (1 + share)), "a wrong number at row 0"),
        (lambda output, weights, v, j: (output - weights[:, j] * v[j]) / (1 - weights[:, j]), "It raises"),
        (lambda output, weights, v, j: from_the_weights(output, weights, v, j)[0], "wrong shape"),
        (lambda output, weights, v, j: from_the_weights(output, weights, v, j).T, "transposed"),
        (in_place, "in place"),
    ],
)
def test_without_names_the_mistake(wrong, told):
    assert told in diagnosis(checks.check_without(wrong))


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
        (torch.tensor([[1.0, 0.0], [2.0, 0.0]]), 2**0.5 * torch.eye(2), "sum to 3.72, 8.39 in the rows and to 10.1, 2"),
        (torch.eye(5).roll(1, 0) + torch.eye(5), torch.arange(5.0).diag(), ", … in the columns"),
        ([[1.0, 0.0]], torch.eye(2), "to be a torch tensor"),
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
    assert checks.check_possible(by_least_squares)


def by_least_squares(output, values):
    conditions = np.vstack([values.numpy().T, np.ones(len(values))])
    return np.bool_(nnls(conditions, np.array([*output.tolist(), 1.0]))[1] < 1e-6)


def supported(directions):
    """A test by the values' extent in some directions; each direction's opposite belongs to them."""

    def verdict(output, values):
        ways = directions(values.shape[1])
        return bool(((output @ ways.T) <= (values @ ways.T).amax(0) + 1e-9).all())

    return verdict


def with_diagonals(d):
    return torch.tensor([way for way in itertools.product((-1.0, 0, 1), repeat=d) if any(way)], dtype=torch.float64)


def some_at_random(d):
    return torch.randn(60, d, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def solved(output, values):
    """Weights that solve the equations, whatever their signs."""
    conditions = np.vstack([values.numpy().T, np.ones(len(values))])
    wanted = np.array([*output.tolist(), 1.0])
    weights, *_ = np.linalg.lstsq(conditions, wanted, rcond=None)
    return bool(np.allclose(conditions @ weights, wanted))


def not_summing(output, values):
    """Weights that are not negative, whatever their sum."""
    return bool(nnls(values.numpy().T, output.numpy())[1] < 1e-6)


def nearer_than_the_values(output, values):
    centre = values.mean(0)
    return bool((output - centre).norm() <= (values - centre).norm(dim=1).max() + 1e-9)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (supported(with_diagonals), "a side that is not parallel to an axis or a diagonal"),
        (supported(some_at_random), "a little outside"),
        (lambda o, v: supported(with_diagonals)(o, v) and by_linear_programme(o - 0.003, v), "refuses"),
        (solved, "It accepts"),
        (not_summing, "It accepts"),
        (nearer_than_the_values, "It accepts"),
        (lambda output, values: torch.tensor([True, False]), "Answer True or False"),
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
