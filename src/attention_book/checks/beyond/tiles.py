"""Checks for *Attention by tiles*: keys read one by one, partial means merged, tiles counted, attention by tiles."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.tiles import PartialMean, cuts, finished, is_cut, is_future, merged, partial_mean
from ...provenance.peak_memory import numpy_peak
from ..answers import each_answer, from_list
from ..known_mistakes import diagnose, expect_predictions, near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, expect_parts

KEYS = ((1, 16), (2, 0), (8, 4), (4, 3))
"""For each key the number whose logarithm is its score, and its value."""


def four_keys() -> str:
    """:data:`KEYS`, one per line, ready to print."""
    return "\n".join(f"key {n}: score ln {number}, value {value}" for n, (number, value) in enumerate(KEYS))


def _read(n: int) -> PartialMean:
    """The partial mean of the first n of :data:`KEYS`."""
    parts = [partial_mean(np.log([[float(number)]]), np.array([[float(value)]])) for number, value in KEYS[:n]]
    so_far = parts[0]
    for part in parts[1:]:
        so_far = merged(so_far, part)
    return so_far


@checking
def check_running(predictions: object) -> Report:
    """Are these what is kept while :data:`KEYS` are read one by one?

    Args:
        predictions: a number for each of ``shrink`` (what the total is multiplied by when key 2 arrives), ``total``
            (after key 2), ``summed`` (after all keys) and ``output``.
    """
    before, after, last = _read(2), _read(3), _read(4)
    plain = sum(value for _, value in KEYS) / len(KEYS)
    table = {
        "shrink": (
            float(np.exp(before.largest - after.largest).item()),
            {
                4.0: "that is how many times larger the new exponential is; the old total has to become smaller",
                1 / 8: "the total stands beside the largest score so far, ln 2, and not beside ln 1",
                1.0: "key 2 has a larger score than all before it",
                1 / 2: "that was for key 1, whose score is larger by ln 2; for key 2 it is ln 8 beside ln 2",
            },
        ),
        "total": (
            float(after.total.item()),
            {
                2.5: "the total before key 2, 3/2, has to be shrunk first",
                11.0: "that is the sum of 1, 2 and 8; the exponentials are taken after subtracting ln 8",
                1.0: "that is the new key alone",
                3 / 8: "that is the old total, shrunk; the new key adds 1",
            },
        ),
        "summed": (
            float(last.summed.item()),
            {
                60.0: "that weighs the values by 1, 2, 8 and 4; the exponentials are taken after subtracting ln 8",
                9.0: "key 3 is not the largest: its value counts by a half",
                6.0: "that is the sum before key 3",
                4.0: "that is the output; the sum is not divided yet",
            },
        ),
        "output": (
            float(finished(last).item()),
            {
                7.5: "that is the sum of values; divide it by the total",
                plain: "that is the plain mean of the values",
            },
        ),
    }
    expect_predictions(predictions, table, tolerance=1e-3)
    return Report(True, "The softmax of all four scores at once gives the same output.")


def _cases() -> list[tuple[str, PartialMean, PartialMean]]:
    """Pairs of partial means of two queries."""
    generator = np.random.default_rng(5)
    v, w = generator.standard_normal((2, 3, 2))
    scores = {
        "With two queries, one with its largest score in each part": (
            [[2.0, 1, 0], [1, 0, -3]],
            [[1.0, 0, 0], [2, 3, 1]],
        ),
        "With scores that are far apart": ([[-900.0, 0, 1], [800, 1, 2]], [[900.0, 0, 1], [-800, 1, 2]]),
        "With a query that may attend to no key of one part": ([[-np.inf] * 3, [1.0, 2, 0]], [[1.0, 2, 3], [0, 0, 1]]),
        "With a query that may attend to no key at all": ([[-np.inf] * 3, [1.0, 2, 0]], [[-np.inf] * 3, [0.0, 0, 1]]),
    }
    return [(name, partial_mean(np.array(a), v), partial_mean(np.array(b), w)) for name, (a, b) in scores.items()]


def _scaled(one: PartialMean, other: PartialMean, factors: Callable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A merge with other factors than the right ones, for the known mistakes."""
    largest = np.maximum(one.largest, other.largest)
    with np.errstate(all="ignore"):
        a, b = factors(one.largest, other.largest, largest)
        return largest, a * one.total + b * other.total, a * one.summed + b * other.summed


_MERGES = {
    "nothing is shrunk: each part stands beside its own largest score.": lambda a, b, r: (1.0, 1.0),
    "the factors are upside down: a part with the smaller largest score has to shrink.": lambda a, b, r: (
        np.exp(r - a),
        np.exp(r - b),
    ),
    "the first part is shrunk and the second is not; either may have the smaller largest score.": lambda a, b, r: (
        np.exp(a - r),
        1.0,
    ),
    "the second part is shrunk and the first is not; either may have the smaller largest score.": lambda a, b, r: (
        1.0,
        np.exp(b - r),
    ),
    "each part shrinks by the other's largest score.": lambda a, b, r: (np.exp(b - r), np.exp(a - r)),
}
_PARTS = ("the largest score", "the total", "the sum of values")


