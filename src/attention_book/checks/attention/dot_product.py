"""Checks for *Scaled dot-product attention* and *What a score can do*: its laws, and ways to break it.

The oracles are torch's own attention, the package's where the inputs are the reader's, and a law: an output is a convex
combination of values.
"""

import math
from collections.abc import Iterator

import numpy as np
import torch
from scipy.spatial import ConvexHull
from torch import Tensor
from torch.nn import functional as F

from ...attention.dot_product import scaled_dot_product_attention
from ..answers import each_answer
from ..drawn import Normal
from ..known_mistakes import recognise
from ..report import NotYet, Report, attempt, checking, expect_array, first_difference

# The changes of the exercise: what is done, and how. The page prints them with `changes()`.
_CHANGES = {
    "a": ("add the same vector c to every key", lambda q, k, v, c: (q, k + c, v)),
    "b": ("add the same vector c to every query", lambda q, k, v, c: (q + c, k, v)),
    "c": ("double every query and halve every key", lambda q, k, v, c: (2 * q, k / 2, v)),
    "d": ("double every query and every key", lambda q, k, v, c: (2 * q, 2 * k, v)),
    "e": ("reverse the order of the keys and of the values", lambda q, k, v, c: (q, k.flip(0), v.flip(0))),
    "f": ("reverse the order of the keys only", lambda q, k, v, c: (q, k.flip(0), v)),
}
_REASONS = {
    "a": "Every score of query i grows by the same number, q_i · c, and softmax sees differences only.",
    "b": "The score of key j grows by c · k_j, which differs from key to key.",
    "c": "The factors cancel in every dot product.",
    "d": "Every score becomes four times as large, and so do the differences between them.",
    "e": "Each value keeps its weight, and a sum does not depend on its order.",
    "f": "The weights move with the keys, and now meet other values.",
}


def changes() -> str:
    """The changes whose effect is to be predicted, one line each, ready to print."""
    return "\n".join(f"{letter}: {text}" for letter, (text, _) in _CHANGES.items())


@checking
def check_changes(predictions: object) -> Report:
    """Is it predicted rightly which changes leave every output as it was?

    Args:
        predictions: letter of the change to True if the outputs stay the same, else False.
    """
    normal = Normal(5)
    q, k, v, shift = normal(3, 4), normal(3, 4), normal(3, 2), normal(4)
    before, wanted = F.scaled_dot_product_attention(q, k, v), "True or False for each of the letters"
    for letter, said in each_answer(predictions, _CHANGES, wanted, open_name="Change {}"):
        text, change = _CHANGES[letter]
        if not isinstance(said, bool):
            raise NotYet(f"Answer {letter} with True (the outputs stay the same) or False.")
        after = F.scaled_dot_product_attention(*change(q, k, v, shift))
        if said != torch.allclose(before, after):
            effect = "changes the outputs" if said else "leaves the outputs as they were"
            raise NotYet(f"Change {letter} ({text}) {effect}. {_REASONS[letter]}")
    return Report(True, "All six, computed with three random queries, keys and values.")


_SIZES = [(1, 2, 2), (3, 5, 2), (4, 4, 4), (2, 6, 3)]  # queries, keys, d_v


@checking
def check_without(candidate: object) -> Report:
    """Does ``candidate(output, weights, v, j)`` return the output that attention had without key j and its value?

    The oracle is torch's attention over the keys that are left, made from queries and keys that are not handed out.
    """
    normal = Normal(11)
    for q_len, k_len, d_v in _SIZES:
        q, k, v = normal(q_len, 4), normal(k_len, 4), normal(k_len, d_v)
        output, weights = scaled_dot_product_attention(q, k, v)
        for j in range(k_len):
            got = attempt(candidate, output, weights, v, j)
            got = expect_array(got, (q_len, d_v), "one row per query, as wide as a value", name="the output")
            left = [n for n in range(k_len) if n != j]
            right = F.scaled_dot_product_attention(q[None], k[left][None], v[left][None])[0]
            if (difference := first_difference(got, right)) is not None:
                where = f"{q_len} queries, {k_len} keys, j = {j}"
                reason = recognise(got, _wrong_without(output, weights, v, j, left))
                raise NotYet(f"With {where}: {reason or f'a wrong number at {difference}.'}")
    return Report(True, "It agrees with torch's attention over the other keys, for each key of four draws.")


