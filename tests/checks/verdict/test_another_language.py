"""The checks of *Another language, little data* take every right answer and name what is wrong with the others."""

import re
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.verdict import another_language as checks

from ..diagnosis import diagnosis

STEP = {"first": 3, "second": 6, "bags": 3, "bags_anew": 0}
MISLEADING = [[0, -1], [2, 1], [0, -1], [-2, 1]]
FOLLOWS = {"a": False, "b": True, "c": False, "d": False, "e": False, "f": False, "g": True}


def test_the_step_passes_and_is_one_of_gradient_descent():
    words, answers = list(checks.VECTORS), torch.tensor([-1.0, 1.0, -1.0])
    for table in (torch.tensor(list(checks.VECTORS.values())).float(), torch.eye(4)):
        weights = torch.zeros(table.shape[1], requires_grad=True)
        torch.log1p(torch.exp(-answers * (table[:3] @ weights))).sum().backward()
        scores = dict(zip(words, (table @ (-2 * weights.grad)).tolist(), strict=True))
        name, moved = ("bags", -2 * weights.grad) if table.shape[1] == 2 else ("bags_anew", None)
        assert scores["bags"] == STEP[name]
        if moved is not None:
            assert moved.tolist() == [STEP["first"], STEP["second"]]
    assert checks.check_step(STEP) and checks.check_step({name: Fraction(x) for name, x in STEP.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": -1}, "sign of its answer"),
        ({"first": 0}, "not among them"),
        ({"first": 1}, "mean"),
        ({"first": -3}, "other way round"),
        ({"second": -2}, "sign of its answer"),
        ({"second": 8}, "not among them"),
        ({"second": 2}, "adds them up"),
        ({"second": -6}, "other way round"),
        ({"bags": 21}, "below 0"),
        ({"bags": 12}, "counts, too"),
        ({"bags": 15}, "*hats*"),
        ({"bags": -21}, "above 0"),
        ({"bags": 1}, "mean"),
        ({"bags_anew": 1}, "no pair has"),
        ({"bags_anew": -1}, "no pair has"),
        ({"bags_anew": 3}, "shares nothing"),
        ({"bags_anew": ...}, "still to be predicted"),
    ],
)
def test_the_step_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_step(STEP | change))


OTHER = [(-2, -1), (1, 1), (-1, -1), (-1, 1)]


@pytest.mark.parametrize("right", [MISLEADING, np.array(MISLEADING), torch.tensor(MISLEADING), OTHER])
def test_a_misleading_parent_passes(right):
    assert checks.check_misleading(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[1, -1], [1, 1], [-1, -1], [-1, 1]], "not wrong about *dogs*: its score is 2"),
        ([[-1, -1], [1, 1], [-1, -1], [-1, 1]], "not wrong about *dogs*: its score is 0"),
        ([[1, -1], [1, 1], [-1, -1], [-10, 1]], "first number of *dogs* is -10"),
        ([[1, -1], [2.1, 1], [-1, -1], [-2, 1]], "first number of *cats* is 2.1"),
        ([[1, -1], [1, 1], [-1, -1], [-1, 0.1]], "second number of *dogs* is 0.1"),
        ([[1, -1], [1, 1], [-1, -1], [-2, -1]], "second number of *dogs* is -1"),
        ([[1, 1], [1, 1], [-1, -1], [-2, 1]], "second number of *cat* is 1"),
        ([[0, -1], [5, 1], [0, -1], [-5, 1]], "first number of *cats* is 5"),
        ([[2, -1], [1, 1], [2, -1], [1, 1]], "wrong about *cats*"),
        ([[2, -1], [2, 1], [-2, -1], [-2, 1]], "wrong about *cat*"),
        ([[-1, 1]], "the shape is (1, 2)"),
        ([[0, -1], [5, 1], [0, -1], [float("-inf"), 1]], "finite"),
        ([["a", "b"]] * 4, "four rows of two"),
        ([[1, 2], [3]], "four rows of two"),
        (..., "four rows of two"),
    ],
)
def test_a_parent_that_does_not_mislead_is_told_why(wrong, message):
    assert message in diagnosis(checks.check_misleading(wrong))


def test_no_row_of_the_unseen_word_alone_misleads():
    for first in (-2, -1, 0, 1, 2):
        assert not checks.check_misleading([[1, -1], [1, 1], [-1, -1], [first, 1]])


def warm(child, parent, parts):
    return {n: parent[n] if any(n.startswith(part + ".") for part in parts) else child[n] for n in child}


def warm_by_loop(child, parent, parts):
    out = dict(child)
    for part in parts:
        out |= {name: value.clone() for name, value in parent.items() if re.match(re.escape(part) + r"\.", name)}
    return out


@pytest.mark.parametrize("right", [warm, warm_by_loop])
def test_the_warm_start_passes(right):
    assert checks.check_warm_start(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda c, p, parts: {n: (p if any(n.startswith(x) for x in parts) else c)[n] for n in c}, "the dot belongs"),
        (lambda c, p, parts: {n: (p if any(x + "." in n for x in parts) else c)[n] for n in c}, "must begin with it"),
        (lambda c, p, parts: p if parts else c, "the parent whole"),
        (lambda c, p, parts: c, "the child as it was"),
        (lambda c, p, parts: {n: p[n] for n in p if n.split(".")[0] in parts}, "the parts alone"),
        (lambda c, p, parts: warm(p, c, parts), "other way round"),
        (lambda c, p, parts: {n: (p if n.split(".")[0] in parts else c)[n] for n in c}, "encoder.0"),
        (lambda c, p, parts: warm(c, p, parts) | {"more": torch.ones(1)}, "no tensor of the child"),
        (lambda c, p, parts: {n: warm(c, p, parts)[n] for n in list(c)[:-1]}, "`out.weight` is missing"),
        (lambda c, p, parts: {n: v + 1 for n, v in warm(c, p, parts).items()}, "has the wrong numbers"),
        (lambda c, p, parts: list(c), "dictionary"),
        (lambda c, p, parts: c.update(p), "in place"),
        (lambda c, p, parts: None, "returned None"),
        (7, "Expected a function"),
    ],
)  # fmt: skip
def test_the_warm_start_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_warm_start(wrong))


def test_the_conclusions_pass_and_each_wrong_one_is_answered_with_its_reason():
    assert checks.check_follows(FOLLOWS)
    reasons = {diagnosis(checks.check_follows(FOLLOWS | {name: not right})) for name, right in FOLLOWS.items()}
    assert len(reasons) == len(FOLLOWS) and all(told[0] in FOLLOWS for told in reasons)
