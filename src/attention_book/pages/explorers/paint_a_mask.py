"""The explorer *paint a mask*: a mask to click together; weights, sums of rows and the leak matrix follow."""

import math

import numpy as np
import torch
import traitlets

from ...analysis.information_flow import leak_matrix
from ...attention.mask_patterns import window_mask
from ...attention.masks import causal_mask, padding_mask
from ...examples.mask_recipes import fill_with_minus_1e9, fill_with_minus_infinity, times_one_or_zero, zero_weights
from .attention_by_hand import LARGEST_SIZE, Matrix
from .base import Explorer, front_end
from .words import fixed, listed

TOKENS = ["I", "like", "cats", ".", "<pad>"]
RECIPES = {
    "infinity": fill_with_minus_infinity,
    "billion": fill_with_minus_1e9,
    "zero": zero_weights,
    "times": times_one_or_zero,
}
SAID = {  # paint_a_mask.js says the same
    "infinity": "−∞ stands in place of a hidden score",
    "billion": "−10⁹ stands in place of a hidden score",
    "zero": "hidden weights are set to 0 after the softmax",
    "times": "scores are multiplied by 1 or 0 before the softmax",
}
EMPTY = {
    "infinity": "a bare softmax would give NaN; this book's gives zeros",
    "billion": "all its scores are equal now, so it attends to every key alike",
    "zero": "all its weights are 0",
    "times": "all its scores are 0 now, so it attends to every key alike",
}
_RANDOM = np.random.default_rng(5)
FELT = 1e-12  # derivatives up to this size are rounding, not information; paint_a_mask.js says the same
INPUTS = _RANDOM.normal(size=(len(TOKENS), 3)).round(1)  # one row per token, three numbers wide
W_Q, W_K, W_V = (0.8 * _RANDOM.normal(size=(3, 3, 3))).round(1)


def preset(name: str, tokens: list[str]) -> torch.Tensor:
    """A mask by name: "all", "causal", "padding", "causal and padding", "window of 2" or "before only"."""
    n = len(tokens)
    real = padding_mask(torch.tensor([[int(token != "<pad>") for token in tokens]]))[0, 0].expand(n, n)
    return {
        "all": torch.ones(n, n, dtype=torch.bool),
        "causal": causal_mask(n),
        "padding": real,
        "causal and padding": causal_mask(n) & real,
        "window of 2": window_mask(n, n, 2),
        "before only": causal_mask(n).tril(-1),
    }[name]


class Mask(traitlets.TraitType):
    """A square table of True and False, kept as a tuple of rows; lists, arrays and tensors are converted."""

    info_text = f"a square table of True and False, at most {LARGEST_SIZE} × {LARGEST_SIZE}"

    def validate(self, obj, value):
        try:
            table = np.asarray(value)
        except ValueError:  # rows of different lengths
            self.error(obj, value)
        if table.ndim != 2 or not 0 < len(table) == table.shape[1] <= LARGEST_SIZE or table.dtype != bool:
            self.error(obj, value)
        return tuple(map(tuple, table.tolist()))


