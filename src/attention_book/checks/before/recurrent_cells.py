"""Checks for *Recurrent cells* and *Vanishing gradients*: counts, one step of a GRU and of an LSTM, padded rows, reach.

The oracles are torch's own cells.
"""

import math
from functools import reduce

import numpy as np
import torch
from torch import Tensor, nn

from ..drawn import Normal, seeded
from ..known_mistakes import expect_predictions, recognise
from ..report import (
    NotYet,
    Report,
    agrees,
    attempt,
    checking,
    expect_array,
    expect_number,
    expect_parts,
    first_difference,
)

_COUNTING = {
    "a": (24, {8: "that is one sentence", 21: "the states before the first words are missing", 22: "each sentence has "
               "a first state of its own"}),
    "b": (27, {24: "there are two biases", 21: "the biases are missing", 30: "the two matrices are 3 × 4 and 3 × 3"}),
    "c": (81, {27: "that is the plain cell: a GRU has three of everything", 108: "a GRU has three of everything"}),
    "d": (216, {108: "that is one direction", 162: "an LSTM has four of everything, not three"}),
    "e": (-1.3, {-0.5: "the old second number, ⅘, has come to the first place, and the word is added to it",
                 -0.8: "that makes the first number 0, as *cats* did", -0.3: "that makes it ½", 1.3: "which sign?"}),
}  # fmt: skip


@checking
def check_counting(predictions: object) -> Report:
    """Are the five predictions right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _COUNTING, 1e-3)
    return Report(True, "24, 27, 81, 216 and −1.3. The parameters are those of one step, however long the sentence is.")


@checking
def check_half(bias: object) -> Report:
    """Does a forget gate with this bias leave half of the memory after 20 steps?"""
    if bias is ...:
        raise NotYet("The bias is still to be computed.")
    got = expect_number(bias, "the bias")
    gate = 1 / (1 + math.exp(-got))
    left = gate**20
    if abs(left - 0.5) < 0.005:
        return Report(True, f"σ({got:.3f}) = {gate:.4f}, and {gate:.4f} to the power of 20 is {left:.3f}.")
    if abs(got - 0.5 ** (1 / 20)) < 1e-3:
        raise NotYet(f"{got:.4f} is what the gate should be. Which bias b has σ(b) = {got:.4f}?")
    if abs(got) < 1e-9:
        raise NotYet(f"σ(0) is ½: half is gone after one step, and after 20 steps {left:.0e} is left.")
    raise NotYet(f"σ({got:.4g}) = {gate:.4f}, and after 20 steps {left:.3g} is left.")


def _grown(kind: type[nn.RNNCellBase], sizes: tuple[int, int, int], seed: int) -> tuple[nn.Module, list[Tensor]]:
    """A cell of torch with loud parameters, and an input and two vectors of a state, through which gradients flow."""
    d_in, d_h, batch = sizes
    with seeded(seed):
        cell = kind(d_in, d_h).double()
        for parameter in cell.parameters():
            parameter.data *= 3
        return cell, [torch.randn(batch, n, dtype=torch.float64, requires_grad=True) for n in (d_in, d_h, d_h)]


def _expect_live(got: Tensor, like: Tensor, name: str) -> None:
    """Refuse a result of another precision than the inputs', and one from which no gradient reaches them."""
    if got.dtype != like.dtype:
        kinds = [str(array.dtype).removeprefix("torch.") for array in (got, like)]
        raise NotYet(f"{name} is {kinds[0]}, and the inputs are {kinds[1]}: keep the type in which they come.")
    if not got.requires_grad:
        raise NotYet(
            f"{name} has the right numbers, and no gradient flows back from it: it could not be trained. Leave out "
            "`detach`, `no_grad`, `item` and a new `torch.tensor` around what was computed."
        )


