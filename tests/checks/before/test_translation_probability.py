"""The checks of *Translation as probability* on the right answer and on wrong ones, each of which they must name."""

import math

import numpy as np
import pytest
import torch

from attention_book.checks.before.translation_probability import (
    check_asymmetry,
    check_below_the_floor,
    check_log_probability,
    check_perplexity,
    check_products,
    check_smoothed_target,
)

from ..diagnosis import diagnosis

PRODUCTS = {"a": 1 / 16, "b": 4, "c": 1, "d": 2}


def log_probability(logits, tgt):
    return -torch.nn.functional.cross_entropy(logits[:-1], tgt[1:], reduction="sum")


def smoothed(y, vocab_size, epsilon):
    t = np.full(vocab_size, epsilon / vocab_size)
    t[y] += 1 - epsilon
    return t


def perplexity(surprises):
    return math.exp(sum(s.sum() for s in surprises) / sum(len(s) for s in surprises))


def test_the_right_answers_pass():
    assert check_products(PRODUCTS)
    assert check_log_probability(log_probability)
    assert check_smoothed_target(smoothed)
    assert check_perplexity(perplexity)
    assert check_below_the_floor([6, 2, 1, 0, 1])
    assert check_asymmetry(np.array([0.1, 0.899, 0.001]), np.array([0.001, 0.998, 0.001]))


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
    ("wrong", "said"),
    [
        (lambda z, y: z.log_softmax(-1).gather(1, y[:, None]).sum(), "not shifted"),
        (lambda z, y: log_probability(z[:-1], y[:-1]), "`</s>` is missing"),
        (lambda z, y: log_probability(z, y) / (len(y) - 1), "mean a token"),
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
    ],
)
def test_counts_that_do_not_do_are_told_why(counts, said):
    assert said in diagnosis(check_below_the_floor(counts))


@pytest.mark.parametrize(
    ("p", "q", "said"),
    [
        ([0.5, 0.3, 0.2], [0.5, 0.3, 0.2], "the same"),
        ([0.001, 0.998, 0.001], [0.1, 0.899, 0.001], "other way round"),
        ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5], "D(p ‖ q) is"),
        ([0.5, 0.5, 0.0], [0.2, 0.3, 0.5], "no share below"),
    ],
)
def test_distributions_that_do_not_do_are_told_why(p, q, said):
    assert said in diagnosis(check_asymmetry(np.array(p), np.array(q)))
