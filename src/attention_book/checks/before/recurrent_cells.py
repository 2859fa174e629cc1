"""Checks for *Recurrent cells*: counts, half of a memory, one step of a GRU and of an LSTM, rows of unequal length.

The oracles are torch's own cells.
"""

import math

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
    "a": (8, {7: "the state before the first word is missing"}),
    "b": (27, {24: "there are two biases", 21: "the biases are missing", 30: "the two matrices are 3 × 4 and 3 × 3"}),
    "c": (81, {27: "that is the plain cell: a GRU has three of everything", 108: "a GRU has three of everything"}),
    "d": (216, {108: "that is one direction", 162: "an LSTM has four of everything, not three"}),
    "e": (0.5, {0.8: "that number is the first: exchange before you add", 0.0: "the word adds ½ to it"}),
}  # fmt: skip


@checking
def check_counting(predictions: object) -> Report:
    """Are the five predictions right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _COUNTING, 1e-3)
    return Report(True, "8, 27, 81, 216 and ½. The parameters are those of one step, however long the sentence is.")


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


def _gru_inputs(seed: int = 0) -> tuple[nn.GRUCell, Tensor, Tensor]:
    with seeded(seed):
        cell = nn.GRUCell(3, 4).double()
        for parameter in cell.parameters():
            parameter.data *= 3
        return cell, torch.randn(2, 3, dtype=torch.float64), torch.randn(2, 4, dtype=torch.float64)


def _gru_variants(x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor) -> dict[str, Tensor]:
    """What known mistakes give."""
    x_r, x_z, x_n = (x @ w_ih.T + b_ih).chunk(3, dim=-1)
    h_r, h_z, h_n = (h @ w_hh.T + b_hh).chunk(3, dim=-1)
    r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
    n = torch.tanh(x_n + r * h_n)
    early = torch.tanh(x_n + (r * h) @ w_hh[8:].T + b_hh[8:])
    bare = torch.tanh(x_n + r * (h @ w_hh[8:].T) + b_hh[8:])
    swapped = torch.tanh(x_n + z * h_n)
    blind = torch.tanh(x_n + h_n)
    return {
        "z is turned round: here z = 1 keeps the old state, and 1 − z takes the proposal": z * n + (1 - z) * h,
        "r and z are exchanged: r stands above z in the stacked matrices": (1 - r) * swapped + r * h,
        "the reset gate multiplies the state; in torch's GRU the product, after matrix and bias": (1 - z) * early
        + z * h,
        "the bias of the state's part of n is added outside of the reset gate; it belongs inside": (1 - z) * bare
        + z * h,
        "the reset gate is not used": (1 - z) * blind + z * h,
        "that is the proposal n: mix it with the old state": n,
        "the proposal is not bent: tanh is missing": (1 - z) * (x_n + r * h_n) + z * h,
        "the proposal goes through σ where tanh belongs": (1 - z) * torch.sigmoid(x_n + r * h_n) + z * h,
    }


@checking
def check_gru_step(candidate: object) -> Report:
    """Is ``candidate(x, h, w_ih, w_hh, b_ih, b_hh)`` one step of torch's GRU?"""
    for seed in range(2):
        cell, x, h = _gru_inputs(seed)
        parameters = [parameter.detach() for parameter in cell.parameters()]
        got = attempt(candidate, x, h, *parameters)
        expect_array(got, (2, 4), "one row a sequence, one column a number of the state", name="the new state")
        wanted = cell(x, h)
        if agrees(got, wanted):
            continue
        if mistake := recognise(got, _gru_variants(x, h, *parameters)):
            raise NotYet(f"Not torch's GRU: {mistake}.")
        raise NotYet(f"The new state differs at {first_difference(got, wanted)}.")
    return Report(True, "The same numbers as `nn.GRUCell`.")


def _padded() -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([3, 5, 1, 4])
    return Normal(0)(4, 5, 2), lengths