@checking
def check_merge(candidate: object) -> Report:
    """Does ``candidate(one, other)`` merge two partial means?

    It is given two triples (largest, total, summed) of NumPy arrays, and returns such a triple.
    """
    for case, one, other in _cases():
        with np.errstate(all="ignore"):
            got = expect_parts(attempt(candidate, tuple(one), tuple(other)), ("largest", "total", "summed"))
        wanted = merged(one, other)
        arrays = []
        for name, part, right in zip(_PARTS, got, wanted, strict=True):
            part = from_list(part)
            if isinstance(part, np.ndarray) and part.dtype.kind == "f" and np.isnan(part).any():
                raise NotYet(f"{case}: {name} is NaN. What is −∞ minus −∞? Such a part has the total 0 already.")
            arrays.append(expect_array(part, right.shape, "one row per query", like=right, name=name))
        for name, part, right in zip(_PARTS, arrays, wanted, strict=True):
            if agrees(part, right):
                continue
            known = {why: _scaled(one, other, factors) for why, factors in _MERGES.items()}
            reason = recognise(arrays, known, _same_triple) if name != _PARTS[0] else None
            raise NotYet(f"{case}: {reason or f'{name} is wrong.'}")
    return Report(True, "It merges in any order, far apart, and with a query that has no key yet.")


def _same_triple(got: Sequence[object], wrong: Sequence[object]) -> bool:
    return all(agrees(one, other) for one, other in zip(got, wrong, strict=True))


_LENGTH, _SIDE = 10, 4


def _counts() -> dict[str, int]:
    pairs = [(rows, columns) for rows in cuts(_LENGTH, _SIDE) for columns in cuts(_LENGTH, _SIDE)]
    read = [pair for pair in pairs if not is_future(*pair)]
    cells = sum((rows.stop - rows.start) * (columns.stop - columns.start) for rows, columns in read)
    allowed = _LENGTH * (_LENGTH + 1) // 2
    return {"read": len(read), "cut": sum(is_cut(*pair) for pair in read), "cells": cells, "wasted": cells - allowed}


@checking
def check_counts(answers: object) -> Report:
    """Are these the tiles of 4 × 4 for 10 positions under the causal mask?

    Args:
        answers: a number for each of ``read`` (tiles that are read), ``cut`` (of these, tiles in which the mask hides
            something), ``cells`` (scores computed) and ``wasted`` (of these, scores that the mask hides).
    """
    right = _counts()
    mistakes = {
        "read": {9: "That is every tile; three lie wholly in the future.", 3: "Those on the diagonal are not all.",
                 4: "The last positions have tiles too, smaller ones."},
        "cut": {6: "Below the diagonal the mask hides nothing.", 2: "The small tile in the corner is cut too."},
        "cells": {100: "That is the whole table.", 55: "Those are the allowed pairs; a tile is computed whole.",
                  96: "The tiles at the edge are smaller: two positions are left for them."},
        "wasted": {45: "Those are all pairs of the future; most of them lie in tiles that are never read.",
                   18: "In the corner stands a tile of 2 × 2, in which a single cell is hidden."},
    }  # fmt: skip
    for name, answer in each_answer(answers, tuple(right), "one number for each of", put="a number"):
        got = expect_number(answer, f"`{name}`")
        if got != right[name]:
            reason = recognise(got, mistakes[name], near()) or "Draw the ten rows and cut them after 4 and after 8."
            raise NotYet(f"`{name}` is not {got:g}. {reason}")
    return Report(True, "Counted in the table itself, tile by tile.")


def _tile_outputs(q: np.ndarray, k: np.ndarray, v: np.ndarray, size: int) -> list[np.ndarray]:
    return [scaled_dot_product_attention(q, k[part], v[part])[0] for part in cuts(len(k), size)]


def _unshrunk(q: np.ndarray, k: np.ndarray, v: np.ndarray, size: int) -> np.ndarray:
    """What comes out if each tile's sums are added as they are."""
    parts = [partial_mean(q @ k[part].T / math.sqrt(q.shape[-1]), v[part]) for part in cuts(len(k), size)]
    return sum(part.summed for part in parts) / sum(part.total for part in parts)


