"""The checks of the chapter on the three uses: they pass what is right and name what is wrong."""

import math

import pytest
import torch
from global_state import unchanged_state

from attention_book.attention.masks import causal_mask
from attention_book.attention.probability import softmax
from attention_book.checks.attention import three_uses as checks

from ..diagnosis import diagnosis

SHAPES = {"encoder_self": (10, 10), "decoder_self": (5, 5), "cross": (5, 10)}


def test_the_shapes_pass():
    assert checks.check_shapes(SHAPES)
    assert checks.check_shapes({use: list(shape) for use, shape in SHAPES.items()})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cross": (10, 5)}, "here the target asks"),
        ({"cross": (6, 10)}, "asked for and never fed"),
        ({"decoder_self": (4, 4)}, "fed `<s>` as well"),
        ({"encoder_self": (9, 9)}, "ends in `</s>`"),
        ({"encoder_self": (11, 11)}, "no `<s>`"),
        ({"cross": (5, 5)}, "whose keys"),
        ({"cross": 50}, "two whole numbers"),
        ({"cross": ...}, "still open"),
    ],
)
def test_wrong_shapes_are_named(wrong, message):
    assert message in diagnosis(checks.check_shapes(SHAPES | wrong))


def test_open_or_incomplete_answers_are_named():
    assert "still open" in diagnosis(checks.check_shapes(dict.fromkeys(SHAPES, ...)))
    assert "for each of" in diagnosis(checks.check_shapes({"cross": (5, 10)}))


REACH = {"a": True, "b": False, "c": True, "d": False, "e": True, "f": False, "g": False}


def test_what_reaches_what_passes():
    assert checks.check_reach(REACH)


@pytest.mark.parametrize("name", REACH)
def test_each_wrong_prediction_is_named_with_its_reason(name):
    message = diagnosis(checks.check_reach(REACH | {name: not REACH[name]}))
    assert message.startswith(f"{name} is {REACH[name]}: ")
    assert "True (it can change)" in diagnosis(checks.check_reach(REACH | {name: 1}))


def attend(x, memory, w_q, w_k, w_v, real, *, q=None, k=None, v=None, hide=True, scale=None, axis=-1):
    q, k, v = (q if q is not None else x) @ w_q, (k if k is not None else memory) @ w_k, v if v is not None else memory
    scores = q @ k.T / (scale or math.sqrt(w_k.shape[1]))
    scores = scores.masked_fill(~real, -math.inf) if hide and scores.shape[1] == len(real) else scores
    weights = softmax(scores) if axis == -1 else softmax(scores.T).T
    return weights @ (v @ w_v), weights


def test_cross_attention_passes():
    assert checks.check_cross_attention(attend)


def from_decoder(x, memory, *rest):
    return attend(x, memory, *rest, k=x, v=x)


def values_from_decoder(x, memory, *rest):
    return attend(x, memory, *rest, v=x if len(x) == len(memory) else None)


def keys_from_decoder_where_it_fits(x, memory, *rest):
    return attend(x, memory, *rest, k=x if len(x) == len(memory) else None)


def zeroed(x, memory, w_q, w_k, w_v, real):
    weights = attend(x, memory, w_q, w_k, w_v, real, hide=False)[1] * real
    return weights @ (memory @ w_v), weights


def causal(x, memory, w_q, w_k, w_v, real):
    scores = x @ w_q @ (memory @ w_k).T / math.sqrt(w_k.shape[1])
    may = causal_mask(len(memory))[: len(x)] & real
    weights = softmax(scores.masked_fill(~may, -math.inf))
    return weights @ (memory @ w_v), weights


def subtracts(much, x, memory, w_q, w_k, w_v, real):
    scores = x @ w_q @ (memory @ w_k).T / math.sqrt(w_k.shape[1])
    weights = softmax(scores - much * ~real)
    return weights @ (memory @ w_v), weights


def test_a_number_that_no_score_reaches_hides_padding_as_well():
    assert checks.check_cross_attention(lambda *a: subtracts(1e9, *a))


def flipped(x, memory, w_q, w_k, w_v, real):
    return attend(x, memory, w_q, w_k, w_v, ~real)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (from_decoder, "keys come from the decoder"),
        (keys_from_decoder_where_it_fits, "keys come from the decoder"),
        (values_from_decoder, "values come from the decoder"),
        (lambda x, memory, *rest: attend(x, memory, *rest, q=memory), "queries come from the encoder"),
        (lambda x, memory, *rest: attend(x, memory, *rest, q=memory, k=x, v=x), "other way round"),
        (lambda *a: attend(*a, hide=False), "Padding is not hidden"),
        (lambda *a: attend(*a, axis=0, hide=False), "columns sum to 1 over the queries"),
        (lambda *a: attend(*a, axis=0), "Each column sums to 1"),
        (lambda *a: attend(*a, scale=1.0), "not divided"),
        (lambda *a: attend(*a, scale=math.sqrt(6)), "divided by √d, the width"),
        (zeroed, "set to 0 after the softmax"),
        (causal, "no causal mask belongs here"),
        (flipped, "True hides"),
        (lambda *a: subtracts(20, *a), "a finite number is added"),
        (lambda *a: subtracts(100, *a), "a finite number is added"),
        (lambda *a: (attend(*a)[1] @ a[1], attend(*a)[1]), "W^V is missing"),
        (lambda *a: attend(*a)[0], "Expected 2 values"),
        (lambda *a: attend(*a)[::-1], "wrong shape"),
        (lambda *a: (attend(*a)[0] + 1, attend(*a)[1]), "Wrong output at"),
        (lambda *a: (attend(*a)[0], attend(*a)[1] ** 2), "Wrong weight at"),
    ],
)
def test_wrong_cross_attentions_are_named(wrong, message):
    assert message in diagnosis(checks.check_cross_attention(wrong))


