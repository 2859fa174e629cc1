"""The checks of the page on masks elsewhere: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.attention.masks import causal_mask
from attention_book.checks.attention import mask_conventions as checks
from attention_book.examples.mask_conventions import flow_through, stripes

from ..diagnosis import diagnosis


def by_flow(attend):
    return flow_through(attend, stripes(5)).true_means


def by_weights(attend):
    """Values that name their keys: sees weights, and not what reaches them."""
    out = attend(torch.eye(4, dtype=torch.float64), stripes(4))
    beside = ~torch.eye(4, dtype=torch.bool)
    seen = [bool((out[mask & beside] > 0).any()) for mask in (stripes(4), ~stripes(4))]
    return {(True, False): "keep", (False, True): "drop"}.get(tuple(seen), "nothing")


def by_change_under_a_causal_mask(attend):
    """Counts NaN as a change, because NaN is not equal to NaN."""
    x, seen = torch.randn(4, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64), set()
    for j in range(4):
        moved = x.clone()
        moved[j] += 1
        changed = (attend(x, causal_mask(4)) != attend(moved, causal_mask(4))).any(1)
        seen |= {bool(causal_mask(4)[i, j]) for i in range(4) if i != j and changed[i]}
    return {(True,): "keep", (False,): "drop"}.get(tuple(seen), "nothing")


def by_size(attend):
    flow = flow_through(attend, stripes(5))
    return "keep" if flow.marked_true > flow.marked_false else "drop"


def moved_outputs(attend, small):
    """Which cells let a change through that is more than ``small``."""
    x, felt = torch.randn(6, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64), set()
    for j in range(6):
        moved = x.clone()
        moved[j] += 1
        changed = ((attend(x, stripes(6)) - attend(moved, stripes(6))).abs() > small).any(1)
        felt |= {bool(stripes(6)[i, j]) for i in range(6) if i != j and changed[i]}
    return {(True,): "keep", (False,): "drop"}.get(tuple(felt), "nothing")


def by_ratio(attend):
    flow = flow_through(attend, stripes(5))
    if max(flow.marked_true, flow.marked_false) < 10 * min(flow.marked_true, flow.marked_false):
        return "nothing"
    return "keep" if flow.marked_true > flow.marked_false else "drop"


def test_a_reading_passes():
    assert checks.check_reading(by_flow)
    assert checks.check_reading(lambda attend: moved_outputs(attend, 0))
    assert checks.check_reading(lambda attend: flow_through(attend, stripes(8), width=3, seed=4).true_means)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda attend: "keep", 'It always says "keep"'),
        (
            lambda attend: {"keep": "drop", "drop": "keep"}.get(by_flow(attend), "nothing"),
            'It says "drop" where True may attend',
        ),
        (lambda attend: moved_outputs(attend, 0.01), "A weight of e⁻¹⁰ is small and not 0"),
        (by_ratio, "compare without a tolerance"),
        (lambda attend: ["keep"], 'answer "keep", "drop" or "nothing"'),
        (lambda attend: ..., "Is the `return` missing"),
        (by_size, "that pays no attention to the mask it says"),
        (by_weights, "take a derivative"),
        (by_change_under_a_causal_mask, "leaves no row empty"),
        (lambda attend: by_flow(attend) == "keep", 'answer "keep", "drop" or "nothing"'),
        (lambda attend: attend(1), "raises"),
    ],
)
def test_a_reading_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_reading(wrong))


def test_the_other_padding_passes():
    assert checks.check_other_padding([4, 5], 0)
    assert checks.check_other_padding(places={5, 4}, output=0.0)
    assert checks.check_other_padding(range(4, 6), torch.tensor(0.0))


@pytest.mark.parametrize(
    ("places", "output", "message"),
    [
        (..., 0, "Both answers are wanted"),
        ([4, 5], ..., "Both answers are wanted"),
        ("padding", 0, "a list of whole numbers"),
        (["a"], 0, "each of the places"),
        ([0, 1, 2, 3], 0, "Those are the words"),
        (range(6), 0, "Some are hidden"),
        ([], 0, "has two places with True"),
        ([5, 6], 0, "Count the places from 0"),
        ([5], 0, "at which the mask is True"),
        ([4, 5], 1 / 6, "No key is left"),
        ([4, 5], math.nan, "finite"),
    ],
)
def test_the_other_padding_names_the_fault(places, output, message):
    assert message in diagnosis(checks.check_other_padding(places, output))


def future_and_padding(tokens, diagonal=1):
    n = tokens.shape[1]
    return torch.ones(n, n).triu(diagonal=diagonal).bool(), (tokens == 0)[:, None, :]


def forbidden(tokens, diagonal=1):
    future, padding = future_and_padding(tokens, diagonal)
    return future | padding


def test_a_decoder_mask_passes():
    assert checks.check_decoder_mask(forbidden)
    assert checks.check_decoder_mask(lambda tokens: ~(causal_mask(tokens.shape[1]) & (tokens != 0)[:, None, :]))
    assert checks.check_decoder_mask(lambda t: torch.zeros(forbidden(t).shape).masked_fill(forbidden(t), -math.inf))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda t: torch.logical_and(*future_and_padding(t)), "the real future leaks"),
        (lambda t: ~forbidden(t), "may *not* attend"),
        (lambda t: future_and_padding(t)[0].expand(len(t), -1, -1), "Padding is not forbidden"),
        (lambda t: future_and_padding(t)[1].expand(-1, t.shape[1], -1), "The future is not forbidden"),
        (lambda t: forbidden(t, 0), "may attend to itself"),
        (lambda t: future_and_padding(t)[0] & ~future_and_padding(t)[1], "Padding is allowed now"),
        (lambda t: forbidden(t, 2), "Wrong in sentence 0, row 0, column 1"),
        (lambda t: torch.logical_xor(*future_and_padding(t)), "Wrong in sentence 0, row 0, column 4"),
        (lambda t: future_and_padding(t)[0], "wrong shape"),
        (lambda t: forbidden(t).float(), "neither 1 nor 0 hides a key"),
        (lambda t: None, "Is the `return` missing"),
    ],
)
def test_a_decoder_mask_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_decoder_mask(wrong))


def test_ones_pass():
    assert checks.check_ones(math.e) and checks.check_ones(2.718) and checks.check_ones(2.7)
    assert checks.check_ones(np.exp(1)) and checks.check_ones(torch.tensor(1.0).exp())
    assert checks.check_ones(Fraction(2718, 1000))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (1 / math.e, "the other way round"),
        (1, "makes them differ by 1"),
        (2, "a *factor* in the weight"),
        (7, "Not 7"),
        (..., "still to be predicted"),
        (0, "Nothing is hidden"),
        (math.inf, "no score is −∞"),
        ("e", "one number"),
        ([math.e], "one number, got a list"),
        (True, "one number"),
    ],
)
def test_ones_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_ones(wrong))
