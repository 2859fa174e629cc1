"""Checks for *Do heads differ?*: entropies, offsets, a head taken out, a table that cannot be, heads that cancel.

The oracles are sums written out one number at a time, and W^O with a head's rows set to zero.
"""

import math

import numpy as np
import torch
from torch import Tensor

from ...examples.two_heads_by_hand import steps
from ..answers import each_answer, from_list
from ..drawn import Normal
from ..known_mistakes import recognise
from ..report import (
    NotYet,
    Report,
    agrees,
    attempt,
    checking,
    expect_array,
    expect_number,
    expect_parts,
    first_difference,
)

_ENTROPIES = {
    "a": (0.0, "all weight on one key leaves no surprise"),
    "b": (1 / 3, "log 2 divided by log 8"),
    "c": (1.0, "nothing is more even than eight equal weights"),
    "d": (1.0, "only four keys are allowed, so log 4 is the largest entropy this row could have"),
}


@checking
def check_entropies(answers: object) -> Report:
    """Are these the normalised entropies of the four rows a to d?"""
    for row, answer in each_answer(answers, _ENTROPIES, "one number for each of", open_name="Row {}", put="a number"):
        got, (right, reason) = expect_number(answer, f"row {row}"), _ENTROPIES[row]
        if math.isclose(got, right, abs_tol=5e-3):
            continue
        if row == "d" and math.isclose(got, 2 / 3, abs_tol=5e-3):
            raise NotYet("Row d: log 4 was divided by log 8. Hidden keys are no choice: divide by log 4.")
        if got > 1:
            raise NotYet(f"Row {row}: {got:g} is more than 1. Divide the entropy by the logarithm of the allowed keys.")
        raise NotYet(f"Row {row} is not {got:g}: {reason}.")
    return Report(True, "A normalised entropy asks how much of its choice a row uses, whatever the number of keys.")


@checking
def check_offset(candidate: object) -> Report:
    """Does ``candidate(weights)`` give the mean offset and its spread for weights of shape (heads, q_len, k_len)?

    Both have the shape (heads,): for each row the mean of (key position − query position) and its standard deviation,
    averaged over the rows.
    """
    generator = torch.Generator().manual_seed(4)
    for heads, q_len, k_len in ((2, 5, 5), (3, 4, 6)):
        weights = torch.rand(heads, q_len, k_len, generator=generator, dtype=torch.float64).softmax(dim=-1)
        offset, spread = map(from_list, expect_parts(attempt(candidate, weights), ("offset", "spread")))
        offset = expect_array(offset, (heads,), "one number per head", like=offset, name="the offset")
        spread = expect_array(spread, (heads,), "one number per head", like=spread, name="the spread")
        distance = torch.arange(k_len) - torch.arange(q_len)[:, None]
        means = (weights * distance).sum(dim=-1)
        if not agrees(offset, means.mean(dim=-1)):
            known = {
                "The sign is flipped: an offset is the position of the key minus that of the query.": -means.mean(-1),
                "This is the mean position of the key: subtract the position of the query.": (
                    (weights * torch.arange(k_len)).sum(dim=-1).mean(dim=-1)
                ),
                "Distances are counted without their sign: looking back is negative.": (
                    (weights * distance.abs()).sum(dim=-1).mean(dim=-1)
                ),
                "The offsets of the rows are added up: average them.": means.sum(dim=-1),
                "This is the offset of the largest weight: average over all keys, weighted.": (
                    weights.argmax(dim=-1) - torch.arange(q_len)
                )
                .double()
                .mean(dim=-1),
            }
            fault = recognise(offset, known)
            raise NotYet(fault or f"Wrong offset at {first_difference(offset, means.mean(dim=-1), axes=('head',))}.")
        variances = (weights * (distance - means[..., None]) ** 2).sum(dim=-1)
        right = variances.sqrt().mean(dim=-1)
        if not agrees(spread, right):
            known = {
                "This is a variance: take its square root, in each row.": variances.mean(dim=-1),
                "The root is taken of the mean variance: take it in each row, then average.": variances.mean(-1).sqrt(),
                "This is how much the rows' means differ; asked is how far the weights of one row reach.": (
                    means.std(dim=-1)
                ),
                "This is the root of the mean square: subtract each row's own mean first.": (
                    (weights * distance**2).sum(dim=-1).sqrt().mean(dim=-1)
                ),
            }
            fault = recognise(spread, known)
            raise NotYet(fault or f"Wrong spread at {first_difference(spread, right, axes=('head',))}.")
    return Report(True, "Where a head looks on average, and how far around that place it looks.")


