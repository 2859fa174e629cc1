"""The checks of *Multi-head attention* and *How many heads?*: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.checks.attention import multi_head as checks
from attention_book.examples import two_heads_by_hand as two_heads

from ..diagnosis import diagnosis

MUSIC = {"a": 0.965, "b": 1.018, "c": 1.0}


def test_music_passes_and_is_what_the_example_gives(monkeypatch):
    assert checks.check_music(MUSIC) and checks.check_music({"a": 0.9647, "b": 1.0176, "c": Fraction(1)})
    x = two_heads.X.copy()
    x[0, 4], x[2, 4] = 2, 1  # We: several; music: one
    monkeypatch.setattr(two_heads, "X", x)
    lines = two_heads.steps(2)
    assert lines["weights"][0, 1, 0] == pytest.approx(MUSIC["a"], abs=1e-3)
    np.testing.assert_allclose(lines["output"][1, 5:7], [MUSIC["b"], MUSIC["c"]], atol=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 1}, "scores of 0, and softmax gives"),
        ({"a": 0.018}, "head 0 asks for a pronoun, and We is one"),
        ({"a": 0.5}, "what a single head"),
        ({"b": 1}, "a little of its third person"),
        ({"b": 3}, "(b) is not 3"),
        ({"c": 1.947}, "the number of cats"),
        ({"c": 2}, "the number of We"),
        ({"c": ...}, "(c) is still to be predicted"),
        ({"a": "large"}, "Expected (a) to be one number"),
    ],
)
def test_music_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_music(MUSIC | change))


FLOORS = {"a": Fraction(2, 3), "b": Fraction(1, 3), "c": 0.5, "d": 0}


def test_floors_pass_and_are_those_of_projections():
    assert checks.check_floors(FLOORS) and checks.check_floors({"a": 0.667, "b": 0.333, "c": torch.tensor(0.5), "d": 0})
    random = np.random.default_rng(0)
    for heads, rows, floor in ((1, 3, 2 / 3), (2, 3, 1 / 3), (2, 4, 1 / 2), (8, 3, 0)):
        basis = np.linalg.qr(random.normal(size=(16, heads)))[0]  # mixtures of 16 rows, any
        assert 1 - (basis[:rows] ** 2).sum() / rows >= floor - 1e-12
        best = np.eye(16)[:, :heads]
        assert 1 - (best[:rows] ** 2).sum() / rows == pytest.approx(floor)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 1 / 3}, "what one mixture explains"),
        ({"a": 0.5}, "for two rows"),
        ({"b": 2 / 3}, "two heads give two mixtures"),
        ({"c": 0.25}, "two of four rows"),
        ({"d": -5 / 3}, "no more than that"),
        ({"d": 1}, "(d) is not 1"),
        ({"b": None}, "Expected (b) to be one number"),
    ],
)
def test_floors_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_floors(FLOORS | change))


def shares(first, second, n, of_first=0.75, of_second=0.25, of_others=0.0):
    row = [of_others] * n
    row[first], row[second] = of_first, of_second
    return row


def largest_two(mixture):
    return tuple(np.argsort(mixture)[:-3:-1])


def of_the_puzzle(first, second, n):
    """The first row gets most, and the second nothing."""
    return np.array(shares(first, second, n, 0.6, 0.0, 0.4 / (n - 2)))


def extremes(mixture):
    return int(np.argmax(mixture)), int(np.argmin(mixture))


def by_size(first, second, n):
    """Half of the weight for the first row, and all others alike: the second is the one with nothing."""
    return torch.tensor(shares(first, second, n, 2 / n, 0.0, 1 / n))


def test_two_symbols_pass():
    assert checks.check_two_symbols(shares, largest_two)
    assert "another kind of guess" in str(checks.check_two_symbols(shares, largest_two))
    assert checks.check_two_symbols(of_the_puzzle, lambda mixture: [*extremes(mixture)])
    assert checks.check_two_symbols(by_size, extremes)


@pytest.mark.parametrize(
    ("weights", "names", "message"),
    [
        (lambda *rows: shares(*rows, 0.5, 0.5), largest_two, "both rows get 0.500"),
        (lambda *rows: shares(*rows, 1.0, 0.0), extremes, "row 2 gets 0.000, as much as `second`"),
        (lambda f, s, n: shares(f, s, n, 1 / n, 0.0, 1 / (n - 1)), extremes, "the weights sum to"),
        (lambda f, s, n: shares(f, s, n, 0.3, 0.1, 0.6 / (n - 2)), largest_two, "and it names"),
        (lambda *rows: shares(*rows, 1.25, -0.25), largest_two, "a weight is negative"),
        (lambda f, s, n: shares(f, s, n, 1 / (n - 1), 0.0, 1 / (n - 1)), extremes, "as much as `first`"),
        (shares, lambda mixture: largest_two(mixture)[::-1], "in the wrong order"),
        (shares, lambda mixture: largest_two(mixture)[0], "Expected two symbols"),
        (shares, lambda mixture: (largest_two(mixture)[0], "k"), "Expected a symbol to be one number"),
        (lambda *rows: shares(*rows)[:-1], largest_two, "wrong shape"),
    ],
)
def test_two_symbols_name_the_mistake(weights, names, message):
    assert message in diagnosis(checks.check_two_symbols(weights, names))


INDEPENDENT = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
TWICE = [[1, 2], [-1, -2], [2, 4], [0, 0]]


def test_dependent_tables_pass():
    assert checks.check_dependent(TWICE, [1, 0]) and checks.check_dependent(np.array(TWICE), (0.5, 0.5))
    assert checks.check_dependent(torch.tensor(TWICE), [Fraction(1, 3), Fraction(2, 3)])
    assert checks.check_dependent([[1, 3], [2, 2], [3, 1], [0, 4]], [0.25, 0.75])  # they sum to 4


@pytest.mark.parametrize(
    ("contents", "weights", "message"),
    [
        (INDEPENDENT, [0.5, 0.5], "leaves 0.50 of Ann's numbers and 0.50 of Bob's. What if"),
        (INDEPENDENT, [1, 0], "leaves 0.00 of Ann's numbers and 1.00 of Bob's"),
        ([[1, 1], [2, 4], [3, 9], [4, 16]], [1, 0], "follows from Ann's in part"),
        ([[1, -1], [2, -2], [3, -3], [4, -4]], [0.5, 0.5], "the two numbers cancel"),
        ([[1, 1]] * 4, [1, 0], "Ann's number is always 1"),
        ([[1, 5], [2, 5], [3, 5], [4, 5]], [1, 0], "Bob's number is always 5"),
        (TWICE, [2, -1], "Weights are not negative"),
        (TWICE, [0.5, 0.4], "Weights are not negative"),
        (TWICE[:2], [1, 0], "at least four tables"),
        (..., [1, 0], "in place of the `...`"),
        (TWICE, ..., "in place of the `...`"),
        ([[1, 2, 3]] * 4, [1, 0], "wrong shape"),
        (TWICE, [1, 0, 0], "wrong shape"),
    ],
)
def test_dependent_tables_name_the_mistake(contents, weights, message):
    assert message in diagnosis(checks.check_dependent(contents, weights))


def asking(*places):
    """The W^Q of the page with other numbers at some places."""
    w_q = two_heads.W_Q.copy()
    for row, column, value in places:
        w_q[row, column] = value
    return w_q


RIGHT = asking((1, 6, 0), (1, 5, 8))


def test_query_passes():
    assert checks.check_query(RIGHT) and checks.check_query(RIGHT.tolist()) and checks.check_query(torch.tensor(RIGHT))
    assert checks.check_query(asking((1, 6, -8), (1, 5, 20))) and checks.check_query(
        asking((1, 6, 0), (1, 5, 8), (7, 0, 3))
    )


@pytest.mark.parametrize(
    ("w_q", "message"),
    [
        (two_heads.W_Q, "This is the W^Q of the page"),
        (asking((1, 5, 8)), "still gives `cats` 0.495: take back the 8"),
        (asking((1, 6, 0)), "gives itself 0.333"),
        (asking((1, 6, 0), (1, 5, 2)), "gives itself 0.576"),
        (asking((1, 6, 0), (1, 1, 8)), "Head 0 changes"),
        (asking((1, 6, 0), (2, 5, 8)), "Head 1 of `cats` changes too"),
        (asking((1, 6, 0), (1, 5, 8), (0, 5, 8)), "Head 1 of `I` changes too"),
        (asking((1, 6, 0), (1, 7, 8)), "gives itself 0.000"),
        (asking((1, 6, 0), (1, 5, 1e6)), "numbers up to 100"),
        (RIGHT[:, 4:], "wrong shape"),
        ([[1, "a"]], "Expected the matrix to be"),
    ],
)
def test_query_names_the_mistake(w_q, message):
    assert message in diagnosis(checks.check_query(w_q))


def summed(x, heads, scale=None, axis=-1, of=sum):
    terms = []
    for w_q, w_k, w_v, w_o in heads:
        scores = x @ w_q @ (x @ w_k).T / math.sqrt(scale(heads, x) if scale else w_q.shape[1])
        terms.append(scores.softmax(axis) @ x @ w_v @ w_o)
    return of(terms)


def test_sum_of_heads_passes():
    assert checks.check_sum_of_heads(summed)

    def joined(x, heads):
        found = [scaled_dot_product_attention(x @ q, x @ k, x @ v)[0] for q, k, v, _ in heads]
        return torch.cat(found, dim=-1) @ torch.cat([w_o for *_, w_o in heads])

    assert checks.check_sum_of_heads(joined) and checks.check_sum_of_heads(lambda *given: summed(*given).numpy())


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"scale": lambda heads, x: 1}, "The scores are not divided"),
        ({"scale": lambda heads, x: x.shape[1]}, "√6, the root of d_model"),
        ({"scale": lambda heads, x: heads[0][0].shape[1]}, "√d_k of the first head"),
        ({"scale": lambda heads, x: sum(head[0].shape[1] for head in heads)}, "all widths together"),
        ({"of": lambda terms: sum(terms) / len(terms)}, "the mean of what the heads add"),
        ({"of": lambda terms: terms[0]}, "what the first head adds"),
        ({"of": lambda terms: terms[-1]}, "is the sum started anew"),
        ({"axis": 0}, "The softmax runs over the queries"),
        ({"of": lambda terms: 2 * sum(terms)}, "A wrong number at row 0, column 0"),
        ({"of": lambda terms: torch.cat(terms, dim=-1)}, "wrong shape"),
        ({"of": lambda terms: terms}, "got a list of 3"),
    ],
)
def test_sum_of_heads_names_the_mistake(how, message):
    assert message in diagnosis(checks.check_sum_of_heads(lambda x, heads: summed(x, heads, **how)))


def test_a_missing_root_is_named():
    def wrong(x, heads):
        return sum(summed(x, [head], scale=lambda heads, x: heads[0][0].shape[1] ** 2) for head in heads)

    assert "divided by d_k and not by its root" in diagnosis(checks.check_sum_of_heads(wrong))


def equal_rows(width):
    scores = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], dtype=torch.float64)
    return (scores / math.sqrt(width)).softmax(-1)


def test_equal_rows_are_equal_scores_but_for_a_constant():
    assert torch.allclose(*equal_rows(64))
    assert checks.check_equal_rows(equal_rows(64)) and checks.check_equal_rows(equal_rows(64).numpy().round(3))
    assert checks.check_equal_rows(equal_rows(64).tolist())
    assert checks.check_equal_rows([[Fraction(329, 1000), Fraction(333, 1000), Fraction(338, 1000)]] * 2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.4, 0.3, 0.3], [0.5, 0.3, 0.2]], "Row 0 falls where its scores rise"),
        ([[0.3, 0.3, 0.3], [0.3, 0.3, 0.4]], "Row 0 sums to 0.900"),
        ([[0.30, 0.33, 0.37], [0.31, 0.33, 0.36]], "The rows differ"),
        (equal_rows(512), "The divisor is the root of d_k = 512 / 8"),
        (equal_rows(1), "not divided at all"),
        ([[0.2, 0.3, 0.5]] * 2, "Row 0 should begin with 0.329"),
        ([[0.5, 0.5]], "wrong shape"),
        (equal_rows(64**2), "divided by d_k = 64 and not by its root"),
        (equal_rows(8), "the root of the number of heads"),
        ([[1 / 3] * 3] * 2, "Even rows belong to equal scores"),
        ([[0.329, 0.333], [0.338]], "Expected the weights to be"),
        ("no numbers", "Expected the weights to be"),
    ],
)
def test_equal_rows_name_the_mistake(rows, message):
    assert message in diagnosis(checks.check_equal_rows(rows))
