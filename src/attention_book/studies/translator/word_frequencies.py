"""How small a loss can be for a model that knows how frequent each word is, and nothing of the sentence."""

import math
from collections import Counter
from collections.abc import Mapping

from ...little_language.language import sample, word_vocabulary


def frequency_loss(target: str, clauses: Mapping[int, float], drawn: int = 4000, seed: int = 0) -> float:
    """The entropy of the target tokens of the little language, ``</s>`` included, in nats per token.

    Args:
        target: language, such as ``"es"``.
        clauses: number of clauses to the share of sentences that have it.
        drawn: sentences that are counted.
        seed: of the draw.
    """
    words = word_vocabulary(target)
    pairs = sample(drawn, seed, target, dict(clauses))
    counts = Counter(token for pair in pairs for token in (*words.encode(pair.target), words.eos_id))
    total = sum(counts.values())
    return -sum(count / total * math.log(count / total) for count in counts.values())
