"""The checks of the chapter on what the mask buys: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.checks.attention import decoder_passes as checks

from ..diagnosis import diagnosis


def test_the_floor_passes():
    assert checks.check_floor(math.log(3) * 4 / 5)
    assert checks.check_floor(0.8789)
    assert checks.check_floor(0.88)
    assert checks.check_floor(np.float64(0.8789)) and checks.check_floor(torch.tensor([3.0]).log() * 4 / 5)
    assert checks.check_floor(Fraction(8789, 10_000))
    assert checks.check_floor(math.log(2) * 6 / 7, synonyms=2, length=6)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (..., "still open"),
        (math.log(3), "`</s>` is a token too"),
        (math.log2(3) * 4 / 5, "in bits"),
        (math.log2(3), "in bits, and for a word"),
        (4 * math.log(3), "divide by its tokens"),
        (0, "sees the answer"),
        (0.3, "How surprised"),
        ("much", "one number"),
        (4 * math.log(3) / 6, "`<s>` is given and never asked for"),
        (-4 * math.log(3) / 5, "The sign"),
        (3 ** (4 / 5), "the perplexity"),
        (True, "one number"),
        (math.inf, "finite"),
        ([0.88], "one number, got a list of 1"),
    ],
)
def test_the_floor_names_the_fault(said, message):
    assert message in diagnosis(checks.check_floor(said))


def positions(n_words, cached):
    runs = n_words + 1
    return runs if cached else runs * (runs + 1) // 2


def test_positions_pass():
    assert checks.check_positions(positions)
    assert checks.check_positions(lambda n, cached: sum(1 if cached else i + 1 for i in range(n + 1)))
    assert checks.check_positions(lambda n, cached: float(positions(n, cached)))
    assert checks.check_positions(lambda n, cached: torch.arange(n + 1).add(1).pow(1 - int(cached)).sum())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda n, cached: positions(n - 1, cached), "The run that writes `</s>` is missing"),
        (lambda n, cached: n if cached else positions(n, cached), "For 3 words with a cache it gives 3 and not 4."),
        (lambda n, cached: n + 1, "number of runs"),
        (lambda n, cached: (n + 1) ** 2, "The first runs are short"),
        (lambda n, cached: positions(n, False), "the newest position only"),
        (lambda n, cached: 0, "Write down the prefix"),
        (lambda n: n, "raises TypeError"),
        (lambda n, cached: 1 if n == 1 else positions(n, cached), "For 1 word without a cache it gives 1 and not 3."),
        (lambda n, cached: n * (n + 1) / 2, "The run that writes `</s>` is missing"),
        (lambda n, cached: (n + 1) * n / 2 + 0.5, "Write down the prefix"),
        (lambda n, cached: {3: 10, 1: 3}.get(n, 0) if not cached else n + 1, "For 8 words without a cache"),
        (lambda n, cached: ..., "Is the `return` missing"),
        (lambda n, cached: [positions(n, cached)], "one number, got a list"),
    ],
)
def test_positions_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_positions(wrong))


def factors(model, memory, tgt):
    log_probs = model.decode(tgt, memory).log_softmax(-1)
    return log_probs[0, :-1].gather(-1, tgt[0, 1:, None])


def prefix_by_prefix(model, memory, tgt):
    total = 0.0
    for i in range(1, tgt.shape[1]):
        total += model.decode(tgt[:, :i], memory)[0, -1].log_softmax(-1)[tgt[0, i]].item()
    return total


def test_the_log_probability_passes():
    assert checks.check_log_probability(lambda model, memory, tgt: factors(model, memory, tgt).sum())
    assert checks.check_log_probability(prefix_by_prefix)
    assert checks.check_log_probability(lambda model, memory, tgt: factors(model, memory, tgt).numpy().sum())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda model, memory, tgt: factors(model, memory, tgt).mean(), "log P is their sum"),
        (lambda model, memory, tgt: factors(model, memory, tgt)[:-1].sum(), "factor of `</s>`"),
        (lambda model, memory, tgt: factors(model, memory, tgt)[1:].sum(), "factor of the first word"),
        (
            lambda model, memory, tgt: model.decode(tgt, memory).log_softmax(-1)[0].gather(-1, tgt.T).sum(),
            "Each token is scored in its own row",
        ),
        (lambda model, memory, tgt: model.decode(tgt, memory)[0, :-1].gather(-1, tgt[0, 1:, None]).sum(), "logits"),
        (lambda model, memory, tgt: factors(model, memory, tgt).exp().prod(), "That is P"),
        (lambda model, memory, tgt: -factors(model, memory, tgt).sum(), "The sign"),
        (
            lambda model, memory, tgt: factors(model, memory, tgt).exp().prod().log(),
            "For a target of 62 tokens it gives −∞: the product of so many small factors is 0",
        ),
        (lambda model, memory, tgt: math.log(math.prod(factors(model, memory, tgt).exp())), "raises ValueError"),
        (lambda model, memory, tgt: ..., "Is the `return` missing"),
        (lambda model, memory, tgt: factors(model, memory, tgt).sum() / math.log(2), "in bits"),
        (lambda model, memory, tgt: 1.0, "it gives 1.0000 and not -"),
        (lambda model, memory, tgt: factors(model, memory, tgt), "one number"),
        (lambda model, memory, tgt: tgt.fill_(5).sum() * 0.0, "in place"),
    ],
)
def test_the_log_probability_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_log_probability(wrong))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_log_probability(prefix_by_prefix)
        checks.check_positions(positions)
