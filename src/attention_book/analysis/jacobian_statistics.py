r"""How large the softmax Jacobian is, for many score vectors at once and without forming an n × n matrix.

The matrix is :math:`J = (\operatorname{diag} p - p\,p^\top)/C` with :math:`p = \operatorname{softmax}(s/C)`. It has n
entries :math:`p_i(1 - p_i)/C` on its diagonal, none negative, and n² − n entries :math:`-p_i\,p_j/C` beside it, none
positive. Its rows sum to 0, so the mean of its entries is 0 whatever the scores are, and their standard deviation is
:math:`\lVert J\rVert_F / n`. All that is needed is p, in order of size.

Where one weight is nearly 1, formulas with :math:`1 - p_{\max}` lose every digit. Here it is the sum of the other
weights, and each norm is a sum of positive terms, so that a saturated draw is as exact as any other.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

Draws = Float[np.ndarray, " draws"]


class JacobianStatistics(NamedTuple):
    """What a Jacobian looks like, one number per draw. Sizes include the factor 1/C.

    Attributes:
        frobenius: root of the sum of all squared entries, ‖J‖_F.
        sd: standard deviation of the n² entries, ‖J‖_F / n; their mean is 0.
        mean_size: mean of the n² absolute values.
        range: largest entry minus smallest entry.
        median: the middle one of the n² entries of this Jacobian; not a median over draws.
        dead_share: how many of the n² entries are smaller than the threshold in absolute value, from 0 to 1.
        entropy: of the weights p, in nats.
        largest_weight: the largest p_i.
        rest: 1 − the largest p_i, summed from the others.
    """

    frobenius: Draws
    sd: Draws
    mean_size: Draws
    range: Draws
    median: Draws
    dead_share: Draws
    entropy: Draws
    largest_weight: Draws
    rest: Draws


def jacobian_statistics(
    s: Float[np.ndarray, "draws n"],
    temperature: int | float = 1.0,
    dead: float = 1e-6,
    middle: Float[np.ndarray, "draws 2"] | None = None,
) -> JacobianStatistics:
    r"""Statistics of the Jacobian of softmax(s / C) with respect to s, for each row of ``s``.

    With the weights in order of size, :math:`r = 1 - p_1` the rest beside the largest, and :math:`v_i = p_i / r`,

    .. math:: C^2 \lVert J\rVert_F^2 = r^2 \Bigl[p_1^2 + \sum_{i>1} v_i^2 (1 - p_i)^2
        + 2 p_1^2 \sum_{i>1} v_i^2 + 2 \sum_{1<i<j} p_i^2\, v_j^2\Bigr] ,

    a sum without a minus sign that could cancel (no p_i with i > 1 is above ½).

    Args:
        s: scores, one row per draw; at least three in a row.
        temperature: C > 0; √d_k in attention.
        dead: an entry below this in absolute value counts as dead.
        middle: :func:`middle_sums` of the same scores, if it is known: it does not depend on C.

    Returns:
        One number per draw in each field; memory grows with the size of ``s``, not with its square.

    Raises:
        ValueError: if a row has fewer than three scores, or temperature or threshold is not positive.

    Pitfall: "the median" of this picture is two things. ``median`` is the median entry of one Jacobian; the typical
    Jacobian is a median over draws, ``np.median(found.frobenius)``, and lies far below the mean where softmax
    saturates.
    """
    if s.shape[1] < 3:
        raise ValueError(f"a row needs at least three scores, got {s.shape[1]}")
    if not (temperature > 0 and dead > 0):
        raise ValueError(f"temperature and threshold must be positive, got {temperature} and {dead}")
    n, c = s.shape[1], float(temperature)
    s = np.sort(s, axis=1).astype(np.float64)
    middle = middle_sums(s) if middle is None else middle
    leads = (s - s[:, -1:]) / c  # 0 for the largest, negative for the others
    others = np.exp(leads[:, :-1])
    tail = others.sum(axis=1)
    log_total = np.log1p(tail)
    top, rest = 1 / (1 + tail), tail / (1 + tail)
    p = others / (1 + tail)[:, None]
    runner_up = np.exp((s[:, :-1] - s[:, -2:-1]) / c)
    v = runner_up / runner_up.sum(axis=1, keepdims=True)

    squares = v**2
    below = np.cumsum(squares, axis=1) - squares  # Σ over the smaller ones; for the cross terms of the norm
    crossed = top**2 * squares.sum(axis=1) + (p**2 * below).sum(axis=1)
    frobenius = rest * np.sqrt(top**2 + (squares * (1 - p) ** 2).sum(axis=1) + 2 * crossed) / c
    largest, smallest = top * rest / c, top * p[:, -1] / c  # no diagonal entry exceeds that of the largest weight

    log_entries = (middle - 2 * s[:, -1:]) / c - 2 * log_total[:, None] - np.log(c)
    threshold = c * (np.log(dead * c) + 2 * log_total) + 2 * s[:, -1]
    dead_beside = 2 * np.array([_pairs(row, at, "left")[0] for row, at in zip(s, threshold, strict=True)])
    dead_diagonal = (p * (1 - p) / c < dead).sum(axis=1) + (largest < dead)
    return JacobianStatistics(
        frobenius=frobenius,
        sd=frobenius / n,
        mean_size=2 * (top * rest + (p * (1 - p)).sum(axis=1)) / c / n**2,  # a row's sizes: twice its diagonal entry
        range=largest + smallest,
        median=-np.exp(log_entries).mean(axis=1),
        dead_share=(dead_beside + dead_diagonal) / n**2,
        entropy=top * log_total + (p * (log_total[:, None] - leads[:, :-1])).sum(axis=1),
        largest_weight=top,
        rest=rest,
    )


def middle_sums(s: Float[np.ndarray, "draws n"]) -> Float[np.ndarray, "draws 2"]:
    """The two pair sums s_i + s_j from which the median entry of the Jacobian is made, for any temperature.

    The entry -p_i p_j / C falls as s_i + s_j grows. So the entries beside the diagonal, each pair counted twice, stand
    in the order of these sums, and the n positive ones follow. The middle of n² entries (two of them if n is even) is
    therefore at a fixed rank among the n(n - 1)/2 pairs, at every C.

    Args:
        s: scores, one row per draw, in any order; at least three in a row.
    """
    n = s.shape[1]
    ranks = [n * n // 4 - 1, n * n // 4] if n % 2 == 0 else [(n * n - 1) // 4] * 2  # from the largest, from 0
    from_smallest = [n * (n - 1) // 2 - 1 - rank for rank in ranks]
    return np.array([_ranked_sums(row, from_smallest[1], from_smallest[0]) for row in np.sort(s, axis=1)])


def _pairs(s: np.ndarray, total: float, side: str) -> tuple[int, np.ndarray]:
    """The number of pairs i < j with s_i + s_j below ``total`` ("left") or at most it ("right"), and the end of j by i.

    ``s`` is sorted. The partners of i are j = i + 1 … end_i - 1, a range that shrinks as i grows.
    """
    ends = np.arange(1, len(s) + 1)
    some = np.searchsorted(s, total / 2, side="right")  # a larger i has no partner: all j > i are larger still
    ends[:some] = np.maximum(np.searchsorted(s, total - s[:some], side=side), ends[:some])
    return int(ends.sum()) - len(s) * (len(s) + 1) // 2, ends


def _ranked_sums(s: np.ndarray, low_rank: int, high_rank: int) -> tuple[float, float]:
    """The pair sums at two ranks (from the smallest, from 0; equal or neighbours) of a sorted row.

    Pairs up to t are counted, and t is narrowed down from both sides until few pairs are left, which are then put in
    order. The next t is where a straight line through both counts meets the rank, moved a little beyond it.
    """
    low, high = 2 * s[0] - 1.0, 2 * s[-1] + 1.0
    (count_low, ends_low), (count_high, ends_high) = _pairs(s, low, "right"), _pairs(s, high, "right")
    halve = False
    while count_high - count_low > 4 * len(s) + 8:
        share = (low_rank - count_low) / (count_high - count_low)
        share = 0.5 if halve else share + 0.1 * (share if share < 0.5 else share - 1)
        middle, width = low + share * (high - low), high - low
        if not low < middle < high:
            break
        count, ends = _pairs(s, middle, "right")
        if count <= low_rank:
            low, count_low, ends_low = middle, count, ends
        elif count > high_rank:
            high, count_high, ends_high = middle, count, ends
        else:  # it fell between the two ranks
            break
        halve = high - low > width / 2
    found = ends_high - ends_low
    i = np.repeat(np.arange(len(s)), found)
    j = np.arange(len(i)) + np.repeat(ends_low - np.cumsum(found) + found, found)
    sums = np.partition(s[i] + s[j], [low_rank - count_low, high_rank - count_low])
    return float(sums[low_rank - count_low]), float(sums[high_rank - count_low])
