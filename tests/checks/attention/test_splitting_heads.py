"""The checks of *Splitting and merging heads*: they pass what is right and name what is wrong."""

import itertools
import math

import numpy as np
import pytest
import torch
from torch import nn

from attention_book.analysis.costs import counted, of_attention
from attention_book.attention.multi_head import MultiHeadAttention, merge_heads, split_heads
from attention_book.checks.attention import splitting_heads as checks

from ..diagnosis import diagnosis

COUNTS = {"one_head": 1_048_576, "more_heads": 2_097_152, "with_biases": 2_100_736, "other_widths": 2816}


def count(*args):
    return sum(parameter.numel() for parameter in MultiHeadAttention(*args).parameters())


def test_counts_pass_and_are_those_of_the_layer():
    assert checks.check_counts(COUNTS)
    assert count(512, 1, None, None, False) == count(512, 8, None, None, False) == COUNTS["one_head"]
    assert count(512, 16, 64, 64, False) == COUNTS["more_heads"]
    assert count(512, 16, 64, 64) == COUNTS["with_biases"] and count(32, 4, 6, 5, False) == COUNTS["other_widths"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"more_heads": 1_048_576}, "that is eight heads of 64"),
        ({"more_heads": 131_072}, "`more_heads` is not 131,072"),
        ({"with_biases": 2_099_200}, "has a bias as wide"),
        ({"other_widths": 4096}, "the widths are not d_model here"),
        ({"other_widths": 2817}, "W^O is h·d_v × d_model"),
        ({"with_biases": ...}, "`with_biases` is still open"),
        ({"one_head": "4 · 512²"}, "Expected `one_head` to be one number"),
        ({"one_head": 3 * 512 * 512}, "`one_head` is not 786,432"),
        ({"another": 3}, "Give a dictionary"),
        (dict.fromkeys(COUNTS, ...), "still open"),
    ],
)
def test_counts_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_counts(COUNTS | change))


def loop_merge(heads):
    return torch.cat(list(heads.unbind(1)), dim=-1)


def dealt(x, n):
    return x.unflatten(-1, (-1, n)).permute(0, 3, 1, 2)


def put_back(heads):
    return heads.permute(0, 2, 3, 1).flatten(2)


def test_split_and_merge_pass():
    assert checks.check_split(dealt) and checks.check_merge(put_back)
    assert checks.check_split(lambda x, n: np.stack([x.numpy()[..., h::n] for h in range(n)], axis=1))
    assert checks.check_split(lambda x, n: x.view(*x.shape[:2], -1, n).movedim(-1, 1))
    assert checks.check_split(lambda x, n: split_heads(x, x.shape[-1] // n).permute(0, 3, 2, 1))
    assert checks.check_merge(lambda heads: np.moveaxis(heads.numpy(), 1, 3).reshape(len(heads), heads.shape[2], -1))
    assert checks.check_merge(lambda heads: torch.stack(list(heads.unbind(1)), dim=-1).flatten(2))
    assert checks.check_merge(lambda heads: merge_heads(heads.transpose(1, 3)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x, n: x.view(len(x), n, x.shape[1], -1), "head 0 holds the first 20 numbers of the sentence"),
        (lambda x, n: x.view(len(x), n, -1, x.shape[1]).mT, "head 0 holds the first 20 numbers of the sentence"),
        (split_heads, "Head 0 holds the first 4 columns, as in this book"),
        (lambda x, n: dealt(x, n).flip(1), "The heads stand in the opposite order"),
        (lambda x, n: dealt(x, n).flip(2), "Wrong number at batch 0, head 0, position 0, coordinate 0"),
        (lambda x, n: list(x.chunk(n, dim=-1)), "to be a torch tensor, got a list of 3"),
        (lambda x, n: x.repeat(n, 1, 1, 1).transpose(0, 1), "wrong shape"),
        (lambda x, n: x.view(2, 5, 4, 3).permute(0, 3, 1, 2), "It raises RuntimeError"),
        (lambda x, n: x.unflatten(-1, (-1, n)).transpose(2, 3), "the axes are in another order"),
        (lambda x, n: None, "It returned None"),
    ],
)
def test_split_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_split(wrong))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x: x.reshape(x.shape[0], x.shape[2], -1), "position 0 holds positions 0, 1, 2 of head 0"),
        (merge_heads, "The heads lie end to end, as in this book"),
        (loop_merge, "the merge must undo the split"),
        (lambda x: x.permute(0, 2, 3, 1).view(x.shape[0], x.shape[2], -1), "It raises RuntimeError"),
        (lambda x: put_back(x.flip(1)), "Wrong number at batch 0, position 0, coordinate 0"),
        (lambda x: x.permute(0, 2, 3, 1), "wrong shape"),
        (lambda x: x.mean(1).repeat(1, 1, x.shape[1]), "Wrong number at batch 0, position 0, coordinate 0"),
        (lambda x: x.flatten(1), "wrong shape"),
    ],
)
def test_merge_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_merge(wrong))


