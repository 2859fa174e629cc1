"""Whether dividing scores by √d_k makes attention equally sharp at every width, and what that depends on."""

import torch
from torch import Tensor

from ...attention.probability import softmax

QUESTION = "Does dividing the scores by √d_k make attention equally sharp at every width d_k?"
CONFIGURATION = {"widths": [2**n for n in range(10)], "keys": 8, "draws": 4000, "shared": 0.3}
SEEDS = tuple(range(1, 11))


def vectors(count: int, width: int, shared: float, generator: torch.Generator) -> Tensor:
    """Random vectors, count × width, whose components have mean 0 and variance 1.

    Args:
        count: how many vectors.
        width: how many components each.
        shared: the correlation of any two components of a vector; 0 makes them independent.
        generator: source of chance.
    """
    own = torch.randn(count, width, generator=generator)
    common = torch.randn(count, 1, generator=generator)
    return shared**0.5 * common + (1 - shared) ** 0.5 * own


def scores(draws: int, keys: int, width: int, shared: float, generator: torch.Generator) -> Tensor:
    """Undivided scores, draws × keys: in each draw one random query meets its own random keys."""
    q = vectors(draws, width, shared, generator).reshape(draws, 1, width)
    k = vectors(draws * keys, width, shared, generator).reshape(draws, keys, width)
    return (q @ k.transpose(-2, -1))[:, 0]


def run_seed(seed: int, configuration: dict) -> dict:
    """Draw queries and keys at every width.

    Returns:
        For each width, under ``KIND/WIDTH``: the variance of the undivided scores, and the mean largest weight without
        and with the division, for ``independent`` components and for ``shared`` ones. ``tokens`` is 0: nothing is
        trained.
    """
    generator = torch.Generator().manual_seed(seed)
    draws, keys = configuration["draws"], configuration["keys"]
    metrics = {"tokens": 0}
    for width in configuration["widths"]:
        for kind, shared in (("independent", 0.0), ("shared", configuration["shared"])):
            s = scores(draws, keys, width, shared, generator)
            metrics[f"{kind}_variance/{width}"] = float(s.double().var())
            metrics[f"{kind}_undivided/{width}"] = float(softmax(s).amax(-1).mean())
            metrics[f"{kind}_divided/{width}"] = float(softmax(s / width**0.5).amax(-1).mean())
    return metrics