def _wrong_without(output: Tensor, weights: Tensor, v: Tensor, j: int, left: list[int]) -> dict[str, Tensor]:
    """What the known mistakes give, by their reasons."""
    others, share = weights[:, left], weights[:, [j]]
    rest = others @ v[left]
    return {
        "the output is as it was, so key j still has its share.": output,
        "the weights that are left do not sum to 1: each row is still to be divided by what its weights sum to.": rest,
        "the share of key j is dealt out equally, which changes the ratios of the other weights. They must stay.": (
            (others + share / len(left)) @ v[left]
        ),
        "a softmax of weights is taken, but weights are no scores. Their ratios must stay as they were.": (
            others.softmax(dim=-1) @ v[left]
        ),
        "this is the mean of the values that are left, whatever their weights were.": v[left].mean(0).expand_as(output),
        "all rows are divided by one number. Each query gave key j a share of its own.": rest / (1 - share[0]),
        "the sum was divided by the share of key j, not by what the other weights sum to.": rest / share,
        "the weights of a column are summed, over the queries. A row belongs to a query.": (
            (others / others.sum(dim=0)) @ v[left]
        ),
    }


# Each statement, whether it holds for all queries, keys and values, and why. The page prints them with `statements()`.
_STATEMENTS = {
    "a": ("Double a query: its largest weight does not fall.", True,
          "Every lead of the best key doubles, so its share grows, or stays if all scores are equal."),
    "b": ("Double a key: its weight does not fall.", False,
          "A score below 0 falls further below 0 when its key is doubled."),
    "c": ("Turn a query round, from q to −q: the order of its weights is reversed.", True,
          "All its scores change their sign, so the largest becomes the smallest."),
    "d": ("No output is longer than the longest value.", True,
          "An average of vectors is at most as long as the longest of them, by the triangle inequality."),
    "e": ("No output is shorter than the shortest value.", False,
          "The average of (1, 0) and (−1, 0) with weights of ½ is (0, 0)."),
    "f": ("Two queries with the same output have the same weights.", False,
          "If two values are equal, it makes no difference to the output how their shares are divided between them."),
}  # fmt: skip


def statements() -> str:
    """The statements to be judged, one line each, ready to print."""
    return "\n".join(f"{letter}: {text}" for letter, (text, *_) in _STATEMENTS.items())


@checking
def check_always(predictions: object) -> Report:
    """Is it predicted rightly which statements hold for all queries, keys and values?

    Args:
        predictions: letter of the statement to True if it always holds, else False.
    """
    wanted = "True or False for each of the letters"
    for letter, said in each_answer(predictions, _STATEMENTS, wanted, open_name="Statement {}"):
        _, holds, why = _STATEMENTS[letter]
        if not isinstance(said, (bool, np.bool_)):
            raise NotYet(f"Answer {letter} with True (it always holds) or False.")
        if said != holds:
            raise NotYet(f"Statement {letter} {'always holds' if holds else 'has a counterexample'}. {why}")
    return Report(True, "All six: three laws, and three statements with a counterexample.")


@checking
def check_longer_key(q: object, keys: object) -> Report:
    """Does a key that points elsewhere beat one that points where the query points, because it is longer?

    Args:
        q: a query, (d_k,).
        keys: two keys, (2, d_k): the first well aligned with the query (cosine at least 0.9), the second badly (at most
            0.2), and yet with at least 0.9 of the weight.
    """
    q = expect_array(q, None, name="the query").double()
    if q.ndim != 1 or not len(q):
        raise NotYet(f"The query is one vector, of shape (d_k,); got {tuple(q.shape)}.")
    keys = expect_array(keys, (2, len(q)), "two keys, as wide as the query", name="the keys").double()
    if not (torch.isfinite(q).all() and torch.isfinite(keys).all()):
        raise NotYet("Use finite numbers.")
    if not (q.norm() and keys.norm(dim=1).all()):
        raise NotYet("A vector of zeros has no direction.")
    first, second = (keys @ q / keys.norm(dim=1) / q.norm()).tolist()
    if first < 0.9:
        raise NotYet(f"The first key has the cosine {first:.2f} with the query; make it at least 0.9.")
    if second > 0.2:
        raise NotYet(f"The second key has the cosine {second:.2f} with the query; make it at most 0.2.")
    _, weights = scaled_dot_product_attention(q[None], keys, keys)
    if weights[0, 1] < 0.9:
        hint = " It points away from the query: length makes its score worse." if second <= 0 else " Make it longer."
        raise NotYet(f"The second key gets only {weights[0, 1]:.2f} of the weight.{hint}")
    return Report(True, f"Cosines {first:.2f} and {second:.2f}, weights {weights[0, 0]:.2f} and {weights[0, 1]:.2f}.")