def batched(x, w_q, w_k, w_v, w_o, n_heads, mask=None, *, scale=None, fill=-math.inf, axis=-1, merge=merge_heads):
    q, k, v = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    scores = q @ k.transpose(-2, -1) / (math.sqrt(q.shape[-1]) if scale is None else scale(x, q))
    if mask is not None:
        scores = scores.masked_fill(~mask, fill)
    return merge(scores.softmax(axis) @ v) @ w_o


def changed(**how):
    return lambda *given: batched(*given, **how)


def wrong_split(x, w_q, w_k, w_v, w_o, n_heads, mask=None, merge=merge_heads):
    q, k, v = ((x @ w).reshape(len(x), n_heads, x.shape[1], -1) for w in (w_q, w_k, w_v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return merge(scores.softmax(-1) @ v) @ w_o


def unmoved(heads):
    return heads.reshape(len(heads), heads.shape[2], -1)


def on_the_left(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    joined = batched(x, w_q, w_k, w_v, torch.eye(len(w_o), dtype=x.dtype), n_heads, mask)
    return w_o @ joined


def without_w_o(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    return batched(x, w_q, w_k, w_v, torch.eye(len(w_o), dtype=x.dtype), n_heads, mask)


def query_on_the_left(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = (split_heads(y, n_heads) for y in (w_q @ x, x @ w_k, x @ w_v))
    return merge_heads((q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v) @ w_o


def test_multi_head_passes():
    assert checks.check_multi_head(batched)
    assert checks.check_multi_head(lambda *given: batched(*given).numpy())

    def with_torch(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
        q, k, v = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
        heads = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return loop_merge(heads) @ w_o

    assert checks.check_multi_head(with_torch)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (changed(scale=lambda x, q: math.sqrt(x.shape[-1])), "divided by √d_model = √12, not by √d_k = √4"),
        (changed(scale=lambda x, q: math.sqrt(x.shape[-1] / q.shape[1])), "divided by √(d_model / h) = √3.333, not by"),
        (changed(scale=lambda x, q: math.sqrt(x.shape[-1] // q.shape[1])), "divided by √3, the root of d_model // h"),
        (changed(scale=lambda x, q: 2.0 if x.shape[1] == 12 else 3.0), "Wrong number"),
        (changed(scale=lambda x, q: q.shape[-1]), "divided by d_k = 4, not by its square root"),
        (changed(scale=lambda x, q: 1.0), "not divided"),
        (changed(axis=-2), "The softmax runs over the queries"),
        (changed(merge=unmoved), "merged without the transpose: position 0 holds positions 0, 1, 2 of head 0"),
        (changed(merge=lambda h: h.mean(1).repeat(1, 1, h.shape[1])), "averaged"),
        (lambda x, q, k, v, o, n, mask=None: batched(x, q, k, v, o, 1, mask), "share one set of weights"),
        (wrong_split, "The split mixes positions and heads"),
        (lambda *given: wrong_split(*given, merge=unmoved), "The split mixes positions and heads"),
        (on_the_left, "W_O is applied from the left"),
        (without_w_o, "W_O is missing"),
        (lambda x, q, k, v, o, n, mask=None: batched(x, q, k, v, o.T, n, mask), "W_O is transposed"),
        (lambda x, q, k, v, o, n, mask=None: batched(x, q, k, v, o, n), "The mask has no effect"),
        (
            lambda x, q, k, v, o, n, mask=None: batched(x, q, k, v, o, n, None if mask is None else mask.T),
            "The mask is transposed",
        ),
        (lambda *given: 2 * batched(*given), "Wrong number at batch 0, position 0, coordinate 0"),
        (lambda x, q, k, v, o, n, mask=None: batched(x, q, k, v, o, n, mask)[0], "wrong shape"),
        (lambda x, q, k, v, o, n, mask=None: batched(q @ x, q, k, v, o, n, mask), "Wrong number"),
        (query_on_the_left, "W_Q is applied from the left"),
    ],
)
def test_multi_head_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_multi_head(wrong))


def of_the_page(split, order, merge):
    """The function of the exercise with some of its three faults mended."""

    def my_multi_head(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
        b, length, _ = x.shape
        cut = split_heads if split else lambda y, h: y.view(b, h, length, -1)
        q, k, v = (cut(x @ w, n_heads) for w in (w_q, w_k, w_v))
        scores = (q @ k.transpose(-2, -1) if order else k @ q.transpose(-2, -1)) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        heads = scores.softmax(dim=-1) @ v
        return (merge_heads(heads) if merge else heads.reshape(b, length, -1)) @ w_o

    return my_multi_head


@pytest.mark.parametrize("mended", list(itertools.product((False, True), repeat=3))[:-1])
def test_every_state_of_the_exercise_is_told_its_first_fault(mended):
    said = diagnosis(checks.check_multi_head(of_the_page(*mended)))
    named = ("The split mixes positions and heads", "Queries and keys are exchanged", "merged without the transpose")
    assert [fault in said for fault in named].index(True) == mended.index(False)
    assert ("there is more" in said) == (mended.count(False) > 1)
    assert checks.check_multi_head(of_the_page(True, True, True))


def test_whole_width_scale_is_named_where_it_differs_from_the_models():
    def wide(x, q):
        return math.sqrt(q.shape[1] * q.shape[-1]) if x.shape[1] == 4 else math.sqrt(q.shape[-1])

    assert "√(h·d_k) = √6, not by √d_k = √2" in diagnosis(checks.check_multi_head(changed(scale=wide)))


def unpacked(layer, order=(0, 1, 2), transposed=True, width=None):
    packed = layer.in_proj_weight.detach()
    width = width or layer.embed_dim
    blocks = [packed[n * width : (n + 1) * width] for n in order]
    matrices = [*blocks, layer.out_proj.weight.detach()]
    return tuple(matrix.T if transposed else matrix for matrix in matrices)


def test_unpacked_passes():
    assert checks.check_unpacked(unpacked)
    assert checks.check_unpacked(lambda layer: [w.T for w in (*layer.in_proj_weight.chunk(3), layer.out_proj.weight)])
    assert checks.check_unpacked(lambda layer: [w.numpy() for w in unpacked(layer)])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda layer: unpacked(layer, transposed=False), "All four are transposed"),
        (
            lambda layer: unpacked(layer, (1, 0, 2)),
            "What you call `w_q` is `w_k`: `in_proj_weight` holds queries, keys",
        ),
        (lambda layer: (*unpacked(layer)[:3], layer.out_proj.weight), "`w_o` is transposed and others are not"),
        (
            lambda layer: (*(layer.in_proj_weight.detach()[n::3].T for n in range(3)), layer.out_proj.weight.T),
            "cut into every third row",
        ),
        (lambda layer: (*unpacked(layer)[:3], 2 * layer.out_proj.weight.T), "`w_o` is wrong at row 0, column 0"),
        (lambda layer: unpacked(layer)[:3], "Expected 4 values"),
        (lambda layer: unpacked(layer, width=6), "`w_q` has the wrong shape"),
        (lambda layer: (*unpacked(layer)[:3], unpacked(layer)[0]), "What you call `w_o` is `w_q`"),
        (lambda layer: (*unpacked(layer)[:3], layer.out_proj), "`w_o`"),
    ],
)
def test_unpacked_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_unpacked(wrong))


PLACES = {"viewed": [2, 3], "split": range(6), "merged": {0, 1, 2}}


def test_places_pass_and_are_those_of_torch():
    assert checks.check_places(PLACES)
    assert checks.check_places(PLACES | {"viewed": np.array([3, 2]), "split": tuple(range(6))})
    at = torch.arange(6.0).repeat_interleave(6).view(1, 6, 6)  # each number is the position it belongs to
    assert set(at.view(1, 3, 6, 2)[0, 1].flatten().tolist()) == set(PLACES["viewed"])
    assert set(split_heads(at, 3)[0, 1].flatten().tolist()) == set(PLACES["split"])
    assert set(split_heads(at, 3).reshape(1, 6, 6)[0, 0].tolist()) == PLACES["merged"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"viewed": [3, 4]}, "count the positions from 0"),
        ({"viewed": range(6)}, "that is the right split"),
        ({"viewed": [1]}, "`viewed` is not [1]: the first 12 of a sentence's 36"),
        ({"split": [2, 3]}, "every head holds its own columns"),
        ({"merged": [0]}, "that is the right merge"),
        ({"merged": [0, 1]}, "2 from each position"),
        ({"merged": 3}, "as a list or a set"),
        ({"merged": [0.0, 1.0]}, "whole numbers"),
        ({"split": ...}, "`split` is still open"),
        (dict.fromkeys(PLACES, ...), "Every answer is still open"),
        ({"other": [1]}, "Give a dictionary"),
    ],
)
def test_places_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_places(PLACES | change))


