"""Checks for *Does attention notice the order?* and *Positions*: what an order changes, sinusoids and their turn.

The oracle is the formula of the paper, computed with NumPy; what notices an order is measured. See also `rotary`.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import torch
from torch import Tensor

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask
from ...attention.multi_head import MultiHeadAttention
from ...attention.positions import sinusoidal_positions
from ...models.blocks import Decoder, Encoder
from ...models.config import TransformerConfig
from ..answers import each_answer, is_one_of
from ..drawn import seeded
from ..known_mistakes import diagnose
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

_PARTS = {
    "a": ("attention to fixed keys and values, asked by the rows", "Each row is a query, and takes its answer along."),
    "b": ("self-attention in which no row sees itself", "Each row takes its output along: it sees the three others."),
    "c": ("the largest number in each column of an encoder's output", "The rows move, and the largest one stays."),
    "d": ("an encoder; each row gets a vector of its place first", "Each word now meets the vector of another place."),
    "e": ("the last row of causal self-attention", "It sees all four words, but another word asks there now."),
    "f": ("a decoder that may not see the encoder's last row", "The mask stays, and hides another word than before."),
}
_REORDERED = torch.tensor([2, 0, 3, 1])


def parts() -> str:
    """The parts whose answer to a new order is to be predicted, one line each, ready to print."""
    return "\n".join(f"{letter}: {text}" for letter, (text, _) in _PARTS.items())


@cache
def _moves() -> dict[str, str]:
    """What each part's output does when its rows, or in f those of the memory, are reordered: measured."""
    with seeded(3):
        config = TransformerConfig.tiny(d_model=8, n_heads=2, d_ff=16, dropout=0.0)
        encoder, decoder = Encoder(config), Decoder(config)
        attention = MultiHeadAttention(8, 2)
        x, y, fixed = torch.randn(3, 1, 4, 8)
    positions = sinusoidal_positions(4, 8)
    functions: dict[str, Callable[[Tensor], Tensor]] = {
        "a": lambda x: attention(x, fixed)[0],
        "b": lambda x: attention(x, mask=~torch.eye(4, dtype=torch.bool))[0],
        "c": lambda x: encoder(x)[0].amax(dim=1, keepdim=True).expand(-1, 4, -1),
        "d": lambda x: encoder(x + positions)[0],
        "e": lambda x: attention(x, mask=causal_mask(4))[0][:, -1:].expand(-1, 4, -1),
        "f": lambda memory: decoder(y, memory, memory_mask=torch.arange(4) < 3)[0],
    }
    found = {}
    with torch.inference_mode():
        for letter, fn in functions.items():
            before, after = fn(x), fn(x[:, _REORDERED])
            outcomes = {"same": before, "moved": before[:, _REORDERED]}
            match = (name for name, wanted in outcomes.items() if torch.allclose(after, wanted, atol=1e-5))
            found[letter] = next(match, "changed")
    return found


@checking
def check_order(predictions: object) -> Report:
    """Is it predicted rightly what a new order of the rows does to each part's output?

    Args:
        predictions: letter of the part to "same", "moved" (the same rows in the new order) or "changed".
    """
    measured, wanted = _moves(), "an answer for each of the letters"
    for letter, said in each_answer(predictions, _PARTS, wanted, open_name="Part {}"):
        text, why = _PARTS[letter]
        if not is_one_of(said, ("same", "moved", "changed")):
            raise NotYet(f'Answer {letter} with "same", "moved" or "changed", not {said!r}.')
        if said != measured[letter]:
            raise NotYet(f'Not "{said}" for {letter}, {text}: measured, its output is "{measured[letter]}". {why}')
    return Report(True, "All six, measured with four random rows in another order.")


_TESTED: dict[str, tuple[bool, Callable[[Tensor], Tensor]]] = {
    "the exponential of each number": (True, torch.exp),
    "attention without a mask": (True, lambda x: scaled_dot_product_attention(x, x, x)[0]),
    "a sum over the rows, in each row": (True, lambda x: x.sum(0, keepdim=True).expand_as(x)),
    "attention under a causal mask": (False, lambda x: scaled_dot_product_attention(x, x, x, causal_mask(len(x)))[0]),
    "running sums down the rows": (False, lambda x: x.cumsum(0)),
    "sorted columns": (False, lambda x: x.sort(0).values),
    "the first row, in each row": (False, lambda x: x[:1].expand_as(x)),
}
"""Functions of rows, and whether they only move with them."""


@checking
def check_only_moves(candidate: object) -> Report:
    """Does ``candidate(fn, x, order)`` tell which functions give reordered rows the old outputs, reordered?"""
    order = _REORDERED.tolist()
    with seeded(3):
        x = torch.randn(4, 8)
    for name, (right, fn) in _TESTED.items():
        got = attempt(candidate, fn, x, order)
        if not isinstance(got, bool | np.bool_):
            raise NotYet(f"`True` or `False` is wanted, and for {name} it returned {got!r}.")
        if bool(got) != right:
            raise NotYet(f"For {name} it says {got}, and {right} is right: {_why(fn(x), fn(x[order]), order)}.")
    return Report(
        True, f"Right for all {len(_TESTED)} functions; for a single x and order, which can refute and not prove."
    )


