"""The check of a reader's law: it passes one that notices every planted fault, and names the first that goes unseen."""

import pytest
import torch

from attention_book.checks.before.laws import check_law

from ..diagnosis import diagnosis

SCORES = torch.tensor([[1.0, 2.0, 3.0], [1.0, -1000.0, 1000.0]])


def law(fn):
    p = fn(SCORES)
    shifted = fn(SCORES[:1] + 5.0)
    return bool(
        torch.isfinite(p).all()
        and (p >= 0).all()
        and torch.allclose(p.sum(dim=-1), torch.ones(2))
        and torch.allclose(shifted, p[:1])
        and p[0, 2] > p[0, 0]
    )


def sums_to_one(fn):
    return bool(torch.allclose(fn(SCORES[:1]).sum(dim=-1), torch.ones(1)))


def blank(fn):
    raise NotImplementedError


def test_a_good_law_passes():
    report = check_law(law)
    assert report, report.message


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        (lambda fn: True, "does not notice one that normalises over the rows, so that the columns sum to 1 (0 of 5"),
        (sums_to_one, "does not notice one that divides the scores by their sum"),
        (lambda fn: law(fn) or not torch.isfinite(fn(SCORES)).all(), "overflows when a score is 1000 (4 of 5"),
        (lambda fn: False, "rejects the right softmax"),
        (lambda fn: bool(torch.allclose(fn(SCORES).sum(dim=0), torch.ones(3))), "rejects the right softmax"),
        (lambda fn: fn(SCORES), "should return True or False"),
        (lambda fn: fn(SCORES)[9], "raises IndexError for the right softmax"),
        (blank, "still to be written"),
        (True, "without calling it"),
    ],
)
def test_a_weak_law_is_told_what_it_misses(candidate, told):
    assert told in diagnosis(check_law(candidate))
