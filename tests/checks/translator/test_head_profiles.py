"""The checks of *Do heads differ?*: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.analysis.head_profiles import profile
from attention_book.checks.translator import head_profiles as checks

from ..diagnosis import diagnosis

ENTROPIES = {"a": 0, "b": 1 / 3, "c": 1, "d": 1}


def test_entropies_pass_and_are_those_of_the_package():
    assert checks.check_entropies(ENTROPIES) and checks.check_entropies(ENTROPIES | {"b": Fraction(1, 3)})
    rows = torch.tensor([[1.0] + 7 * [0], [0.5, 0.5] + 6 * [0], 8 * [1 / 8]], dtype=torch.float64)
    for row, name in zip(rows, "abc", strict=True):
        assert float(profile([row[None, None]]).entropy) == pytest.approx(ENTROPIES[name])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d": 2 / 3}, "log 4 was divided by log 8"),
        ({"b": math.log(2)}, "log 2 divided by log 8"),
        ({"c": math.log(8)}, "more than 1"),
        ({"a": 1}, "leaves no surprise"),
        ({"a": ...}, "Row a is still open"),
        ({"b": 1 / 2}, "Row b is not 0.5"),
        ({"c": "one"}, "Expected row c to be one number"),
        (dict.fromkeys("abcd", ...), "still open"),
        ({"e": 0}, "Give a dictionary"),
    ],
)
def test_entropies_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_entropies(ENTROPIES | change))


def offset_and_spread(weights, of=lambda d: d, centred=True, root_of_mean=False, root=True):
    distance = of((torch.arange(weights.shape[-1]) - torch.arange(weights.shape[-2])[:, None]).to(weights.dtype))
    means = (weights * distance).sum(-1)
    variance = (weights * (distance - means[..., None] * centred) ** 2).sum(-1)
    if root_of_mean:
        return means.mean(-1), variance.mean(-1).sqrt()
    return means.mean(-1), (variance.sqrt() if root else variance).mean(-1)


def test_offset_passes():
    assert checks.check_offset(offset_and_spread)
    assert checks.check_offset(lambda w: (profile([w]).offset, profile([w]).spread))
    assert checks.check_offset(lambda w: [part.numpy() for part in offset_and_spread(w)])

    def in_loops(w):
        means, spreads = [], []
        for head in w.tolist():
            rows = [[(j - i, a) for j, a in enumerate(row)] for i, row in enumerate(head)]
            mean = [sum(a * d for d, a in row) for row in rows]
            means.append(sum(mean) / len(mean))
            variance = [sum(a * (d - m) ** 2 for d, a in row) for row, m in zip(rows, mean, strict=True)]
            spreads.append(sum(math.sqrt(v) for v in variance) / len(mean))
        return means, spreads

    assert checks.check_offset(in_loops)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda w: offset_and_spread(w, of=torch.neg), "The sign is flipped"),
        (lambda w: offset_and_spread(w, of=torch.abs), "without their sign"),
        (lambda w: ((w * torch.arange(w.shape[-1])).sum(-1).mean(-1), offset_and_spread(w)[1]), "mean position of the"),
        (lambda w: (offset_and_spread(w)[0] * w.shape[1], offset_and_spread(w)[1]), "are added up"),
        (lambda w: ((w.argmax(-1) - torch.arange(w.shape[1])).double().mean(-1), w[:, 0, 0]), "the largest weight"),
        (lambda w: (offset_and_spread(w)[0] + 1, w[:, 0, 0]), "Wrong offset at head 0"),
        (lambda w: offset_and_spread(w, root=False), "This is a variance"),
        (lambda w: offset_and_spread(w, root_of_mean=True), "The root is taken of the mean variance"),
        (lambda w: offset_and_spread(w, centred=False), "subtract each row's own mean first"),
        (lambda w: (offset_and_spread(w)[0], 2 * offset_and_spread(w)[1]), "Wrong spread at head 0"),
        (lambda w: offset_and_spread(w)[0], "Expected 2 values"),
    ],
)
def test_offset_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_offset(wrong))


def test_a_spread_of_the_means_is_named():
    def wrong(w):
        means = (w * (torch.arange(w.shape[-1]) - torch.arange(w.shape[-2])[:, None])).sum(-1)
        return means.mean(-1), means.std(-1)

    assert "how much the rows' means differ" in diagnosis(checks.check_offset(wrong))


IMPOSSIBLE = {"A": False, "B": False, "C": False, "D": True}


def test_the_impossible_pass_and_the_table_is_as_said():
    assert checks.check_impossible(IMPOSSIBLE) and checks.check_impossible(IMPOSSIBLE | {"D": np.bool_(True)})
    entropy = {head: row["entropy, in nats, last row"] for head, row in checks.TABLE.items()}
    assert [head for head in entropy if entropy[head] > math.log(6)] == ["A"]
    assert [head for head, row in checks.TABLE.items() if row["mean offset"] > 0] == ["B"]
    assert [head for head, row in checks.TABLE.items() if row["before"] + row["itself"] > 1] == ["C"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": True}, "Head A is impossible"),
        ({"C": True}, "Head C is impossible"),
        ({"D": False}, "Head D is possible"),
        ({"B": ...}, "Head B is still open"),
        ({"B": 0}, "Answer B with True"),
        ({"B": True}, "Head B is impossible"),
        (dict.fromkeys("ABCD", ...), "put True (possible) or False (impossible)"),
        ({"E": True}, "Give a dictionary"),
    ],
)
def test_the_impossible_are_asked_for_one_by_one(change, message):
    assert message in diagnosis(checks.check_impossible(IMPOSSIBLE | change))