def _why(before: Tensor, after: Tensor, order: list[int]) -> str:
    """What a function's output does in another order, as a clause."""
    if torch.allclose(after, before[order], atol=1e-5):
        exact = torch.equal(after, before[order])
        return "the old outputs come in the new order" + ("" if exact else ", up to rounding errors")
    same = torch.allclose(after, before, atol=1e-5)
    return "the outputs stay where they were" if same else "the rows that come out are others"


@checking
def check_sinusoids(candidate: object) -> Report:
    """Does ``candidate(length, d_model)`` give the table of sinusoidal vectors, one row per position?"""
    for length, width in ((5, 6), (40, 8), (3, 2)):
        got = expect_array(attempt(candidate, length, width), (length, width), "one row per position", name="the table")
        right = _sinusoids(length, width)
        if agrees(got, right, 1e-5):
            continue
        place, pair = np.arange(length)[:, None], np.arange(width // 2)
        angle = place / 10000 ** (2 * pair / width)
        known = [
            (_pairs(np.cos(angle), np.sin(angle)), "Sine and cosine have changed places: the sine comes first."),
            (np.hstack([np.sin(angle), np.cos(angle)]), "All sines come first, then all cosines; here they alternate."),
            (_sinusoids(length + 1, width)[1:], "The first row is that of position 1; positions are counted from 0."),
            (
                _waves(place / 10000 ** (4 * pair / width)),
                "The exponent is 2i / d_model with i counting pairs; you doubled a column number that is even already.",
            ),
            (
                _waves(place / 10000 ** (pair / width)),
                "The exponent lacks its 2: with i counting pairs it is 2i / d_model.",
            ),
            (
                _waves(place * 10000 ** (2 * pair / width)),
                "The frequency is upside down: divide the position by the power, do not multiply.",
            ),
        ]
        diagnose(got, right, known, 1e-5)
    return Report(True, "The formula of the paper, at three lengths and widths.")


def _pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)


def _waves(angle: np.ndarray) -> np.ndarray:
    return _pairs(np.sin(angle), np.cos(angle))


def _sinusoids(length: int, width: int) -> np.ndarray:
    return _waves(np.arange(length)[:, None] / 10000 ** (2 * np.arange(width // 2) / width))


@checking
def check_shift(candidate: object) -> Report:
    """Does ``candidate(vector, offset)`` turn a sinusoidal vector into the one ``offset`` positions further?"""
    for width, place, offset in ((2, 4, 1), (8, 9, 5), (8, 30, -12), (16, 200, 77)):
        table = torch.tensor(_sinusoids(place + abs(offset) + 1, width))
        vector, right = table[place], table[place + offset]
        got = expect_array(attempt(candidate, vector, offset), (width,), "one vector", name="the vector")
        if agrees(got, right):
            continue
        pairs = torch.view_as_complex(torch.stack([vector[1::2], vector[0::2]], dim=-1))  # cos + i sin
        omega = torch.tensor([10000 ** (-2 * i / width) for i in range(width // 2)], dtype=torch.float64)
        turn = torch.exp(1j * offset * omega)
        known = [
            (_sines(pairs * turn.conj()), "It turns the wrong way: this is the vector `offset` positions back."),
            (_sines(pairs * turn[0]), "All pairs turn at the speed of the first; pair i turns by ω_i · offset."),
            (_sines(turn), "It is the vector of position `offset`, wherever you start: turn the vector that is given."),
            (vector + _sines(turn), "It adds the vector of position `offset`. A shift turns the pairs."),
        ]
        diagnose(got, right, known)
    return Report(True, "One turn per pair, whatever the position, forwards and backwards.")


def _sines(pairs: Tensor) -> Tensor:
    return torch.stack([pairs.imag, pairs.real], dim=-1).flatten()


@checking
def check_not_falling(near: object, far: object, d_model: int = 32) -> Report:
    """Is ``far`` at least twice ``near``, and its inner product with a position all the same the larger one?

    Args:
        near, far: distances, whole numbers from 1 to 60.
        d_model: width of the sinusoidal vectors.
    """
    if near is ... or far is ...:
        raise NotYet("Both distances are wanted.")
    numbers = [expect_number(x, name) for x, name in ((near, "`near`"), (far, "`far`"))]
    if any(x != int(x) or not 1 <= x <= 60 for x in numbers):
        raise NotYet("Choose whole numbers from 1 to 60.")
    if numbers[0] >= numbers[1]:
        raise NotYet(f"{numbers[1]:g} is not further than {numbers[0]:g}.")
    if numbers[1] < 2 * numbers[0]:
        raise NotYet(f"`far` is to be at least twice `near`, and {numbers[1]:g} is less than twice {numbers[0]:g}.")
    omega = 10000 ** (-2 * np.arange(d_model // 2) / d_model)
    closer, further = (float(np.cos(omega * x).sum()) for x in numbers)
    if further <= closer + 1e-9:
        raise NotYet(
            f"At {numbers[0]:g} the inner product is {closer:.3f}, at {numbers[1]:g} it is {further:.3f}, which is "
            "less. Draw it against the distance and look for a place where it rises."
        )
    return Report(True, f"{closer:.3f} at the distance {numbers[0]:g}, and {further:.3f} at {numbers[1]:g}.")
