"""The checks of *Where the norm stands*: they pass what is right and name what is wrong."""

import numpy as np
import pytest
import torch

from attention_book.checks.training import norm_placement as checks

from ..diagnosis import diagnosis

LENGTHS = {"first": 10, "second": 26, "quotient": 2.4, "post": 4}


def test_lengths_pass_and_are_those_of_vectors():
    assert checks.check_lengths(LENGTHS)
    x, first, second = 8 * torch.eye(16)[0], 6 * torch.eye(16)[1], 24 * torch.eye(16)[2]
    assert (x + first).norm() == LENGTHS["first"] and (x + first + second).norm() == LENGTHS["second"]
    normed = torch.nn.functional.layer_norm(x + first + second, (16,))
    assert normed.norm().item() == pytest.approx(LENGTHS["post"], abs=1e-2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": 14}, "the sum of the lengths"),
        ({"first": 100}, "the square of the length"),
        ({"first": 6}, "the length of what is added"),
        ({"first": 2}, "point against each other"),
        ({"second": 34}, "at right angles the squares add"),
        ({"second": 38}, "adds all three lengths"),
        ({"second": 24}, "the length of what is added"),
        ({"quotient": 4}, "by the first addition"),
        ({"quotient": 3}, "before the first addition"),
        ({"quotient": 0.923}, "after the addition"),
        ({"quotient": 0.4167}, "upside down"),
        ({"quotient": 2.6}, "how much the stream grows"),
        ({"post": 1}, "there are 16 of them"),
        ({"post": 16}, "the square of the length"),
        ({"post": 8}, "the length of what came in"),
        ({"post": 26}, "without a norm"),
        ({"post": 0}, "Their squares are not"),
        ({"first": 11}, "`first` is not 11. Recall: at right angles"),
        ({"post": ...}, "`post` is still open"),
        ({"post": "eight"}, "Expected `post` to be one number"),
        (dict.fromkeys(LENGTHS, ...), "Every answer is still open"),
        ({"third": 1}, "Give a dictionary"),
    ],
)
def test_lengths_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_lengths(LENGTHS | change))


def following(step, length=lambda x: x.norm().item()):
    """A candidate whose vector behind a sublayer is what ``step`` gives for x, sublayer, norm and order."""

    def candidate(x, sublayers, norm, pre):
        found = []
        for sublayer in sublayers:
            x = step(x, sublayer, norm, pre)
            found.append(length(x))
        return found

    return candidate


def right_step(x, f, n, pre):
    return x + f(n(x)) if pre else n(x + f(x))


def before(x, sublayers, norm, pre):
    return [x.norm().item(), *following(right_step)(x, sublayers, norm, pre)[:-1]]


def test_following_passes():
    assert checks.check_follow(following(right_step))
    assert checks.check_follow(following(right_step, length=lambda x: x.square().sum().sqrt()))
    assert checks.check_follow(lambda *given: torch.tensor(following(right_step)(*given)))
    assert checks.check_follow(following(right_step, length=lambda x: float(np.linalg.norm(x.numpy()))))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (following(lambda x, f, n, pre: n(x + f(x))), "With pre=True it computes post-norm"),
        (following(lambda x, f, n, pre: x + f(n(x))), "With pre=False it computes pre-norm"),
        (following(right_step, length=lambda x: x.square().sum().item()), "These are squares"),
        (following(right_step, length=lambda x: x.square().mean().sqrt().item()), "roots of means"),
        (before, "before each sublayer"),
        (lambda x, fs, n, pre: [right_step(x, f, n, pre).norm() for f in fs], "Every sublayer reads the first x"),
        (following(lambda x, f, n, pre: f(n(x)) if pre else n(f(x))), "The residual is missing"),
        (following(lambda x, f, n, pre: x + f(x)), "The norm is missing"),
        (following(lambda x, f, n, pre: n(x) + f(n(x)) if pre else n(x + f(x))), "the stream itself is not normalised"),
        (following(lambda x, f, n, pre: 2 * right_step(x, f, n, pre)), "With pre=True: the lengths are not those of"),
        (lambda *given: following(right_step)(*given)[:-1], "one per sublayer; got 3"),
        (lambda *given: None, "It returned None"),
        (lambda *given: 4.0, "got a float"),
        (lambda *given: ["a"] * 4, "Expected length 0 to be one number"),
    ],
)
def test_following_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_follow(wrong))


PATHS = {"fixed": 0.5**0.5, "mixed": 1, "copied": 1, "longer": 0.2**0.5}


def test_paths_pass_and_are_those_of_long_vectors():
    assert checks.check_paths(PATHS)
    assert checks.check_paths({"fixed": 0.71, "mixed": 1.0, "copied": 1.0, "longer": 0.45})
    torch.manual_seed(0)
    n = 2000
    fixed, x, change = torch.randn(3, n, dtype=torch.float64)
    matrix = torch.randn(n, n, dtype=torch.float64) / n**0.5
    functions = {
        "fixed": lambda h: fixed, "mixed": lambda h: h @ matrix, "copied": lambda h: h, "longer": lambda h: 2 * fixed
    }  # fmt: skip
    for name, f in functions.items():
        before, after = (
            torch.nn.functional.layer_norm(h + f(h), (n,), eps=0.0) for h in (x, x + 1e-6 * change)
        )  # fmt: skip
        found = (after - before) / 1e-6
        assert (found.norm() / change.norm()).item() == pytest.approx(PATHS[name], abs=0.05)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fixed": 1}, "that is not 1"),
        ({"fixed": 0.5}, "not by the variance"),
        ({"fixed": 1.414}, "it hands no change on"),
        ({"fixed": 0.9}, "`fixed` is not 0.9. Recall: only x carries"),
        ({"mixed": 0.71}, "on two paths"),
        ({"mixed": 0.5}, "on two paths"),
        ({"mixed": 1.414}, "the change of the sum"),
        ({"mixed": 2}, "At right angles lengths do not add"),
        ({"mixed": 0.9}, "Recall: the change and what W"),
        ({"copied": 0.707}, "on two paths"),
        ({"copied": 0.5}, "on two paths"),
        ({"copied": 2}, "the change of the sum"),
        ({"copied": 1.414}, "the sum is 2x"),
        ({"copied": 3}, "Recall: the sum is 2x, and the norm undoes"),
        ({"longer": 0.707}, "has the variance 4"),
        ({"longer": 1}, "that is not 1"),
        ({"longer": 0.333}, "the squares add"),
        ({"longer": 0.577}, "four times the variance"),
        ({"longer": 0.2}, "not by the variance"),
        ({"longer": 0.5}, "The sum contains x"),
        ({"longer": 5}, "Recall: only x carries the change, and the sum has"),
        ({"longer": ...}, "`longer` is still open"),
        ({"longer": "half"}, "Expected `longer` to be one number"),
        (dict.fromkeys(PATHS, ...), "Every answer is still open"),
        ({"fifth": 1}, "Give a dictionary"),
    ],
)
def test_paths_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_paths(PATHS | change))
