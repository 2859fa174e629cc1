"""The checks of *The whole in one file*: they pass what is right and name what is wrong."""

import math

import pytest
import torch
import torch.nn.functional as F

from attention_book.checks.translator import one_file as checks
from attention_book.examples import translator_in_one_file as one

from ..diagnosis import diagnosis

IDS = {"a": [6, 11, 8, 4, 2], "b": [8, 13, 4, 2], "c": [6, 11, 3, 4, 2]}


def test_ids_counted_by_hand_pass():
    words = [".", "Duermo", "I", "Me", "cats", "gatos", "gustan", "like", "los", "sleep"]
    numbered = {word: n for n, word in enumerate(words, 4)}
    assert IDS["a"] == [numbered[word] for word in ("I", "like", "cats", ".")] + [2]
    assert checks.check_ids(IDS) and checks.check_ids({letter: tuple(ids) for letter, ids in IDS.items()})
    assert checks.check_ids(IDS | {"b": torch.tensor(IDS["b"])})
    assert "I like cats. → Me gustan los gatos." in checks.two_pairs() and "c: I like dogs." in checks.two_pairs()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": [6, 11, 8, 4]}, "The end token is missing"),
        ({"a": [1, 6, 11, 8, 4, 2]}, "A source has no START in front"),
        ({"b": [4, 9, 0, 2]}, "The first four ids belong to the special words"),
        ({"b": [8, 13, 2]}, "The full stop is a word of its own"),
        ({"c": [6, 11, 4, 2]}, "still has an id: UNKNOWN"),
        ({"c": [6, 11, 0, 4, 2]}, "0 is padding"),
        ({"a": [5, 10, 7, 4, 2]}, "Sort all words and marks"),
        ({"a": "6 11"}, "(a) must be a list of whole numbers"),
        ({"a": ["I"]}, "(a) must be a list of whole numbers"),
        ({"b": ...}, "`b` is still open"),
        ({"x": [1]}, "a list of ids for each of a, b, c"),
    ],
)
def test_ids_name_what_is_wrong(change, told):
    assert told in diagnosis(checks.check_ids(IDS | change))


def count(
    v, d, f, n, *, tables=1, biases=1, finals=2, norms=5, cross=1, both=2
):  # fmt: skip
    attention = 4 * (d * d + biases * d)
    forward = 2 * d * f + biases * (f + d)
    blocks = n * ((2 + cross) * attention + 2 * forward + norms * 2 * d) * both // 2
    return tables * v * d + blocks + finals * 2 * d


def test_the_number_of_parameters_passes_by_formula_and_by_machine():
    assert checks.check_count(count)
    machine = lambda v, d, f, n: sum(p.numel() for p in one.Transformer(v, d, 1, n, f).parameters())  # noqa: E731
    assert checks.check_count(machine)


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        ({"tables": 2}, "it is the embedding"),
        ({"tables": 3}, "share one embedding"),
        ({"tables": 0}, "The embedding is missing"),
        ({"biases": 0}, "The biases of the linear layers are missing"),
        ({"finals": 0}, "Each stack ends with one more LayerNorm"),
        ({"finals": 0, "norms": 0}, "The LayerNorms have parameters too"),
        ({"cross": 0}, "A block of the decoder has two attentions"),
        ({"norms": 4}, "A block of the decoder has three LayerNorms"),
        ({"both": 1}, "in the encoder, and as many in the decoder"),
        ({"finals": 5}, "For (50, 8, 12, 1) it gives"),
    ],
)
def test_a_wrong_number_of_parameters_is_explained(mistake, told):
    assert told in diagnosis(checks.check_count(lambda v, d, f, n: count(v, d, f, n, **mistake)))


def steps(model, src, tgt):
    logits = model(src, tgt[:, :-1])
    return logits.log_softmax(-1).gather(-1, tgt[:, 1:, None])[0, :, 0]


def test_log_probabilities_pass():
    def by_loss(model, src, tgt):
        return -F.cross_entropy(model(src, tgt[:, :-1])[0], tgt[0, 1:], reduction="sum")

    def word_by_word(model, src, tgt):
        total = 0.0
        for t in range(1, tgt.shape[1]):
            p = model(src, tgt[:, :t])[0, -1].softmax(-1)[tgt[0, t]]
            total += math.log(p.item())
        return total

    for right in (lambda *given: steps(*given).sum(), by_loss, word_by_word):
        assert checks.check_log_prob(right)


def unshifted(model, src, tgt):
    return model(src, tgt).log_softmax(-1).gather(-1, tgt[..., None]).sum().item()


def scores(model, src, tgt):
    return model(src, tgt[:, :-1]).gather(-1, tgt[:, 1:, None]).sum().item()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda *given: -steps(*given).sum(), "The sign is wrong"),
        (lambda *given: steps(*given).exp().sum(), "It adds probabilities"),
        (lambda *given: steps(*given).sum().exp(), "It is the probability"),
        (lambda *given: steps(*given)[:-1].sum(), "The end token belongs to the translation"),
        (lambda *given: steps(*given).mean(), "It is the mean over the words"),
        (lambda *given: -steps(*given).mean(), "It is the loss"),
        (scores, "They are log-probabilities only after log_softmax"),
        (unshifted, "It asks each row for the word that went in"),
        (lambda model, src, tgt: model(src, tgt[:, :-1]).log_softmax(-1).amax(-1).sum(), "the likeliest word"),
        (lambda *given: steps(*given), "to be one number"),
        (lambda *given: None, "Is the `return` missing?"),
    ],
)
def test_wrong_log_probabilities_are_explained(wrong, told):
    assert told in diagnosis(checks.check_log_prob(wrong))
