"""Verdicts that people gave: how far a share may be off by chance, and how well two readings agree."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence


def share_interval(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    r"""The interval of a share by Wilson's formula (1927): the shares p from which k of n is no surprise.

    .. math:: \frac{\hat p + \frac{z^2}{2n} \pm z \sqrt{\frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4 n^2}}}{1 + z^2/n}

    where :math:`\hat p = k/n`. These are the p with :math:`|\hat p - p| \le z \sqrt{p (1 - p) / n}`, and so the
    interval never leaves 0 to 1, and has a width where k is 0.

    Args:
        hits: how many, k.
        of: of how many, n.
        z: 1.96 for a confidence of 95 %.

    Raises:
        ValueError: nothing was counted, or more hits than there are.
    """
    if of < 1 or not 0 <= hits <= of:
        raise ValueError(f"a share needs from 0 to n hits of n ≥ 1, got {hits} of {of}")
    share, square = hits / of, z * z / of
    middle = share + square / 2
    half = math.sqrt(square * (share * (1 - share) + square / 4))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    r"""How far two readings agree beyond what chance would give (Cohen 1960).

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}

    :math:`p_o` is the share of things that got the same verdict twice. :math:`p_e` is what would be expected if each
    reading kept the shares of its verdicts but dealt them out blindly: the sum over verdicts of the product of their
    two shares.

    Args:
        first, second: a verdict per thing, in the same order.

    Returns:
        1 for full agreement, about 0 for blind guessing, below 0 for less. If both gave one and the same verdict to
        everything, nothing can be said, and it is nan.

    Raises:
        ValueError: nothing was read, or not the same number of things.
    """
    if not first or len(first) != len(second):
        raise ValueError(f"both readings need a verdict per thing, got {len(first)} and {len(second)}")
    n = len(first)
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    counts = Counter(first), Counter(second)
    expected = sum(counts[0][verdict] * counts[1][verdict] for verdict in counts[0]) / n**2
    return (agreed - expected) / (1 - expected) if expected < 1 else math.nan