FACTORS = {"longer": (1, 9, 9), "more": (3, 3, 3), "narrower": (1, 1, 4), "wider_keys": (1.5, 2, 1)}


def test_factors_pass_and_are_those_of_the_counts():
    assert checks.check_factors(FACTORS)
    assert checks.check_factors({name: [float(one) for one in factors] for name, factors in FACTORS.items()})
    layers = {"longer": (300, 8, 64, 64), "more": (100, 24, 64, 64), "narrower": (100, 32, 16, 16)}
    layers["wider_keys"] = (100, 8, 128, 64)

    def counts(n, h, d_k, d_v):
        cost = of_attention(n, 512, h, d_k, d_v)
        return count(512, h, d_k, d_v, False), cost["scores"], cost["exponentials"]

    before = counts(100, 8, 64, 64)
    for name, layer in layers.items():
        assert tuple(new / old for new, old in zip(counts(*layer), before, strict=True)) == FACTORS[name]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"longer": (3, 9, 9)}, "`longer`: the parameters do not become 3 times as many: no matrix is as long"),
        ({"longer": (1, 3, 9)}, "with the square of the length"),
        ({"more": (1, 3, 3)}, "further head brings columns"),
        ({"narrower": (1, 4, 4)}, "each takes a quarter"),
        ({"narrower": (1, 1, 1)}, "the weights do not become 1 times"),
        ({"wider_keys": (2, 2, 1)}, "and W^V and W^O stay"),
        ({"wider_keys": (1.5, 2, 2)}, "as many pairs"),
        ({"more": (3, ..., 3)}, "`more`: the factor of the multiply-adds of the scores is still open"),
        ({"more": 3}, "Expected 3 values"),
        ({"more": (3, 3)}, "Expected 3 values"),
        ({"more": ("three", 3, 3)}, "to be one number"),
        ({"longer": ...}, "still open"),
    ],
)
def test_wrong_factors_get_the_reason(change, message):
    assert message in diagnosis(checks.check_factors(FACTORS | change))


