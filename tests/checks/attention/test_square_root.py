"""The checks of the page on √d_k: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.attention.probability import softmax, softmax_jacobian
from attention_book.checks.attention import square_root as checks

from ..diagnosis import diagnosis

RIGHT = {"a": 64, "b": 2304, "c": 576, "d": 128, "e": 320}


def test_the_cases_are_what_their_texts_say():
    """Each case drawn as it is described, without the moments."""
    random = np.random.default_rng(0)
    n, d_k = 40_000, 64

    def signs(*shape):
        return random.choice([-1.0, 1.0], shape)

    drawn = {
        "a": (signs(n, d_k), signs(n, d_k)),
        "b": (2 * signs(n, d_k), random.normal(0, 3, (n, d_k))),
        "c": (signs(n, d_k), 3 * signs(n, d_k // 2).repeat(2, axis=1)),
        "d": (signs(n, d_k // 2).repeat(2, axis=1), signs(n, d_k // 2).repeat(2, axis=1)),
        "e": (signs(n, d_k), signs(n, d_k) + 2),
    }
    for letter, (q, k) in drawn.items():
        assert (q * k).sum(axis=1).var() == pytest.approx(RIGHT[letter], rel=0.04)
    assert checks.cases().count("\n") == len(RIGHT) - 1


def test_variances_pass():
    assert checks.check_variances(RIGHT)
    for kind in (np.float64, float, Fraction, torch.tensor, lambda value: np.array([value])):
        assert checks.check_variances({letter: kind(value) for letter, value in RIGHT.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 8}, "Case a: 8 is the standard deviation"),
        ({"a": 1}, "Nothing was divided yet"),
        ({"b": 1024}, "Case b: not 1024. Each product of two components has the variance 4 · 9"),
        ({"b": 48}, "Case b: 48 is the standard deviation"),
        ({"c": 128}, "Case c: not 128. It is enough if the components of one"),
        ({"d": 64}, "Case d: not 64. The dot product is twice a sum of 32 products"),
        ({"d": 4096}, "Case d: not 4096. The dot product is twice a sum"),
        ({"e": 64}, "Case e: not 64. The constant 2 meets the random q"),
        ({"e": 192}, "Case e: not 192. The constant 2 meets the random q"),
        ({"b": ...}, "Case b is still open"),
        ({"c": "64"}, "case c to be one number"),
        ({"c": None}, "case c to be one number"),
        ({"d": math.inf}, "finite"),
        ({"f": 1}, "each of the letters a, b, c, d, e"),
    ],
)
def test_variances_name_the_fault(change, message):
    assert message in diagnosis(checks.check_variances(RIGHT | change))


def general(m_q, s_q, m_k, s_k):
    return np.trace(s_q @ s_k) + m_q @ s_k @ m_q + m_k @ s_q @ m_k


def test_dot_variance_passes():
    assert checks.check_dot_variance(general)
    assert checks.check_dot_variance(
        lambda m_q, s_q, m_k, s_k: ((s_q + np.outer(m_q, m_q)) * (s_k + np.outer(m_k, m_k))).sum() - (m_q @ m_k) ** 2
    )
    assert checks.check_dot_variance(lambda *moments: torch.tensor(general(*moments)))
    assert checks.check_dot_variance(by_loops)


def by_loops(m_q, s_q, m_k, s_k):
    total, places = 0.0, range(len(m_q))
    for i in places:
        for j in places:
            total += s_q[i][j] * s_k[i][j] + m_q[i] * m_q[j] * s_k[i][j] + m_k[i] * m_k[j] * s_q[i][j]
    return total


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m_q, s_q, m_k, s_k: np.trace(s_q @ s_k), "The means are missing"),
        (lambda m_q, s_q, m_k, s_k: np.trace(s_q) * np.trace(s_k), "not the product of the traces"),
        (lambda m_q, s_q, m_k, s_k: general(m_q, s_q, m_k, s_k) + (m_q @ m_k) ** 2, "That is the mean square"),
        (lambda m_q, s_q, m_k, s_k: np.trace(s_q @ s_k) + m_q @ s_k @ m_q, "the mean of k meets"),
        (lambda m_q, s_q, m_k, s_k: np.trace(s_q @ s_k) + m_k @ s_q @ m_k, "the mean of q meets"),
        (lambda m_q, s_q, m_k, s_k: general(m_k, s_q, m_q, s_k), "The covariances are swapped"),
        (lambda m_q, s_q, m_k, s_k: ((np.diag(s_q) + m_q**2) * (np.diag(s_k) + m_k**2)).sum(), "the mixed products"),
        (lambda m_q, s_q, m_k, s_k: 17.35, "With 16 equally likely pairs, at width 3, it gives 17.35"),
        (lambda m_q, s_q, m_k, s_k: float("nan"), "finite"),
        (lambda m_q, s_q, m_k, s_k: math.sqrt(general(m_q, s_q, m_k, s_k)), "standard deviation"),
        (lambda m_q, s_q, m_k, s_k: len(m_q), "That is d_k: the assumptions of the footnote do not hold"),
        (lambda m_q, s_q, m_k, s_k: general(m_q, np.diag(np.diag(s_q)), m_k, np.diag(np.diag(s_k))), "uncorrelated"),
        (lambda m_q, s_q, m_k, s_k: 0.1, "With 16 equally likely pairs, at width 3, it gives 0.1"),
        (lambda m_q, s_q, m_k, s_k: s_q @ s_k, "one number"),
        (lambda m_q, s_q: 1.0, "raises TypeError"),
    ],
)
def test_dot_variance_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_dot_variance(wrong))


def stable(s, c):
    p = np.sort(np.exp((s - s.max()) / c))
    p = p / p.sum()
    rest = p[:-1]
    diagonal = (rest * (1 - rest)) ** 2
    beside = 2 * sum(p[i] ** 2 * (p[:i] ** 2).sum() for i in range(len(p)))
    return math.sqrt(diagonal.sum() + (p[-1] * rest.sum()) ** 2 + beside) / c


def by_positive_entries(s, c):
    """The solution of the book."""
    e = np.exp((s - s.max()) / c)
    p = e / e.sum()
    j = np.outer(p, p)
    for i in range(len(p)):
        j[i, i] = p[i] * np.delete(p, i).sum()
    return np.linalg.norm(j) / c


def by_torch(s, c):
    p = torch.softmax(torch.tensor(s) / c, dim=0)
    others = torch.stack([torch.cat([p[:i], p[i + 1 :]]).sum() for i in range(len(p))])
    return torch.linalg.norm(torch.outer(p, p).fill_diagonal_(0) + torch.diag(p * others)) / c


def by_earlier_sums(s, c):
    p = np.sort(np.exp((s - s.max()) / c))
    p = p / p.sum()
    before = np.append(0, np.cumsum(p**2)[:-1])
    rest = np.append(1 - p[:-1], p[:-1].sum())
    return math.sqrt(((p * rest) ** 2).sum() + 2 * (p**2 * before).sum()) / c


def by_cumulative_difference(s, c):
    """Running sums less the place itself: Σ over all smaller squares, of which nothing is left in the last place."""
    p = np.sort(np.exp((s - s.max()) / c))
    p = p / p.sum()
    squares, rest = p**2, np.append(1 - p[:-1], p[:-1].sum())
    return np.sqrt((squares * rest**2).sum() + 2 * (squares * (np.cumsum(squares) - squares)).sum()) / c


def by_matrix(s, c):
    return np.linalg.norm(softmax_jacobian(s, c))


def by_squares(s, c):
    p = softmax(s / c)
    return math.sqrt(max((p**2).sum() - 2 * (p**3).sum() + (p**2).sum() ** 2, 0)) / c


@pytest.mark.parametrize("right", [stable, by_positive_entries, by_torch, by_earlier_sums])
def test_norm_passes(right):
    assert checks.check_norm(right)


def test_the_tolerance_of_the_norm_is_far_from_both_sides(monkeypatch):
    """What keeps its digits passes at a ten-millionth of the tolerance, however its last places are rounded."""
    random = np.random.default_rng(2)

    def rounded_elsewhere(s, c):
        """As a processor would that rounds every exponential and every quotient another way."""
        e = np.exp((s - s.max()) / c) * (1 + random.uniform(-4e-16, 4e-16, len(s)))
        p = e / e.sum() * (1 + random.uniform(-4e-16, 4e-16, len(s)))
        j = np.outer(p, p)
        np.fill_diagonal(j, [p[i] * np.delete(p, i).sum() for i in range(len(p))])
        return np.linalg.norm(j) / c

    isclose = math.isclose
    monkeypatch.setattr(checks.math, "isclose", lambda a, b, rel_tol: isclose(a, b, rel_tol=1e-13))
    for right in (by_positive_entries, *[rounded_elsewhere] * 20):
        assert checks.check_norm(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (by_matrix, "has lost the digits"),
        (by_squares, "has lost the digits"),
        (by_cumulative_difference, "s = [0.0, 20.0, 1.0], C = 1: "),
        (by_cumulative_difference, "has lost the digits"),
        (lambda s, c: stable(s.astype(np.float32), c) if np.ptp(s) < 50 else 0.0, "and not"),
        (lambda s, c: stable(s, c) * c * c, "It multiplies by C, and should divide"),
        (lambda s, c: stable(s, c) / c, "there twice"),
        (lambda s, c: np.linalg.norm(softmax_jacobian(s, c), 2), "largest eigenvalue"),
        (lambda s, c: abs(softmax_jacobian(s, c)).sum(), "the sum of the sizes"),
        (lambda s, c: np.linalg.norm(softmax_jacobian(s, c) * (1 - np.eye(len(s)))), "beside the diagonal only"),
        (lambda s, c: np.linalg.norm(np.triu(softmax_jacobian(s, c))), "Each pair stands twice"),
        (lambda s, c: torch.tensor(float("nan")), "NaN"),
        (lambda s, c: [1.0], "one number"),
        (lambda s, c: stable(s, c) * c, "The factor 1/C is missing"),
        (lambda s, c: stable(s, c) ** 2, "take its root"),
        (lambda s, c: stable(s, c) / len(s), "standard deviation of the entries"),
        (lambda s, c: stable(s, 1.0) / c, "they should be those of s / C"),
        (lambda s, c: np.linalg.norm(np.diag(softmax_jacobian(s, c))), "the diagonal entries only"),
        (lambda s, c: 0.0, "and not"),
        (lambda s, c: np.zeros(3), "one number"),
        (lambda s, c: float("nan"), "NaN"),
    ],
)
def test_norm_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_norm(wrong))


def test_the_oracle_of_the_norm_is_that_of_the_matrix_where_nothing_is_lost():
    s = np.random.default_rng(1).normal(size=5)
    assert checks._exact_norm(s, 2.0) == pytest.approx(by_matrix(s, 2.0), rel=1e-12)


def test_the_argument_has_its_fault_in_line_3():
    assert checks.check_first_fault(3, 1 / 64)
    q, k = np.random.default_rng(0).choice([-1.0, 1.0], (2, 50_000, 64))
    q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    assert set(np.abs(q).ravel()) == {1 / 8}  # line 2
    assert (q * k).var() == pytest.approx(1 / 64**2, rel=0.01)  # what line 3 gets wrong
    assert (q * k).sum(axis=1).var() == pytest.approx(1 / 64, rel=0.03)
    assert "variance 1/64" in checks.ARGUMENT[2]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((1, 1 / 64), "Line 1 says what is drawn"),
        ((2, 1 / 64), "Line 2 is right"),
        ((4, 1 / 64), "adds the variances"),
        ((5, 1 / 64), "follows from line 4"),
        ((0, 1 / 64), "counted from 1 to 5"),
        ((3, 1), "That is what line 4 says"),
        ((3, 1 / 8), "That is the standard deviation."),
        ((3, 64), "before the vectors are divided"),
        ((3, 8), "before the vectors are divided"),
        ((3, 1 / 4096), "of one product"),
        ((3, 2), "the variance is not 2"),
        ((...,), "Give the number of the first wrong line"),
    ],
)
def test_the_first_fault_is_told(answer, message):
    assert message in diagnosis(checks.check_first_fault(*answer))


def norms(draws, weights=lambda s, c: softmax(s / c), factor=lambda c: 1 / c):
    """The divided norms of the draws, then the undivided ones."""
    for c in (math.sqrt(draws.shape[1]), 1.0):
        ps = [weights(s, c) for s in draws]
        yield np.array([np.linalg.norm((np.diag(p) - np.outer(p, p)) * factor(c)) for p in ps])


def mean_ratio(draws, **changes):
    divided, undivided = norms(draws, **changes)
    return divided.mean() / undivided.mean()


def of_norms(combine):
    return lambda draws: combine(*norms(draws))


def test_norm_ratio_passes():
    assert checks.check_norm_ratio(mean_ratio)
    assert checks.check_norm_ratio(of_norms(lambda a, b: torch.tensor(a.sum() / b.sum())))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (of_norms(lambda a, b: (a / b).mean()), "That is the mean of the draws' own ratios"),
        (of_norms(lambda a, b: 1 / (b / a).mean()), "a mean of ratios too"),
        (of_norms(lambda a, b: np.median(a) / np.median(b)), "the middle draws"),
        (of_norms(lambda a, b: np.median(a / b)), "the middle one of the draws' own ratios"),
        (of_norms(lambda a, b: np.exp(np.log(a / b).mean())), "the geometric mean"),
        (of_norms(lambda a, b: np.sqrt((a**2).mean() / (b**2).mean())), "root mean squares"),
        (of_norms(lambda a, b: a.sum() / b.mean()), "not divided by the number of draws"),
        (lambda draws: mean_ratio(draws, factor=lambda c: 1), "The factor 1/C of the Jacobian is missing"),
        (lambda draws: mean_ratio(draws, factor=lambda c: 1 / c**2), "there twice"),
        (lambda draws: 1 / mean_ratio(draws), "the undivided mean over the divided one"),
        (lambda draws: mean_ratio(draws, weights=lambda s, c: softmax(s)), "softmax(s / √n)"),
        (lambda draws: mean_ratio(draws) ** 2, "squared means"),
        (lambda draws: 0.5, "it gives 0.5 and not"),
        (lambda draws: "half", "one number"),
        (lambda draws: next(norms(draws)), "one number"),
    ],
)
def test_norm_ratio_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_norm_ratio(wrong))


def test_both_ways_pass():
    assert checks.check_both_ways([20.0, 0, 0, 0, 0, 0, 0, 0], [0] * 8)
    assert checks.check_both_ways(np.array([25.0, 0, 0, 0, 0, 0, 0, 0]), np.zeros(8))
    assert checks.check_both_ways((30, 1, 0, 0, 0, 0, 0, -5), np.full(8, 3))


@pytest.mark.parametrize(
    ("larger", "smaller", "message"),
    [
        (np.zeros(8), np.zeros(8), "`larger`: the norm is 0.125 times"),
        (np.arange(8.0), np.zeros(8), "What does it take to saturate"),
        ([20.0] + 7 * [0.0], [20.0] + 7 * [0.0], "`smaller`: the norm is"),
        ([90.0] + 7 * [0.0], np.zeros(8), "beyond 50"),
        (np.zeros(7), np.zeros(8), "wrong shape"),
        (..., np.zeros(8), "`larger` is still open"),
        (np.full(8, np.inf), np.zeros(8), "beyond 50"),
        ([20.0] + 7 * [np.nan], np.zeros(8), "NaN"),
        ("scores", np.zeros(8), "NumPy array"),
        ([[20.0] * 8], np.zeros(8), "wrong shape"),
    ],
)
def test_both_ways_name_the_fault(larger, smaller, message):
    assert message in diagnosis(checks.check_both_ways(larger, smaller))


LEADS = {"a": 10, "b": math.sqrt(2), "c": 1 / (1 + math.exp(10)), "d": 1 / (1 + math.exp(math.sqrt(2)))}


def test_leads_pass_and_are_those_of_drawn_keys():
    assert checks.check_leads(LEADS) and checks.check_leads(LEADS | {"b": 1.41, "c": 4.54e-5, "d": 0.196})
    for kind in (np.float64, torch.tensor, lambda value: np.array([value])):
        assert checks.check_leads({letter: kind(value) for letter, value in LEADS.items()})
    q, one, other = np.random.default_rng(0).normal(size=(3, 40_000, 50))
    lead = (q * one).sum(axis=1) - (q * other).sum(axis=1)
    assert lead.std() == pytest.approx(LEADS["a"], rel=0.02)
    assert (lead / math.sqrt(50)).std() == pytest.approx(LEADS["b"], rel=0.02)
    assert softmax(np.array([10.0, 0.0]))[1] == pytest.approx(LEADS["c"])
    assert softmax(np.array([10.0, 0.0]) / math.sqrt(50))[1] == pytest.approx(LEADS["d"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 100}, "the variance of the lead"),
        ({"a": 7.07}, "The lead is a difference of two"),
        ({"a": 14.14}, "standard deviations do not"),
        ({"a": 1.414}, "Nothing is divided yet"),
        ({"b": 1}, "one divided score"),
        ({"b": 0.2}, "divide by its root"),
        ({"c": 0.99995}, "the key that leads"),
        ({"c": 0.000849}, "not of one dot product"),
        ({"d": 0.804}, "the key that leads"),
        ({"d": 0.243}, "the ratio of the two weights"),
        ({"d": 0.269}, "not of one score"),
        ({"d": 0.5}, "(d), the weight of the other key: not 0.5."),
        ({"d": ...}, "(d) is still open"),
        ({"a": "10"}, "one number"),
        ({"b": 10}, "the undivided lead"),
        ({"c": 0.196}, "with the division"),
        ({"c": 3.35e-4}, "(c), the weight of the other key: not 0.000335."),
    ],
)
def test_leads_name_the_fault(change, message):
    assert message in diagnosis(checks.check_leads(LEADS | change))


def agreeing(n, d_k, random):
    signs = random.choice([-1.0, 1.0], (2, n, 1))
    return signs[0] * np.ones(d_k), signs[1] * np.ones(d_k)


def cancelling(n, d_k, random):
    q, k = random.normal(size=(2, n, 1)) * np.ones(d_k)
    return q, k * (-1.0) ** np.arange(d_k)


def nearly_cancelling(n, d_k, random):
    return tuple(math.sqrt(0.97) * part + math.sqrt(0.03) * random.normal(size=(n, d_k))
                 for part in cancelling(n, d_k, random))  # fmt: skip


def by_halves(n, d_k, random):
    q, k = agreeing(n, d_k, random)
    return q * np.where(np.arange(d_k) < d_k // 2, 1.0, -1.0), k


def by_pairs(n, d_k, random):
    q, k = (np.repeat(random.normal(size=(n, d_k // 2)), 2, axis=1) for _ in range(2))
    return q, k * (-1.0) ** np.arange(d_k)


@pytest.mark.parametrize(
    "right",
    [
        cancelling,
        nearly_cancelling,
        by_halves,
        by_pairs,
        lambda n, d_k, random: cancelling(n, d_k, random)[::-1],
        lambda n, d_k, random: list(by_halves(n, d_k, random)),
        lambda n, d_k, random: tuple(torch.tensor(part) for part in cancelling(n, d_k, random)),
        lambda n, d_k, random: tuple(part.tolist() for part in by_pairs(n, d_k, random)),
    ],
)
def test_draws_whose_scores_hardly_differ_pass(right):
    assert checks.check_draw(right)


def turned(n, d_k, random):
    q = random.normal(size=(n, d_k))
    return q, np.stack([q[:, 1::2], -q[:, ::2]], axis=2).reshape(n, d_k)  # at right angles to q


def turned_up_to_a_sign(n, d_k, random):
    q, k = turned(n, d_k, random)
    return q, k * random.choice([-1.0, 1.0], (n, 1))


def same(n, d_k, random):
    q = random.normal(size=(n, d_k))
    return q, q


def same_up_to_a_sign(n, d_k, random):
    q = random.choice([-1.0, 1.0], (n, d_k))
    return q, q * random.choice([-1.0, 1.0], (n, 1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda n, d_k, random: tuple(random.normal(size=(2, n, d_k))), "The root does its work"),
        (lambda n, d_k, random: (agreeing(n, d_k, random)[0], random.normal(size=(n, d_k))), "one of the two"),
        (agreeing, "Which correlations would cancel each other?"),
        (lambda n, d_k, random: tuple(0.5 * part for part in cancelling(n, d_k, random)), "has the variance 0.2"),
        (lambda n, d_k, random: tuple(0.1 * random.normal(size=(2, n, d_k))), "has the variance 0.01"),
        (turned, "not independent"),
        (turned_up_to_a_sign, "not independent"),
        (lambda n, d_k, random: tuple(9 * random.normal(size=(2, n, d_k))), "has the variance 8"),
        (lambda n, d_k, random: tuple(random.normal(3, 1, (2, n, d_k))), "has a mean 3"),
        (lambda n, d_k, random: (np.ones((n, d_k)), np.ones((n, d_k))), "has the variance 0.00"),
        (same, "not independent"),
        (same_up_to_a_sign, "not independent"),
        (lambda n, d_k, random: (agreeing(n, d_k, random)[0],) * 2, "not independent"),
        (lambda n, d_k, random: agreeing(n, d_k, random)[0], "2 values"),
        (lambda n, d_k, random: (np.ones(d_k), np.ones(d_k)), "wrong shape"),
        (lambda n, d_k, random: ("q", "k"), "NumPy array"),
        (lambda n, d_k, random: None, "Is the `return` missing?"),
        (..., "Expected a function"),
    ],
)
def test_draws_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_draw(wrong))


def pair_norm(lead, c=1.0):
    return float(np.linalg.norm(softmax_jacobian(np.array([lead, 0.0]), c)))


TEN = [[pair_norm(lead, c) for lead in [0.0] * 3 + [6.0] * 7] for c in (1.0, 3.0)]
PREDICTED = {
    "a": np.mean(TEN[0]),
    "b": np.mean(TEN[1]),
    "c": np.median(TEN[0]),
    "d": 100 * np.mean(np.array(TEN[1]) > np.array(TEN[0])),
}


def test_ten_draws_pass():
    assert checks.check_ten_draws(PREDICTED) and checks.check_ten_draws({"a": 0.153, "b": 0.099, "c": 0.0049, "d": 70})
    assert checks.check_ten_draws({letter: torch.tensor(value) for letter, value in PREDICTED.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 0.5}, "average over all ten"),
        ({"a": 0.0785}, "The norm of a tie is ½"),
        ({"b": 0.297}, "The factor 1/C is missing"),
        ({"b": 0.1667}, "a tie alone"),
        ({"b": 0.0512}, "also changes the weights"),
        ({"c": 0.00247}, "That is one entry"),
        ({"c": 0.153}, "That is the mean"),
        ({"d": 30}, "lowers the norm"),
        ({"d": 0.7}, "In per cent"),
        ({"d": 100}, "A tie stays a tie"),
        ({"c": ...}, "(c) is still open"),
        ({"d": None}, "one number"),
    ],
)
def test_ten_draws_name_the_fault(change, message):
    assert message in diagnosis(checks.check_ten_draws(PREDICTED | change))


def halving(c, norm=pair_norm):
    low, high = 1e-9, 500.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if norm(middle) > norm(middle, c) else (low, middle)
    return low


def by_newton(c):
    from scipy.optimize import brentq

    return np.array([brentq(lambda x: math.cosh(x / 2) - math.sqrt(c) * math.cosh(x / 2 / c), 1e-6, 100)])


def on_a_grid(c):
    leads = np.arange(0.001, 30, 0.0005)
    undivided, divided = (1 / (1 + np.exp(-leads)), 1 / (1 + np.exp(-leads / c)))
    return leads[np.argmax(undivided * (1 - undivided) < divided * (1 - divided) / c)]


@pytest.mark.parametrize("right", [halving, by_newton, on_a_grid, lambda c: torch.tensor(halving(c))])
def test_break_even_passes(right):
    assert checks.check_break_even(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda c: 0.0, "look above 0"),
        (lambda c: -halving(c), "look above 0"),
        (lambda c: 1e4, "too small to be compared"),
        (lambda c: c, "At that lead the undivided norm is"),
        (lambda c: 2 * math.log(c), "At that lead the undivided norm is"),
        (lambda c: halving(c**2), "At that lead the undivided norm is"),
        (lambda c: halving(8.0), "For C = 2 it gives"),
        (lambda c: round(halving(c), 1), "At that lead"),
        (lambda c: "3", "one number"),
        (lambda c: [halving(c)], "one number"),
        (lambda: 3.0, "raises TypeError"),
    ],
)
def test_break_even_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_break_even(wrong))
