"""The checks of *What does a training run cost?*: they pass what is right and name what is wrong."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_book.checks.training import run_costs as checks
from attention_book.models.config import TransformerConfig
from attention_book.studies.machines.training_cost import multiply_adds, training_flops

from ..diagnosis import diagnosis

FACTORS = {"a": 2, "b": 1, "c": 1, "d": 4}


def test_factors_pass_and_are_those_of_the_formula():
    assert checks.check_factors(FACTORS) and checks.check_factors({name: float(x) for name, x in FACTORS.items()})
    small = TransformerConfig.tiny(vocab_size=30)
    assert training_flops(small, 20, 20) == FACTORS["a"] * training_flops(small, 10, 10)
    large = replace(small, d_model=2 * small.d_model, d_ff=2 * small.d_ff)
    assert multiply_adds(large)["source"] == FACTORS["d"] * multiply_adds(small)["source"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 1}, "read twice the tokens"),
        ({"a": 0.5}, "it costs more"),
        ({"b": 2}, "half as many of them"),
        ({"b": 0.5}, "each is larger"),
        ({"c": 8}, "no token is read twice"),
        ({"c": 1 / 8}, "that is the time"),
        ({"d": 2}, "twice the columns"),
        ({"d": 16}, "each is doubled once"),
        ({"d": 5}, "(d) is not 5"),
        ({"d": ...}, "still to be predicted"),
    ],
)
def test_factors_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_factors(FACTORS | change))


CLOCK = {"a": 2.4e17, "b": 1.0368e18, "c": 0.2315}


def test_clock_passes_also_when_rounded():
    assert checks.check_clock(CLOCK) and checks.check_clock({"a": int(24e16), "b": 1.04e18, "c": 0.23})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 4.8e17}, "met by one of the two"),
        ({"a": 8e16}, "forward pass alone"),
        ({"a": 6e12}, "that is one step"),
        ({"b": 5.184e17}, "two GPUs"),
        ({"b": 2.88e14}, "3600 seconds"),
        ({"b": 2.4e17}, "what the model needs"),
        ({"c": 23.15}, "per cent"),
        ({"c": 4.32}, "divide what was needed"),
        ({"c": 0.7685}, "the rest of the time"),
        ({"c": 0.5}, "(c) is not 0.5"),
        ({"c": ...}, "still to be predicted"),
    ],
)
def test_clock_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_clock(CLOCK | change))


def cost(vocab_size, d_model, d_ff, n_layers, tokens, per=6, squares=4, embeddings=1, forwards=2):
    layers = n_layers * (squares * d_model**2 + forwards * d_model * d_ff)
    return per * tokens * (layers + embeddings * vocab_size * d_model)


def test_the_cost_is_torchs_count():
    attention = [torch.ones(8, 8, requires_grad=True) for _ in range(4)]
    others = [torch.ones(*shape, requires_grad=True) for shape in ((8, 12), (12, 8), (8, 50))]
    x = torch.ones(10, 8, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        q, k, v = (x @ matrix for matrix in attention[:3])
        y = (q * k * v) @ attention[3]  # in place of scores and mixtures, which are not counted
        for matrix in others:
            y = y @ matrix
        y.sum().backward()
    assert counter.get_total_flops() == cost(50, 8, 12, 1, 10)


def test_costs_pass():
    assert checks.check_cost(cost)
    assert checks.check_cost(lambda *sizes: float(cost(*sizes)))
    assert checks.check_cost(lambda *sizes: np.int64(cost(*sizes)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"per": 1}, "multiply-adds of the forward pass"),
        ({"per": 2}, "forward pass alone"),
        ({"per": 3}, "is two operations"),
        ({"per": 4}, "three times the forward pass"),
        ({"per": 12}, "one text"),
        ({"embeddings": 0}, "output layer is missing"),
        ({"embeddings": 2}, "only the output layer multiplies"),
        ({"squares": 8}, "no cross-attention"),
        ({"squares": 6}, "two of its six square matrices"),
        ({"squares": 12, "forwards": 4}, "translator's cost"),
        ({"squares": 3}, "four matrices"),
        ({"forwards": 1}, "two matrices"),
        ({"per": 7}, "and not"),
    ],
)
def test_costs_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_cost(lambda *sizes: cost(*sizes, **change)))


def test_one_layer_is_named():
    one = diagnosis(checks.check_cost(lambda v, d, f, n, t: cost(v, d, f, 1, t)))
    assert "n_layers layers" in one
    assert "Expected" in diagnosis(checks.check_cost(lambda *sizes: "many"))