class PaintAMask(Explorer):
    """Self-attention on a few tokens under a mask of your own.

    A mask of another size comes with as many tokens and rows of ``x``: set the three together, inside
    ``with explorer.hold_trait_notifications():``. A change that does not fit raises a TraitError and changes nothing.

    Attributes:
        may: the mask, True where a query (row) may attend to a key (column).
        recipe: how it hides: ``"infinity"``, ``"billion"``, ``"zero"`` or ``"times"``; see `SAID`.
        tokens: names of the positions; `<pad>` is what the presets take for padding.
        x: the inputs, one row per token.
        w_q, w_k, w_v: the projections to queries, keys and values.
        weights: read-only; computed by `attention_book.examples.mask_recipes` whenever one of the above changes.
        leaks: read-only; the largest derivative of each output (row) with respect to each input (column).
    """

    title = "Paint a mask"
    _esm = front_end("paint_a_mask.js")

    may = Mask(causal_mask(len(TOKENS)).tolist()).tag(sync=True)
    recipe = traitlets.Enum(list(RECIPES), "infinity").tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), TOKENS).tag(sync=True)
    x = Matrix(tuple(map(tuple, INPUTS.tolist()))).tag(sync=True)
    w_q = Matrix(tuple(map(tuple, W_Q.tolist()))).tag(sync=True)
    w_k = Matrix(tuple(map(tuple, W_K.tolist()))).tag(sync=True)
    w_v = Matrix(tuple(map(tuple, W_V.tolist()))).tag(sync=True)
    weights = Matrix(((0.0,),), read_only=True)
    leaks = Matrix(((0.0,),), read_only=True)

    def __init__(self, **traits):
        super().__init__(**traits)
        self._compute()

    @traitlets.validate("may", "tokens", "x", "w_q", "w_k", "w_v")
    def _fit(self, proposal):
        now = {name: getattr(self, name) for name in ("may", "tokens", "x", "w_q", "w_k", "w_v")}
        now[proposal.trait.name] = proposal.value
        if not len(now["may"]) == len(now["tokens"]) == len(now["x"]):
            raise traitlets.TraitError(
                f"mask, tokens and inputs must be equally many: the mask has {len(now['may'])} rows, there are "
                f"{len(now['tokens'])} tokens and {len(now['x'])} inputs. To change all, set them inside "
                "`with explorer.hold_trait_notifications():`."
            )
        if {len(now[name]) for name in ("w_q", "w_k", "w_v")} != {len(now["x"][0])}:
            raise traitlets.TraitError("w_q, w_k and w_v must have as many rows as an input has numbers")
        if len(now["w_q"][0]) != len(now["w_k"][0]):
            raise traitlets.TraitError("queries and keys must be equally wide: so must w_q and w_k")
        return proposal.value

    @traitlets.observe("may", "recipe", "tokens", "x", "w_q", "w_k", "w_v")
    def _follow(self, change):
        self._compute()

    def paint(self, name: str) -> None:
        """Set the mask to one of the presets, such as "causal and padding"; see :func:`preset`."""
        self.may = preset(name, self.tokens).tolist()

    def _compute(self):
        x, w_q, w_k, w_v = (torch.tensor(m, dtype=torch.float64) for m in (self.x, self.w_q, self.w_k, self.w_v))
        may = torch.tensor(self.may)

        def weights(x):
            return RECIPES[self.recipe]((x @ w_q) @ (x @ w_k).T / math.sqrt(w_k.shape[1]), may)

        self.set_trait("weights", weights(x))
        self.set_trait("leaks", leak_matrix(lambda x: weights(x) @ (x @ w_v), x))

    def in_words(self) -> str:
        """Who may attend to what, what the weights are, and what shows through; paint_a_mask.js says the same."""
        sentences = [f"Of a hidden key: {SAID[self.recipe]}."]
        names = [f"“{token}”" for token in self.tokens]
        for name, may, weights in zip(names, self.may, self.weights, strict=True):
            keys = [key for key, seen in zip(names, may, strict=True) if seen]
            on = f"may attend to {listed(keys)}" if keys else f"may attend to nothing ({EMPTY[self.recipe]})"
            shares = ", ".join(map(fixed, weights))
            sentences.append(f"{name} {on}; its weights are {shares}, with the sum {fixed(_sum(weights))}.")
        return " ".join([*sentences, self._shown_through()])

    def _shown_through(self) -> str:
        n = range(len(self.tokens))
        felt = [(i, j) for i in n for j in n if i != j and self.leaks[i][j] > FELT]
        hidden = [(i, j) for i, j in felt if not self.may[i][j]]
        later = [(i, j) for i, j in felt if j > i]
        leak = max((self.leaks[i][j] for i, j in later), default=0.0)

        def told(cells):
            rows = {i: [f"“{self.tokens[j]}”" for k, j in cells if k == i] for i, _ in cells}
            return "; ".join(f"“{self.tokens[i]}” feels {listed(names)}" for i, names in rows.items())

        first = f"Hidden and felt: {told(hidden)}." if hidden else "No output feels what is hidden from it."
        second = f"Later and felt: {told(later)}." if later else "No output feels a later input."
        return f"{first} {second} The leak is {fixed(leak)}."


def _sum(numbers) -> float:
    total = 0.0  # in the order of JavaScript: the last digit might be a tie
    for number in numbers:
        total += number
    return total
