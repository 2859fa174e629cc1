"""Checks for *A memory of fixed size*: pairs by hand, sizes, the running sums, keys that collide, writing over."""

import math

import numpy as np
import torch

from ...attention.linear_attention import causal_linear_attention, linear_attention, positive
from ...attention.masks import causal_mask
from ..answers import from_list
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_parts, first_difference

KEYS = ((1.0, 0.0), (0.0, 1.0), (0.8, -0.6))
VALUES = (3.0, 4.0, 5.0)
_AFTER = {
    "first": (7.0, {
        3.0: "the third key has a part along the first number too: 5 · 0.8",
        8.0: "that adds the values 3 and 5; the third key counts with 0.8 there",
        1.8: "that adds the keys without their values"}),
    "second": (1.0, {
        4.0: "the third key has a part along the second number: 5 · (−0.6)",
        7.0: "the second number of the third key is negative",
        0.4: "that adds the keys without their values"}),
    "read_0": (7.0, {
        3.0: "the value that was written; the third pair has been added along this key"}),
    "read_2": (5.0, {
        6.2: "the second number of the third key is negative: 0.8 · 7 − 0.6 · 1"}),
    "wrong": (2, {
        3: "one of the three readings is the value that was written",
        1: "two of the three readings differ from the values that were written",
        0: "compare all three readings with 3, 4 and 5"}),
}  # fmt: skip


@checking
def check_by_hand(predictions: object) -> Report:
    """Are these the memory of :data:`KEYS` and :data:`VALUES`, and what is read from it?

    Args:
        predictions: a number for each of ``first`` and ``second`` (the memory), ``read_0`` and ``read_2`` (what the
            first and the third key read) and ``wrong`` (how many of the three values are read wrongly).
    """
    expect_predictions(predictions, _AFTER, tolerance=1e-6)
    return Report(True, "The third value comes back whole: what the other two add along its key cancels.")


_HEADS, _KEY, _VALUE, _TOKENS = 8, 32, 64, 12
_SIZES = {
    "cache": (_HEADS * _TOKENS * (_KEY + _VALUE), {
        _HEADS * _TOKENS * _VALUE: "each position has a key, 32 numbers, and a value, 64",
        _HEADS * _TOKENS * _KEY: "each position has a value too",
        2 * _HEADS * _TOKENS * _VALUE: "a key has 32 numbers and a value 64",
        _TOKENS * (_KEY + _VALUE): "that is one head; there are eight",
        _HEADS * (_KEY + _VALUE): "that is one position; there are twelve"}),
    "memory": (_HEADS * (_KEY * _VALUE + _KEY), {
        _HEADS * _KEY * _VALUE: "z, the sum of the features, has to be kept too",
        _HEADS * (_KEY * _VALUE + _VALUE): "z is a sum of feature vectors, which are as long as a key",
        _HEADS * _KEY * _VALUE + _KEY: "each head has a z of its own",
        _HEADS * (_VALUE**2 + _VALUE): "a key has 32 numbers and a value 64",
        _HEADS * (_KEY**2 + _KEY): "a key has 32 numbers and a value 64",
        _KEY * _VALUE + _KEY: "that is one head; there are eight",
        _HEADS * _TOKENS * (_KEY * _VALUE + _KEY): "the memory does not grow with the positions"}),
    "longer": (22, {
        21: "with 21 positions the cache has 2016 numbers per head and the memory 2080",
        33: "a position adds a key and a value, 96 numbers per head",
        65: "a position adds a key and a value, 96 numbers per head",
        66: "a position adds a key and a value, 96 numbers per head",
        2080 / 96: "positions are whole numbers"}),
}  # fmt: skip


@checking
def check_sizes(predictions: object) -> Report:
    """Are these the sizes for 8 heads with keys of 32 and values of 64 numbers after 12 positions, and where they meet?

    Args:
        predictions: a number for each of ``cache``, ``memory`` and ``longer``.
    """
    expect_predictions(predictions, _SIZES, tolerance=1e-9)
    return Report(True, "For a sentence of twelve tokens the memory that does not grow is the larger one.")


