"""The checks of *Do heads differ?*: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.analysis.head_profiles import profile
from attention_book.checks.translator import head_profiles as checks
from attention_book.examples.two_heads_by_hand import W_O, steps

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