@checking
def check_blind_test(q: object, k: object) -> Report:
    """Do these queries and keys hide a softmax over the wrong axis, although the weights differ from one another?"""
    q = expect_array(q, None, name="q").double()
    k = expect_array(k, None, name="k").double()
    if q.ndim != 2 or q.shape != k.shape or 0 in q.shape:
        raise NotYet(f"Give q and k as matrices of one shape; got {tuple(q.shape)} and {tuple(k.shape)}.")
    if len(q) < 2:
        raise NotYet("With a single query and a single key every weight is 1. Take at least two.")
    scores = q @ k.T / math.sqrt(q.shape[1])
    right, wrong = scores.softmax(dim=1), scores.softmax(dim=0)
    if float(right.max() - right.min()) < 0.1:
        raise NotYet("All weights are nearly equal. Let the largest differ from the smallest by at least 0.1.")
    if (difference := first_difference(wrong, right)) is not None:
        row, column = (scores.exp().sum(dim=axis) for axis in (1, 0))
        raise NotYet(
            f"A test that compares the weights would notice: {difference}. The exponentials of the scores sum to "
            f"{_listed(row)} in the rows and to {_listed(column)} in the columns: one "
            "softmax divides by the former, the other by the latter."
        )
    return Report(True, "On this input both give the same weights, so no test that uses it can tell them apart.")


def _listed(sums: Tensor, most: int = 4) -> str:
    more = ", …" if len(sums) > most else ""
    return ", ".join(f"{number:.3g}" for number in sums[:most].tolist()) + more


@checking
def check_possible(candidate: object) -> Report:
    """Does ``candidate(output, values)`` tell whether some weights could give this output?

    Outputs are made that are convex combinations, and outputs that are not: outside the range of a column, inside every
    range but beyond the hull of the values, and close to a side of a triangle or a pyramid, on either side of it.
    """
    normal = Normal(9)
    for n, d_v in ((1, 2), (2, 3), (4, 2), (6, 3)):
        values = normal(n, d_v)
        weights = torch.rand(n, generator=normal.generator, dtype=torch.float64)
        inside = (weights / weights.sum()) @ values
        for output, what in ((inside, "a mixture"), (values[0], "one of the values"), (values.mean(0), "their mean")):
            if not _verdict(candidate, output, values):
                raise NotYet(f"It refuses {what} of {n} values, which some weights give. Allow for rounding, say 1e-9.")
        outside = inside.clone()
        outside[-1] = values[:, -1].max() + 0.01
        if _verdict(candidate, outside, values):
            raise NotYet("It accepts a number that is larger than every value in its column.")
        outside[-1] = values[:, -1].min() - 0.01
        if _verdict(candidate, outside, values):
            raise NotYet("It accepts a number that is smaller than every value in its column.")
    corners = torch.eye(3, dtype=torch.float64)
    for output in ((0.6, 0.6, 0.0), (0.1, 0.1, 0.1), (1.0, 1.0, 1.0)):
        if _verdict(candidate, torch.tensor(output, dtype=torch.float64), corners):
            raise NotYet(
                f"It accepts {output} for the values (1, 0, 0), (0, 1, 0) and (0, 0, 1): each number is in the range "
                "of its column, but the weights would have to be these numbers, and they do not sum to 1."
            )
    for values in _slanted(normal):
        for within, beyond in _beside_its_sides(values):
            if _verdict(candidate, beyond, values):
                raise NotYet(
                    f"It accepts {_point(beyond)} for the values {', '.join(map(_point, values))}: that lies a little "
                    "outside, beyond the middle of a side that is not parallel to an axis or a diagonal."
                )
            if not _verdict(candidate, within, values):
                raise NotYet(
                    f"It refuses {_point(within)} for the values {', '.join(map(_point, values))}: that lies a little "
                    "inside, near the middle of a side."
                )
    return Report(True, "It accepts what weights can make, and refuses what lies outside a range or beyond the hull.")


def _slanted(normal: Normal) -> Iterator[Tensor]:
    """Values whose hull has slanted sides: three corners, then some at random, in two and three dimensions."""
    yield torch.tensor([[0.0, 0], [3, 1], [1, 3]], dtype=torch.float64)
    for n, d_v in ((3, 2), (7, 2), (4, 3), (8, 3)):
        yield 2 * normal(n, d_v)


def _beside_its_sides(values: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """For each side of the values' hull a point within and a point beyond, beside the middle of the side."""
    hull = ConvexHull(values.numpy())
    for corners, equation in zip(hull.simplices, hull.equations, strict=True):
        side = values[torch.from_numpy(corners).long()]
        step = 0.005 * (side[0] - side[1]).norm() * torch.from_numpy(equation[:-1])
        yield side.mean(dim=0) - step, side.mean(dim=0) + step


def _point(place: Tensor) -> str:
    return f"({', '.join(f'{number:.3g}' for number in place.tolist())})"


def _verdict(candidate: object, output: Tensor, values: Tensor) -> bool:
    said = attempt(candidate, output, values)
    if isinstance(said, Tensor) and said.numel() == 1:
        said = said.item()
    if not isinstance(said, (bool, int)) and type(said).__name__ != "bool":
        raise NotYet(f"Answer True or False; got {type(said).__name__}.")
    return bool(said)
