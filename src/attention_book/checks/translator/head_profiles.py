"""Checks for *Do heads differ?*: entropies, offsets, a table that cannot be.

The oracles are sums written out one number at a time.
"""

import math

import numpy as np
import torch

from ..answers import each_answer, from_list
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