@checking
def check_attention(candidate: object) -> Report:
    """Is ``candidate(q, k, v, size)`` attention that reads its keys in tiles of ``size``, without the whole table?"""
    generator = np.random.default_rng(7)
    for n_q, n_k, size, factor in ((5, 8, 4, 1.0), (4, 10, 3, 2.0), (3, 2, 7, 1.0), (3, 12, 1, 1.0), (4, 9, 2, 40.0)):
        q, k, v = (generator.standard_normal((n, width)) for n, width in ((n_q, 4), (n_k, 4), (n_k, 3)))
        q, k = factor * q, factor * k
        with np.errstate(all="ignore"):
            got = from_list(attempt(candidate, q, k, v, size))
        inputs = f"With {n_k} keys in tiles of {size}"
        wanted = scaled_dot_product_attention(q, k, v)[0]
        if isinstance(got, np.ndarray) and got.dtype.kind == "f" and not np.isfinite(got).all():
            large = f" The largest score is {np.max(q @ k.T) / 2:.0f}." if factor > 10 else ""
            raise NotYet(f"{inputs} the output is not finite.{large}")
        got = expect_array(got, wanted.shape, "one row per query", like=wanted, name="the output")
        if agrees(got, wanted):
            continue
        outputs, whole = _tile_outputs(q, k, v, size), n_k // size * size
        known = {
            "it is the mean of the tiles' outputs, and a tile with small scores counts as much as the others.": np.mean(
                outputs, axis=0
            ),
            "it is the sum of the tiles' outputs; divide once, at the end.": np.sum(outputs, axis=0),
            "it is the output of the last tile alone.": outputs[-1],
            "the sums are added as they are; shrink what stands beside a smaller largest score.": _unshrunk(
                q, k, v, size
            ),
            "the scores are not divided by the root of the width.": scaled_dot_product_attention(2 * q, k, v)[0],
        }
        if 0 < whole < n_k:
            known["the keys of the last tile are left out."] = scaled_dot_product_attention(q, k[:whole], v[:whole])[0]
        try:
            diagnose(got, wanted, known)
        except NotYet as fault:
            raise NotYet(f"{inputs}: {fault}") from fault
    return _without_table(candidate, generator)


def _without_table(candidate: Callable, generator: np.random.Generator) -> Report:
    """Whether the right output also comes without the table."""
    n, size = 400, 10
    q, k, v = generator.standard_normal((3, n, 2))
    held, table = numpy_peak(lambda: attempt(candidate, q, k, v, size)), 8 * n * n
    if held > 0.9 * table:
        raise NotYet(
            f"The outputs are right, but for {n} positions it holds {held / 1e6:.1f} MB at one time, and a whole table "
            f"of scores takes {table / 1e6:.1f} MB. Compute the scores of one tile only, and let them go."
        )
    return Report(True, f"The outputs are those of the table, and {n} positions take {held / 1e6:.1f} MB, "
                  f"less than the {table / 1e6:.1f} MB of a table.")  # fmt: skip


def nothing_subtracted(scores: Sequence[float]) -> list[float]:
    """Program A: the weights of some scores, without subtracting anything."""
    with np.errstate(all="ignore"):
        exponentials = np.exp(np.asarray(scores, dtype=float))
        return (exponentials / exponentials.sum()).tolist()


def first_subtracted(scores: Sequence[float]) -> list[float]:
    """Program B: the weights of some scores, after subtracting the first score from all."""
    return nothing_subtracted([score - scores[0] for score in scores])


@checking
def check_failures(answers: object) -> Report:
    """Do these scores make one program fail where the other is right?

    Args:
        answers: for each of ``a_fails`` and ``b_fails`` a list of finite scores: for the first, program A
            (`nothing_subtracted`) must be wrong and program B (`first_subtracted`) right; for the second, the reverse.
    """
    programs = {"a": nothing_subtracted, "b": first_subtracted}
    for name, answer in each_answer(answers, ("a_fails", "b_fails"), "a list of scores for each of", put="a list"):
        listed = answer.detach().cpu().numpy() if isinstance(answer, torch.Tensor) else from_list(answer)
        scores = expect_array(listed, name=f"`{name}`", like=np.zeros(2))
        if scores.ndim != 1 or not 2 <= len(scores) <= 100 or not np.isfinite(scores).all():
            raise NotYet(f"`{name}` has to be a list of 2 to 100 finite scores.")
        numbers = [float(score) for score in scores]
        exact = partial_mean(np.array([numbers]), np.eye(len(numbers)))
        wanted = finished(exact)[0]
        right = {letter: agrees(np.nan_to_num(program(numbers), nan=-1.0), wanted) for letter, program in
                 programs.items()}  # fmt: skip
        fails = name[0]
        works = "b" if fails == "a" else "a"
        if right[fails]:
            raise NotYet(f"`{name}`: program {fails.upper()} still gives the right weights.")
        if not right[works]:
            raise NotYet(f"`{name}`: program {works.upper()} fails for these scores too.")
    return Report(True, "Each program fails where the other is right; subtracting the largest score never does.")
