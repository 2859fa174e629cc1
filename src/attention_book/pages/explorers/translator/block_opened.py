"""The explorer *a block opened*: one vector through attention, Add & Norm and feed-forward, in seven steps."""

import numpy as np
import traitlets
from jaxtyping import Float

from ....attention.dot_product import scaled_dot_product_attention
from ..attention_by_hand import Matrix
from ..base import Explorer, front_end, require_no_faults
from ..words import fixed, listed, short

STEPS = {
    "pre": ("Enter", "Norm", "Attend", "Add", "Norm", "Feed forward", "Add"),
    "post": ("Enter", "Attend", "Add", "Norm", "Feed forward", "Add", "Norm"),
}
"""The steps of a block, by where the norm stands."""
EPS = 1e-5  # as in nn.LayerNorm; block_opened.js says the same
ROUNDING = 1e-12
"""Below this size a mean, or what passes the ReLU, is rounding."""
TOKENS = ("I", "like", "cats")
X = ((0, 2, 0, 2), (3, -1, 1, 1), (-1, -1, 3, 3))
W_1 = ((1, 0, -1, 0, 1, 0), (0, 1, 0, -1, 0, 1), (1, -1, 0, 0, -1, 0), (0, 0, 1, 1, 0, -1))
W_2 = ((1, 0, 0, -1), (0, 1, 0, 0), (0, 0, 2, 0), (-1, 0, 0, 1), (0, 1, -1, 0), (0, 0, 0, 1))
Rows = Float[np.ndarray, "length d_model"]


def normalised(rows: Rows) -> Rows:
    """Each row minus its mean, divided by the root of its variance plus ε; no gain and no bias."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    return centred / np.sqrt(centred.var(axis=1, keepdims=True) + EPS)


class BlockOpened(Explorer):
    """One encoder block with four numbers per token, small enough to follow every one of them.

    Attention has one head, and its four matrices are the identity: queries, keys and values are what comes in. The
    feed-forward network has no biases, and the norm has gain 1 and bias 0.

    Attributes:
        x: the sentence that enters, a row per token.
        w_1, w_2: the matrices of the feed-forward network, which multiply from the right.
        norm: ``"pre"`` or ``"post"``.
        attention, feed_forward: whether the sublayer works; one that is off gives zeros.
        token: the row that is followed, from 0.
        step: which of the seven `STEPS` is shown, from 0.
        tokens: names of the rows.
        output: the token's row after the block, read-only.
    """

    title = "A block, opened"
    _esm = front_end("translator/block_opened.js")

    x = Matrix(X).tag(sync=True)
    w_1 = Matrix(W_1).tag(sync=True)
    w_2 = Matrix(W_2).tag(sync=True)
    norm = traitlets.Enum(list(STEPS), "pre").tag(sync=True)
    attention = traitlets.Bool(True).tag(sync=True)
    feed_forward = traitlets.Bool(True).tag(sync=True)
    token = traitlets.Int(1, min=0).tag(sync=True)
    step = traitlets.Int(0, min=0, max=6).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), list(TOKENS)).tag(sync=True)
    output = traitlets.Tuple(read_only=True)

    def __init__(self, **traits):
        super().__init__(**traits)
        self._compute()

    @traitlets.validate("x", "w_1", "w_2", "token", "tokens")
    def _fit(self, proposal):
        state = {name: getattr(self, name) for name in self.state()} | {proposal.trait.name: proposal.value}
        (length, width), inner = np.shape(state["x"]), np.shape(state["w_1"])[1]
        faults = []
        if np.shape(state["w_1"])[0] != width or np.shape(state["w_2"]) != (inner, width):
            faults.append(f"w_1 must be {width} × any, as wide as x, and w_2 as many × {width}")
        if state["token"] >= length:
            faults.append(f"there is no token {state['token']} among {length}")
        if len(state["tokens"]) != length:
            faults.append(f"x has {length} rows, and each needs one name")
        require_no_faults(faults)
        return proposal.value

    @traitlets.observe("x", "w_1", "w_2", "norm", "attention", "feed_forward", "token")
    def _follow(self, change):
        self._compute()

    def lines(self) -> list[dict[str, np.ndarray]]:
        """What each step computes for the token that is followed, each line by its name."""
        stream, i = np.array(self.x), self.token
        found = [{"row": stream[i]}]
        for sublayer in (self._attend, self._feed):
            read = stream
            if self.norm == "pre":
                read = normalised(stream)
                found.append({"before": stream[i], "normalised": read[i]})
            given, line = sublayer(read)
            found += [line, {"before": stream[i], "added": given[i], "sum": (stream + given)[i]}]
            stream = stream + given
            if self.norm == "post":
                found.append({"before": stream[i], "normalised": normalised(stream)[i]})
                stream = normalised(stream)
        return found

    def _attend(self, rows: Rows) -> tuple[Rows, dict[str, np.ndarray]]:
        """What the attention gives to every row, and what the figure shows of it."""
        output, weights = scaled_dot_product_attention(rows, rows, rows)
        given = output if self.attention else np.zeros_like(output)
        return given, {"weights": weights[self.token], "attended": given[self.token]}

    def _feed(self, rows: Rows) -> tuple[Rows, dict[str, np.ndarray]]:
        """The same for the feed-forward network: inner numbers before and after the ReLU, and the output."""
        inner = rows @ np.array(self.w_1)
        opened = np.maximum(inner, 0)
        given = opened @ np.array(self.w_2) if self.feed_forward else np.zeros_like(rows)
        return given, {"inner": inner[self.token], "opened": opened[self.token], "fed": given[self.token]}

    def _compute(self):
        last = self.lines()[-1]
        self.set_trait("output", tuple(last["sum" if self.norm == "pre" else "normalised"].tolist()))

    def in_words(self) -> str:
        """All seven steps; block_opened.js says the same."""
        name, where = self.tokens[self.token], {"pre": "before", "post": "after"}[self.norm]
        told = [f"The norm stands {where} each sublayer."]
        for step, line in zip(STEPS[self.norm], self.lines(), strict=True):
            told.append(f"{step}: {self._told(step, name, line)}.")
        return " ".join(told)

    def _told(self, step: str, name: str, line: dict[str, np.ndarray]) -> str:
        if step == "Enter":
            return f"{name} is the row {_row(line['row'], short)}"
        if step == "Norm":
            before = line["before"]
            mean = float(before.mean())
            return (
                f"the row's mean is {fixed(mean if abs(mean) > ROUNDING else 0.0)} and its variance "
                f"{fixed(float(before.var()))}; "
                f"normalised it is {_row(line['normalised'], fixed)}"
            )
        if step == "Add":
            return f"with {_row(line['added'], fixed)} added, the row is {_row(line['sum'], fixed)}"
        if step == "Attend":
            if not self.attention:
                return "the attention is zeroed and gives zeros"
            looks = [f"{fixed(float(a))} on {t}" for a, t in zip(line["weights"], self.tokens, strict=True)]
            return f"{name} puts {listed(looks)} and finds {_row(line['attended'], fixed)}"
        if not self.feed_forward:
            return "the feed-forward network is zeroed and gives zeros"
        opened = int((line["opened"] > ROUNDING).sum())
        return (
            f"of {len(line['opened'])} inner numbers {opened} are above 0 and pass the ReLU; "
            f"the network gives {_row(line['fed'], fixed)}"
        )


def _row(numbers: np.ndarray, told) -> str:
    return f"({', '.join(told(float(number)) for number in numbers)})"
