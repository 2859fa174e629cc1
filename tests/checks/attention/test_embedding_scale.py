"""The checks of the chapter on two square roots: they pass what is right and name what is wrong."""

import math

import pytest
import torch
from global_state import unchanged_state
from torch import nn

from attention_book.checks.attention import embedding_scale as checks

from ..diagnosis import diagnosis

ROOT = math.sqrt(72)
LENGTHS = {"embedding": math.sqrt(2), "multiplied": 12, "position": 6, "share without": 36 / 38, "share with": 0.2}


def test_lengths_pass():
    assert checks.check_lengths(LENGTHS)
    assert checks.check_lengths(LENGTHS | {"embedding": 1.414, "share without": 0.947, "share with": torch.tensor(0.2)})


@pytest.mark.parametrize(
    ("name", "said", "message"),
    [
        ("embedding", ROOT, "a row drawn from N(0, 1)"),
        ("embedding", 1 / 6, "size of a coordinate"),
        ("embedding", 1, "drawn with the variance 1/72"),
        ("embedding", 2, "the squared length"),
        ("multiplied", 72 * math.sqrt(2), "its root"),
        ("multiplied", 1.414, "before the multiplication"),
        ("multiplied", ROOT, "the factor itself"),
        ("position", ROOT, "said of a *pair*"),
        ("position", 12, "half as many pairs"),
        ("position", 36, "the squared length"),
        ("position", 1, "one pair"),
        ("position", 7, "Add up the squares"),
        ("share without", 6 / (6 + math.sqrt(2)), "square them first"),
        ("share without", 36 / 37, "How long are these rows?"),
        ("share without", 94.7, "a part of 1, not of 100"),
        ("share with", 1 / 3, "beside rows of length √d_model"),
        ("share with", 0.8, "the word's share"),
        ("share with", ..., "'share with' is still open"),
        ("share with", "a third", "one number"),
    ],
)
def test_lengths_name_the_fault(name, said, message):
    assert message in diagnosis(checks.check_lengths(LENGTHS | {name: said}))
    assert "Give a number under each" in diagnosis(checks.check_lengths({name: said}))


def embed(tokens, table, positions):
    return table[tokens] * math.sqrt(table.shape[1]) + positions[: tokens.shape[1]]


def test_embed_passes():
    assert checks.check_embed(embed)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda t, e, p: e[t] + p[: t.shape[1]], "The factor is missing"),
        (lambda t, e, p: e[t] / math.sqrt(e.shape[1]) + p[: t.shape[1]], "belongs to the scores"),
        (lambda t, e, p: e[t] * e.shape[1] + p[: t.shape[1]], "not by its root"),
        (lambda t, e, p: (e[t] + p[: t.shape[1]]) * math.sqrt(e.shape[1]), "changes no proportion"),
        (lambda t, e, p: e[t] + p[: t.shape[1]] * math.sqrt(e.shape[1]), "instead of the embeddings"),
        (lambda t, e, p: e[t] * math.sqrt(e.shape[1]), "positions are missing"),
        (lambda t, e, p: e[t] * math.sqrt(e.shape[1]) + p[1 : t.shape[1] + 1], "counted from 1"),
        (lambda t, e, p: e[t] * math.sqrt(len(e)) + p[: t.shape[1]], "that of the vocabulary"),
        (lambda t, e, p: embed(t, e, p) + 1, "Wrong at sentence 0, position 0, coordinate 0"),
        (lambda t, e, p: embed(t, e, p)[0], "wrong shape"),
        (lambda t, e, p: e.mul_(4)[t] + p[: t.shape[1]], "in place"),
    ],
)
def test_embed_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_embed(wrong))


def divisor(attention, d_k):
    q = torch.zeros(1, d_k)
    q[0, 0] = 1.0
    weights = attention(q, torch.cat([q, 0 * q]), torch.eye(2))[0]
    return 1 / (weights[0] / weights[1]).log()


def divisor_from_64(attention, d_k):
    """As the page on the root of d_k has it: too large a score for a function that multiplies."""
    q = torch.eye(1, d_k)
    weights = attention(q, torch.cat([64 * q, 0 * q]), torch.eye(2))[0]
    return 64 / (weights[0] / weights[1]).log()


def test_divisor_passes():
    assert checks.check_divisor(divisor)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda attention, d_k: math.sqrt(d_k), "Ask the function"),
        (lambda attention, d_k: 1 / divisor(attention, d_k), "reciprocal"),
        (lambda attention, d_k: divisor(attention, d_k) ** 2, "its square"),
        (lambda attention, d_k: divisor(attention, d_k) ** 0.5, "its root"),
        (lambda attention, d_k: divisor(attention, d_k) * math.log(10), "natural logarithm"),
        (lambda attention, d_k: divisor(attention, d_k) * math.log(2), "natural logarithm"),
        (lambda attention, d_k: -divisor(attention, d_k), "The sign"),
        (divisor_from_64, "choose a smaller dot product"),
        (lambda attention, d_k: 7.0, "ratio of two weights"),
        (lambda attention, d_k: math.inf, "finite"),
    ],
)
def test_divisor_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_divisor(wrong))


def test_the_line_that_does_not_follow():
    assert checks.check_cancel(2)
    for line, message in {1: "that much is true", 3: "as everywhere", 4: "One of them", 5: "from 1 to 4"}.items():
        assert message in diagnosis(checks.check_cancel(line))
    assert "still open" in diagnosis(checks.check_cancel(...))
    assert "from 1 to 4" in diagnosis(checks.check_cancel(True))


class Words(nn.Module):
    def __init__(self, vocab_size, d_model, std=None, factor=None, divisor=1.0, tied=True):
        super().__init__()
        self.table = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.table.weight, std=d_model**-0.5 if std is None else std)
        self.output = nn.Linear(d_model, vocab_size, bias=False)
        if tied:
            self.output.weight = self.table.weight
        self.factor, self.divisor = math.sqrt(d_model) if factor is None else factor, divisor

    def embed(self, tokens):
        return self.table(tokens) * self.factor

    def logits(self, x):
        return self.output(x) / self.divisor


def test_words_pass_on_either_side():
    assert checks.check_words(Words)
    assert checks.check_words(lambda vocab_size, d: Words(vocab_size, d, std=1.0, factor=1.0, divisor=math.sqrt(d)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda v, d: Words(v, d, std=1.0), "and the factor on top"),
        (lambda v, d: Words(v, d, std=1.0, factor=1.0), "they add up 64 products"),
        (lambda v, d: Words(v, d, factor=1.0), "the factor is missing"),
        (lambda v, d: Words(v, d, factor=float(d)), "read at variance 6"),
        (lambda v, d: Words(v, d, tied=False), "2 matrices"),
        (lambda v, d: torch.zeros(v, d), "Pass the class"),
        (Words(10, 4), "raises"),
    ],
)
def test_words_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_words(wrong))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_words(Words)
        checks.check_embed(embed)
