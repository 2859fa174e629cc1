"""Multi-head attention: against nn.MultiheadAttention and a naive loop, on both of its paths."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import attention_gradients, close, leaves, normal, seeded, torch_attention, unchecked

from attention_book.attention.cache import FixedCache, GrowingCache
from attention_book.attention.masks import causal_mask, combine_masks, leak, lengths_mask
from attention_book.attention.multi_head import MultiHeadAttention, merge_heads, split_heads

BATCH, HEADS, WIDTH, Q_LEN, K_LEN = 2, 4, 8, 5, 5
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
PATHS = pytest.mark.parametrize("need_weights", [False, True], ids=["fused", "explicit"])
law = settings(max_examples=20, deadline=None)


def random_mask(*shape):
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(9)) < 0.6
    mask[..., 0] = True  # torch's module gives NaN where nothing is allowed
    return mask


PADDING = lengths_mask(torch.tensor([5, 2]), K_LEN)
NOTHING = torch.zeros(Q_LEN, K_LEN, dtype=torch.bool)
MASKS = {
    "none": None,
    "one for all": torch.tensor(True),
    "keys": random_mask(K_LEN),
    "a column": random_mask(Q_LEN, K_LEN)[:, :1],
    "causal": causal_mask(Q_LEN, K_LEN),
    "padding": PADDING,
    "causal and padding": combine_masks(causal_mask(Q_LEN, K_LEN), PADDING),
    "heads": random_mask(HEADS, Q_LEN, K_LEN),
    "all axes": random_mask(BATCH, HEADS, Q_LEN, K_LEN),
}


def attention(**options):
    return seeded(lambda: MultiHeadAttention(**{"d_model": WIDTH, "n_heads": HEADS, **options})).double()


def sequences(dtype=torch.float64):
    """A query, a key and a value sequence."""
    lengths = (Q_LEN, K_LEN, K_LEN)
    return tuple(normal(BATCH, length, WIDTH, seed=seed, dtype=dtype) for seed, length in enumerate(lengths))


def for_torch(mask):
    """nn.MultiheadAttention says True where attention is forbidden, with batch and heads in one axis."""
    if mask is None:
        return None
    return ~mask.expand(BATCH, HEADS, Q_LEN, K_LEN).reshape(BATCH * HEADS, Q_LEN, K_LEN)


@PATHS
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_output_weights_and_gradients_are_torchs(mask, need_weights):
    ours = attention()
    with torch.no_grad():
        for parameter in ours.parameters():  # biases start at small values: make them count
            parameter += normal(*parameter.shape, seed=3) / 4
    twin = torch_attention(ours)
    our_inputs, their_inputs = leaves(*sequences()), leaves(*sequences())
    output, weights = ours(*our_inputs, mask=mask, need_weights=need_weights)
    wanted, wanted_weights = twin(*their_inputs, attn_mask=for_torch(mask), average_attn_weights=False)
    close(output, wanted)
    if need_weights:
        close(weights, wanted_weights)
    else:
        assert weights is None
    upstream = normal(*output.shape, seed=4)
    output.backward(upstream)
    wanted.backward(upstream)
    for our, their in zip(our_inputs, their_inputs, strict=True):
        close(our.grad, their.grad)
    theirs = dict(twin.named_parameters())
    for name, gradient in attention_gradients(ours).items():
        close(gradient, theirs[name].grad)


def naive(m, query, key, value, mask):
    """One head and one query at a time."""
    output = torch.zeros(*query.shape[:2], m.w_o.in_features, dtype=query.dtype)
    q, k, v = m.w_q(query), m.w_k(key), m.w_v(value)
    for b in range(query.shape[0]):
        for h in range(m.n_heads):
            keys, values = (slice(h * d, (h + 1) * d) for d in (m.d_k, m.d_v))
            for i in range(query.shape[1]):
                scores = torch.stack([q[b, i, keys] @ k[b, j, keys] for j in range(key.shape[1])]) / math.sqrt(m.d_k)
                allowed = mask.expand(BATCH, HEADS, Q_LEN, K_LEN)[b, h, i]
                weights = torch.softmax(scores.masked_fill(~allowed, -math.inf), 0)
                output[b, i, values] = weights @ v[b, :, values]
    return m.w_o(output)


@PATHS
@pytest.mark.parametrize(("d_k", "d_v", "bias"), [(3, 5, True), (6, None, False), (None, 7, True)])
def test_any_widths_are_a_loop_over_heads(d_k, d_v, bias, need_weights):
    m = attention(d_k=d_k, d_v=d_v, bias=bias)
    mask = MASKS["all axes"]
    close(m(*sequences(), mask=mask, need_weights=need_weights)[0], naive(m, *sequences(), mask))
    assert (m.w_q.bias is None) == (not bias)


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
@pytest.mark.parametrize(("d_k", "d_v"), [(None, None), (3, 5)])
@pytest.mark.parametrize("mask", [*MASKS.values(), NOTHING], ids=[*MASKS, "nothing"])
def test_the_two_paths_agree_forward_and_backward(dtype, atol, d_k, d_v, mask):
    m = attention(d_k=d_k, d_v=d_v).to(dtype)
    found = []
    for need_weights in (False, True):
        inputs = leaves(*sequences(dtype))
        m.zero_grad()
        output, _ = m(*inputs, mask=mask, need_weights=need_weights)
        output.square().sum().backward()
        gradients = [x.grad for x in inputs] + [p.grad for p in m.parameters()]
        found.append([output, *gradients])
    for fused, explicit in zip(*found, strict=True):
        torch.testing.assert_close(fused, explicit, rtol=atol, atol=atol)


def test_key_defaults_to_query_and_value_to_key():
    m, (query, key, _) = attention(), sequences()
    close(m(query)[0], m(query, query, query)[0], atol=0)
    close(m(query, key)[0], m(query, key, key)[0], atol=0)


@PATHS
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_query_that_may_attend_to_nothing_gets_the_output_bias_and_finite_gradients(dtype, need_weights):
    m = attention().to(dtype)
    mask = causal_mask(Q_LEN).clone()
    mask[2] = False
    (x,) = leaves(normal(BATCH, Q_LEN, WIDTH, dtype=dtype))
    output, weights = m(x, mask=mask, need_weights=need_weights)
    output.sum().backward()
    assert output.dtype == dtype
    assert torch.equal(output[:, 2], m.w_o.bias.expand(BATCH, WIDTH))
    assert not torch.equal(output[:, 1], m.w_o.bias.expand(BATCH, WIDTH))
    assert x.grad.isfinite().all()
    assert all(parameter.grad.isfinite().all() for parameter in m.parameters())
    if need_weights:
        assert (weights[:, :, 2] == 0).all()


@PATHS
def test_bfloat16_under_autocast_and_as_a_whole_is_close_to_float32(need_weights):
    m, x = attention().float(), normal(BATCH, Q_LEN, WIDTH, dtype=torch.float32)
    wanted, _ = m(x)
    with torch.autocast("cpu", torch.bfloat16):
        found, _ = m(x, need_weights=need_weights)
    close(found.float(), wanted, atol=0.03)
    close(m.bfloat16()(x.bfloat16(), need_weights=need_weights)[0].float(), wanted, atol=0.03)


@PATHS
@pytest.mark.parametrize(("batch", "q_len", "k_len"), [(0, 3, 4), (2, 0, 4), (2, 3, 0)])
def test_empty_axes(batch, q_len, k_len, need_weights):
    m = attention()
    query, key = normal(batch, q_len, WIDTH), normal(batch, k_len, WIDTH)
    output, _ = m(query, key, mask=causal_mask(q_len, k_len), need_weights=need_weights)
    assert output.shape == (batch, q_len, WIDTH)
    if k_len == 0:
        assert torch.equal(output, m.w_o.bias.expand(batch, q_len, WIDTH))


def test_dropout_is_off_in_evaluation_and_both_paths_agree_there():
    m, x = attention(dropout=0.5).eval(), normal(BATCH, Q_LEN, WIDTH)
    without = attention(dropout=0.0)(x)[0]
    for need_weights in (False, True):
        close(m(x, need_weights=need_weights)[0], without)


@PATHS
def test_dropout_is_on_in_training_and_keeps_the_mean(need_weights):
    m, x = attention(dropout=0.3).train(), normal(1, Q_LEN, WIDTH)
    rows = seeded(lambda: m(x.expand(4000, -1, -1), need_weights=need_weights)[0])
    assert not torch.equal(rows[0], rows[1])
    close(rows.mean(0, keepdim=True), m.eval()(x)[0], atol=0.02)


def test_the_weights_returned_in_training_are_those_before_dropout():
    m, x = attention(dropout=0.5).train(), normal(BATCH, Q_LEN, WIDTH)
    _, weights = m(x, need_weights=True)
    close(weights.sum(-1), torch.ones(BATCH, HEADS, Q_LEN, dtype=torch.float64))


@PATHS
def test_self_attention_without_positions_is_permutation_equivariant(need_weights):
    m, x = attention(), normal(BATCH, Q_LEN, WIDTH)
    order = torch.tensor([3, 0, 4, 1, 2])
    close(m(x[:, order], need_weights=need_weights)[0], m(x, need_weights=need_weights)[0][:, order])


@PATHS
def test_causal_self_attention_does_not_leak(need_weights):
    m = attention()
    masked = leak(lambda x: m(x[None], mask=causal_mask(Q_LEN), need_weights=need_weights)[0][0], normal(Q_LEN, WIDTH))
    assert masked == 0.0
    assert leak(lambda x: m(x[None], need_weights=need_weights)[0][0], normal(Q_LEN, WIDTH)) > 1e-3


@PATHS
@law
@given(seed=st.integers(0, 10_000), position=st.integers(1, Q_LEN - 1))
def test_a_later_input_changes_no_earlier_output_by_a_bit(need_weights, seed, position):
    m, x = attention(), normal(BATCH, Q_LEN, WIDTH, seed=seed)
    changed = x.clone()
    changed[:, position:] = 10 * normal(BATCH, Q_LEN - position, WIDTH, seed=seed + 1)
    before, after = (m(y, mask=causal_mask(Q_LEN), need_weights=need_weights)[0] for y in (x, changed))
    assert torch.equal(before[:, :position], after[:, :position])
    assert not torch.equal(before[:, position], after[:, position])


@PATHS
def test_a_growing_cache_gives_what_one_pass_gives(need_weights):
    m, x = attention(d_k=3, d_v=5), normal(BATCH, Q_LEN, WIDTH)
    wanted, _ = m(x, mask=causal_mask(Q_LEN))
    cache, found = GrowingCache(), []
    for start, end in [(0, 2), (2, 3), (3, Q_LEN)]:
        mask = causal_mask(end - start, end)
        found.append(m(x[:, start:end], mask=mask, need_weights=need_weights, cache=cache)[0])
    close(torch.cat(found, dim=1), wanted)


@PATHS
def test_rotary_attention_turns_queries_and_keys_of_every_head_and_no_value(need_weights):
    m, plain, x = attention(d_k=6, d_v=4, rotary=True), attention(d_k=6, d_v=4), normal(BATCH, Q_LEN, WIDTH)
    omega = torch.tensor([10000 ** (-2 * i / 6) for i in range(3)], dtype=torch.float64)
    phase = torch.exp(1j * torch.outer(torch.arange(Q_LEN, dtype=torch.float64), omega))  # (Q_LEN, 3)
    q, k = (torch.view_as_complex(w(x).view(BATCH, Q_LEN, HEADS, 3, 2)) * phase[:, None] for w in (m.w_q, m.w_k))
    weights = (torch.einsum("bqhi,bkhi->bhqk", q, k.conj()).real / math.sqrt(6)).softmax(-1)
    mixed = torch.einsum("bhqk,bkhv->bqhv", weights, m.w_v(x).view(BATCH, Q_LEN, HEADS, 4))
    close(m(x, need_weights=need_weights)[0], m.w_o(mixed.flatten(2)))
    assert not torch.allclose(m(x)[0], plain(x)[0], atol=1e-3)  # same weights, no rotation


@PATHS
def test_rotary_attention_sees_offsets_and_not_places(need_weights):
    m, x = attention(d_k=6, rotary=True), normal(BATCH, Q_LEN, WIDTH)
    mask = torch.ones(Q_LEN + 2, Q_LEN + 2, dtype=torch.bool)
    mask[:, :2] = False  # the same words two places later, with nothing to see before them
    later = torch.cat([torch.zeros(BATCH, 2, WIDTH, dtype=x.dtype), x], dim=1)
    close(m(later, mask=mask, need_weights=need_weights)[0][:, 2:], m(x)[0])
    order = torch.tensor([3, 0, 4, 1, 2])
    assert (m(x[:, order])[0] - m(x)[0][:, order]).abs().max() > 1e-3


@PATHS
@pytest.mark.parametrize("cuts", [(2, 3), (1, 2, 3, 4)])
def test_rotary_keys_are_cached_as_they_were_turned(need_weights, cuts):
    m, x = attention(d_k=4, d_v=5, rotary=True), normal(BATCH, Q_LEN, WIDTH)
    wanted, _ = m(x, mask=causal_mask(Q_LEN))
    cache, found = GrowingCache(), []
    for start, end in zip((0, *cuts), (*cuts, Q_LEN), strict=True):
        mask = causal_mask(end - start, end)
        found.append(m(x[:, start:end], mask=mask, need_weights=need_weights, cache=cache)[0])
    close(torch.cat(found, dim=1), wanted)


def test_rotary_heads_need_an_even_width():
    with pytest.raises(ValueError, match="d_k must be even, got 3"):
        attention(d_k=3, rotary=True)


def test_a_fixed_cache_is_filled_once_and_then_read():
    m, (query, memory, other) = attention(), sequences()
    cache = FixedCache()
    close(m(query, memory, cache=cache)[0], m(query, memory)[0], atol=0)
    close(m(query, other, cache=cache)[0], m(query, memory)[0], atol=0)


@law
@given(st.integers(0, 3), st.integers(0, 4), st.integers(1, 5), st.integers(1, 3))
def test_merging_undoes_splitting_and_splitting_undoes_merging(batch, length, n_heads, d):
    x = normal(batch, length, n_heads * d)
    heads = split_heads(x, n_heads)
    assert heads.shape == (batch, n_heads, length, d)
    assert torch.equal(merge_heads(heads), x)
    assert torch.equal(split_heads(merge_heads(heads), n_heads), heads)


def test_head_h_is_the_h_th_slice_of_the_width():
    x = torch.arange(12.0).reshape(1, 2, 6)
    assert split_heads(x, 3)[0].tolist() == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 11]]]
    assert merge_heads(torch.tensor([[[[1.0, 2.0]], [[3.0, 4.0]]]])).tolist() == [[[1, 2, 3, 4]]]


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="n_heads=3 does not divide d_model=8: choose another number of heads or give"):
        MultiHeadAttention(8, 3)
    for least in (MultiHeadAttention(8, 3, d_k=4), MultiHeadAttention(8, 1, 1, 1), MultiHeadAttention(1, 1)):
        width = least.w_o.out_features
        assert least(torch.ones(1, 2, width))[0].shape == (1, 2, width)
    wrong = [((0, 1), "d_model"), ((8, 0), "n_heads"), ((8, 2, 0), "d_k"), ((8, 2, 0, 4), "d_k"), ((8, 2, 4, 0), "d_v")]
    for sizes, message in wrong:
        with pytest.raises(ValueError, match=f"{message}.* must be positive"):
            MultiHeadAttention(*sizes)
    with pytest.raises(ValueError, match="3 heads do not divide a width of 8"):
        split_heads(torch.ones(1, 2, 8), 3)


@PATHS
def test_masks_that_do_not_fit_are_refused_on_both_paths(need_weights):
    m, x = attention(), normal(BATCH, Q_LEN, WIDTH)
    for shape in [(Q_LEN, K_LEN + 1), (3, Q_LEN, K_LEN), (1, BATCH, HEADS, Q_LEN, K_LEN)]:
        with pytest.raises(ValueError, match="does not broadcast to scores"):
            m(x, mask=torch.ones(shape, dtype=torch.bool), need_weights=need_weights)
    with unchecked(), pytest.raises(TypeError, match="must be boolean"):  # torch would add it to the scores
        m(x, mask=torch.ones(Q_LEN, K_LEN, dtype=torch.float64), need_weights=need_weights)


def test_without_weights_it_runs_on_torchs_own_attention(monkeypatch):
    calls = []
    real = F.scaled_dot_product_attention
    monkeypatch.setattr(F, "scaled_dot_product_attention", lambda *a, **k: calls.append(k) or real(*a, **k))
    m, x = attention(), normal(BATCH, Q_LEN, WIDTH)
    m(x, mask=causal_mask(Q_LEN), need_weights=True)
    assert calls == []
    m(x, mask=causal_mask(Q_LEN))
    assert [call.get("is_causal", False) for call in calls] == [False]


@pytest.mark.parametrize("cast", [True, False])
def test_on_the_cpu_bfloat16_is_attended_to_in_float32_also_under_autocast(monkeypatch, cast):
    seen = []
    real = F.scaled_dot_product_attention

    def recorded(q, k, v, **options):
        seen.append((q.dtype, k.dtype, v.dtype, torch.is_autocast_enabled("cpu")))
        return real(q, k, v, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", recorded)
    m, x = attention().to(torch.float32 if cast else torch.bfloat16), normal(BATCH, Q_LEN, WIDTH, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16, enabled=cast):
        output, _ = m(x if cast else x.bfloat16())
    assert seen == [(torch.float32, torch.float32, torch.float32, False)]
    assert output.dtype == torch.bfloat16
