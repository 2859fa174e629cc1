"""Checks for *Masks* and *The masks of a translator*: the causal mask, packed sentences, and the softmax under a mask.

The oracles are laws: query i may attend to key j if j is not later, and if both belong to one sentence; a row of
weights sums to one over the keys it may attend to and is zero elsewhere.
"""

import math
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from ...attention.masks import causal_mask, combine_masks, padding_mask
from ..answers import each_answer
from ..drawn import Normal
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, first_difference

_POLARITY = "The polarity is flipped: in this book True means that a query may attend to a key."
_ROWS = "one row per query, one column per key"


def as_mask(got: object) -> object:
    """A mask as a torch tensor, if it is a NumPy array or nested lists of True and False; anything else as it is.

    What is no mask is left for `expect_array` to say what it is.
    """
    try:
        table = None if isinstance(got, Tensor) else np.array(got)
    except (TypeError, ValueError, RuntimeError):  # lists of different lengths, among others
        return got
    return got if table is None or table.dtype != bool or not table.ndim else torch.from_numpy(table)


def _places(q_len: int, k_len: int) -> tuple[Tensor, Tensor]:
    """The position of each query (a column) and of each key (a row); the last query stands at the last key."""
    return torch.arange(q_len)[:, None] + k_len - q_len, torch.arange(k_len)[None, :]


def _first_fault(got: Tensor, right: Tensor, later: Tensor) -> str:
    """Name one cell in which two masks differ, those that see too much first. A leading axis is the batch."""
    too_much = got & ~right
    *leading, row, column = (too_much if too_much.any() else right & ~got).nonzero()[0].tolist()
    where = f"In batch row {leading[0]}, row" if leading else "Row"
    if not too_much.any():
        return f"{where} {row} does not attend to column {column} (counted from 0)."
    reason = "comes later" if later[row, column] else "is padding"
    return f"{where} {row} attends to column {column}, which {reason} (counted from 0)."


@checking
def check_causal_mask(candidate: object) -> Report:
    """Does ``candidate(q_len, k_len)`` let each query attend to its own position and the earlier ones, and no more?"""
    for q_len, k_len in ((4, 4), (1, 1), (7, 7), (2, 5), (1, 6), (5, 6)):
        got = as_mask(attempt(candidate, q_len, k_len))
        got = expect_array(got, (q_len, k_len), _ROWS, name="the mask", boolean=True)
        query, key = _places(q_len, k_len)
        right = key <= query
        if torch.equal(got, right):
            continue
        inputs = f"With {q_len} queries and {k_len} keys"
        if torch.equal(got, ~right):
            raise NotYet(f"{inputs}: {_POLARITY}")
        if q_len == k_len and torch.equal(got, right.T):
            raise NotYet(f"{inputs} it is transposed: rows are queries, and row 0 must not attend to column 1.")
        if torch.equal(got, key < query):
            raise NotYet(f"{inputs} it is shifted by one: row 0 does not attend to column {k_len - q_len}, itself.")
        if torch.equal(got, key <= query + 1):
            raise NotYet(f"{inputs} it is shifted by one: {_first_fault(got, right, ~right)}")
        if q_len != k_len and torch.equal(got, key <= torch.arange(q_len)[:, None]):
            raise NotYet(
                f"{inputs} it is aligned at the top left: the queries are the newest positions, so the last row "
                "must attend to every column."
            )
        raise NotYet(f"{inputs}: {_first_fault(got, right, ~right)}")
    return Report(
        True, "No row sees the future, each sees itself and all before it, also where there are more keys than queries."
    )


_SENTENCES = (
    torch.tensor([[1, 1, 1, 2, 2, 2, 0], [1, 2, 2, 2, 2, 3, 3], [0, 0, 2, 2, 1, 1, 1], [1, 1, 0, 2, 0, 3, 3]]),
    torch.tensor([[5, 5, 9, 9]]),
    torch.tensor([[1, 1, 1], [4, 0, 0]]),
)


@checking
def check_packed_mask(candidate: object) -> Report:
    """Does ``candidate(sentence)`` let each token attend to itself and to the earlier tokens of its own sentence?

    The rows of the padding, sentence 0, are not looked at.
    """
    for sentence in _SENTENCES:
        batch, length = sentence.shape
        meaning = "batch, heads, queries, keys; one mask for all heads"
        got = as_mask(attempt(candidate, sentence.clone()))
        got = expect_array(got, (batch, 1, length, length), meaning, name="the mask", boolean=True)
        query, key = _places(length, length)
        causal, row, column = key <= query, sentence[:, None, :, None], sentence[:, None, None, :]
        read = (row != 0).expand(got.shape)
        right = causal & (row == column)

        def same(mine: Tensor, other: Tensor, read: Tensor = read) -> bool:
            return torch.equal(mine & read, other.expand(read.shape) & read)

        if same(got, right):
            continue
        known = {
            _POLARITY: ~right,
            "The sentences are kept apart, and the future is open: a token of a decoder may not see a later one.": (
                row == column
            ),
            "This is the causal mask: the sentences of a row can read each other.": causal,
            "Padding is hidden, and the sentences of a row can read each other.": causal & (column != 0),
            "A token may also read the sentences before its own: compare the numbers with `==`.": (
                causal & (column <= row)
            ),
            "A token does not see itself: the diagonal is allowed.": (key < query) & (row == column),
            "It is transposed: rows are queries, and row 0 may attend to column 0 alone.": (causal.T & (row == column)),
            "Every row of the batch gets the mask of the first.": right[:1],
        }
        if fault := recognise(got, known, same):
            raise NotYet(fault)
        raise NotYet(_packing_fault(got & read, right & read, sentence))
    return Report(True, "Each token sees itself and what came before it in its own sentence, and no padding.")


