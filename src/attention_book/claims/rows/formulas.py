"""F rows about formulas: the side of a matrix, the number under a root, an angle, smoothed labels."""

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask, leak
from ...attention.multi_head import MultiHeadAttention
from ...models.config import TransformerConfig
from ...training.losses import label_smoothed_cross_entropy
from ..claim import Claim, Verdict
from ..drawn import normal
from ..printed import in_tens


def left_products() -> dict[str, Any]:
    """F01: does a product from the left exist, and what does it do to the causal mask where it does?"""
    length, d_model = 5, 8
    random = torch.Generator().manual_seed(1)
    w_q, w_k, w_v, w_o = torch.randn(4, d_model, d_model, generator=random, dtype=torch.float64) / math.sqrt(d_model)
    states, square = (torch.randn(n, d_model, generator=random, dtype=torch.float64) for n in (length, d_model))
    may = causal_mask(d_model)
    try:
        exists = bool((w_q @ states).numel())
    except RuntimeError:
        exists = False

    def attend(q, k, v):
        return scaled_dot_product_attention(q, k, v, may)[0]

    def right(x):
        return attend(x @ w_q, x @ w_k, x @ w_v) @ w_o

    def left_projections(x):
        return attend(w_q @ x, w_k @ x, w_v @ x) @ w_o

    def left_output(x):
        return w_o @ attend(x @ w_q, x @ w_k, x @ w_v)

    return {
        "length": length,
        "d_model": d_model,
        "product_exists": exists,
        "leak_w_q_left": leak(left_projections, square),
        "leak_w_o_left": leak(left_output, square),
        "leak_right": leak(right, square),
    }


