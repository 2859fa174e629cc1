"""The checks of *What is a head worth?*: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.reading import head_removal as checks
from attention_book.examples.two_heads_by_hand import W_O, steps

from ..diagnosis import diagnosis

SURPLUS = {"a": 1 / 2, "b": 0, "c": -1 / 2}


def test_the_surpluses_pass_and_are_those_of_a_count():
    assert checks.check_pairs(SURPLUS)
    assert checks.check_pairs({"a": Fraction(1, 2), "b": np.float32(0), "c": torch.tensor(-0.5)})
    written = {"a": (1, 0.5), "b": (0.5, 0.5), "c": (1.5, -0.5)}
    for pair, terms in written.items():
        lack = [max(0, 1 - sum(n * t for n, t in zip(kept, terms, strict=True))) for kept in ((0, 0), (0, 1), (1, 0))]
        assert lack[0] - lack[1] - lack[2] == SURPLUS[pair]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": -1 / 2}, "not the other way round"),
        ({"a": 1}, "that is the cost of removing both"),
        ({"b": 1}, "that is the sum of the single costs"),
        ({"c": 0}, "never negative"),
        ({"c": 1 / 2}, "not the other way round"),
        ({"c": 3 / 2}, "that is the sum of the single costs"),
        ({"c": 7}, "Pair c is not 7."),
        ({"b": ...}, "Pair b is still open"),
        ({"a": "half"}, "to be one number"),
        ({"d": 0}, "Give a dictionary"),
    ],
)
def test_the_surpluses_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_pairs(SURPLUS | change))


def removed(joined, w_o, bias, n_heads, head):
    d_v = joined.shape[-1] // n_heads
    kept = joined.clone()
    kept[:, head * d_v : (head + 1) * d_v] = 0
    return kept @ w_o + bias


def one_of_each(joined, w_o, bias, n_heads, head):
    kept = joined.clone()
    kept[:, head::n_heads] = 0
    return kept @ w_o + bias


def after(joined, w_o, bias, n_heads, head):
    output = joined @ w_o + bias
    d = output.shape[1]
    output[:, head * d // n_heads : (head + 1) * d // n_heads] = 0
    return output


def test_removed_passes():
    assert checks.check_removed(removed)

    def by_sum(joined, w_o, bias, n_heads, head):
        terms = [h @ w for h, w in zip(joined.chunk(n_heads, dim=-1), w_o.chunk(n_heads), strict=True)]
        return sum(term for n, term in enumerate(terms) if n != head) + bias

    assert checks.check_removed(by_sum) and checks.check_removed(lambda *given: by_sum(*given).numpy())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda j, w, b, n, h: j @ w + b, "Nothing is removed"),
        (lambda j, w, b, n, h: j @ w + b - removed(j, w, b, n, h), "what the head contributes"),
        (lambda j, w, b, n, h: j @ w + 2 * b - removed(j, w, b, n, h), "All other heads were removed"),
        (lambda j, w, b, n, h: removed(j, w, 0 * b, n, h), "The bias went with the head"),
        (after, "A slice of the output was set to 0"),
        (one_of_each, "Every 4th number was removed"),
        (lambda j, w, b, n, h: removed(j, w, 0 * b, n, h) * n / (n - 1) + b, "as dropout does"),
        (lambda j, w, b, n, h: removed(j, w, b, n, (h + 1) % n), "The head after head 0 was removed"),
        (lambda j, w, b, n, h: removed(j, w, b, n, (h - 1) % n), "The head before head 0 was removed"),
        (lambda j, w, b, n, h: 2 * removed(j, w, b, n, h), "Wrong number at position 0"),
        (lambda j, w, b, n, h: removed(j, w, b, n, h)[0], "wrong shape"),
    ],
)
def test_removed_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_removed(wrong))


def cancelling():
    like = torch.from_numpy(steps()["joined"][1])
    w_o = torch.zeros(8, 8, dtype=torch.float64)
    w_o[0, 0], w_o[4, 0] = 2 / like[0], -2 / like[4]
    return w_o


def test_cancelling_passes():
    assert checks.check_cancelling(cancelling()) and checks.check_cancelling(cancelling().numpy())
    assert checks.check_cancelling(cancelling().tolist()) and checks.check_cancelling(cancelling().float())
    both = 3 * cancelling()
    both[:, 3] = both[:, 0]  # two features that cancel
    assert checks.check_cancelling(both)


def one_head_alone():
    w_o = cancelling()
    w_o[4:] = 0
    return w_o


@pytest.mark.parametrize(
    ("w_o", "message"),
    [
        (W_O, "Removing both changes the output of `like` by 2."),
        (torch.zeros(8, 8), "Removing head 0 changes the output of `like` by 0.00 only"),
        (cancelling() / 4, "Removing head 0 changes the output of `like` by 0.50 only"),
        (torch.zeros(4, 8), "wrong shape"),
        (one_head_alone(), "Removing head 1 changes the output of `like` by 0.00 only"),
        (cancelling().abs(), "Removing both changes the output of `like` by 4.00"),
        (cancelling() * torch.nan, "holds NaN"),
        ([[1, "a"]], "Expected the matrix to be"),
    ],
)
def test_cancelling_names_the_mistake(w_o, message):
    assert message in diagnosis(checks.check_cancelling(w_o))
