"""A model that adds up one random number per source word: how well does leaving a word out foretell an exchange?"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np

from ...analysis.attribution.agreement import spearman
from ...experiments.reading.attributions import CONFIGURATION, SEEDS, examined_sentences
from ...little_language.exchanges import exchanges, some_of_each_place

DRAWS = 500
"""So many times the numbers of a sentence are drawn."""
FEWEST = 3
"""Sentences with fewer words to exchange are left out, as where real models are examined."""


def correlation(exchanged: Sequence[int], rng: np.random.Generator, draws: int = DRAWS) -> float:
    """The mean rank correlation between leaving out and the costs of exchanges, if all numbers are drawn evenly.

    Leaving a word out costs its number. An exchange costs this number less that of the new word, and the cost of a word
    is the mean over its exchanges.

    Args:
        exchanged: for each word of the sentence, how many exchanges it has.
        rng: draws the numbers, from 0 to 1.
        draws: how often.

    Raises:
        ValueError: if there are fewer than two words.
    """
    words = rng.random((draws, len(exchanged)))
    new = np.stack([rng.random((draws, count)).mean(-1) for count in exchanged], axis=1)
    return float(spearman(words, words - new).mean())


@cache
def counts() -> tuple[tuple[int, ...], ...]:
    """For each of as many sentences as the experiment *attributions* examines, the number of exchanges of each word.

    The sentences are drawn in the same way as there, but are not the same ones: those of the training are not left out.
    """
    found = []
    for seed in SEEDS:
        for pair in examined_sentences(seed, [], CONFIGURATION):
            kept = some_of_each_place(exchanges(pair, CONFIGURATION["target"]), CONFIGURATION["exchanges"], seed)
            places = Counter(one.place for one in kept)
            if len(places) >= FEWEST:
                found.append(tuple(places[j] for j in sorted(places)))
    return tuple(found)


def expected() -> float:
    """The mean of :func:`correlation` over the sentences of :func:`counts`."""
    rng = np.random.default_rng(0)
    return float(np.mean([correlation(exchanged, rng) for exchanged in counts()]))