def _packing_fault(got: Tensor, right: Tensor, sentence: Tensor) -> str:
    """Name one cell in which the masks differ."""
    line, _, row, column = (got != right).nonzero()[0].tolist()
    of, other = sentence[line, row], sentence[line, column]
    verb = "attends" if got[line, 0, row, column] else "does not attend"
    whose = "padding" if other == 0 else f"of sentence {other}"
    return f"In batch row {line}, row {row} (of sentence {of}) {verb} to column {column} ({whose}), counted from 0."


@checking
def check_masked_softmax(candidate: object) -> Report:
    """Does ``candidate(scores, mask)`` give the attention weights, with nothing infinite on the way?"""
    normal = Normal(17)
    query, key = _places(4, 4)
    causal = key <= query
    some = torch.tensor([[True, True, False, True]])
    nothing = causal.clone()
    nothing[1] = False
    for mask in (causal, some, nothing):
        scores = normal(2, 3, 4, 4).requires_grad_()
        _check_weights(attempt(candidate, scores, mask), scores, mask)
    huge = (2000 * normal(2, 3, 4, 4)).requires_grad_()
    got = attempt(candidate, huge, torch.ones(4, 4, dtype=torch.bool))
    if isinstance(got, Tensor) and not torch.isfinite(got).all():
        raise NotYet(
            "With scores of some thousands it overflows: subtract the largest allowed score of each row first."
        )
    _check_weights(got, huge, torch.ones(4, 4, dtype=torch.bool))
    for far in (2000.0, 40_000.0, -3000.0):
        _check_beside(candidate, far)
    _check_weights(attempt(candidate, huge, causal), huge, causal)
    with _Infinities() as seen:
        attempt(candidate, normal(2, 3, 4, 4), nothing)
    if seen.found:
        raise NotYet(
            "The weights are right, but an infinite number occurs on the way. Which finite number does as well?"
        )
    return Report(True, "Masked keys get exactly 0, an empty row stays finite, and nothing infinite occurs.")


class _Infinities(TorchDispatchMode):
    """Notices whether an operation inside it makes an infinite number."""

    found = False

    def __torch_dispatch__(self, func: object, types: object, args: tuple = (), kwargs: dict | None = None) -> object:
        """Run the operation and look at what it makes."""
        made = func(*args, **(kwargs or {}))
        for one in made if isinstance(made, tuple | list) else (made,):
            if isinstance(one, Tensor) and one.is_floating_point():
                self.found = self.found or bool(one.isinf().any())
        return made


def _check_beside(candidate: object, far: float) -> None:
    """Two allowed scores beside a hidden one that is far away from them."""
    scores = torch.tensor([[0.0, 1.0, far], [far, 1.0, 0.0]], dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, True, True]])
    got = attempt(candidate, scores, mask)
    right, row = _masked(scores.detach(), mask), f"With the scores 0, 1 and {far:g}, of which the last is hidden,"
    found = got.detach() if isinstance(got, Tensor) and got.shape == scores.shape else None
    if found is None or not agrees(found, right):
        told = (
            ""
            if found is None
            else " and not ".join(
                "(" + ", ".join(f"{weight:.3g}" for weight in weights[0].tolist()) + ")" for weights in (found, right)
            )
        )
        raise NotYet(
            f"{row} the weights are {told}. The hidden score still takes part, in the sum or in the maximum that is "
            "subtracted, and beside it the others underflow. Put −∞ in its place before anything else."
        )
    _check_weights(got, scores, mask, where=f"{row} ")


def _masked(scores: Tensor, mask: Tensor) -> Tensor:
    """The weights as they should be: exponentials of the allowed scores, divided by their sum."""
    mask = mask.expand(scores.shape)
    largest = torch.where(mask, scores, -math.inf).amax(dim=-1, keepdim=True)
    exponentials = torch.where(mask, torch.exp(torch.where(mask, scores - largest, 0)), 0)
    allowed = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / torch.where(allowed == 0, 1, allowed)