def _gru_variants(x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor) -> dict[str, Tensor]:
    """What known mistakes give."""
    w_hn, b_hn = w_hh.chunk(3)[2], b_hh.chunk(3)[2]
    x_r, x_z, x_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)
    h_r, h_z, h_n = (h @ w_hh.T + b_hh).chunk(3, dim=-1)
    r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
    n = torch.tanh(x_n + r * h_n)
    early = torch.tanh(x_n + (r * h) @ w_hn.T + b_hn)
    bare = torch.tanh(x_n + r * (h @ w_hn.T) + b_hn)
    swapped = torch.tanh(x_n + z * h_n)
    blind = torch.tanh(x_n + h_n)
    return {
        "z is turned round: here z = 1 keeps the old state, and 1 − z takes the proposal": z * n + (1 - z) * h,
        "r and z are exchanged: r stands above z in the stacked matrices": (1 - r) * swapped + r * h,
        "the reset gate multiplies the state; in torch's GRU the product, after matrix and bias": (1 - z) * early
        + z * h,
        "the bias of the state's part of n is added outside of the reset gate; it belongs inside": (1 - z) * bare
        + z * h,
        "the reset gate multiplies the input's part of n as well; it belongs to the state's part alone": (1 - z)
        * torch.tanh(r * (x_n + h_n))
        + z * h,
        "the reset gate is not used": (1 - z) * blind + z * h,
        "that is the proposal n: mix it with the old state": n,
        "the old state is not mixed in: z ⊙ h is missing": (1 - z) * n,
        "the proposal is not bent: tanh is missing": (1 - z) * (x_n + r * h_n) + z * h,
        "the proposal goes through σ where tanh belongs": (1 - z) * torch.sigmoid(x_n + r * h_n) + z * h,
    }


@checking
def check_gru_step(candidate: object) -> Report:
    """Is ``candidate(x, h, w_ih, w_hh, b_ih, b_hh)`` one step of torch's GRU, for several widths?"""
    for seed, sizes in enumerate([(3, 4, 2), (5, 2, 3), (2, 6, 1)]):
        cell, (x, h, _) = _grown(nn.GRUCell, sizes, seed)
        parameters = list(cell.parameters())
        got = attempt(candidate, x, h, *parameters)
        expect_array(
            got, tuple(h.shape), "one row per sequence, the numbers of the state side by side", name="the new state"
        )
        wanted = cell(x, h)
        if agrees(got, wanted):
            _expect_live(got, x, "The new state")
            continue
        if mistake := recognise(got, _gru_variants(x, h, *parameters)):
            raise NotYet(f"Not torch's GRU: {mistake}.")
        raise NotYet(f"The new state differs at {first_difference(got, wanted)}.")
    return Report(True, "The same numbers as `nn.GRUCell`.")


def _padded(lengths: list[int], seed: int = 0) -> tuple[Tensor, Tensor]:
    """Rows of random numbers, in the padding too, and how many of each row are words."""
    return Normal(seed)(len(lengths), max(lengths) + (seed > 0), 2), torch.tensor(lengths)


@checking
def check_last_states(candidate: object) -> Report:
    """Does ``candidate(outputs, lengths)`` give, for each row, the state after its own last word?"""
    for seed, (row_lengths, zero) in enumerate([([3, 5, 2, 4], False), ([2, 6, 1], False), ([1, 4, 3, 2, 2], True)]):
        outputs, lengths = _padded(row_lengths, seed)
        rows = torch.arange(len(lengths))
        if zero:
            outputs = torch.where(torch.arange(outputs.shape[1])[None, :, None] < lengths[:, None, None], outputs, 0)
        got = attempt(candidate, outputs, lengths)
        expect_array(got, (len(lengths), 2), "one row per sentence", name="the last states")
        wanted = outputs[rows, lengths - 1]
        if agrees(got, wanted):
            continue
        last = outputs.shape[1] - 1
        known = {
            "that is the state at the last place of the batch. In a short row that place is padding: the state has "
            "read `<pad>` after the words, or is zero, as the layer has it": outputs[:, -1],
            "that is one place too far: places are counted from 0, so the last of 3 words stands at 2": outputs[
                rows, lengths.clamp(max=last)
            ],
            "that is one place too early: the state has not met the last word": outputs[rows, lengths - 2],
            "that is the state after the first word of each row": outputs[:, 0],
            "all rows are read at the shortest length": outputs[:, int(lengths.min()) - 1],
            "all rows are read at the length of the first row": outputs[:, int(lengths[0]) - 1],
            "the rows have been averaged; asked for is one state": outputs.mean(dim=1),
        }
        if mistake := recognise(got, known):
            raise NotYet(f"Not the state after the last word: {mistake}.")
        raise NotYet(f"The last states differ at {first_difference(got, wanted, axes=('row', 'number'))}.")
    return Report(True, "Each row's state after its own last word, whatever stands behind it.")


