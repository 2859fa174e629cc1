"""Order statistics of random scores: the mean of the largest, and where the medians of two norms cross."""

import numpy as np
from jaxtyping import Float
from scipy.integrate import quad
from scipy.stats import norm

from ...analysis.seed_statistics import Measured, over_seeds


def mean_of_the_largest(n: int) -> float:
    r"""The mean of the largest of n independent standard normal numbers.

    .. math:: m_n = n \int x\,\varphi(x)\, \Phi(x)^{n-1}\, dx = n(n-1) \int \varphi(x)^2\, \Phi(x)^{n-2}\, dx

    By the second form, an integration by parts of the first, it is also the density at 0 of the gap between the two
    largest.

    Args:
        n: how many, at least one.

    Raises:
        ValueError: if n is below one.
    """
    if n < 1:
        raise ValueError(f"the largest of {n} numbers does not exist")
    return float(quad(lambda x: n * x * norm.pdf(x) * norm.cdf(x) ** (n - 1), -9, 9, limit=200)[0])


def jacobian_norms(s: Float[np.ndarray, "draws n"], temperature: int | float = 1.0) -> Float[np.ndarray, " draws"]:
    r"""The Frobenius norm of the Jacobian of softmax(s / C), for each row of ``s``.

    The norms of `attention_book.analysis.jacobian_statistics`, without its other statistics. With the largest weight
    :math:`p_1`, the rest :math:`r`, the others' shares :math:`v_i = p_i/r` and :math:`a = \sum_{i>1} v_i^2`,

    .. math:: C^2 \lVert J\rVert_F^2
        = r^2 \Bigl[p_1^2 (1 + 2a) + \sum_{i>1} v_i^2 (1 - p_i)^2 + r^2 \bigl(a^2 - \sum_{i>1} v_i^4\bigr)\Bigr] .

    Args:
        s: scores, at least two in a row.
        temperature: C > 0.
    """
    exponentials = np.exp((s - s.max(axis=1, keepdims=True)) / temperature)
    np.put_along_axis(exponentials, s.argmax(axis=1)[:, None], 0.0, axis=1)
    others = exponentials.sum(axis=1, keepdims=True)
    v, top, rest = exponentials / others, 1 / (1 + others[:, 0]), others[:, 0] / (1 + others[:, 0])
    squares = v**2
    a = squares.sum(axis=1)
    diagonal = top**2 + (squares * (1 - rest[:, None] * v) ** 2).sum(axis=1)
    beside = 2 * top**2 * a + rest**2 * (a**2 - (squares**2).sum(axis=1))
    return rest * np.sqrt(diagonal + beside) / temperature


def typical_crossing(n_keys: int, low: int, high: int, seeds: int = 10, draws: int = 10_000) -> Measured:
    """From which width on the typical undivided Jacobian is smaller than the divided one: where the medians cross.

    For each seed, queries of ``high`` normal components are drawn; the first d_k of them are the query of width d_k. So
    all widths are measured on the same random numbers, and the crossing is narrowed down to two neighbouring widths.
    Only between these is a straight line taken.

    Args:
        n_keys: how many keys a query has.
        low, high: widths below and above the crossing.
        seeds: how many crossings.
        draws: queries per seed.

    Returns:
        The mean crossing over the seeds, with its standard error.

    Raises:
        ValueError: if the medians do not cross between the two widths.
    """
    places = []
    for seed in range(seeds):
        random = np.random.default_rng([seed, n_keys])
        z, narrow = random.normal(size=(draws, n_keys)), random.chisquare(low, (draws, 1))
        further = np.cumsum(random.normal(size=(draws, high - low)) ** 2, axis=1)
        squared_lengths = np.hstack([narrow, narrow + further])
        places.append(_where_medians_cross(z, squared_lengths, low))
    return over_seeds(np.array(places), "error")


def _where_medians_cross(
    z: Float[np.ndarray, "draws n"], squared_lengths: Float[np.ndarray, "draws widths"], low: int
) -> float:
    """Where the divided median norm becomes the larger one; the given query has n independent scores |q| z."""

    def lead(column: int) -> float:
        s = np.sqrt(squared_lengths[:, [column]]) * z
        divided, undivided = (np.median(jacobian_norms(s, c)) for c in ((low + column) ** 0.5, 1.0))
        return float(np.log(divided / undivided))

    left, right = 0, squared_lengths.shape[1] - 1
    below, above = lead(left), lead(right)
    if not below < 0 <= above:
        raise ValueError(f"the medians do not cross between the widths {low} and {low + right}")
    while right - left > 1:
        middle = (left + right) // 2
        at = lead(middle)
        if at < 0:
            left, below = middle, at
        else:
            right, above = middle, at
    return low + left + below / (below - above)