def _check_weights(got: object, scores: Tensor, mask: Tensor, where: str = "") -> None:
    mask = mask.expand(scores.shape[-2:])
    empty = ~mask.any(dim=-1)
    if isinstance(got, Tensor) and got.shape == scores.shape and got.isnan().any():
        rows = got.isnan().any(dim=-1).reshape(-1, len(mask)).any(dim=0)
        if empty.any() and torch.equal(rows, empty):
            raise NotYet("NaN: a whole row is masked, and 0 / 0 has no answer. Give such a row zero weights.")
    weights = expect_array(got, tuple(scores.shape), f"the shape of the scores, {_ROWS}", name="the weights")
    right = _masked(scores.detach(), mask)
    axes = ("batch", "head", "row", "column")[-scores.dim() :]
    difference = first_difference(weights, right, axes=axes)
    if difference is not None:
        raise NotYet(_diagnosis(weights.detach(), scores.detach(), mask, right) or f"Wrong weight at {difference}.")
    if (weights[..., ~mask] != 0).any():
        raise NotYet("A hidden key gets a small weight, and not exactly 0: fill with −∞, which leaves nothing over.")
    if not weights.requires_grad:
        raise NotYet("The gradient does not reach the scores: stay with torch's own functions.")
    towards = torch.linspace(-1, 1, weights.numel(), dtype=weights.dtype).reshape(weights.shape)
    (gradient,) = torch.autograd.grad((weights * towards).sum(), scores, retain_graph=True)
    if not torch.isfinite(gradient).all():
        where = where or ("In the empty row " if empty.any() else "")
        raise NotYet(
            f"{where or 'On the way back: '}the weights are right and their gradient is NaN. Replacing a value "
            "afterwards does not mend the way back: keep the 0 / 0, or the overflow, from being computed at all."
        )


def _diagnosis(weights: Tensor, scores: Tensor, mask: Tensor, right: Tensor) -> str | None:
    """Which known mistake gives these weights."""
    zeroed = torch.softmax(scores, dim=-1) * mask
    hidden = scores.masked_fill(~mask, -1e9)
    known = {
        "These weights sum to 1 over the queries, not the keys: the softmax belongs on the last axis.": (
            torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-2).nan_to_num()
        ),
        "The mask has no effect.": torch.softmax(scores, dim=-1),
        "The polarity is flipped: it hides what may be attended to.": (
            torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1).nan_to_num()
        ),
        "It multiplies the scores by the mask: a score of 0 is still e⁰ = 1 in the softmax.": (
            torch.softmax(scores * mask, dim=-1)
        ),
        "A row that may attend to nothing attends to everything: −1e9 at each key is the same as no mask.": (
            torch.softmax(hidden, dim=-1)
        ),
    }
    if agrees(weights, zeroed):
        row = int((zeroed.sum(dim=-1) < 1 - 1e-6).nonzero()[0][-1])
        total = zeroed[0, 0, row].sum()
        return (
            f"It zeroes weights after the softmax: row {row} sums to {total:.2f}. The hidden keys still share the sum."
        )
    return recognise(weights, known)


SOURCES, TARGETS = (5, 3), (4, 6)  # tokens of the exercise's sentences
_SLIPS = {
    "encoder": {
        10: "the shorter source has padding, which is hidden",
        34: "the shape has one row per sentence, and not one per query",
        40: "the shape has one row per sentence, and not one per query",
    },
    "decoder": {
        42: "the padding of the first target is hidden too",
        31: "the rows of the padding are not emptied: only its columns are",
        60: "each row may see no later token",
        72: "nothing is hidden",
        21: "there are two sentences",
        18: "there are two sentences",
        10: "a row of keys alone is the padding mask; the future is hidden too",
    },
    "cross": {
        10: "the keys are of the source, whose shorter sentence has padding",
        12: "the keys are of the source, not of the target",
        48: "the shape has one row per sentence, which serves all queries",
        38: "the shape has one row per sentence, which serves all queries",
    },
}


@cache
def _counted() -> dict[str, int]:
    """The True cells of the three masks of such a batch."""

    def ids(lengths: tuple[int, ...]) -> Tensor:
        return (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).int()

    source, target = padding_mask(ids(SOURCES)), padding_mask(ids(TARGETS))
    decoder = combine_masks(causal_mask(max(TARGETS)), target)
    return {"encoder": int(source.sum()), "decoder": int(decoder.sum()), "cross": int(source.sum())}


@checking
def check_cells(predictions: object) -> Report:
    """Are these the numbers of True cells of the three masks?

    Args:
        predictions: name of the attention to its number of cells.
    """
    right = _counted()
    for name, answer in each_answer(predictions, tuple(right), put="yours"):
        said = expect_number(answer, f"the number of `{name}`")
        if said == right[name]:
            continue
        why = recognise(said, _SLIPS[name], near())
        raise NotYet(f"`{name}`: not {said:g}. {_told(why)}")
    return Report(True, "All three. Padding is counted by keys, and only the decoder's own attention has a triangle.")


def _told(why: str | None) -> str:
    """The reason as a sentence, or a hint."""
    return f"{why[0].upper()}{why[1:]}." if why else "Write the masks of both sentences down, row by row."
