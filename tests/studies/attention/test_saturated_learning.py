"""Learning through a saturated softmax is slow by the squared error, and the division makes runs arrive."""

import math

import numpy as np
import pytest

from attention_book.studies.attention.saturated_learning import (
    RatesCompared,
    StepsByLead,
    StepsByRate,
    rates_compared,
    steps_by_lead,
)


@pytest.fixture(scope="module")
def by_lead():
    return steps_by_lead()


@pytest.fixture(scope="module")
def compared():
    return rates_compared()


def test_a_factor_and_the_words_by_hand():
    made_up = StepsByLead(np.arange(4.0), {"squared error": np.array([7, 10, 20, 40])})
    assert made_up.factor("squared error", 1) == pytest.approx(2)
    assert made_up.told() == "Steps at leads of 0 to 3, logarithmic axis. Squared error: 7, 10, 20, 40."


def test_numbers_and_lines_by_hand():
    steps = {"squared error": 5 * 2 ** np.arange(11), "cross-entropy": np.arange(11)}
    made_up = StepsByLead(np.arange(11.0), steps)
    assert list(made_up.lines()) == list(steps) and made_up.lines()["cross-entropy"][1][3] == 3
    numbers = made_up.numbers()
    assert (numbers["squared_tie"], numbers["squared_last"], numbers["log_last"]) == (5, 5120, 10)
    assert numbers["longest"] == 10 and numbers["factor"] == pytest.approx(2)


@pytest.mark.slow
def test_each_unit_of_lead_multiplies_the_steps_by_e_for_the_squared_error(by_lead):
    assert abs(by_lead.factor("squared error", 8) - math.e) < 0.15
    assert by_lead.steps["squared error"].max() < 40_000  # no run was given up


def test_with_the_cross_entropy_the_lead_hardly_matters(by_lead):
    assert by_lead.steps["cross-entropy"][12] < by_lead.steps["squared error"][12] / 1000


def test_cells_of_made_up_runs_by_hand():
    """Four queries at two rates, given up after 50 steps."""
    runs = StepsByRate(np.array([[1, 50], [2, 50], [3, 50], [4, 7]]), 50)
    assert runs.arrived.tolist() == [4, 1] and runs.median.tolist() == [2, 50]
    assert runs.cells(0) == ("2 (1 to 3)", "4")
    assert runs.cells(1) == (">50 (7 to >50)", "1")
    rows = RatesCompared(np.array([1.0, 4.0]), {("loss", 1.0): runs, ("loss", 8.0): runs}).rows("loss")
    assert rows[1] == ("4", ">50 (7 to >50)", "1", ">50 (7 to >50)", "1")


@pytest.mark.slow
def test_divided_more_runs_arrive_at_every_rate_and_nearly_all_at_the_larger_ones(compared):
    undivided, divided = (compared.runs["squared error", c].arrived for c in (1.0, 8.0))
    assert (divided > undivided).all()
    assert divided[1:].min() > 0.98 * 200


def test_undivided_the_largest_rate_brings_fewest_and_a_quarter_is_quick_at_small_ones(compared):
    undivided, divided = (compared.runs["squared error", c] for c in (1.0, 8.0))
    assert undivided.arrived[-1] == undivided.arrived.min()
    quick = [np.quantile(it.steps[:, 0], 0.25, method="lower") for it in (undivided, divided)]
    assert quick[0] < quick[1] / 5


def test_for_the_cross_entropy_the_division_is_a_loss_at_the_same_rate(compared):
    numbers = compared.numbers()
    assert numbers["log_8"] > 5 * numbers["log_1"] and numbers["n_runs"] == 200
