"""The check of a reader's law: it passes one that notices every planted fault, and names the first that goes unseen."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from attention_book.attention.probability import softmax
from attention_book.checks.before.laws import check_law, check_row_means, check_stale

from ..diagnosis import diagnosis

STALE = {"a": False, "b": True, "c": False, "d": True, "e": False}


def test_what_makes_a_result_stale_may_be_said_with_booleans_of_either_kind():
    assert check_stale(STALE)
    assert check_stale({name: np.bool_(stale) for name, stale in STALE.items()})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"a": True}, "passes over comments"),
        ({"b": False}, "reads this constant"),
        ({"c": True}, "beside it in the same file"),
        ({"d": False}, "even if the words stay the same"),
        ({"e": True}, "torch's own"),
        ({"e": ...}, "e with True"),
        ({"a": "no"}, "a with True"),
        ({"f": True}, "dictionary"),
        (dict.fromkeys(STALE, ...), "still open"),
    ],
)
def test_a_wrong_guess_of_what_is_stale_is_explained(wrong, said):
    assert said in diagnosis(check_stale(STALE | wrong))


SCORES = torch.tensor([[1.0, 2.0, 3.0], [1.0, -1000.0, 1000.0]])


def law(fn):
    p = fn(SCORES)
    shifted = fn(SCORES[:1] + 5.0)
    return bool(
        torch.isfinite(p).all()
        and (p >= 0).all()
        and torch.allclose(p.sum(dim=-1), torch.ones(2))
        and torch.allclose(shifted, p[:1])
        and torch.allclose(p[0, 1:] / p[0, :-1], torch.exp(SCORES[0, 1:] - SCORES[0, :-1]))
    )


def softmax_of_my_own(x):
    powers = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def in_order(fn):
    """The law that this book once gave as its solution: it takes any temperature for the right one."""
    p = fn(SCORES)
    sums = torch.allclose(p.sum(dim=-1), torch.ones(2)) and (p >= 0).all()
    return bool(sums and p[0, 0] < p[0, 1] < p[0, 2] and torch.allclose(fn(SCORES + 5.0), p))


def sums_and_order(fn):
    p = fn(SCORES)
    return bool(torch.allclose(p.sum(dim=-1), torch.ones(2)) and p[0, 0] < p[0, 1] < p[0, 2])


def with_odds(bound):
    """Looks at the odds of two scores that are 2 apart, which are e², and asks for a bound from one side only."""
    return lambda fn: law_without_odds(fn) and bool(bound(fn(SCORES)[0, 2] / fn(SCORES)[0, 0]))


def law_without_odds(fn):
    return in_order(fn) and bool(torch.isfinite(fn(SCORES)).all())


def sums_to_one(fn):
    return bool(torch.allclose(fn(SCORES[:1]).sum(dim=-1), torch.ones(1)))


def blank(fn):
    raise NotImplementedError


def by_numpy(fn):
    scores = np.array([[1.0, 2.0, 4.0], [0.0, -900.0, 900.0]])
    p = fn(scores)
    return np.isfinite(p).all() and np.allclose(p.sum(axis=-1), 1) and np.allclose(p[0, 1:] / p[0, 0], np.exp([1, 3]))


def by_a_loop(fn):
    for a, b in ((0.0, 1.0), (3.0, -2.0), (400.0, 401.0)):
        first, second = fn(torch.tensor([[a, b], [b, b]]))[0].tolist()
        if not abs(first + second - 1) < 1e-5 or not abs(first - 1 / (1 + torch.tensor(b - a).exp())) < 1e-4:
            return False
    return True


@pytest.mark.parametrize(
    "right",
    [law, by_numpy, by_a_loop, lambda fn: torch.tensor(law(fn)), lambda fn: np.bool_(law(fn))],
)
def test_a_good_law_passes(right):
    report = check_law(right)
    assert report, report.message


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        (lambda fn: True, "does not notice one that normalises over the rows, so that the columns sum to 1 (0 of 9"),
        (sums_to_one, "does not notice one that divides the scores by their sum"),
        (lambda fn: law(fn) or not torch.isfinite(fn(SCORES)).all(), "overflows when a score is 1000 (8 of 9"),
        (in_order, "does not notice one with squares in place of exponentials"),
        (sums_and_order, "gives negative numbers"),
        (with_odds(lambda odds: odds < 8), "divides the scores by 8"),
        (with_odds(lambda odds: odds > 6), "squares in place"),
        (lambda fn: torch.allclose(fn(SCORES), torch.softmax(SCORES, -1)), "calls a softmax of torch"),
        (lambda fn: torch.allclose(fn(SCORES).log(), F.log_softmax(SCORES, -1)), "calls a softmax of torch"),
        (lambda fn: torch.equal(fn(SCORES[:1]), torch.nn.Softmax(-1)(SCORES[:1])), "calls a softmax of torch"),
        (lambda fn: False, "rejects the right softmax"),
        (lambda fn: bool(torch.allclose(fn(SCORES).sum(dim=0), torch.ones(3))), "rejects the right softmax"),
        (lambda fn: fn(SCORES), "should return True or False"),
        (lambda fn: fn(SCORES)[9], "raises IndexError for the right softmax"),
        (blank, "still to be written"),
        (True, "without calling it"),
    ],
)
def test_a_weak_law_is_told_what_it_misses(candidate, told):
    report = check_law(candidate)
    assert not report and told in report.message


@pytest.mark.parametrize("right", [lambda x: x.mean(-1), lambda x: x.sum(1) / x.shape[1], lambda x: x @ torch.full(
    (x.shape[1],), 1 / x.shape[1], dtype=x.dtype), lambda x: torch.stack([row.mean() for row in x])])  # fmt: skip
def test_every_way_to_the_means_of_rows_passes(right):
    assert check_row_means(right)


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        (lambda x: x.mean(0), "means of the columns"),
        (lambda x: x.sum(-1), "divide by the length of a row"),
        (lambda x: x.mean(), "expected (2,): one number per row"),
        (lambda x: x.mean(-1, keepdim=True), "wrong shape"),
        (lambda x: x[:, 0], "wrong at element 0"),
        (lambda x: x.median(-1).values, "wrong at element"),
        (lambda x: x.mean(-1).tolist(), "a torch tensor"),
        (blank, "still to be written"),
    ],
)
def test_wrong_means_are_named(candidate, told):
    report = check_row_means(candidate)
    assert not report and told in report.message


def test_the_functions_that_are_no_softmax_are_none():
    """Each differs from softmax on ordinary scores, or where an exponential overflows."""
    from attention_book.checks.before.laws import _FAULTY

    for fn in _FAULTY:
        apart = [not torch.allclose(fn(scores), softmax(scores), atol=1e-3) for scores in (SCORES[:1], SCORES)]
        assert any(apart), fn.__name__
