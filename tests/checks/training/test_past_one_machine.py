"""The checks of *Past one machine*: they pass what is right and name what is wrong."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.training import past_one_machine as checks

from ..diagnosis import diagnosis

THREE = {"gradient": 2.2, "mean_of_means": 4.33, "factor": 0.3}
ALONE = {"a": False, "b": True, "c": False, "d": True, "e": False, "f": True}


def test_three_ranks_pass_as_floats_and_as_fractions():
    assert checks.check_three_ranks(THREE)
    fractions = {"gradient": Fraction(22, 10), "mean_of_means": Fraction(13, 3), "factor": Fraction(3, 10)}
    assert checks.check_three_ranks({name: float(value) for name, value in fractions.items()})
    assert checks.check_three_ranks({name: np.float64(value) for name, value in fractions.items()})
    assert checks.three_ranks().count("\n") == 2 and "rank 2: target tokens 1, gradient 10" in checks.three_ranks()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gradient": 4.33}, "each *token* counts alike"),
        ({"gradient": 22}, "sum over tokens"),
        ({"gradient": 13}, "adds the means"),
        ({"gradient": 0.733}, "do not divide by the ranks again"),
        ({"gradient": 3.0}, "(gradient) is not 3."),
        ({"mean_of_means": 2.2}, "all ranks count alike"),
        ({"mean_of_means": 13}, "their sum"),
        ({"mean_of_means": 1.3}, "three means"),
        ({"factor": 0.1}, "torch divides"),
        ({"factor": 1 / 3}, "fewer tokens than a third"),
        ({"factor": 3}, "1 of 10 tokens"),
        ({"factor": 10}, "number of tokens"),
        ({"factor": "0.3"}, "one number"),
        ({"factor": ...}, "still to be predicted"),
    ],
)
def test_three_ranks_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_three_ranks(THREE | change))


def test_what_a_rank_may_do_alone_passes():
    assert checks.check_alone(ALONE) and set(checks.STATEMENTS) == set(ALONE)
    assert checks.check_alone({letter: np.bool_(said) for letter, said in ALONE.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": True}, "no longer a share of the sum"),
        ({"b": False}, "one process clips that too"),
        ({"c": True}, "root of a mean of squares"),
        ({"d": False}, "who adds which part"),
        ({"e": True}, "other rows of its rank"),
        ({"f": False}, "N is the same for all"),
        ({"a": "False"}, "True"),
        ({"a": 0}, "True"),
        ({"g": True}, "Give a dictionary"),
        (dict.fromkeys("abcdef", ...), "Every answer is still open"),
    ],
)
def test_what_a_rank_may_do_alone_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_alone(ALONE | change))


def by_loop(gradients, tokens):
    found = 0 * gradients[0]
    for gradient, n in zip(gradients, tokens, strict=True):
        if n:
            found = found + gradient
    return found / sum(tokens)


def by_stack(gradients, tokens):
    counts = torch.tensor(tokens, dtype=gradients[0].dtype)
    return torch.tensordot((counts > 0) / counts.sum(), torch.stack(gradients), dims=1)


def by_numpy(gradients, tokens):
    means = [g.numpy() / max(n, 1) for g, n in zip(gradients, tokens, strict=True)]
    return np.average(np.stack(means), axis=0, weights=tokens)


@pytest.mark.parametrize("right", [by_loop, by_stack, by_numpy])
def test_joined_gradients_pass(right):
    assert checks.check_joined(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda g, t: sum(g) / sum(t), "must not count"),
        (lambda g, t: sum(n * x for x, n in zip(g, t, strict=True)) / sum(t), "by tokens again"),
        (lambda g, t: sum(n * x for x, n in zip(g, t, strict=True)), "once more"),
        (lambda g, t: sum(g), "summed loss"),
        (lambda g, t: by_loop(g, t) * sum(t), "summed loss"),
        (lambda g, t: sum(g) / len(g), "not of ranks"),
        (lambda g, t: by_loop(g, t) / len(g), "alone"),
        (lambda g, t: sum(x / max(n, 1) for x, n in zip(g, t, strict=True)), "adds the means"),
        (lambda g, t: sum(x / max(n, 1) for x, n in zip(g, t, strict=True)) / len(g), "mean of the ranks' means"),
        (lambda g, t: g[0], "of one rank"),
        (lambda g, t: by_loop(g, t) * sum(t) / sum(n > 0 for n in t), "not of ranks"),
        (lambda g, t: g[0] / sum(t), "wrong number"),
        (lambda g, t: by_loop(g, t)[..., :1], "shape"),
        (lambda g, t: None, "It returned None"),
        (lambda g, t: 3, "Expected"),
    ],
)
def test_joined_gradients_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_joined(wrong))
