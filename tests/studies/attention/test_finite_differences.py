"""Errors of finite differences: laws with known answers, and those of the page against the formula."""

import numpy as np
import pytest
from page_cells import run_until

from attention_book.attention.probability import softmax_jacobian
from attention_book.studies.attention.finite_differences import StepErrors, balanced_step, errors_told, step_errors

STEPS = np.geomspace(1e-12, 1, 49)


def test_errors_of_a_cubic_are_the_square_of_the_step():
    """((1 + h)³ − (1 − h)³)/2h = 3 + h², so the error against 3 is h², and against 2 it has the floor 1."""
    steps = np.array([0.25, 0.5, 1.0])
    cubic = lambda h: np.array([((1 + h) ** 3 - (1 - h) ** 3) / (2 * h), 3.0])  # noqa: E731
    found = step_errors(cubic, np.array([3.0, 3.0]), steps)
    np.testing.assert_allclose(found.errors, [1 / 16, 1 / 4, 1])
    assert (found.best, found.least) == (0.25, 1 / 16)
    assert found.power(0, 2) == pytest.approx(2)
    assert step_errors(cubic, np.array([2.0, 3.0]), steps).least > 1


def test_the_power_is_that_of_the_steps_between():
    found = StepErrors(STEPS, np.where(STEPS < 1e-6, 1e-16 / STEPS, STEPS**2))
    assert found.power(0, 1e-7) == pytest.approx(-1) and found.power(1e-5, 2) == pytest.approx(2)


def test_lines_are_told():
    told = errors_told({"made up": StepErrors(np.array([0.1, 1.0]), np.array([0.5, 0.25]))})
    assert told.endswith("logarithmic. made up: smallest 2.5e-01, at h = 1.0e+00.")


@pytest.fixture(scope="module")
def page():
    return run_until("attention/softmax-jacobian", "def finite_differences")


def lines(page, kind, steps=STEPS):
    """The page's differences against its formula, at its scores."""
    s, c = page["s"], page["c"]
    return step_errors(lambda h: page["finite_differences"](s, c, h, kind), softmax_jacobian(s, c), steps)


def test_the_error_falls_as_the_square_and_rises_as_the_inverse(page):
    double = lines(page, np.float64)
    assert abs(double.power(1e-3, 0.1) - 2) < 0.1
    assert abs(double.power(0, 1e-7) + 1) < 0.3


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_best_step_is_the_predicted_one_within_a_factor_of_ten(page, kind):
    best = lines(page, kind, STEPS[STEPS >= 1e-6] if kind is np.float32 else STEPS).best
    assert 0.1 < best / balanced_step(kind) < 10


def test_a_formula_without_its_factor_has_a_floor(page):
    s, c = page["s"], page["c"]
    floor = step_errors(lambda h: page["finite_differences"](s, c, h), softmax_jacobian(s / c), STEPS).least
    assert floor > 1000 * lines(page, np.float64).least and floor > 0.01
