"""The checks of *Translation as probability* and *What does a loss mean?* on right answers and on wrong ones.

Each wrong answer must be named.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.before.translation_probability import (
    check_asymmetry,
    check_below_the_floor,
    check_factors,
    check_log_probability,
    check_misleading,
    check_no_end,
    check_perplexity,
    check_products,
    check_smoothed_gradient,
    check_smoothed_target,
)

from ..diagnosis import diagnosis

FACTORS = {"a": 4 / 7, "b": 3 / 7, "c": 2 / 3, "d": 3 / 10}
PRODUCTS = {"a": 1 / 16, "b": 4, "c": 1, "d": 2}


def log_probability(logits, tgt):
    return -torch.nn.functional.cross_entropy(logits[:-1], tgt[1:], reduction="sum")


def smoothed(y, vocab_size, epsilon):
    t = np.full(vocab_size, epsilon / vocab_size)
    t[y] += 1 - epsilon
    return t


def softmax(z):
    powers = np.exp(z - z.max())
    return powers / powers.sum()


def smoothed_gradient(z, y, epsilon):
    return softmax(z) - smoothed(y, len(z), epsilon)


def by_torch(z, y, epsilon):
    q = torch.softmax(torch.from_numpy(z), 0)
    return q - torch.from_numpy(smoothed(y, len(z), epsilon))


def perplexity(surprises):
    return math.exp(sum(s.sum() for s in surprises) / sum(len(s) for s in surprises))


def test_the_right_answers_pass():
    assert check_products(PRODUCTS)
    assert check_factors(FACTORS) and check_factors({"a": 0.571, "b": 0.429, "c": Fraction(2, 3), "d": np.float32(0.3)})
    assert check_no_end(1.9, {"gracias": 0.5, "te doy muchas gracias Ana": 0.5})
    assert check_no_end(Fraction(19, 10), {"a": 0.25, "a b": 0.25, "a b c d": 0.25, "e f g h i": 0.25})
    assert check_log_probability(log_probability)
    assert check_smoothed_target(smoothed)
    assert check_perplexity(perplexity)
    assert check_below_the_floor([6, 2, 1, 0, 1])
    assert check_asymmetry(np.array([0.1, 0.899, 0.001]), np.array([0.001, 0.998, 0.001]))


def by_loop(logits, tgt):
    total = 0.0
    for row, token in zip(logits[:-1], tgt[1:].tolist(), strict=True):
        total += row[token] - row.logsumexp(0)
    return total


@pytest.mark.parametrize(
    ("check", "right"),
    [
        (check_products, {"a": Fraction(1, 16), "b": np.float32(4), "c": torch.tensor(1.0), "d": 2}),
        (check_log_probability, by_loop),
        (check_log_probability, lambda z, y: z[:-1].log_softmax(-1)[range(len(y) - 1), y[1:]].sum().item()),
        (check_log_probability, lambda z, y: torch.softmax(z, -1)[:-1].gather(1, y[1:, None]).log().sum()),
        (check_smoothed_target, lambda y, v, e: smoothed(y, v, e).tolist()),
        (check_smoothed_target, lambda y, v, e: torch.from_numpy(smoothed(y, v, e))),
        (check_smoothed_target, lambda y, v, e: (1 - e) * np.eye(v)[y] + e / v),
        (check_smoothed_gradient, smoothed_gradient),
        (check_smoothed_gradient, by_torch),
        (check_smoothed_gradient, lambda z, y, e: smoothed_gradient(z, y, e).tolist()),
        (check_perplexity, lambda s: np.exp(np.concatenate(s)).prod() ** (1 / sum(map(len, s)))),
        (check_perplexity, lambda s: torch.cat([torch.from_numpy(x) for x in s]).mean().exp()),
        (check_below_the_floor, (5, 2, 2, 0, 1)),
        (check_below_the_floor, np.array([5, 1, 2, 0, 2])),
        (check_misleading, [[0.1] * 30, [5.0, 4.0]]),
        (check_misleading, ([9.0], np.zeros(50))),
        (check_misleading, [torch.tensor([8.0, 8.0]), torch.full((40,), 0.5)]),
    ],
)
def test_right_answers_of_other_kinds_pass(check, right):
    report = check(right)
    assert report, report.message


def test_distributions_may_be_lists_or_tensors():
    assert check_asymmetry([0.1, 0.899, 0.001], [0.001, 0.998, 0.001])
    assert check_asymmetry(torch.tensor([0.6, 0.2, 0.2]), torch.tensor([0.001, 0.5, 0.499]))


def product_first(logits, tgt):
    return torch.softmax(logits, -1)[:-1].gather(1, tgt[1:, None]).prod().log()


def product_first_of_floats(logits, tgt):
    probabilities = torch.softmax(logits, -1)[:-1].gather(1, tgt[1:, None])
    product = math.prod(probabilities[:, 0].tolist())
    return math.log(product) if product else -math.inf


@pytest.mark.parametrize("wrong", [product_first, product_first_of_floats])
def test_a_product_before_the_logarithm_is_told_that_it_underflows(wrong):
    report = check_log_probability(wrong)
    assert not report and "Take the logarithms first" in report.message


@pytest.mark.parametrize(
    ("two", "said"),
    [
        (..., "still open"),
        ([..., ...], "still open"),
        ([[1.0, 1.0], [1.0]], "1 times as much"),
        ([[2.0, 1.0], [1.0, 3.0]], "more than twice is asked for"),
        ([[0.1] * 3, [2.0] * 30], "may hold few of the tokens"),
        ([[1.0], [-3.0]], "none below 0"),
        ([[1.0], []], "at least one"),
        ([[[1.0]], [2.0]], "as a list of surprises"),
        ([[1.0], [2.0], [9.0]], "two sentences"),
        ([["a"], [2.0]], "to be a NumPy array"),
    ],
)
def test_two_sentences_that_do_not_do_are_told_why(two, said):
    report = check_misleading(two)
    assert not report and said in report.message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": ...}, "(a) is still to be predicted"),
        ({"b": 4 * math.log(2)}, "nats"),
        ({"c": 4 / 3}, "`</s>`"),
        ({"d": math.e}, "not e to the power of bits"),
        ({"d": 16}, "whole sentence"),
        ({"a": 7}, "(a) is not 7"),
    ],
)
def test_a_wrong_product_is_recognised(change, said):
    assert said in diagnosis(check_products(PRODUCTS | change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": ...}, "(a) is still to be predicted"),
        ({"a": 0.4}, "began with *gracias* only"),
        ({"b": 1 / 7}, "*gracias a usted*"),
        ({"c": 0.2}, "began with *gracias a* only"),
        ({"d": 0}, "the factor of `</s>` is left out"),
        ({"d": 0.5}, "(d) is not 0.5"),
    ],
)
def test_a_wrong_factor_is_recognised(change, said):
    assert said in diagnosis(check_factors(FACTORS | change))


@pytest.mark.parametrize(
    ("total", "shares", "said"),
    [
        (..., {}, "(a) is still to be predicted"),
        (1.3, {}, "*muchas* and *gracias a* are beginnings too"),
        (1, {}, "with the factors of `</s>`"),
        (2.5, {}, "(a) is not 2.5"),
        (1.9, {"muchas gracias": 1.0}, "the sum over all beginnings is 2."),
        (1.9, {"te doy gracias": 1.0}, "has three words"),
        (1.9, {"a": 0.5, "a b c d e": 0.4}, "these sum to 0.9"),
        (1.9, {"a": 1.5, "a b": -0.5}, "above 0"),
        (1.9, {}, "sum to 1; these sum to 0"),
        (1.9, {"": 1.0}, "each of one word or more"),
        (1.9, [0.5, 0.5], "Give a dictionary"),
    ],
)
def test_a_model_without_an_end_that_does_not_do_is_told_why(total, shares, said):
    assert said in diagnosis(check_no_end(total, shares))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda z, y: z.log_softmax(-1).gather(1, y[:, None]).sum(), "not shifted"),
        (lambda z, y: log_probability(z[:-1], y[:-1]), "`</s>` is missing"),
        (lambda z, y: log_probability(z, y) / (len(y) - 1), "mean per token"),
        (lambda z, y: -log_probability(z, y), "sign is turned"),
        (lambda z, y: log_probability(z, y) / math.log(2), "in bits"),
        (lambda z, y: log_probability(z, y).exp(), "take its logarithm"),
        (lambda z, y: z[:-1].gather(1, y[1:, None]).sum(), "log-softmax first"),
        (lambda z, y: z.log_softmax(0)[:-1].gather(1, y[1:, None]).sum(), "over the positions"),
        (lambda z, y: 1.0, "should be"),
    ],
)
def test_a_wrong_log_probability_is_recognised(wrong, said):
    assert said in diagnosis(check_log_probability(wrong))


def _page(y, vocab_size, epsilon):
    t = np.full(vocab_size, epsilon / vocab_size)
    t[y] = 1 - epsilon
    return t


def _others(y, vocab_size, epsilon):
    t = np.full(vocab_size, epsilon / (vocab_size - 1))
    t[y] = 1 - epsilon
    return t


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (_page, "short of 1 by the true token's own share"),
        (_others, "other tokens only"),
        (lambda y, v, e: np.roll(smoothed(y, v, e), 1), "largest share is at"),
        (lambda y, v, e: smoothed(y, v, e) * 2, "above 1"),
        (lambda y, v, e: smoothed(y, v, e / 2), "expected"),
    ],
)
def test_a_wrong_target_is_recognised(wrong, said):
    assert said in diagnosis(check_smoothed_target(wrong))


def _no_maximum(z, y, epsilon):
    with np.errstate(all="ignore"):
        return np.exp(z) / np.exp(z).sum() - smoothed(y, len(z), epsilon)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda z, y, e: -smoothed_gradient(z, y, e), "sign is turned"),
        (lambda z, y, e: softmax(z) - smoothed(y, len(z), 0.0), "with the certain target"),
        (lambda z, y, e: z - smoothed(y, len(z), e), "softmax of the scores first"),
        (lambda z, y, e: softmax(z) - _page(y, len(z), e), "its own share ε/V is missing"),
        (lambda z, y, e: softmax(z) - _others(y, len(z), e), "over the other tokens only"),
        (lambda z, y, e: smoothed_gradient(z, y, e) / len(z), "mean over the tokens"),
        (lambda z, y, e: softmax(z), "still to be subtracted"),
        (lambda z, y, e: smoothed_gradient(z, y, 0.1), "With 3 scores and ε = 0.3"),
        (lambda z, y, e: softmax(z)[y] - 1, "to be a NumPy array"),
        (_no_maximum, "subtract the largest score"),
        (lambda z, y, e: None, "`return` missing"),
    ],
)
def test_a_wrong_gradient_is_recognised(wrong, said):
    assert said in diagnosis(check_smoothed_gradient(wrong))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda s: np.mean([np.exp(x.mean()) for x in s]), "mean of the sentences' perplexities"),
        (lambda s: np.exp(np.mean([x.mean() for x in s])), "each sentence counts once"),
        (lambda s: np.exp(np.mean([x.sum() for x in s])), "divide by the number of tokens"),
        (lambda s: np.exp(np.concatenate(s)).mean(), "mean is taken of 1/p"),
        (lambda s: np.concatenate(s).mean(), "its exponential is asked for"),
        (lambda s: 2 ** np.concatenate(s).mean(), "not 2"),
        (lambda s: 5.0, "should be"),
    ],
)
def test_a_wrong_perplexity_is_recognised(wrong, said):
    assert said in diagnosis(check_perplexity(wrong))


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([3, 2, 2, 1, 2], "Fewer different answers"),
        ([10, 10, 0, 0, 0], "Ten people"),
        ([5.0, 5, 0, 0, 0], "whole numbers"),
        ([11, -1, 0, 0, 0], "none below 0"),
        ([0, 0, 0, 10, 0], "a probability of 1e-10"),
        ([10, 0, 0, 0, 0], "needs such luck"),
        ([1, 6, 1, 1, 1], "needs such luck"),
        ([4, 2, 2, 0, 2], "Fewer different answers"),
        ([0.6, 0.2, 0.1, 0.0, 0.1], "whole numbers"),
        ([5, 5], "five whole numbers"),
    ],
)
def test_counts_that_do_not_do_are_told_why(counts, said):
    assert said in diagnosis(check_below_the_floor(counts))


@pytest.mark.parametrize(
    ("p", "q", "said"),
    [
        ([0.5, 0.3, 0.2], [0.5, 0.3, 0.2], "the same"),
        ([0.001, 0.998, 0.001], [0.1, 0.899, 0.001], "other way round"),
        ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5], "gets most from token 0 (counted from 0), 0.5 · log(0.5/0.2)"),
        ([0.2, 0.3, 0.5], [0.5, 0.3, 0.2], "gets most from token 2"),
        ([0.999, 0.0005, 0.0005], [0.4, 0.3, 0.3], "no share below"),
        ([0.4, 0.3, 0.2], [0.2, 0.3, 0.5], "must sum to 1"),
        ([0.5, 0.5], [0.5, 0.5], "wrong shape"),
        ([0.5, 0.5, 0.0], [0.2, 0.3, 0.5], "no share below"),
    ],
)
def test_distributions_that_do_not_do_are_told_why(p, q, said):
    assert said in diagnosis(check_asymmetry(np.array(p), np.array(q)))
