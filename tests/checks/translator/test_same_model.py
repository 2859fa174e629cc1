"""The checks of *Is it the same model?*: they pass what is right and name what is wrong."""

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.checks.translator import same_model as checks
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer

from ..diagnosis import diagnosis


def count(vocab_size, d_model, d_ff, n_layers):
    attention, norm = 4 * (d_model**2 + d_model), 2 * d_model
    forward = 2 * d_model * d_ff + d_ff + d_model
    return vocab_size * d_model + n_layers * (3 * attention + 2 * forward + 5 * norm)


def by_building(vocab_size, d_model, d_ff, n_layers):
    config = TransformerConfig(vocab_size, d_model, 4, n_layers, d_ff, norm="post")
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Transformer(config).parameters())


@pytest.mark.parametrize(
    "right", [count, by_building, lambda *s: float(count(*s)), lambda *s: np.int64(count(*s)),
              lambda *s: torch.tensor(count(*s))],
)  # fmt: skip
def test_counts_pass(right):
    assert checks.check_parameters(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda v, d, f, n: v * d + n * (12 * d * d + 4 * d * f + 5 * d), "The biases are missing"),
        (lambda v, d, f, n: count(v, d, f, n) - 12 * n * d, "biases of the attentions"),
        (lambda v, d, f, n: count(v, d, f, n) - 2 * n * (f + d), "biases of the feed-forward"),
        (lambda v, d, f, n: count(v, d, f, n) - 10 * n * d, "The norms are missing"),
        (lambda v, d, f, n: count(v, d, f, n) - 5 * n * d, "a factor and a shift"),
        (lambda v, d, f, n: count(v, d, f, n) - 4 * n * (d * d + d), "has two attentions."),
        (lambda v, d, f, n: count(v, d, f, n) - n * (4 * d * d + 6 * d), "two attentions, and three norms"),
        (lambda v, d, f, n: count(v, d, f, n) - 2 * n * d, "has three norms"),
        (lambda v, d, f, n: count(v, d, f, n) - v * d, "embeddings are missing"),
        (lambda v, d, f, n: count(v, d, f, n) + v * d, "counted twice: the output"),
        (lambda v, d, f, n: count(v, d, f, n) + 2 * v * d, "counted three times"),
        (lambda v, d, f, n: count(v, d, f, n) + v, "has no bias"),
        (lambda v, d, f, n: count(v, d, f, 1), "on each side"),
        (lambda v, d, f, n: 2 * count(v, d, f, n) - v * d, "n_layers is counted twice"),
        (lambda v, d, f, n: count(v, d, f, n) + 4 * d, "no norm at the end"),
        (lambda v, d, f, n: count(v, d, f, n) - 3 * n * (d * d + d), "a fourth matrix"),
        (lambda v, d, f, n: count(v, d, f, n) + 1, "it gives"),
        (lambda v, d, f, n: "many", "one number"),
        (lambda v, d, f, n: None, "returned None"),
    ],
)
def test_wrong_counts_are_named(wrong, message):
    assert message in diagnosis(checks.check_parameters(wrong))


RENAMED = {
    "self_attention": "self_attn",
    "cross_attention": "multihead_attn",
    "w_o": "out_proj",
    "feed_forward.w_1": "linear1",
    "feed_forward.w_2": "linear2",
    "add_attention.norm": "norm1",
    "add_self.norm": "norm1",
    "add_cross.norm": "norm2",
}


def their_name(name):
    for ours, theirs in RENAMED.items():
        name = name.replace(ours, theirs)
    for letter in "qkv":
        name = name.replace(f".w_{letter}.", ".in_proj_")
    return name.replace("add_feed_forward.norm", "norm2" if name.startswith("encoder") else "norm3")


def their_name_by_parts(name):
    *where, part, kind = name.split(".")
    if part in ("w_q", "w_k", "w_v"):
        part, kind = f"in_proj_{kind}", None
    where = [RENAMED.get(word, word) for word in where]
    if where[-1] == "feed_forward":
        where, part = where[:-1], f"linear{part[-1]}"
    if where[-1].startswith("add"):
        order = ["add_self", "add_cross", "add_feed_forward"]
        order = ["add_attention", "add_feed_forward"] if where[0] == "encoder" else order
        part = f"norm{order.index(where.pop()) + 1}"
    part = RENAMED.get(part, part)
    return ".".join([*where, part] + ([kind] if kind else []))


@pytest.mark.parametrize("right", [their_name, their_name_by_parts])
def test_names_pass(right):
    assert checks.check_their_name(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda name: name, "one matrix and one bias"),
        (lambda name: their_name(name).removeprefix("encoder."), "call the two stacks"),
        (lambda name: their_name(name).replace("decoder", "encoder"), "belongs to the decoder"),
        (lambda name: their_name(name).replace(".1.", ".0."), "number the layers"),
        (lambda name: their_name(name).replace("in_proj_", "in_proj."), "one word each"),
        (lambda name: their_name(name).replace("multihead_attn", "self_attn"), "the attention to the source"),
        (lambda name: their_name(name).replace("self_attn", "multihead_attn"), "the attention to the source"),
        (lambda name: their_name(name).replace("norm3", "norm2"), "a decoder layer has three"),
        (lambda name: their_name(name).replace("norm2", "norm3"), "in the order of its sublayers"),
        (lambda name: their_name(name).replace("bias", "weight"), "a bias stays a bias"),
        (lambda name: their_name(name).replace("encoder.norm", "encoder.norm3"), "end of a stack"),
        (lambda name: their_name(name).replace("out_proj", "proj"), "part by part"),
        (lambda name: None, "returned None"),
        (lambda name: 3, "a name is a string"),
    ],
)
def test_wrong_names_are_named(wrong, message):
    assert message in diagnosis(checks.check_their_name(wrong))


DIFFER = {"a": True, "b": False, "c": False, "d": True, "e": False, "f": False, "g": True}


def test_what_differs_passes():
    assert checks.check_copies(DIFFER)
    assert checks.check_copies({letter: np.bool_(said) for letter, said in DIFFER.items()})


@pytest.mark.parametrize("letter", DIFFER)
def test_each_wrong_answer_is_named_with_its_reason(letter):
    message = diagnosis(checks.check_copies(DIFFER | {letter: not DIFFER[letter]}))
    assert message.startswith(f"{letter} is {DIFFER[letter]}: ") and len(message.split()) > 7
    assert "True (the logits differ)" in diagnosis(checks.check_copies(DIFFER | {letter: 1}))
    assert f"{letter}: " in checks.copies()


def test_open_answers_are_named():
    assert "still open" in diagnosis(checks.check_copies(dict.fromkeys(DIFFER, ...)))
    assert "a dictionary" in diagnosis(checks.check_copies({"a": True}))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_copies(DIFFER)
        checks.check_parameters(count)
        checks.check_their_name(their_name)
