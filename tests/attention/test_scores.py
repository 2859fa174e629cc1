"""Scores on recurrent states: against loops, against one another, and what a mixture must obey."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracles import close, leaves, normal, seeded, unchecked

from attention_book.attention.scores import Score, additive_scores, attend, concat_scores, dot_scores, general_scores

Q, K = normal(2, 3, 4, seed=1), normal(2, 5, 6, seed=2)  # (batch, q_len, d_q), (batch, k_len, d_k)
W_Q, W_K, V = normal(4, 7, seed=3), normal(6, 7, seed=4), normal(7, seed=5)
WIDTHS = {"additive": (4, 6), "concat": (4, 6), "general": (4, 6), "dot": (6, 6)}


def by_loops(q, k, score):
    """One pair of vectors at a time."""
    found = torch.empty(*q.shape[:2], k.shape[1], dtype=q.dtype)
    for b in range(q.shape[0]):
        for i in range(q.shape[1]):
            for j in range(k.shape[1]):
                found[b, i, j] = score(q[b, i], k[b, j])
    return found


def test_additive_scores_are_the_equation_pair_by_pair():
    wanted = by_loops(Q, K, lambda q, k: sum(V[u] * math.tanh(q @ W_Q[:, u] + k @ W_K[:, u]) for u in range(7)))
    close(additive_scores(Q, K, W_Q, W_K, V), wanted)


def test_dot_and_general_are_the_equations_pair_by_pair():
    q, w = normal(2, 3, 6, seed=6), normal(4, 6, seed=7)
    close(dot_scores(q, K), by_loops(q, K, lambda q, k: sum(q * k)))
    close(
        general_scores(Q, K, w),
        by_loops(Q, K, lambda q, k: sum(q[a] * w[a, b] * k[b] for a in range(4) for b in range(6))),
    )


def test_general_is_torchs_bilinear():
    layer = seeded(lambda: torch.nn.Bilinear(4, 6, 1, bias=False)).double()
    wanted = by_loops(Q, K, lambda q, k: layer(q, k)[0])
    close(general_scores(Q, K, layer.weight[0]), wanted)


def test_concat_is_additive_with_its_matrices_stacked():
    close(concat_scores(Q, K, torch.cat([W_Q, W_K]), V), additive_scores(Q, K, W_Q, W_K, V))


def test_a_dot_product_of_two_widths_is_refused():
    with unchecked(), pytest.raises(ValueError, match="queries have 4 coordinates, keys 6"):
        dot_scores(Q, K)


@pytest.mark.parametrize("kind", WIDTHS)
def test_a_module_gives_its_function_with_keys_prepared_or_not(kind):
    d_q, d_k = WIDTHS[kind]
    score = seeded(lambda: Score(kind, d_q, d_k, 7)).double()
    q, k = leaves(normal(2, 3, d_q, seed=8), normal(2, 5, d_k, seed=9))
    function = {
        "additive": lambda: additive_scores(q, k, score.w_q, score.w_k, score.v),
        "concat": lambda: concat_scores(q, k, score.w, score.v),
        "general": lambda: general_scores(q, k, score.w),
        "dot": lambda: dot_scores(q, k),
    }[kind]
    found, wanted = score(q, k, score.prepare(k)), function()
    close(found, wanted)
    close(score(q, k), wanted)
    weigh = normal(2, 3, 5, seed=10)
    inputs = (q, k, *score.parameters())
    for mine, theirs in zip(
        torch.autograd.grad((found * weigh).sum(), inputs),
        torch.autograd.grad((wanted * weigh).sum(), inputs),
        strict=True,
    ):
        close(mine, theirs)


def test_what_a_score_has_to_learn():
    counts = {kind: sum(p.numel() for p in Score(kind, *WIDTHS[kind], 7).parameters()) for kind in WIDTHS}
    assert counts == {"dot": 0, "general": 4 * 6, "additive": (4 + 6) * 7 + 7, "concat": (4 + 6) * 7 + 7}


def test_an_unknown_score_and_a_dot_of_two_widths_are_refused():
    with unchecked():
        with pytest.raises(ValueError, match="score must be one of additive, dot, general, concat, got 'cosine'"):
            Score("cosine", 4, 4, 4)
        with pytest.raises(ValueError, match="one width, got 4 and 6"):
            Score("dot", 4, 6, 4)


@given(st.integers(0, 1000), st.integers(1, 4), st.integers(1, 6))
def test_a_mixture_is_what_torchs_softmax_of_the_scores_mixes(seed, q_len, k_len):
    scores, values = normal(2, q_len, k_len, seed=seed), normal(2, k_len, 3, seed=seed + 1)
    mask = normal(2, q_len, k_len, seed=seed + 2) > -1
    mask[..., 0] = True
    context, weights = attend(scores, values, mask)
    wanted = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1)
    close(weights, wanted)
    close(context, wanted @ values)
    assert not weights[~mask].any()


def test_where_nothing_may_be_attended_to_come_zeros_with_finite_gradients():
    scores, values = leaves(normal(1, 2, 3), normal(1, 3, 4))
    context, weights = attend(scores, values, torch.tensor([[[False] * 3, [True] * 3]]))
    assert not context[0, 0].any()
    assert not weights[0, 0].any()
    for gradient in torch.autograd.grad(context.sum(), (scores, values)):
        assert gradient.isfinite().all()


def test_a_mask_that_does_not_fit_is_refused():
    with unchecked():
        with pytest.raises(ValueError, match="does not broadcast"):
            attend(normal(2, 3, 5), K, torch.ones(2, 3, 4, dtype=torch.bool))
        with pytest.raises(TypeError, match="boolean"):
            attend(normal(2, 3, 5), K, torch.ones(2, 3, 5))
