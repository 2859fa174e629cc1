"""Learning through a saturated softmax is slow by the squared error, and the division makes runs arrive."""

import math

import numpy as np
import pytest
import torch

from attention_book.studies.attention.saturated_learning import (
    QueriesByWidth,
    QueryRuns,
    StepsByLead,
    queries_by_width,
    query_runs,
    steps_by_lead,
)


@pytest.fixture(scope="module")
def by_lead():
    return steps_by_lead()


@pytest.fixture(scope="module")
def by_width():
    return queries_by_width()


def test_a_factor_and_the_words_by_hand():
    made_up = StepsByLead(np.arange(4.0), {"squared error": np.array([7, 10, 20, 40])})
    assert made_up.factor("squared error", 1) == pytest.approx(2)
    assert made_up.told() == "Steps at leads of 0 to 3, logarithmic axis. Squared error: 7, 10, 20, 40."


def test_numbers_and_lines_by_hand():
    steps = {"squared error": 5 * 2 ** np.arange(11), "cross-entropy": np.arange(11)}
    made_up = StepsByLead(np.arange(11.0), steps)
    assert list(made_up.lines()) == list(steps) and made_up.lines()["cross-entropy"][1][3] == 3
    numbers = made_up.numbers()
    assert (numbers["squared_tie"], numbers["squared_last"]) == (5, 5120)
    assert (numbers["log_tie"], numbers["log_last"]) == (0, 10)
    assert numbers["longest"] == 10


@pytest.mark.slow
def test_each_unit_of_lead_multiplies_the_steps_by_e_for_the_squared_error(by_lead):
    assert abs(by_lead.factor("squared error", 8) - math.e) < 0.15
    assert by_lead.steps["squared error"].max() < 40_000  # no run was given up


def test_with_the_cross_entropy_the_lead_hardly_matters(by_lead):
    assert by_lead.steps["cross-entropy"][12] < by_lead.steps["squared error"][12] / 1000


@pytest.mark.parametrize("c", [1.0, 3.0])
def test_query_steps_are_those_of_autograd_on_the_query(c):
    random = np.random.default_rng(3)
    q, k, y = random.normal(size=(6, 9)), random.normal(size=(6, 4, 9)), np.eye(4)[[0, 1, 2, 3, 0, 1]]
    wanted = []
    for query, keys, right in zip(torch.tensor(q), torch.tensor(k), torch.tensor(y), strict=True):
        weights = []
        for _ in range(40):
            leaf = query.detach().requires_grad_()
            p = torch.softmax(keys @ leaf / c, dim=-1)
            weights.append(float((p * right).sum().detach()))
            query = leaf - 0.7 * torch.autograd.grad(((p - right) ** 2).sum() / 2, leaf)[0]
        wanted.append(next((step for step, weight in enumerate(weights) if weight > 0.5), 40))
    runs = query_runs(q, k, y, 0.7, c, 40)
    assert runs.steps.tolist() == wanted
    first = torch.softmax(torch.tensor((k @ q[..., None])[..., 0]) / c, dim=-1)
    assert np.allclose(runs.start, first) and not np.allclose(runs.end, first)
    assert len(set(wanted)) > 3  # the runs differ


def test_rows_and_numbers_of_made_up_runs_by_hand():
    """Three queries at two rates, given up after 50 steps."""
    undivided, divided = np.array([[1, 50, 50], [2, 50, 7]]), np.array([[4, 5, 6], [1, 2, 3]])
    made_up = QueriesByWidth(np.array([0.25, 1.0]), {(4, False): undivided, (4, True): divided}, 50, 1, 2)
    assert made_up.header() == ["width", "rate 1/4", "rate 1"]
    assert made_up.rows() == [("4, undivided", "1", "2"), ("4, divided", "3", "3")]
    numbers = {"most_4": 2, "half_4": 2, "half_undivided_4": 7}
    assert made_up.numbers() == {"n_runs": 3, "limit": 50, "freed": 1, "thrown": 2, **numbers}


def test_a_query_is_freed_or_thrown_by_hand():
    stuck, open_minded = [0.995, 0.005], [0.6, 0.4]
    start = np.array([stuck, stuck, stuck, open_minded, open_minded, open_minded])
    end = np.array([open_minded, stuck, stuck, stuck, open_minded, stuck])
    runs = QueryRuns(np.array([7, 0, 50, 50, 50, 7]), start, end, 50)
    assert runs.freed() == 1  # the first; the second began at the right key, the third never arrived
    assert runs.thrown() == 1  # the fourth; the fifth ends undecided, the sixth arrived


@pytest.mark.slow
def test_some_queries_are_freed_and_others_thrown_at_rate_1(by_width):
    assert by_width.thrown > by_width.freed > 10


@pytest.mark.slow
def test_smaller_and_larger_rates_do_no_better_undivided(by_width):
    rates = [4.0**n for n in (-5, -4, -3, 2, 3, 4, 6, 8, 10)]
    beyond = queries_by_width(rates=[1, *rates])
    for width in (16, 64, 256):
        most = (beyond.steps[width, False][1:] < beyond.limit).sum(axis=1).max()
        assert most < by_width.numbers()[f"most_{width}"]


@pytest.mark.slow
def test_divided_one_rate_serves_every_width_and_every_query(by_width):
    divided = [steps for (_, is_divided), steps in by_width.steps.items() if is_divided]
    for steps in divided:
        assert (steps[1:] < by_width.limit).all()  # at every rate from 1/4 on, all arrive
    halves = [np.quantile(steps[2], 0.5) for steps in divided]
    assert max(halves) < 1.5 * min(halves)


@pytest.mark.slow
def test_undivided_fewer_arrive_at_every_rate_and_the_fewer_the_wider(by_width):
    arrived = {case: (steps < by_width.limit).sum(axis=1) for case, steps in by_width.steps.items()}
    for width in (16, 64, 256):
        assert (arrived[width, False] < arrived[width, True]).all()
    numbers = by_width.numbers()
    assert numbers["n_runs"] > numbers["most_16"] > 1.5 * numbers["most_64"] > 2.25 * numbers["most_256"]


@pytest.mark.slow
def test_the_division_does_not_make_the_quick_runs_quicker(by_width):
    undivided, divided = (np.quantile(by_width.steps[16, arm][2], 0.5) for arm in (False, True))
    assert undivided < divided
