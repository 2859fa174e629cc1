"""Two heads on *I like cats*, d_model = 8: every matrix written out, in whole numbers, for a pencil.

To put *like* into Spanish one must know who likes (me) and how many are liked (gustan). The first is the person of
the pronoun, the second the number of the noun, and both words have a person and a number. Two heads fetch them from
two words; one head of the same total width fetches the mean of the two words.
"""

import math

import numpy as np
from jaxtyping import Float

from ..attention.probability import softmax

TOKENS = ("I", "like", "cats")
FEATURES = ("pronoun", "verb", "noun", "person", "number", "who?", "how many?", "of what?")
X = np.array(
    [
        [1.0, 0, 0, 1, 1, 0, 0, 0],  # I: a pronoun, first person, one
        [0.0, 1, 0, 0, 0, 0, 0, 0],  # like: a verb; the last three features are to be found out
        [0.0, 0, 1, 3, 2, 0, 0, 0],  # cats: a noun, third person, several
    ]
)
# Rows are the features of a token. Columns 0 to 3 are head 0, columns 4 to 7 are head 1.
W_Q = np.array(
    [
        [0.0, 2, 0, 0, 0, 0, 0, 2],  # pronoun: a verb? | a large number?
        [8.0, 0, 0, 0, 0, 0, 8, 0],  # verb: a pronoun? | a noun?
        [0.0, 2, 0, 0, 0, 0, 0, 0],  # noun: a verb? | nothing
        *np.zeros((5, 8)),
    ]
)
W_K = np.array(
    [
        [1.0, 0, 0, 0, 1, 0, 0, 0],  # keys: pronoun, verb, noun, number
        [0.0, 1, 0, 0, 0, 1, 0, 0],
        [0.0, 0, 1, 0, 0, 0, 1, 0],
        [0.0, 0, 0, 0, 0, 0, 0, 0],
        [0.0, 0, 0, 1, 0, 0, 0, 1],
        *np.zeros((3, 8)),
    ]
)
W_V = np.array(
    [
        [0.0, 0, 1, 0, 0, 0, 1, 0],  # values: person, number, pronoun, noun
        [0.0, 0, 0, 0, 0, 0, 0, 0],
        [0.0, 0, 0, 1, 0, 0, 0, 1],
        [1.0, 0, 0, 0, 1, 0, 0, 0],
        [0.0, 1, 0, 0, 0, 1, 0, 0],
        *np.zeros((3, 8)),
    ]
)
# Rows are the eight numbers of the joined heads.
W_O = np.zeros((8, 8))
W_O[0, 5] = 1  # "who?" is the person that head 0 found
W_O[5, 6] = 1  # "how many?" is the number that head 1 found
W_O[7, 7] = 1  # "of what?" is the share of nouns in head 1


def split(x: Float[np.ndarray, "length width"], n_heads: int) -> Float[np.ndarray, "n_heads length d"]:
    """Cut each row into ``n_heads`` pieces; piece i of every row belongs to head i."""
    return np.stack(np.split(x, n_heads, axis=-1))


def steps(n_heads: int = 2) -> dict[str, Float[np.ndarray, "..."]]:
    """Every line of the example, in order, for the same matrices cut into ``n_heads`` heads.

    Args:
        n_heads: 1, 2, 4 or 8. With 1 the queries are eight numbers wide and are divided by √8.

    Returns:
        ``q``, ``k``, ``v`` (heads × 3 × width), ``scores`` (after division) and ``weights`` (heads × 3 × 3), ``heads``
        (heads × 3 × width), ``joined`` and ``output`` (3 × 8).
    """
    q, k, v = (split(X @ w, n_heads) for w in (W_Q, W_K, W_V))
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
    weights = softmax(scores)
    heads = weights @ v
    joined = np.concatenate(list(heads), axis=-1)
    lines = {"q": q, "k": k, "v": v, "scores": scores, "weights": weights, "heads": heads, "joined": joined}
    return lines | {"output": joined @ W_O}
