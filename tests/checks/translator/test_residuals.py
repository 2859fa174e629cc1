"""The checks of *Residuals and normalisation*: they pass what is right and name what is wrong."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.checks.translator import residuals as checks
from attention_book.models.blocks import FeedForward

from ..diagnosis import diagnosis

FORGOTTEN = {"a": "same", "b": "same", "c": "negated", "d": "reversed", "e": "changed"}
SIZES = {"feed_forward": 2_099_712, "layer_norm": 1024, "attention": 1_050_624, "changed": 5}


def test_forgotten_passes_and_every_change_is_printed():
    assert checks.check_forgotten(FORGOTTEN)
    assert [line[0] for line in checks.changes().splitlines()] == list(FORGOTTEN)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": "changed"}, "so does the root of the variance"),
        ({"b": "changed"}, "no deviation changes"),
        ({"c": "same"}, "changes its sign"),
        ({"d": "same"}, "do not depend on the order"),
        ({"e": "same"}, "Mean and variance move too"),
        ({"a": "bigger"}, "Answer a with one of 'same'"),
        ({"e": ...}, "Change e is still open"),
        ({"f": "same"}, "Give a dictionary"),
        ({"c": ["negated"]}, "Answer c with one of"),
    ],
)
def test_forgotten_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_forgotten(FORGOTTEN | change))


def norm(x, gain, bias, eps, axis=-1, unbiased=False):
    centred = x - x.mean(axis, keepdim=True)
    return gain * centred / torch.sqrt(x.var(axis, unbiased=unbiased, keepdim=True) + eps) + bias


def in_numpy(x, gain, bias, eps):
    x, gain, bias = (np.asarray(one, dtype=float) for one in (x, gain, bias))
    centred = x - x.mean(-1, keepdims=True)
    return gain * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps) + bias


def in_a_loop(x, gain, bias, eps):
    out = torch.empty_like(x)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            row = x[b, t]
            mean = sum(row) / len(row)
            variance = sum((one - mean) ** 2 for one in row) / len(row)
            out[b, t] = (row - mean) / (variance + eps) ** 0.5 * gain + bias
    return out


@pytest.mark.parametrize(
    "right", [norm, in_numpy, in_a_loop, lambda x, g, b, e: F.layer_norm(x, x.shape[-1:], g.to(x), b.to(x), e)]
)
def test_layer_norm_passes(right):
    report = checks.check_layer_norm(right)
    assert report, report.message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x, g, b, e: norm(x, g, b, e, unbiased=True), "The variance divides by n − 1"),
        (lambda x, g, b, e: norm(x, g, b, e, axis=-2), "It normalises over the positions"),
        (lambda x, g, b, e: norm(x, g, b, e, axis=(-2, -1)), "all positions of a sentence together"),
        (lambda x, g, b, e: norm(x, g, b, e, axis=0).nan_to_num(), "It normalises over the batch"),
        (lambda x, g, b, e: x / (x.var(-1, keepdim=True, unbiased=False) + e).sqrt() * g + b, "mean is not subtracted"),
        (lambda x, g, b, e: norm(x, 1.0, b, e), "The gain is missing"),
        (lambda x, g, b, e: norm(x, g, 0.0, e), "The bias is missing"),
        (lambda x, g, b, e: norm(x, 1.0, 0.0, e), "Gain and bias are missing"),
        (lambda x, g, b, e: norm(x, b, g, e), "Gain and bias are exchanged"),
        (lambda x, g, b, e: (norm(x, 1.0, 0.0, e) + b) * g, "The bias is added before"),
        (
            lambda x, g, b, e: (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False) + e) * g + b,
            "by the variance and not by its root",
        ),
        (
            lambda x, g, b, e: (
                (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False).sqrt() + e) * g + b
            ),
            "under the root",
        ),
        (lambda x, g, b, e: norm(x, g, b, 0.0), "ε is missing"),
        (lambda x, g, b, e: norm(x, g, b, e)[0], "wrong shape"),
        (lambda x, g, b, e: norm(x, g, b, e) * 1.01, "Wrong number at sentence 0, position 0, coordinate 0"),
        (lambda x, g, b, e: norm(x, g, b, e) if x.std() > 0 else x, "all 5 has the variance 0"),
        (lambda x, g, b, e: None, "It returned None"),
        (lambda x, g, b, e: norm(x, g, b, e).tolist(), "to be a torch tensor, got a list"),
    ],
)
def test_layer_norm_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_layer_norm(wrong))


def test_add_and_norm_passes():
    assert checks.check_add_and_norm(lambda x, f, n, pre: x + f(n(x)) if pre else n(x + f(x)))

    def with_a_variable(x, sublayer, norm, pre):
        h = norm(x) if pre else x
        h = x + sublayer(h)
        return h if pre else norm(h)

    assert checks.check_add_and_norm(with_a_variable)
    assert checks.check_add_and_norm(lambda *given: with_a_variable(*given).numpy())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x, f, n, pre: n(x + f(x)), "With pre=True it computes post-norm"),
        (lambda x, f, n, pre: x + f(n(x)), "With pre=False it computes pre-norm"),
        (lambda x, f, n, pre: n(x + f(x)) if pre else x + f(n(x)), "With pre=True it computes post-norm"),
        (lambda x, f, n, pre: f(n(x)) if pre else n(f(x)), "The residual is missing"),
        (lambda x, f, n, pre: x + f(n(x)) if pre else n(f(x)), "The residual is missing"),
        (lambda x, f, n, pre: n(x) + f(n(x)), "The normalised x is added"),
        (lambda x, f, n, pre: x + n(f(x)), "It normalises what the sublayer gives"),
        (lambda x, f, n, pre: n(x + f(n(x))), "It normalises before and after"),
        (lambda x, f, n, pre: x + f(x), "The norm is missing"),
        (lambda x, f, n, pre: x + f(n(x)) + 0 * f(x) if pre else n(x + f(x)), "The sublayer is called 2 times"),
        (lambda x, f, n, pre: 2 * x + f(n(x)), "With pre=True: wrong number at sentence 0"),
        (lambda x, f, n, pre: (x + f(n(x)))[0], "wrong shape"),
        (lambda x, f, n, pre: None, "It returned None"),
    ],
)
def test_add_and_norm_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_add_and_norm(wrong))


def test_sizes_pass_and_are_those_of_the_modules():
    assert checks.check_sizes(SIZES)
    count = lambda module: sum(parameter.numel() for parameter in module.parameters())  # noqa: E731
    assert count(FeedForward(512, 2048)) == SIZES["feed_forward"]
    assert count(nn.LayerNorm(512)) == SIZES["layer_norm"] and count(MultiHeadAttention(512, 8)) == SIZES["attention"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"feed_forward": 2_097_152}, "leaves out the two biases"),
        ({"feed_forward": 1_048_576}, "one of the two matrices"),
        ({"feed_forward": 7 * 2_099_712}, "share one network"),
        ({"layer_norm": 512}, "there are both"),
        ({"layer_norm": 0}, "but a gain and a bias are"),
        ({"attention": 1_048_576}, "leaves out the biases"),
        ({"attention": 787_968}, "leaves out W^O."),
        ({"changed": 7}, "so without the mask"),
        ({"changed": 1}, "An attention mixes rows"),
        ({"changed": 4}, "sees itself, too"),
        ({"changed": 3}, "Count the rows that see it"),
        ({"changed": 2}, "do not see it"),
        ({"layer_norm": 1025}, "`layer_norm` is not 1,025. Count: a gain and a bias for each coordinate."),
        ({"changed": ...}, "`changed` is still open"),
        ({"changed": "one"}, "Expected `changed` to be one number"),
        (dict.fromkeys(SIZES, ...), "Every answer is still open"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_sizes_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_sizes(SIZES | change))