@checking
def check_lstm_step(candidate: object) -> Report:
    """Is ``candidate(x, h, c, w_ih, w_hh, b_ih, b_hh)`` one step of torch's LSTM, for several widths?"""
    for seed, sizes in enumerate([(3, 4, 2), (4, 2, 3)]):
        cell, (x, h, c) = _grown(nn.LSTMCell, sizes, seed)
        parameters = list(cell.parameters())
        got = expect_parts(attempt(candidate, x, h, c, *parameters), ("h", "c"))
        for part, name in zip(got, ("h", "c"), strict=True):
            expect_array(part, tuple(h.shape), "one row per sequence", name=name)
        wanted = cell(x, (h, c))
        if not all(map(agrees, got, wanted)):
            raise NotYet(_fault_of_lstm(got, wanted, (x, h, c), parameters))
        for part, name in zip(got, ("h", "c"), strict=True):
            _expect_live(part, x, name)
    return Report(True, "The same numbers as `nn.LSTMCell`: c is added to, and only what leaves it is bent.")


def _fault_of_lstm(got: tuple, wanted: tuple[Tensor, Tensor], given: tuple, parameters: list[Tensor]) -> str:
    (x, h, c), (w_ih, w_hh, b_ih, b_hh), (new_h, new_c) = given, parameters, wanted
    i, f, g, o = (x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).chunk(4, dim=-1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    if agrees(got[0], new_c) and agrees(got[1], new_h):
        return "h and c are exchanged: return `(h, c)`."
    known = {
        "c itself goes through tanh, so it is squeezed again at every step. Bend what leaves it, in the line of h": (
            torch.tanh(f * c + i * g)
        ),
        "i and f are exchanged: i stands first in the stacked matrices": i * c + f * g,
        "nothing is forgotten: f is missing. That is the cell of 1997": c + i * g,
        "that is an average, as in a GRU: here f and i are two gates": f * c + (1 - f) * g,
        "the input gate i is missing in front of g": f * c + g,
        "that is the old memory: nothing new was added": c,
    }
    if mistake := recognise(got[1], known):
        return f"c is wrong: {mistake}."
    if not agrees(got[1], new_c):
        return f"c differs at {first_difference(got[1], new_c)}."
    outputs = {
        "tanh is missing in h": o * new_c,
        "h comes from the old memory: c is renewed first": o * torch.tanh(c),
        "the output gate o is missing in h": torch.tanh(new_c),
        "in h, o is multiplied with c inside of tanh: bend c alone": torch.tanh(o * new_c),
    }
    if mistake := recognise(got[0], outputs):
        return f"c is right, h is not: {mistake}."
    return f"c is right, h differs at {first_difference(got[0], new_h)}."


@checking
def check_reach(candidate: object) -> Report:
    """Does ``candidate(states, w_h)`` give the derivative of a plain cell's last state with respect to its first?"""
    draws = np.random.default_rng(0)
    for width, steps in ((1, 3), (2, 1), (2, 4), (3, 5)):
        w_h, states = draws.normal(size=(width, width)), list(np.tanh(draws.normal(size=(steps + 1, width))))
        got = attempt(candidate, states, w_h)
        expect_array(got, (width, width), "a row per number of h_0", like=w_h, name="the derivative")
        factors = [w_h * (1 - h**2) for h in states[1:]]
        right = _product(factors)
        if agrees(got, right):
            continue
        mistakes = {
            "That is its transpose: row i belongs to number i of h_0.": right.T,
            "The slope of tanh is missing in every factor.": _product([w_h] * steps),
            "The slope is taken at the state before: tanh's value is the new state.": _product(
                [w_h * (1 - h**2) for h in states[:-1]]
            ),
            "The slope belongs to the new number, so it multiplies the columns of W_h and not its rows.": _product(
                [w_h * (1 - h**2)[:, None] for h in states[1:]]
            ),
            "The factors stand in the wrong order: the first step's is leftmost.": _product(factors[::-1]),
            "h_0 has no factor: there is one for each word.": _product([w_h * (1 - h**2) for h in states]),
            "The last step is missing.": _product([np.eye(width), *factors[:-1]]),
            "Matrices are multiplied with @; * goes number by number.": np.prod(factors, axis=0),
            "The factors are multiplied, not added: each step takes up what the step before left.": np.sum(
                factors, axis=0
            ),
            "The slope of tanh is 1 − h², not 1 − h.": _product([w_h * (1 - h) for h in states[1:]]),
        }
        reason = recognise(got, mistakes) or f"A wrong number at {first_difference(got, right)}."
        raise NotYet(f"For {steps} step{'s' * (steps > 1)} of {width} number{'s' * (width > 1)}: {reason}")
    return Report(True, "Right for four cells, the product of one factor per word.")


def _product(factors: list[np.ndarray]) -> np.ndarray:
    return reduce(np.matmul, factors)
