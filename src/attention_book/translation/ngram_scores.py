"""BLEU and chrF from their definitions, for one reference: short enough to read, and to check with a pencil.

`evaluation` scores whole test sets by sacreBLEU; these functions say what such a score counts.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence


def runs_found(translation: Sequence[str], reference: Sequence[str], n: int) -> list[bool]:
    """Whether each run of n units of a translation stands in the reference too.

    Args:
        translation, reference: words, or the characters of a string.
        n: how many units in a row.

    Returns:
        One answer per run, in the order of the translation. A run of the reference is used up when it has been found,
        so a word that is written twice is found twice only if the reference has it twice.

    Raises:
        ValueError: if n is below 1.
    """
    if n < 1:
        raise ValueError(f"a run has at least one unit, got n = {n}")
    known = Counter(_runs(reference, n))
    found = []
    for run in _runs(translation, n):
        found.append(known[run] > 0)
        known[run] -= 1
    return found


def _runs(units: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(units[i : i + n]) for i in range(len(units) - n + 1)]


def brevity(translated: int, wanted: int) -> float:
    """BLEU's brevity penalty: 1, or less for a translation of fewer words than its reference (Papineni et al., §2.2.2).

    Args:
        translated, wanted: how many words the translation and the reference have.
    """
    return math.exp(min(0.0, 1 - wanted / translated)) if translated else 0.0


def bleu(translation: Sequence[str], reference: Sequence[str]) -> float:
    r"""BLEU of one sentence, from 0 to 100 (Papineni et al. 2002, §2.3), without smoothing.

    .. math:: 100 \cdot b \cdot (p_1 p_2 p_3 p_4)^{1/4}

    The brevity penalty is b; :math:`p_n` is the share of the translation's runs of n words that the reference has.

    Args:
        translation, reference: words, punctuation apart.

    Pitfall: one share of 0 makes the score 0, which happens to most short sentences. BLEU is meant for test sets.
    """
    found = [runs_found(translation, reference, n) for n in (1, 2, 3, 4)]
    if not all(map(any, found)):
        return 0.0
    mean_log = sum(math.log(sum(runs) / len(runs)) for runs in found) / 4
    return 100 * brevity(len(translation), len(reference)) * math.exp(mean_log)


def chrf(translation: str, reference: str) -> float:
    r"""chrF of one sentence, from 0 to 100 (Popović 2015, §2), in which recall weighs twice as much as precision.

    .. math:: 100 \cdot \frac{5\, p\, r}{4\, p + r}

    Precision p is the mean, over n from 1 to 6, of the share of the translation's runs of n characters that the
    reference has; recall r is the mean share of the reference's runs that the translation has. Spaces do not count.

    Args:
        translation, reference: sentences.
    """
    mine, wanted = (re.sub(r"\s", "", text) for text in (translation, reference))
    orders = range(1, min(6, len(mine), len(wanted)) + 1)
    found = [sum(runs_found(mine, wanted, n)) for n in orders]
    if not any(found):
        return 0.0
    p, r = (
        sum(hits / (len(text) - n + 1) for hits, n in zip(found, orders, strict=True)) / len(orders)
        for text in (mine, wanted)
    )
    return 100 * 5 * p * r / (4 * p + r)