def test_memory_projections_pass():
    assert checks.check_memory_projections(lambda m, w_k, w_v: [(m @ k, m @ v) for k, v in zip(w_k, w_v, strict=True)])


def chained(memory, w_k, w_v):
    made = []
    for k, v in zip(w_k, w_v, strict=True):
        made.append((memory @ k, memory @ v))
        memory = made[-1][1]
    return made


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m, w_k, w_v: [(m, m)] * 3, "it is the encoder output itself"),
        (lambda m, w_k, w_v: [(m @ w_k[0], m @ w_v[0])] * 3, "K of layer 1: the first layer's matrix"),
        (lambda m, w_k, w_v: list(zip(m @ w_v, m @ w_k, strict=True)), "exchanged"),
        (lambda m, w_k, w_v: list(zip(m @ w_k.mT, m @ w_v.mT, strict=True)), "transposed"),
        (chained, "made of the layer below's"),
        (lambda m, w_k, w_v: list(zip(m @ w_k + 1, m @ w_v, strict=True)), "K of layer 0: row 0"),
        (lambda m, w_k, w_v: [(m @ w_k[0], m @ w_v[0])], "each of the 3 layers"),
    ],
)
def test_wrong_memory_projections_are_named(wrong, message):
    assert message in diagnosis(checks.check_memory_projections(wrong))


def batch(*rows):
    return torch.tensor(rows)


def test_a_blind_batch_passes():
    report = checks.check_blind_batch(batch([5, 6, 2, 0], [5, 6, 7, 2]), batch([1, 8, 9, 0], [1, 8, 9, 7]))
    assert report and "a row whose two lengths differ" in report.message  # a shorter source betrays the mask too


@pytest.mark.parametrize(
    ("src", "tgt", "message"),
    [
        (batch([5, 2]), batch([1, 8]), "no padding in it"),
        (batch([5, 2, 0]), batch([1, 8]), "The lengths differ, 3 and 2"),
        (batch([5, 2, 0]), batch([1, 8, 9]), "1 key that is padding is attended to"),
        (batch([5, 2, 0, 0]), batch([1, 8, 9, 2]), "2 keys that are padding are attended to"),
        (batch([5, 6, 2]), batch([1, 0, 0]), "2 source words are hidden"),
        (batch([5, 6, 2]), batch([1, 8, 0]), "1 source word is hidden"),
        (batch([5, 2, 0], [5, 6, 2]), batch([1, 8, 0], [1, 8, 0]), "Row 1 would betray it: 3 source and 2 target"),
        (batch([0, 5, 2]), batch([1, 8, 0]), "`src`: each row starts with a token"),
        (batch([5, 2, 0]), batch([1, 0, 8]), "`tgt`: each row starts with a token"),
        (batch([5, 2]), batch([1, 8], [1, 9]), "each source needs its target"),
        (batch([5.0, 2.0]), batch([1, 8]), "whole numbers"),
        ([[5, 2]], batch([1, 8]), "`src` must be a tensor"),
    ],
)
def test_batches_that_betray_the_mask_are_named(src, tgt, message):
    assert message in diagnosis(checks.check_blind_batch(src, tgt))


TABLES = {
    "A": "cross",
    "B": "impossible",
    "C": "decoder_self",
    "D": "impossible",
    "E": "encoder_self",
    "F": "impossible",
}


def test_the_tables_have_the_faults_that_are_told():
    found = checks.tables()
    for name, table in found.items():
        over = 0 if name == "D" else 1
        torch.testing.assert_close(table.sum(dim=over), torch.ones(table.shape[1 - over], dtype=torch.float64))
        later = ~torch.ones(table.shape, dtype=torch.bool).tril()
        assert (table[later] == 0).all() == (name in "CF")
        assert (table[~later] > 0).all()
    assert (found["D"].sum(dim=1) - 1).abs().max() > 0.1


def test_the_tables_pass():
    assert checks.check_tables(TABLES)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"A": "impossible"}, "A is possible: 5 target rows"),
        ({"D": "cross"}, "D is not cross-attention: look at its shape, its zeros and its sums"),
        ({"F": "cross"}, "F is not cross-attention"),
        ({"B": "decoder_self"}, "B is not decoder_self"),
        ({"E": "decoder_self"}, "E is not decoder_self"),
        ({"C": ...}, "C is still open"),
        ({"C": "self"}, "one of encoder_self"),
    ],
)
def test_wrong_readings_of_the_tables_are_named(wrong, message):
    assert message in diagnosis(checks.check_tables(TABLES | wrong))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_reach(REACH)
        checks.check_cross_attention(attend)
        checks.tables()


KEYS = {"cross": 12, "own": 72, "training": 12, "batch": 36}


def test_counts_of_keys_pass():
    assert checks.check_projections(KEYS) and checks.check_projections({use: float(n) for use, n in KEYS.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cross": 6}, "of its own"),
        ({"cross": 96}, "made once"),
        ({"own": 16}, "with a cache"),
        ({"own": 36}, "two layers"),
        ({"own": 90}, "never read"),
        ({"own": 128}, "one row"),
        ({"training": 96}, "one pass"),
        ({"training": 0}, "has to make them"),
        ({"batch": 28}, "which rows are padding"),
        ({"batch": 7}, "(batch) is not 7."),
        ({"batch": ...}, "still to be predicted"),
        ({"all": 1}, "Give a dictionary"),
    ],
)
def test_counts_of_keys_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_projections(KEYS | change))