@checking
def check_removed(candidate: object) -> Report:
    """Does ``candidate(joined, w_o, bias, n_heads, head)`` give the output of attention without one head?

    ``joined`` is (length, h·d_v), the heads side by side; ``w_o`` is (h·d_v, d_model); ``bias`` is (d_model,).
    """
    normal = Normal(6)
    for length, n_heads, d_v, d_model, head in ((3, 4, 5, 7, 0), (2, 3, 3, 9, 2), (4, 2, 4, 8, 1)):
        joined, w_o, bias = normal(length, n_heads * d_v), normal(n_heads * d_v, d_model), normal(d_model)
        got = attempt(candidate, joined, w_o, bias, n_heads, head)
        got = expect_array(got, (length, d_model), "one row per position, d_model wide", like=got, name="the output")
        rows = slice(head * d_v, (head + 1) * d_v)
        kept, alone = w_o.clone(), torch.zeros_like(w_o)
        kept[rows], alone[rows] = 0, w_o[rows]
        right = joined @ kept + bias
        if agrees(got, right):
            continue
        every = torch.zeros_like(w_o)
        every[head::n_heads] = w_o[head::n_heads]
        before, after = (w_o.clone() for _ in range(2))
        before[((head - 1) % n_heads) * d_v :][:d_v] = 0
        after[((head + 1) % n_heads) * d_v :][:d_v] = 0
        known = {
            "Nothing is removed: this is the output with all heads.": joined @ w_o + bias,
            "This is what the head contributes: asked is what is left without it.": joined @ alone,
            "All other heads were removed: this one should be.": joined @ alone + bias,
            "The bias went with the head: it belongs to none and stays.": joined @ kept,
            "A slice of the output was set to 0: after W^O the heads are mixed, so remove before it.": (
                _zeroed(joined @ w_o + bias, head * d_model // n_heads, (head + 1) * d_model // n_heads)
            ),
            f"Every {n_heads}th number was removed: head {head} is a run of d_v = {d_v} numbers.": (
                joined @ (w_o - every) + bias
            ),
            "The other heads were enlarged to make up for it, as dropout does: leave them as they are.": (
                joined @ kept * n_heads / (n_heads - 1) + bias
            ),
            f"The head before head {head} was removed: heads are counted from 0.": joined @ before + bias,
            f"The head after head {head} was removed: heads are counted from 0.": joined @ after + bias,
        }
        fault = recognise(got, known)
        raise NotYet(fault or f"Wrong number at {first_difference(got, right, axes=('position', 'coordinate'))}.")
    return Report(True, "Zero before W^O removes one term of the sum and leaves the others alone.")


def _zeroed(x: Tensor, start: int, end: int) -> Tensor:
    x = x.clone()
    x[:, start:end] = 0
    return x


# Four heads of a decoder's self-attention over six tokens, as the page prints them.
TABLE = {
    "A": {"entropy, in nats, last row": 1.9, "mean offset": -1.2, "before": 0.3, "itself": 0.4},
    "B": {"entropy, in nats, last row": 1.2, "mean offset": 0.7, "before": 0.2, "itself": 0.5},
    "C": {"entropy, in nats, last row": 0.9, "mean offset": -0.6, "before": 0.7, "itself": 0.5},
    "D": {"entropy, in nats, last row": 1.5, "mean offset": -1.1, "before": 0.3, "itself": 0.4},
}
_WHY = {
    "A": "six allowed keys have an entropy of at most log 6 ≈ 1.79 nats, and the table says 1.9",
    "B": "a decoder's self-attention sees no later key, so no mean offset is above 0",
    "C": "the shares on the token before and on the token itself add up to 1.2 of 1",
    "D": None,
}


@checking
def check_impossible(answers: object) -> Report:
    """Is it said rightly which heads of the table, A to D, are possible (True) and which are not (False)?"""
    put = "True (possible) or False (impossible)"
    for head, said in each_answer(answers, _WHY, "True or False for each of", open_name="Head {}", put=put):
        reason = _WHY[head]
        if not isinstance(said, (bool, np.bool_)):
            raise NotYet(f"Answer {head} with True (possible) or False.")
        if said and reason is not None:
            raise NotYet(f"Head {head} is impossible. Look at each column with the largest value it could have.")
        if not said and reason is None:
            raise NotYet(f"Head {head} is possible: no number of it is out of its range, and none contradicts another.")
    faults = "; ".join(f"{head}: {reason}" for head, reason in _WHY.items() if reason)
    return Report(True, f"{faults}.")


@checking
def check_cancelling(w_o: object) -> Report:
    """Do removals of either head of *like* change its output by 1 or more, and of both together by next to nothing?

    ``w_o`` is an (8, 8) array or tensor, in place of the matrix of the two-head example.
    """
    meaning = "a row for each number of the joined heads"
    w_o = from_list(w_o)
    w_o = torch.as_tensor(expect_array(w_o, (8, 8), meaning, like=w_o, name="the matrix")).double()
    joined = torch.from_numpy(steps()["joined"][1])
    parts = joined[:4] @ w_o[:4], joined[4:] @ w_o[4:]
    for n, part in enumerate(parts):
        if part.norm() < 1:
            raise NotYet(f"Removing head {n} changes the output of `like` by {part.norm():.2f} only.")
    both = (parts[0] + parts[1]).norm()
    if both > 0.05:
        raise NotYet(f"Removing both changes the output of `like` by {both:.2f}: what the heads add must cancel.")
    return Report(
        True,
        f"Either removal costs {parts[0].norm():.2f}, both together {both:.2f}: costs of single heads do not add up.",
    )
