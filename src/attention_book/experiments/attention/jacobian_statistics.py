"""Whether dividing scores by √d_k makes the softmax Jacobian larger or smaller, statistic by statistic.

Two settings. In the popular one a vector of n scores has variance n, so that the number of keys and the width are one
number. In the other the number of keys stays and the width d_k grows: a random query meets n random keys of its own,
which given the query's length are n independent normal scores. Each is measured with C = √variance ("divided") and with
C = 1 ("undivided"), on the same draws. A third measurement tells where the difference comes from: the divided scores,
without the factor 1/C in front of the Jacobian ("factor_off"). Its sizes are C times those of "divided", its entropy is
the same, and its share of dead entries is counted anew.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...analysis.jacobian_statistics import JacobianStatistics, jacobian_statistics, middle_sums

QUESTION = "Which statistics of the softmax Jacobian does the division by √d_k raise, and which does it lower?"
CONFIGURATION = {
    "sizes": [2**power for power in range(2, 14)],
    "keys": [8, 64, 512],
    "widths": [2**power for power in range(2, 10)],
    "draws": 2000,
    "dead": 1e-6,
    "chunk": 2**20,
}
SEEDS = tuple(range(1, 11))


def popular_scores(draws: int, n: int, random: np.random.Generator) -> np.ndarray:
    """Vectors of n independent scores with variance n."""
    return random.normal(0, n**0.5, (draws, n))


def separate_scores(draws: int, n_keys: int, width: int, random: np.random.Generator) -> np.ndarray:
    """Scores of n keys for one query each, where queries and keys have ``width`` independent normal components.

    Given q, the n dot products are independent and normal with variance |q|². So a length is drawn, and n numbers.
    """
    lengths = np.sqrt(random.chisquare(width, (draws, 1)))
    return lengths * random.normal(0, 1, (draws, n_keys))


def measure(scores: np.ndarray, variance: int | float, dead: float) -> dict[str, JacobianStatistics]:
    """The statistics of each row with C = √variance, with C = 1, and with the former's weights but no factor 1/C."""
    middle, root = middle_sums(scores), variance**0.5
    return {
        "divided": jacobian_statistics(scores, root, dead, middle),
        "undivided": jacobian_statistics(scores, 1.0, dead, middle),
        "factor_off": jacobian_statistics(scores / root, 1.0, dead, middle / root),
    }


def summary(found: dict[str, JacobianStatistics]) -> dict[str, float]:
    """``ARM/STATISTIC/mean`` and ``…/median`` over the draws, and ``raised/STATISTIC``.

    The last is the share of draws in which the statistic is larger in absolute value with the division than without.
    """
    numbers = {}
    for arm in ("divided", "undivided"):
        for name, values in found[arm]._asdict().items():
            numbers |= {f"{arm}/{name}/mean": values.mean(), f"{arm}/{name}/median": np.median(values)}
        numbers[f"{arm}/variance/mean"] = np.square(found[arm].sd).mean()  # of all entries of all draws together
    for name in ("mean", "median"):
        numbers[f"factor_off/dead_share/{name}"] = getattr(np, name)(found["factor_off"].dead_share)
    for name in JacobianStatistics._fields:
        divided, undivided = getattr(found["divided"], name), getattr(found["undivided"], name)
        numbers[f"raised/{name}"] = (np.abs(divided) > np.abs(undivided)).mean()
    return {name: float(f"{value:.6g}") for name, value in numbers.items()}


def in_chunks(
    draw: Callable[[int], np.ndarray], n: int, variance: int | float, configuration: dict[str, Any]
) -> dict[str, float]:
    """Draw as many rows of n scores at a time as fit ``chunk`` numbers, and summarise all of them together."""
    rows, draws = max(1, configuration["chunk"] // n), configuration["draws"]
    counts = [min(rows, draws - start) for start in range(0, draws, rows)]
    parts = [measure(draw(count), variance, configuration["dead"]) for count in counts]
    joined = {}
    for arm in parts[0]:
        columns = zip(*(part[arm] for part in parts), strict=True)
        joined[arm] = JacobianStatistics(*map(np.concatenate, columns))
    return summary(joined)


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Draw score vectors at every size and describe their Jacobians.

    Returns:
        For the popular setting, ``popular/ARM/STATISTIC/WHAT``, a list with one number per size; for the other,
        ``keys_N/ARM/STATISTIC/WHAT``, with one number per width. ``tokens`` is 0: nothing is trained.
    """
    settings: dict[str, list] = {"popular": []}
    for n in configuration["sizes"]:
        draw = partial(popular_scores, n=n, random=np.random.default_rng([seed, n]))
        settings["popular"].append(in_chunks(draw, n, n, configuration))
    for keys in configuration["keys"]:
        settings[f"keys_{keys}"] = []
        for width in configuration["widths"]:
            random = np.random.default_rng([seed, keys, width])
            draw = partial(separate_scores, n_keys=keys, width=width, random=random)
            settings[f"keys_{keys}"].append(in_chunks(draw, keys, width, configuration))
    return {"tokens": 0} | {
        f"{setting}/{name}": [one[name] for one in summaries]
        for setting, summaries in settings.items()
        for name in summaries[0]
    }