def decide_left_products(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F01: with one row per position the matrix stands on the right."""
    if value["product_exists"] and value["leak_w_q_left"] == value["leak_w_o_left"] == 0:
        return "right", "The products exist and mix no positions."
    why = (
        f"With {value['length']} rows of width {value['d_model']}, one per position, the product W D "
        f"{'exists' if value['product_exists'] else 'does not exist'}. Where the two numbers are equal it mixes "
        f"positions: past a causal mask W_Q D leaks {value['leak_w_q_left']:.2f} and W_O Concat "
        f"{value['leak_w_o_left']:.2f}, and with the matrices behind D the leak is {value['leak_right']:g}. In front "
        "they are right if a position is a column."
    )
    return "wrong", why


def divisors() -> dict[str, Any]:
    """F02: what the package divides by, and the variance of scores that each of two roots leaves."""
    config = TransformerConfig.base()
    d_k = MultiHeadAttention(config.d_model, config.n_heads).d_k
    q, k = normal(2, 20_000, d_k)
    dots = (q * k).sum(dim=-1)
    one = torch.zeros(1, d_k, dtype=torch.float64).index_fill_(1, torch.tensor([0]), 1)
    keys = torch.cat([d_k * one, 0 * one])  # dot products d_k and 0
    weights = scaled_dot_product_attention(one, keys, keys)[1][0]
    return {
        "divisor": d_k / math.log(weights[0] / weights[1]),
        "root_d_k": math.sqrt(d_k),
        "root_d_model": math.sqrt(config.d_model),
        "variance_by_root_d_k": float(dots.var() / d_k),
        "variance_by_root_d_model": float(dots.var() / config.d_model),
    }


def decide_divisors(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F02: the width of one head, not of the model."""
    if math.isclose(value["divisor"], value["root_d_model"], rel_tol=1e-9):
        return "right", f"The divisor is {value['divisor']:.2f}, the root of d_model."
    why = (
        f"In the paper's base model the divisor is √d_k = {value['divisor']:.2f} and √d_model would be "
        f"{value['root_d_model']:.2f}. Scores of unit-normal queries and keys, divided by √d_k, have the variance "
        f"{value['variance_by_root_d_k']:.2f}, and divided by √d_model, {value['variance_by_root_d_model']:.3f}. "
        "The two roots are equal if there is one head (Vaswani et al. 2017, §3.2.1)."
    )
    return "wrong", why


def numbered_rows() -> dict[str, Any]:
    """F11: how many rows a matrix of m rows has, and how many names q₀ … q_m are."""
    m = 4
    return {"rows": len(torch.zeros(m, 2)), "names": len(range(0, m + 1))}


def decide_numbered_rows(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F11: count them."""
    if value["rows"] == value["names"]:
        return "right", f"There are {value['names']} names for {value['rows']} rows."
    why = (
        f"From q₀ to q_m there are m + 1: {value['names']} names for the {value['rows']} rows of m = {value['rows']}. "
        "Counted from 0 the last row is q_(m−1)."
    )
    return "wrong", why


def angles_and_weights() -> dict[str, Any]:
    """F12: two keys where the worse aligned one wins; and how often that happens, with and without equal lengths."""
    query, keys = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [3.0, 3.0]])
    _, weights = scaled_dot_product_attention(query, keys, keys)
    cosines = (keys @ query[0]) / np.linalg.norm(keys, axis=1)
    random = np.random.default_rng(1)
    draws, n_keys, d_k = 1000, 8, 16
    queries, many = random.standard_normal((draws, 1, d_k)), random.standard_normal((draws, n_keys, d_k))
    directions = many / np.linalg.norm(many, axis=-1, keepdims=True)
    aligned = (directions @ queries.swapaxes(1, 2))[..., 0].argmax(axis=1)  # the query's length changes no order
    differ = [
        int((scaled_dot_product_attention(queries, k, k)[1][:, 0].argmax(axis=1) != aligned).sum())
        for k in (many, directions)
    ]
    return {
        "cosines": cosines.tolist(),
        "weights": weights[0].tolist(),
        "draws": draws,
        "other_key_wins": differ[0],
        "other_key_wins_at_equal_lengths": differ[1],
    }


def decide_angles_and_weights(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F12: true of keys of one length."""
    if not value["other_key_wins"]:
        return "right", f"In {value['draws']} draws the best aligned key had the largest weight each time."
    (cosine_1, cosine_2), (weight_1, weight_2) = value["cosines"], value["weights"]
    why = (
        f"Only if all keys have one length. To the query (1, 0), the key (1, 0) has the cosine {cosine_1:.0f} and the "
        f"weight {weight_1:.3f}, and the key (3, 3) {cosine_2:.3f} and {weight_2:.3f}. Among 8 random keys the best "
        f"aligned one lost {value['other_key_wins']} times in {value['draws']}, and "
        f"{value['other_key_wins_at_equal_lengths']} times once all were of one length."
    )
    return ("wrong" if value["other_key_wins_at_equal_lengths"] else "misleading"), why


def _smoothed_target(loss, words: int) -> torch.Tensor:
    """The target distribution inside a loss: its gradient with respect to the logits is p minus that."""
    logits = torch.zeros(1, words, dtype=torch.float64, requires_grad=True)
    loss(logits, torch.tensor([1])).backward()
    return (logits.softmax(dim=-1).detach() - logits.grad)[0]


def smoothed_labels() -> dict[str, Any]:
    """F18: what the true word gets, read off the gradients of the package's loss and of torch's."""
    smoothing, few, many = 0.1, 5, TransformerConfig.base().vocab_size
    ours = _smoothed_target(lambda z, y: label_smoothed_cross_entropy(z, y, smoothing), few)
    theirs = _smoothed_target(lambda z, y: F.cross_entropy(z, y, label_smoothing=smoothing), few)
    large = _smoothed_target(lambda z, y: label_smoothed_cross_entropy(z, y, smoothing), many)
    return {
        "smoothing": smoothing,
        "words": few,
        "true_word": float(ours[1]),
        "other_word": float(ours[2]),
        "true_word_in_torch": float(theirs[1]),
        "many_words": many,
        "true_word_of_many": float(large[1]),
    }


def decide_smoothed_labels(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F18: it depends on whether ε is spread over the true word as well."""
    kept = 1 - value["smoothing"]
    if math.isclose(value["true_word"], kept, rel_tol=1e-9):
        return "right", f"The true word gets {kept:.2f}."
    why = (
        "Where ε is spread over all V words, as in Szegedy et al. 2016, §7, to whom the paper refers in its §5.4, and "
        f"in torch, the true word gets 1 − ε + ε/V: {value['true_word']:.2f} and not {kept:.2f} for ε = "
        f"{value['smoothing']:g} and V = {value['words']:.0f}, and {in_tens(value['true_word_of_many'] - kept, 2)} "
        f"more than {kept:.1f} for V = {value['many_words']:,.0f}. 1 − ε is right where the true word has no part in "
        "ε, as in the Annotated Transformer."
    )
    return "misleading", why


CLAIMS = (
    Claim(
        "F01",
        "Where rows are positions, the matrices stand on the left: Q = W_Q D, and W_O times the joined heads.",
        left_products,
        decide_left_products,
        "attention/splitting-heads#multi-head-rows",
    ),
    Claim(
        "F02",
        "The scores are divided by the square root of the model's width, √d_model.",
        divisors,
        decide_divisors,
        "attention/square-root-of-d-k#square-root-not-d-model",
    ),
    Claim(
        "F11",
        "The rows of a matrix of m queries are q₀ to q_m.",
        numbered_rows,
        decide_numbered_rows,
        "attention/scaled-dot-product#sdp-all-queries",
    ),
    Claim(
        "F12",
        "The smaller the angle between a key and the query, the larger the weight of that key.",
        angles_and_weights,
        decide_angles_and_weights,
        "attention/what-a-score-can-do#sdp-length-times-cosine",
    ),
    Claim(
        "F18",
        "Label smoothing by ε over V words leaves the true word exactly 1 − ε.",
        smoothed_labels,
        decide_smoothed_labels,
        "before/label-smoothing#probability-smoothing",
    ),
)
