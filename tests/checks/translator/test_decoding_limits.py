"""The checks of what limits decoding: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.translator import decoding_limits as checks
from attention_book.models.quantisation import quantise

from ..diagnosis import diagnosis

LIMITS = {"bytes": 0.4194304, "arithmetic": 0.16777216, "even": 20, "even_int8": 5}
ROW = {"scale": 0.02, "first": 20, "third": 56, "error": 0.005}


def test_predictions_pass():
    for check, right in ((checks.check_limits, LIMITS), (checks.check_row, ROW)):
        assert check(right)
        assert check({name: Fraction(str(n)) for name, n in right.items()})
        assert check({name: torch.tensor(n) for name, n in right.items()})
    assert checks.check_limits(LIMITS | {"bytes": 0.42, "arithmetic": 0.17})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bytes": 3.3554432}, "read once for all 8 rows"),
        ({"bytes": 0.1048576}, "four bytes"),
        ({"bytes": 0.00042}, "in seconds"),
        ({"arithmetic": 0.000168}, "in seconds"),
        ({"bytes": 0.168}, "the limit by arithmetic"),
        ({"arithmetic": 0.0838861}, "two operations"),
        ({"arithmetic": 0.0209715}, "that is one row"),
        ({"arithmetic": 0.42}, "the limit by bytes"),
        ({"even": 10}, "2 b operations per weight"),
        ({"even": 5}, "weights of one byte"),
        ({"even": 40}, "two operations"),
        ({"even_int8": 20}, "four bytes"),
        ({"even_int8": 80}, "smaller batch"),
        ({"even_int8": 10}, "two operations"),
        ({"even_int8": ...}, "still to be predicted"),
    ],
)
def test_limits_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_limits(LIMITS | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scale": 5.08}, "becomes 127, and not 1"),
        ({"scale": 2.54}, "divide the largest size by 127"),
        ({"scale": 0.01}, "both sides of 0"),
        ({"scale": 1.115 / 127}, "whatever its sign"),
        ({"scale": 5.08 / 255}, "both sides of 0"),
        ({"scale": 2.54 / 128}, "the same size"),
        ({"third": 55.75}, "has to be rounded"),
        ({"first": -20}, "the sign stays"),
        ({"third": 55}, "not cut off"),
        ({"error": 0.02}, "a whole unit"),
        ({"error": 0.01}, "does better"),
        ({"error": 0}, "between two units"),
        ({"error": 0.3}, "(error) is not 0.3."),
    ],
)
def test_a_row_names_the_fault(changed, message):
    assert message in diagnosis(checks.check_row(ROW | changed))


def least(batch, weights, cached, rate, peak):
    return max(4 * (weights + batch * cached) / rate, 2 * batch * (weights + cached) / peak)


def test_least_time_passes():
    assert checks.check_least_time(least)
    assert checks.check_least_time(lambda *x: torch.tensor(least(*x), dtype=torch.float64))
    assert checks.check_least_time(lambda *x: np.array([least(*x)]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda b, w, c, r, p: 4 * (w + b * c) / r + 2 * b * (w + c) / p, "adds both"),
        (lambda b, w, c, r, p: min(4 * (w + b * c) / r, 2 * b * (w + c) / p), "the larger one decides"),
        (lambda b, w, c, r, p: max(4 * (w + c) / r, 2 * b * (w + c) / p), "a cache of its own"),
        (lambda b, w, c, r, p: max(4 * b * (w + c) / r, 2 * b * (w + c) / p), "read once for all rows"),
        (lambda b, w, c, r, p: max(4 * (w + b * c) / r, b * (w + c) / p), "two operations"),
        (lambda b, w, c, r, p: max((w + b * c) / r, 2 * b * (w + c) / p), "four bytes"),
        (lambda b, w, c, r, p: max(4 * w / r, 2 * b * (w + c) / p), "read as well"),
        (lambda b, w, c, r, p: max(4 * (w + b * c) / r, 2 * b * w / p), "is multiplied too"),
        (lambda b, w, c, r, p: 1.0, "it gives 1 and not"),
        (lambda *x: None, "return"),
        (lambda *x: "fast", "one number"),
        (4, "Expected a function"),
    ],
)
def test_least_time_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_least_time(wrong))


def few(hidden, read, width):
    return sum((hidden[i] * read(i) for i in np.flatnonzero(hidden)), np.zeros(width))


def few_by_loop(hidden, read, width):
    total = [0.0] * width
    for i, number in enumerate(hidden.tolist()):
        if number > 0:
            total = [one + number * other for one, other in zip(total, read(i), strict=True)]
    return np.array(total)


def few_by_torch(hidden, read, width):
    total = torch.zeros(width, dtype=torch.float64)
    for i in torch.from_numpy(hidden).nonzero()[:, 0]:
        total += hidden[i] * torch.from_numpy(read(i))
    return total.numpy()


@pytest.mark.parametrize("right", [few, few_by_loop, few_by_torch])
def test_few_rows_pass(right):
    assert checks.check_few_rows(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda h, read, w: sum(h[i] * read(i) for i in range(len(h))), "reads row 0, which is multiplied by 0"),
        (lambda h, read, w: sum((read(i) for i in np.flatnonzero(h)), np.zeros(w)), "rows as they are"),
        (lambda h, read, w: sum(read(i) for i in range(len(h))), "all rows as they are"),
        (lambda h, read, w: h.max() * read(h.argmax()), "one row alone"),
        (lambda h, read, w: few(h / 2, read, w) + few(h / 2, read, w), "a row twice"),
        (lambda h, read, w: few(h, read, w) if h.any() else 0.0, "a NumPy array, got the number 0.0"),
        (lambda h, read, w: few(h, read, w)[None], "shape"),
        (lambda h, read, w: few(h, read, w) + 1, "A wrong number at element 0"),
        (lambda h, read, w: None, "return"),
        (7, "Expected a function"),
    ],
)
def test_few_rows_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_few_rows(wrong))


def by_rows(matrix):
    scales = np.abs(matrix).max(axis=1) / 127
    steps = np.where(scales > 0, scales, 1)[:, None]
    return np.round(matrix / steps), scales


def by_torch(matrix):
    values, scales = quantise(torch.from_numpy(matrix))
    return values.numpy(), scales.numpy()


def by_loop(matrix):
    values, scales = np.zeros(matrix.shape, dtype=np.int8), np.zeros(len(matrix))
    for i, row in enumerate(matrix):
        scales[i] = max(map(abs, row)) / 127
        if scales[i]:
            values[i] = [round(float(x / scales[i])) for x in row]
    return [values, scales]


@pytest.mark.parametrize("right", [by_rows, by_torch, by_loop])
def test_quantise_passes(right):
    assert checks.check_quantise(right)


def altered(values=lambda q, s, m: q, scales=lambda s, m: s):
    def wrong(matrix):
        q, s = by_rows(matrix)
        steps = np.where(s > 0, s, 1)[:, None]
        return values(q, steps, matrix), scales(s, matrix)

    return wrong


def without_care(matrix):
    scales = np.abs(matrix).max(axis=1) / 127
    return np.round(matrix / scales[:, None]), scales


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (altered(scales=lambda s, m: np.full(len(m), np.abs(m).max() / 127)), "Each row has its own"),
        (altered(scales=lambda s, m: s * 127 / 128), "divides by 128"),
        (altered(scales=lambda s, m: m.max(axis=1) / 127), "the largest size"),
        (altered(scales=lambda s, m: s * 127), "Divide by 127"),
        (altered(values=lambda q, s, m: np.trunc(m / s)), "cuts off"),
        (altered(values=lambda q, s, m: np.floor(m / s)), "rounds down"),
        (altered(values=lambda q, s, m: m / s), "not rounded"),
        (altered(values=lambda q, s, m: q * s), "stand for"),
        (altered(values=lambda q, s, m: q + 1), "A wrong number"),
        (without_care, "NaN"),
        (lambda matrix: by_rows(matrix)[0], "Expected 2 values"),
        (lambda matrix: (by_rows(matrix)[0], by_rows(matrix)[1][:, None]), "shape"),
        (lambda matrix: None, "return"),
    ],
)
def test_quantise_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_quantise(wrong))


def test_matrix_passes():
    assert checks.check_matrix([[1, 1], [1000, 0]])
    assert checks.check_matrix(np.array([[500.0, -500], [0.01, 0.01]]))
    assert checks.check_matrix(torch.tensor([[1, -1], [0, 300]]))
    assert checks.check_matrix(((127e-6, 1e-6), (5, 5)))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (..., "still open"),
        ([[1, 1], [100, 0]], "no row is lost yet"),
        ([[0, 0], [100, 0]], "A row of zeros is lost by no rounding"),
        ([[1, 0.001], [1000, 0]], "more than a hundredth"),
        ([[1, 1, 1], [1000, 0, 0]], "shape"),
        ([[1, float("inf")], [1, 1]], "finite"),
        ("abc", "Expected the matrix"),
        ([[1, 1], [1000]], "Expected the matrix"),
    ],
)
def test_matrix_names_the_fault(matrix, message):
    assert message in diagnosis(checks.check_matrix(matrix))
