"""The checks of *A memory of fixed size*: right answers in every form, and wrong ones with their reasons."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_book.attention.linear_attention import causal_linear_attention, linear_attention
from attention_book.attention.masks import causal_mask
from attention_book.checks.beyond import fixed_memory as checks

from ..diagnosis import diagnosis

BY_HAND = {"first": 7, "second": 1, "read_0": 7, "read_2": 5, "wrong": 2}
SIZES = {"cache": 9216, "memory": 16640, "longer": 22}


def test_the_memory_by_hand_is_what_numpy_says():
    table = np.array(checks.KEYS).T @ np.array(checks.VALUES)
    read = np.array(checks.KEYS) @ table
    assert table.tolist() == pytest.approx([7, 1]) and read.tolist() == pytest.approx([7, 1, 5])
    assert checks.check_by_hand(BY_HAND) and checks.check_by_hand({k: float(x) for k, x in BY_HAND.items()})


@pytest.mark.parametrize(
    ("name", "wrong", "why"),
    [("first", 3, "third key"), ("second", 4, "−0.6"), ("read_0", 3, "along this key"), ("read_2", 6.2, "negative"),
     ("wrong", 3, "one of the three"), ("second", 2, "")],
)  # fmt: skip
def test_wrong_numbers_are_named(name, wrong, why):
    message = diagnosis(checks.check_by_hand(BY_HAND | {name: wrong}))
    assert why in message


def test_the_sizes():
    assert checks.check_sizes(SIZES)
    for name, wrong, why in (("cache", 6144, "a key, 32"), ("cache", 12288, "32 numbers"), ("memory", 16384, "z, "),
                             ("memory", 16896, "as long as a key"), ("longer", 21, "2080"), ("longer", 33, "96"),
                             ("longer", 21.67, ""), ("longer", 40, "")):  # fmt: skip
        assert why in diagnosis(checks.check_sizes(SIZES | {name: wrong}))
    assert "still to be predicted" in diagnosis(checks.check_sizes(dict.fromkeys(SIZES, ...)))


def positive(x):
    return F.elu(x) + 1


def by_sums(q, k, v):
    table, total = torch.zeros(k.shape[1], v.shape[1]).to(v), torch.zeros(k.shape[1]).to(v)
    rows = []
    for query, key, value in zip(positive(q), positive(k), v, strict=True):
        table, total = table + torch.outer(key, value), total + key
        rows.append(query @ table / (query @ total))
    return torch.stack(rows)


def by_cumsum(q, k, v):
    q, k = positive(q), positive(k)
    summed = (k[:, :, None] * v[:, None, :]).cumsum(0)
    return (torch.einsum("nk,nkv->nv", q, summed) / (q * k.cumsum(0)).sum(-1, keepdim=True)).numpy().tolist()


def unnormalised(q, k, v):
    return (positive(q) @ positive(k).mT * causal_mask(len(q))) @ v


def weighed(q, k, v):
    raw = (q @ k.mT) * causal_mask(len(q))
    return raw @ v / raw.sum(-1, keepdim=True)


def reading_first(q, k, v):
    raw = (positive(q) @ positive(k).mT) * causal_mask(len(q)).tril(-1)
    return raw @ v / raw.sum(-1, keepdim=True)  # 0 / 0 at the first position


WRONG = {
    "later ones too": lambda q, k, v: linear_attention(q, k, v)[0],
    "not divided": unnormalised,
    "before its own pair": lambda q, k, v: linear_attention(q, k, v, causal_mask(len(q)).tril(-1))[0],
    "softmax attention": lambda q, k, v: (
        (q @ k.mT / math.sqrt(q.shape[1])).masked_fill(~causal_mask(len(q)), -math.inf).softmax(-1) @ v
    ),
    "one row per position": lambda q, k, v: v[0],
    "0 divided by 0": lambda q, k, v: reading_first(q, k, v),
    "number of pairs": lambda q, k, v: unnormalised(q, k, v) / torch.arange(1, len(q) + 1)[:, None],
    "queries have to go through `positive` too": lambda q, k, v: weighed(q, positive(k), v),
    "keys have to go through `positive` too": lambda q, k, v: weighed(positive(q), k, v),
    "not divided by √d_k": lambda q, k, v: by_sums(q / math.sqrt(q.shape[1]), k, v),
    "position 1": lambda q, k, v: weighed(q.exp(), k.exp(), v),  # another feature map: the first wrong place
}


@pytest.mark.parametrize("right", [by_sums, by_cumsum, causal_linear_attention])
def test_right_running_sums_pass(right):
    assert checks.check_running(right)


@pytest.mark.parametrize("why", WRONG)
def test_wrong_running_sums_are_named(why):
    assert why in diagnosis(checks.check_running(WRONG[why]))


def delta(table, key, value):
    return table + np.outer(key, value - key @ table)


def cleared_then_added(table, key, value):
    cleared = table - np.outer(key, key) @ table
    return (cleared + np.outer(key, value)).tolist()


@pytest.mark.parametrize("right", [delta, cleared_then_added])
def test_right_writings_pass(right):
    assert checks.check_write_over(right)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda table, key, value: table + np.outer(key, value), "old value and the new one"),
        (lambda table, key, value: np.outer(key, value), "forgets all other pairs"),
        (lambda table, key, value: table * 0.5 + np.outer(key, value), "not its new value"),
        (lambda table, key, value: table + (value - key @ table) / key.sum(), "right angles"),
        (lambda table, key, value: value, "d_k × d_v"),
    ],
)
def test_wrong_writings_are_named(wrong, why):
    assert why in diagnosis(checks.check_write_over(wrong))


@pytest.mark.parametrize(
    "keys",
    [
        [(1, 0), (-0.4, math.sqrt(1 - 0.16))],
        np.array([[0, 1, 0], [math.sqrt(0.84), -0.4, 0]]),
        torch.tensor([[1.0, 0], [-0.4, -math.sqrt(0.84)]]),
    ],
)
def test_keys_that_make_it_forget_pass(keys):
    assert checks.check_forgotten(keys)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ([(1, 0), (0, 1)], "right angles"),
        ([(1, 0), (-1, 0)], "= -3"),
        ([(1, 0), (-0.4, 0.5)], "the length"),
        ([(1, 0), (-0.4, 0.92)], "the length 1.0032"),
        ([(1,), (-1,)], "at least two"),
        ([(1, 0), (-0.4, 0.9, 0.1)], "same width"),
        ([(1, 0)], "second"),
        ([..., ...], "still to be found"),
        ([(1, 0), "k"], "a list of numbers"),
    ],
)
def test_other_keys_are_refused_with_the_reason(keys, why):
    assert why in diagnosis(checks.check_forgotten(keys))