def _known_outputs(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> dict[str, torch.Tensor]:
    """What comes out of plausible mistakes, by the reason."""
    causal = causal_mask(len(q))
    raw = (q @ k.mT) * causal
    unnormalised = (positive(q) @ positive(k).mT * causal) @ v
    query_raw, key_raw = (q @ positive(k).mT) * causal, (positive(q) @ k.mT) * causal
    return {
        "each position reads all pairs, later ones too: read while you write, one position at a time.": (
            linear_attention(q, k, v)[0]
        ),
        "each position reads before its own pair is written.": linear_attention(q, k, v, causal.tril(-1))[0],
        "the sums are not divided by φ(q) · z.": unnormalised,
        "divide by φ(q) · z, not by the number of pairs.": unnormalised / causal.sum(-1, keepdim=True),
        "queries and keys have to go through `positive` first.": raw @ v / raw.sum(-1, keepdim=True),
        "the queries have to go through `positive` too.": query_raw @ v / query_raw.sum(-1, keepdim=True),
        "the keys have to go through `positive` too.": key_raw @ v / key_raw.sum(-1, keepdim=True),
        "the queries are not divided by √d_k here.": linear_attention(q / math.sqrt(q.shape[1]), k, v, causal)[0],
        "that is softmax attention: here no exponential of a score is taken.": (
            (q @ k.mT / math.sqrt(q.shape[1])).masked_fill(~causal, -math.inf).softmax(-1) @ v
        ),
    }


@checking
def check_running(candidate: object) -> Report:
    """Does ``candidate(q, k, v)`` give causal linear attention, with torch tensors of one head?

    ``q`` and ``k`` are (n, d_k), ``v`` is (n, d_v); the output is (n, d_v).
    """
    generator = torch.Generator().manual_seed(4)
    for n, d_k, d_v in ((5, 3, 2), (1, 2, 4), (40, 4, 3)):
        q, k = torch.randn(2, n, d_k, generator=generator, dtype=torch.float64)
        v = torch.randn(n, d_v, generator=generator, dtype=torch.float64)
        wanted = causal_linear_attention(q, k, v)
        answer = from_list(attempt(candidate, q, k, v))
        fits = isinstance(answer, torch.Tensor | np.ndarray) and answer.shape == wanted.shape
        if fits and torch.as_tensor(answer)[0].isnan().all():
            raise NotYet("Position 0 gets 0 divided by 0: write a position's own pair before you read there.")
        like = wanted.numpy() if isinstance(answer, np.ndarray) else wanted
        got = expect_array(answer, tuple(wanted.shape), "one row per position", like=like)
        if agrees(got, wanted):
            continue
        reason = recognise(got, _known_outputs(q, k, v)) if n > 1 else None
        raise NotYet(f"With {n} positions: {reason or first_difference(got, wanted, axes=('position', 'number'))}")
    return Report(True, "The running sums give what the whole table gives.")


@checking
def check_write_over(candidate: object) -> Report:
    """Does ``candidate(table, key, value)`` write so that this key then reads this value, and others what they did?

    ``table`` is (d_k, d_v), ``key`` has the length 1; NumPy arrays. What is read with a key is ``key @ table``. Keys at
    right angles to this one have to read what they read before.
    """
    random = np.random.default_rng(6)
    for d_k, d_v in ((2, 1), (4, 3), (6, 2)):
        table, value = random.standard_normal((d_k, d_v)), random.standard_normal(d_v)
        directions = np.linalg.qr(random.standard_normal((d_k, d_k)))[0]
        key, others = directions[0], directions[1:]
        before = table.copy()
        got = from_list(attempt(candidate, table, key, value))
        got = expect_array(got, (d_k, d_v), "a table, d_k × d_v", like=before, name="the new table")
        added = before + np.outer(key, value)
        if agrees(got, added):
            raise NotYet("It adds the pair to what is there, so the key reads the old value and the new one together.")
        if agrees(got, np.outer(key, value)):
            raise NotYet("It forgets all other pairs: only what is read with this key may change.")
        if not agrees(key @ got, value):
            raise NotYet(f"With d_k = {d_k} the key reads {key @ got}, not its new value {value}.")
        if not agrees(others @ got, others @ before):
            raise NotYet(
                "The key reads its new value, but keys at right angles to it do not read what they read before."
            )
    return Report(True, "What the key read before is taken away, and the new value put in its place.")


ORDER = ("first", "second")
FORGOTTEN = (2.0, 5.0)
"""The two values of the exercise on forgetting."""


@checking
def check_forgotten(keys: object) -> Report:
    """Do two keys of length 1 make the memory read 0 with the first, when the values 2 and 5 are written with them?

    Args:
        keys: two keys of as many numbers each, at least two.
    """
    first, second = (_key(one, name) for one, name in zip(expect_parts(_rows(keys), ORDER), ORDER, strict=True))
    if first.ndim != 1 or first.shape != second.shape or first.size < 2:
        raise NotYet("Give two keys of the same width, each a list of at least two numbers.")
    for name, key in (("first", first), ("second", second)):
        if not abs(float(key @ key) - 1) < 1e-3:
            raise NotYet(f"The {name} key has the length {math.sqrt(float(key @ key)):.5g}; it has to be 1.")
    cosine = float(first @ second)
    read = FORGOTTEN[0] + FORGOTTEN[1] * cosine
    if abs(read) > 0.01:
        hint = "They are at right angles, so they do not disturb each other." if abs(cosine) < 1e-9 else ""
        raise NotYet(f"The first key reads 2 + 5 · ({cosine:.4g}) = {read:.3g}, not 0. {hint}".rstrip())
    return Report(True, f"The first key reads 0, as from an empty memory; the second reads {5 + 2 * cosine:.3g}.")


def _rows(keys: object) -> object:
    """Two keys as a list, also where they are the rows of an array."""
    return list(keys) if isinstance(keys, np.ndarray | torch.Tensor) and keys.ndim else keys


def _key(answer: object, name: str) -> np.ndarray:
    """One key as an array of numbers."""
    if answer is ...:
        raise NotYet(f"The {name} key is still to be found.")
    try:
        return np.asarray(from_list(answer), dtype=float)
    except (TypeError, ValueError):
        raise NotYet(f"The {name} key has to be a list of numbers, such as (1, 0).") from None
