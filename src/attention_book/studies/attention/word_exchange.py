"""How much word order says in the little language: which sentences become another one when words change places."""

import itertools

from ...little_language.language import LittlePair, sample, word_vocabulary
from ...little_language.sentences import parse


def can_be_exchanged(pair: LittlePair) -> bool:
    """Whether exchanging two words of the English sentence gives another sentence of the language.

    Args:
        pair: the sentence with its translation; a mark counts as a word.
    """
    vocabulary = word_vocabulary(pair.target_lang)
    ids = vocabulary.encode(pair.source)
    for i, j in itertools.combinations(range(len(ids)), 2):
        other = list(ids)
        other[i], other[j] = ids[j], ids[i]
        if other == ids:
            continue
        try:
            parse(vocabulary.decode(other))
        except ValueError:
            continue
        return True
    return False


def share_exchangeable(clauses: int, longest: int, n: int = 60, seed: int = 1000, drawn: int = 600) -> float:
    """The share of drawn sentences in which two words can be exchanged.

    Args:
        clauses: of each sentence.
        longest: the most tokens of either side, ``</s>`` included.
        n: how many sentences to look at, the first that are short enough.
        seed: of the draws.
        drawn: how many are drawn, of which some are too long.

    Raises:
        ValueError: if fewer than ``n`` of those drawn are short enough.
    """
    pairs = sample(drawn, seed, clauses=clauses)
    short = [pair for pair in pairs if max(len(pair.source_words), len(pair.target_words)) < longest][:n]
    if len(short) < n:
        raise ValueError(
            f"only {len(short)} of {drawn} sentences have at most {longest} tokens: draw more, or ask for fewer"
        )
    return sum(map(can_be_exchanged, short)) / n
