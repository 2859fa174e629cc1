"""The explorer *attention by hand*: Q, K and V to edit, and scores, weights and output that follow."""

import math

import numpy as np
import traitlets

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask
from .base import Explorer, front_end
from .words import fixed, listed

LIMIT = 1e6  # of a number in Q, K or V; attention_by_hand.js holds readers to the same
LARGEST_SIZE = 8  # rows or columns: more do not fit a page

# Scores of 2 · (0, 1, 0), 2 · (1, 0, 2) and 2 · (1, 1, 1): a query that knows what it wants, one that weighs, one that
# cannot choose. The values are the corners of a triangle.
QUERIES = ((0.0, 0.0, 2.0, 0.0), (2.0, 2.0, 0.0, 0.0), (1.0, 1.0, 2.0, 1.0))
KEYS = ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0), (1.0, 1.0, 0.0, 0.0))
VALUES = ((1.0, 1.0), (5.0, 1.0), (1.0, 5.0))
TOKENS = ["I", "like", "cats"]


class Matrix(traitlets.TraitType):
    """A small matrix of numbers, kept as a tuple of rows; lists, arrays and tensors are converted.

    A tuple, because a list could be changed in place, which nobody would notice.
    """

    info_text = f"a matrix of numbers between −{LIMIT:,.0f} and {LIMIT:,.0f}, at most {LARGEST_SIZE} × {LARGEST_SIZE}"

    def validate(self, obj, value):
        try:
            matrix = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            self.error(obj, value)
        fits = matrix.ndim == 2 and matrix.size and max(matrix.shape) <= LARGEST_SIZE
        if not fits or not np.all(np.abs(matrix) <= LIMIT):
            self.error(obj, value)
        return tuple(map(tuple, matrix.tolist()))


class AttentionByHand(Explorer):
    """Scaled dot-product attention on a few tokens, every number within reach.

    Set several of `q`, `k` and `v` to another shape together, inside ``with explorer.hold_trait_notifications():``;
    numbers of the same shape can be set one matrix at a time. A change that does not fit raises a TraitError and
    changes nothing.

    Attributes:
        q: queries, q_len × d_k.
        k: keys, k_len × d_k.
        v: values, k_len × d_v.
        scaled: whether the scores are divided by √d_k.
        causal: whether later keys are hidden, as by `attention_book.attention.masks.causal_mask`.
        query_tokens, key_tokens: names of the rows; rows without one are numbered.
        weights: q_len × k_len, read-only; computed by the package whenever one of the above changes.
        output: q_len × d_v, read-only.
    """

    title = "Attention by hand"
    _esm = front_end("attention_by_hand.js")

    q = Matrix(QUERIES).tag(sync=True)
    k = Matrix(KEYS).tag(sync=True)
    v = Matrix(VALUES).tag(sync=True)
    scaled = traitlets.Bool(True).tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    query_tokens = traitlets.List(traitlets.Unicode(), TOKENS).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode(), TOKENS).tag(sync=True)
    weights = Matrix(((0.0,),), read_only=True)
    output = Matrix(((0.0,),), read_only=True)

    def __init__(self, **traits):
        super().__init__(**traits)
        self._compute()

    @traitlets.validate("q", "k", "v")
    def _fit(self, proposal):
        matrices = {**{name: getattr(self, name) for name in "qkv"}, proposal.trait.name: proposal.value}
        shapes = {name: (len(matrix), len(matrix[0])) for name, matrix in matrices.items()}
        if shapes["q"][1] != shapes["k"][1] or shapes["k"][0] != shapes["v"][0]:
            raise traitlets.TraitError(
                "queries and keys must be equally wide, and each key needs one value: "
                + ", ".join(f"{name} is {rows} × {columns}" for name, (rows, columns) in shapes.items())
                + ". To change shapes, set q, k and v inside `with explorer.hold_trait_notifications():`."
            )
        return proposal.value

    @traitlets.observe("q", "k", "v", "scaled", "causal")
    def _follow(self, change):
        self._compute()

    def _compute(self):
        q, k, v = (np.array(matrix) for matrix in (self.q, self.k, self.v))
        if not self.scaled:
            q = q * math.sqrt(q.shape[1])
        mask = causal_mask(len(q), len(k)) if self.causal else None
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        self.set_trait("weights", weights)
        self.set_trait("output", output)

    def in_words(self) -> str:
        """Who attends to what, and what comes out; attention_by_hand.js says the same after each change."""
        scaling = f"divided by √{len(self.q[0])}" if self.scaled else "not divided"
        seen = "no query may attend to a later key" if self.causal else "every query may attend to every key"
        sentences = [f"Scores are {scaling}; {seen}."]
        for i, (weights, output) in enumerate(zip(self.weights, self.output, strict=True)):
            shares = [f"{fixed(weight)} on {_name(self.key_tokens, j, 'key')}" for j, weight in enumerate(weights)]
            spread = f"puts {listed(shares)}" if any(weights) else "may attend to nothing"
            query = _name(self.query_tokens, i, "query")
            sentences.append(f"The query of {query} {spread}; its output is ({', '.join(map(fixed, output))}).")
        return " ".join(sentences)


def _name(names: list[str], n: int, kind: str) -> str:
    return names[n] if n < len(names) else f"{kind} {n + 1}"