@checking
def check_last_states(candidate: object) -> Report:
    """Does ``candidate(outputs, lengths)`` give, for each row, the state after its own last word?"""
    outputs, lengths = _padded()
    got = attempt(candidate, outputs, lengths)
    expect_array(got, (4, 2), "one row a sentence", name="the last states")
    rows = torch.arange(4)
    wanted = outputs[rows, lengths - 1]
    if agrees(got, wanted):
        return Report(True, "Each row's state after its own last word, whatever stands behind it.")
    known = {
        "that is the state at the last place of the batch. In row 0 that place is padding: the state has read 2 "
        "`<pad>` more, or is zero, as the cell has it": outputs[:, -1],
        "that is one place too far: places are counted from 0, so the last of 3 words stands at 2": outputs[
            rows, lengths.clamp(max=4)
        ],
        "that is one place too early: the state has not met the last word": outputs[rows, (lengths - 2).clamp(min=0)],
        "all rows are read at the shortest length": outputs[:, int(lengths.min()) - 1],
        "the rows have been averaged; asked for is one state": outputs.mean(dim=1),
    }
    if mistake := recognise(got, known):
        raise NotYet(f"Not the state after the last word: {mistake}.")
    raise NotYet(f"The last states differ at {first_difference(got, wanted, axes=('row', 'number'))}.")


@checking
def check_backwards(candidate: object) -> Report:
    """Does ``candidate(cell, x, lengths)`` read each row from its own end, and give its states in the words' order?"""
    x, lengths = _padded()
    with seeded(0):
        layer = nn.RNN(2, 3, batch_first=True).double().requires_grad_(False)

    def cell(rows: Tensor) -> Tensor:
        return layer(rows)[0]

    got = attempt(candidate, cell, x, lengths)
    expect_array(got, (4, 5, 3), "row, place, number of the state", name="the states")
    real = torch.arange(5) < lengths[:, None]
    wanted, unturned, forwards = (torch.zeros(4, 5, 3, dtype=torch.float64) for _ in range(3))
    for row, length in enumerate(lengths.tolist()):
        states = cell(x[row : row + 1, :length].flip(1))[0]
        wanted[row, :length], unturned[row, :length] = states.flip(0), states
        forwards[row, :length] = cell(x[row : row + 1, :length])[0]
    got = torch.where(real[..., None], got, 0)
    if agrees(got, wanted):
        return Report(True, "Each row from its own end; the padding is never read.")
    known = {
        "the longest row is right, the others begin with their padding: turning the whole batch round puts it "
        "first, and each of their states has read it": cell(x.flip(1)).flip(1),
        "the states stand in the order of reading: the first of them belongs to the last word": unturned,
        "that is reading forwards": forwards,
        "the rows were turned round, and the states were not turned back": cell(x.flip(1)),
    }
    if mistake := recognise(got, known, lambda got, wrong: agrees(got, torch.where(real[..., None], wrong, 0))):
        raise NotYet(f"Not from its own end: {mistake}.")
    raise NotYet(f"The states differ at {first_difference(got, wanted, axes=('row', 'place', 'number'))}.")


@checking
def check_lstm_step(candidate: object) -> Report:
    """Is ``candidate(x, h, c, w_ih, w_hh, b_ih, b_hh)`` one step of torch's LSTM?"""
    with seeded(0):
        cell = nn.LSTMCell(3, 4).double()
        x, h, c = (torch.randn(2, n, dtype=torch.float64) for n in (3, 4, 4))
    w_ih, w_hh, b_ih, b_hh = (parameter.detach() for parameter in cell.parameters())
    got = expect_parts(attempt(candidate, x, h, c, w_ih, w_hh, b_ih, b_hh), ("h", "c"))
    for part, name in zip(got, ("h", "c"), strict=True):
        expect_array(part, (2, 4), "one row a sequence", name=name)
    new_h, new_c = cell(x, (h, c))
    if agrees(got[0], new_h) and agrees(got[1], new_c):
        return Report(True, "The same numbers as `nn.LSTMCell`: c is added to, and only what leaves it is bent.")
    i, f, g, o = (x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).chunk(4, dim=-1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    if agrees(got[0], new_c) and agrees(got[1], new_h):
        raise NotYet("h and c are exchanged: return `(h, c)`.")
    known = {
        "c itself goes through tanh, so it is squeezed again at every step. Bend what leaves it, in the line of h": (
            torch.tanh(f * c + i * g)
        ),
        "i and f are exchanged: i stands first in the stacked matrices": i * c + f * g,
        "nothing is forgotten: f is missing. That is the cell of 1997": c + i * g,
        "that is an average, as in a GRU: here f and i are two gates": f * c + (1 - f) * g,
    }
    if mistake := recognise(got[1], known):
        raise NotYet(f"c is wrong: {mistake}.")
    if not agrees(got[1], new_c):
        raise NotYet(f"c differs at {first_difference(got[1], new_c)}.")
    if agrees(got[0], o * new_c):
        raise NotYet("c is right, h is not: tanh is missing in h.")
    raise NotYet(f"c is right, h differs at {first_difference(got[0], new_h)}.")
