"""The explorer *follow a token*: one row through split, attend, merge and project, with every number explained."""

import numpy as np
import traitlets

from ....attention.dot_product import scaled_dot_product_attention
from ....examples.two_heads_by_hand import FEATURES, TOKENS, W_K, W_O, W_Q, W_V, X, split
from ..attention_by_hand import Matrix
from ..base import Explorer, front_end, require_no_faults
from ..words import fixed, listed, short

STEPS = ("Enter", "Split", "Attend", "Merge", "Project")


class FollowAToken(Explorer):
    """Multi-head self-attention for one token of a short sentence, in five steps.

    Attributes:
        x: the sentence, a row per token.
        w_q, w_k, w_v, w_o: the projections, which multiply from the right; as wide as `x`, in and out.
        n_heads: into how many heads the width is cut; must divide it.
        token: the row that is followed, from 0.
        step: which of `STEPS` is shown, from 0.
        tokens, features: names of the rows and of the columns of `x`.
        weights: n_heads × length, read-only: where the token's heads look. Computed by the package.
        output: the token's new row, read-only.
    """

    title = "Follow a token"
    _esm = front_end("attention/follow_a_token.js")

    x = Matrix(X).tag(sync=True)
    w_q = Matrix(W_Q).tag(sync=True)
    w_k = Matrix(W_K).tag(sync=True)
    w_v = Matrix(W_V).tag(sync=True)
    w_o = Matrix(W_O).tag(sync=True)
    n_heads = traitlets.Int(2, min=1).tag(sync=True)
    token = traitlets.Int(1, min=0).tag(sync=True)
    step = traitlets.Int(0, min=0, max=len(STEPS) - 1).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), list(TOKENS)).tag(sync=True)
    features = traitlets.List(traitlets.Unicode(), list(FEATURES)).tag(sync=True)
    weights = Matrix(((0.0,),), read_only=True)
    output = traitlets.Tuple(read_only=True)

    def __init__(self, **traits):
        super().__init__(**traits)
        self._compute()

    @traitlets.validate("x", "w_q", "w_k", "w_v", "w_o", "n_heads", "token", "tokens", "features")
    def _fit(self, proposal):
        state = {name: getattr(self, name) for name in self.state()} | {proposal.trait.name: proposal.value}
        length, width = len(state["x"]), len(state["x"][0])
        faults = [
            f"{name} must be {width} × {width}, as wide as x"
            for name in ("w_q", "w_k", "w_v", "w_o")
            if np.shape(state[name]) != (width, width)
        ]
        if width % state["n_heads"]:
            faults.append(f"{state['n_heads']} heads do not divide a width of {width}")
        if state["token"] >= length:
            faults.append(f"there is no token {state['token']} among {length}")
        if (len(state["tokens"]), len(state["features"])) != (length, width):
            faults.append(f"x has {length} rows and {width} columns, and each needs one name")
        require_no_faults(faults)
        return proposal.value

    @traitlets.observe("x", "w_q", "w_k", "w_v", "w_o", "n_heads", "token")
    def _follow(self, change):
        self._compute()

    def _lines(self) -> dict[str, np.ndarray]:
        """What the token's row becomes, by the package: every line has one row per head, or is one row."""
        x, i = np.array(self.x), self.token
        q, k, v = (split(x @ np.array(w), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        heads, weights = scaled_dot_product_attention(q, k, v)
        merged = np.concatenate(list(heads[:, i]))
        lines = {"q": q[:, i], "k": k[:, i], "v": v[:, i], "weights": weights[:, i], "heads": heads[:, i]}
        return lines | {"merged": merged, "output": merged @ np.array(self.w_o)}

    def _compute(self):
        lines = self._lines()
        self.set_trait("weights", lines["weights"])
        self.set_trait("output", tuple(lines["output"].tolist()))

    def in_words(self) -> str:
        """All five steps; follow_a_token.js says the same."""
        lines, name = self._lines(), self.tokens[self.token]
        every = range(self.n_heads)
        pieces = {part: listed([f"{_row(lines[part][h], short)} for head {h}" for h in every]) for part in "qkv"}
        looks = [
            f"head {h} puts "
            + listed([f"{fixed(a)} on {t}" for a, t in zip(lines["weights"][h], self.tokens, strict=True)])
            + f" and finds {_row(lines['heads'][h], fixed)}"
            for h in every
        ]
        found = [
            f"{feature} {fixed(number)}"
            for feature, number in zip(self.features, lines["output"], strict=True)
            if number
        ]
        scaling = f"√{len(self.x[0]) // self.n_heads}"
        return " ".join(
            [
                f"Enter: {name} is the row {_row(self.x[self.token], short)}.",
                f"Split: its query is {pieces['q']}; its key is {pieces['k']}; its value is {pieces['v']}.",
                f"Attend, dividing by {scaling}: {'; '.join(looks)}.",
                f"Merge: side by side that is {_row(lines['merged'], fixed)}.",
                f"Project: times W^O it becomes {listed(found) if found else 'a row of zeros'}.",
            ]
        )


def _row(numbers, told) -> str:
    return f"({', '.join(told(float(number)) for number in numbers)})"
