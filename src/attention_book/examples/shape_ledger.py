"""A ledger of shapes: every tensor of multi-head attention with its name, its axes and their meaning, all asserted."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor

from ..attention.dot_product import fitted_mask
from ..attention.multi_head import MultiHeadAttention
from ..attention.probability import softmax


class ShapeError(ValueError):
    """A tensor does not have the shape that its entry in a ledger claims."""


class Entry(NamedTuple):
    """One line of a ledger.

    Attributes:
        code: the line of code that made the tensor.
        axes: its axes by name, such as ``"b l h·d_k"``; a dot multiplies.
        shape: their lengths.
        meaning: what the tensor holds.
        tensor: the tensor itself.
    """

    code: str
    axes: str
    shape: tuple[int, ...]
    meaning: str
    tensor: Tensor


class Ledger:
    """Entries in the order in which they were made, and the sizes that their letters stand for.

    Args:
        sizes: what each letter counts, such as ``b=2, l=7``.
    """

    def __init__(self, **sizes: int):
        self.sizes = sizes
        self.entries: list[Entry] = []

    def lengths(self, axes: str) -> tuple[int, ...]:
        """The numbers that axes stand for: ``"b l h·d_k"`` is (2, 7, 24) if b = 2, l = 7, h = 4 and d_k = 6.

        Raises:
            KeyError: if a letter has no size.
        """
        return tuple(math.prod(self.sizes[letter] for letter in axis.split("·")) for axis in axes.split())

    def enter(self, code: str, tensor: Tensor, axes: str, meaning: str = "") -> Tensor:
        """Assert the shape of a tensor, write it down and hand it on.

        Raises:
            ShapeError: if the tensor has another shape than ``axes``.
        """
        wanted = self.lengths(axes)
        if tuple(tensor.shape) != wanted:
            raise ShapeError(f"`{code}`: {axes} means {wanted}, and the tensor is {tuple(tensor.shape)}")
        self.entries.append(Entry(code, axes, wanted, meaning, tensor))
        return tensor

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


def multi_head_ledger(
    attention: MultiHeadAttention,
    x: Float[Tensor, "batch q_len d_model"],
    memory: Float[Tensor, "batch k_len d_model"] | None = None,
    mask: Bool[Tensor, "..."] | None = None,
) -> Ledger:
    """Run multi-head attention one line at a time and enter each tensor.

    Args:
        attention: the module; its last entry equals what the module returns, without dropout.
        x: the positions that ask.
        memory: the positions that answer; ``x`` itself if left out, and then both lengths are called ``l``. Otherwise
            there are ``m`` queries and ``n`` keys.
        mask: True where a query may attend to a key.

    Returns:
        The ledger; ``b`` is the batch, ``h`` the number of heads.

    Raises:
        ShapeError: if a tensor does not have the shape that the formula promises.
        ValueError: for rotary attention, which has more lines than are written here.
    """
    if attention.rotary:
        raise ValueError("this ledger has no lines for rotary positions: give an attention with rotary=False")
    h, d_k, d_v = attention.n_heads, attention.d_k, attention.d_v
    b, m = x.shape[:2]
    lengths = {"l": m} if memory is None else {"m": m, "n": memory.shape[1]}
    ledger = Ledger(b=b, h=h, d_k=d_k, d_v=d_v, d_model=x.shape[2], **lengths)
    enter = ledger.enter
    m_, n_ = ("l", "l") if memory is None else ("m", "n")

    enter("x", x, f"b {m_} d_model", "one vector per position")
    if memory is not None:
        enter("memory", memory, f"b {n_} d_model", "one vector per position that answers")
    source, named = (x, "x") if memory is None else (memory, "memory")
    split = {}
    for name, layer, come, came, length, d in (
        ("q", attention.w_q, x, "x", m_, "d_k"),
        ("k", attention.w_k, source, named, n_, "d_k"),
        ("v", attention.w_v, source, named, n_, "d_v"),
    ):
        what = {"q": "queries", "k": "keys", "v": "values"}[name]
        y = enter(f"{name} = w_{name}({came})", layer(come), f"b {length} h·{d}", f"{what} of all heads, side by side")
        y = y.view(b, y.shape[1], h, ledger.sizes[d])
        enter(f"{name} = {name}.view(b, {length}, h, {d})", y, f"b {length} h {d}", "each row cut into h pieces")
        y = enter(f"{name} = {name}.transpose(1, 2)", y.transpose(1, 2), f"b h {length} {d}", f"{what}, head by head")
        split[name] = y
    q, k, v = split["q"], split["k"], split["v"]
    k_t = enter("k_t = k.transpose(-2, -1)", k.transpose(-2, -1), f"b h d_k {n_}", "keys as columns")
    scores = enter("scores = q @ k_t / √d_k", q @ k_t / math.sqrt(d_k), f"b h {m_} {n_}", "a number for each pair")
    if mask is not None:
        allowed = fitted_mask(mask, tuple(scores.shape), scores)
        scores = scores.masked_fill(~allowed, -math.inf)
        enter("scores = scores.masked_fill(~mask, -inf)", scores, f"b h {m_} {n_}", "hidden pairs at −∞")
    weights = enter("weights = softmax(scores)", softmax(scores), f"b h {m_} {n_}", "shares; each row sums to 1")
    heads = enter("heads = weights @ v", weights @ v, f"b h {m_} d_v", "what each head found")
    heads = enter("heads = heads.transpose(1, 2)", heads.transpose(1, 2), f"b {m_} h d_v", "position by position again")
    joined = enter(
        f"joined = heads.reshape(b, {m_}, h·d_v)", heads.reshape(b, m, h * d_v), f"b {m_} h·d_v", "heads side by side"
    )
    enter("output = w_o(joined)", attention.w_o(joined), f"b {m_} d_model", "heads mixed, as wide as x")
    return ledger