def of_a_layer(m, n, d_model, h, d_k, d_v):
    """As torch counts the products of the layer that the package has."""
    layer = MultiHeadAttention(d_model, h, d_k, d_v).double()
    x, memory = torch.zeros(1, m, d_model).double(), torch.zeros(1, n, d_model).double()
    return counted(layer, x, memory, memory, need_weights=True)


def by_parts(m, n, d_model, h, d_k, d_v):
    made = m * d_model * h * d_k + n * d_model * h * d_k + n * d_model * h * d_v
    return made + h * m * n * (d_k + d_v) + m * h * d_v * d_model


def test_the_products_pass():
    assert checks.check_products(by_parts)
    assert checks.check_products(of_a_layer)
    assert checks.check_products(lambda *sizes: float(by_parts(*sizes)))


def of_self(n, d_model, h, d_k, d_v):
    return sum(of_attention(n, d_model, h, d_k, d_v)[part] for part in ("projections", "scores", "mixing"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m, n, *rest: of_self(n, *rest), "self-attention over the n source positions"),
        (lambda m, n, *rest: of_self(m, *rest), "self-attention over the m target positions"),
        (lambda m, n, d, h, k, v: by_parts(m, n, d, h, k, v) + (n * n - m * n) * h * (k + v), "m · n pairs"),
        (lambda m, n, d, h, k, v: by_parts(m, n, d, h, k, v) + (n - m) * d * h * (k + v), "not on those of the source"),
        (lambda m, n, d, h, k, v: by_parts(m, n, d, h, k, v) + (m - n) * d * h * (k + v), "not of the target's"),
        (lambda m, n, d, h, k, v: by_parts(m, n, d, h, k, v) + (n - m) * d * h * v, "of which there are m"),
        (lambda m, n, d, h, k, v: by_parts(m, n, d, h, k, v) - m * d * h * v, "by W^O, is missing"),
        (lambda m, n, d, h, k, v: by_parts(m, n, d, h, k, v) - m * n * h * v, "mixing of the values is missing"),
        (lambda m, n, d, h, k, v: by_parts(m, n, d, h, k, v) - m * n * h * k, "scores are missing"),
        (lambda *sizes: 2 * by_parts(*sizes), "Count a multiply-add once"),
        (lambda m, n, d, h, k, v: h * by_parts(m, n, d, h, k, v), "hold all heads already"),
        (lambda m, n, d, h, k, v: by_parts(m, n, d, 1, k, v), "That is one head"),
        (lambda *sizes: by_parts(*sizes) + 1, "it gives 1,423 and not 1,422"),
        (lambda *sizes: None, "Is the `return` missing?"),
    ],
)
def test_wrong_products_get_the_reason(wrong, message):
    assert message in diagnosis(checks.check_products(wrong))
