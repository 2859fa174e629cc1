"""No call reads outside its tensors: both paths of an attention accept and refuse the same, over all small shapes.

What is refused is refused before anything is computed, with an error that names the shapes. Type checks are off here,
as for a reader.
"""

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from oracles import normal, seeded, unchecked

import attention_book
from attention_book.attention.cache import DecoderCache, FixedCache, GrowingCache
from attention_book.attention.dot_product import fitted_mask, scaled_dot_product_attention
from attention_book.attention.masks import causal_mask, lengths_mask, padding_mask
from attention_book.attention.multi_head import MultiHeadAttention, merge_heads, split_heads
from attention_book.attention.positions import learned_positions, rotate_by_position
from attention_book.attention.scores import attend

NAN, INF = float("nan"), float("inf")
PATHS = pytest.mark.parametrize("need_weights", [False, True], ids=["fused", "explicit"])
SIZES = {"one head": (4, 1, None, None), "two heads": (4, 2, 2, 2), "d_k and d_v differ": (4, 2, 1, 3)}
REFUSALS = (ValueError, TypeError, IndexError, RuntimeError)


@pytest.fixture(autouse=True)
def as_for_a_reader():
    with unchecked():
        yield


def attention(d_model=4, n_heads=2, d_k=None, d_v=None, **options):
    return seeded(lambda: MultiHeadAttention(d_model, n_heads, d_k, d_v, **options)).double().eval()


def numbers(shape):
    return normal(*shape) if shape else torch.tensor(1.0, dtype=torch.float64)


def outcome(call):
    """What a call returns, or the type and the text of its error."""
    try:
        return call()
    except REFUSALS as error:
        return type(error), str(error)


def both(m, *inputs, **options):
    """The outcomes of the fused and of the explicit path."""
    return [outcome(lambda need=need: m(*inputs, need_weights=need, **options)[0]) for need in (False, True)]


def agree(fused, explicit):
    """Whether both were refused with one error, or both gave one output."""
    if isinstance(fused, tuple) or isinstance(explicit, tuple):
        return fused == explicit
    return fused.dtype == explicit.dtype and torch.allclose(fused, explicit, atol=1e-12, equal_nan=True)


def run(code):
    """A process of its own, so that a read outside a tensor ends that process and not the tests."""
    source = str(Path(attention_book.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {source!r})\n{code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "need_weights=True", "mask=torch.ones(1, 1, dtype=torch.bool)"])
def test_one_key_and_many_values_are_refused_and_no_segmentation_fault(options):
    done = run(f"""
import torch
from attention_book.attention.multi_head import MultiHeadAttention
m = MultiHeadAttention(16, 1).eval()
z = torch.randn(1, 100000, 16)
try:
    m(z[:, :1], z[:, :1], z, {options})
except ValueError as error:
    print(error)
""")
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    assert "each key needs one value: query is (1, 1, 16), key is (1, 1, 16), value is (1, 100000, 16)" in done.stdout


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_both_paths_take_the_same_lengths_and_batches_and_no_others(sizes, dropout):
    m = attention(*sizes, dropout=dropout)
    for lengths in itertools.product(range(4), repeat=3):
        for batches in itertools.product(range(3), repeat=3):
            inputs = [normal(b, n, 4, seed=i) for i, (b, n) in enumerate(zip(batches, lengths, strict=True))]
            fused, explicit = both(m, *inputs)
            assert agree(fused, explicit), (batches, lengths, fused, explicit)
            fits = lengths[1] == lengths[2] and len(set(batches)) == 1
            assert isinstance(fused, torch.Tensor) == fits, (batches, lengths, fused)
            if not fits:
                assert fused[0] is ValueError and all(str(tuple(x.shape)) in fused[1] for x in inputs)
    m.train()  # drops other weights on each path, so only what is refused is compared
    for lengths in itertools.product(range(4), repeat=3):
        kinds = [type(x) for x in both(m, *(normal(2, n, 4) for n in lengths))]
        assert kinds == [torch.Tensor if lengths[1] == lengths[2] else tuple] * 2


def test_both_paths_take_sequences_of_three_axes_and_their_own_width_alone():
    m = attention()
    shapes = [(), (4,), (2, 4), (1, 2, 4), (1, 2, 3), (1, 2, 8), (1, 2, 0), (1, 1, 2, 4)]
    for chosen in itertools.product(shapes, repeat=3):
        fused, explicit = both(m, *map(numbers, chosen))
        assert agree(fused, explicit), (chosen, fused, explicit)
        assert isinstance(fused, torch.Tensor) == (set(chosen) == {(1, 2, 4)}), chosen
        assert isinstance(fused, torch.Tensor) or fused[0] is ValueError


def masked(m, query, key, mask, cached):
    """The outcomes of both paths with a growing cache of a length, or with none; a refused call must not change it."""
    found = []
    for need in (False, True):
        cache = None if cached is None else GrowingCache()
        if cached:
            cache.read(lambda: (normal(2, 2, cached, 2, seed=2), normal(2, 2, cached, 2, seed=3)))
        before = None if cache is None else cache.keys
        found.append(outcome(lambda cache=cache, need=need: m(query, key, None, mask, need, cache)[0]))
        if isinstance(found[-1], tuple) and cache is not None:
            assert cache.keys is before and cache.length == cached
    return found


@pytest.mark.parametrize("cached", [None, 0, 2])
def test_both_paths_take_the_masks_that_broadcast_to_the_scores_and_no_others(cached):
    m = attention()
    for q_len, k_len in itertools.product(range(1, 3), repeat=2):
        query, key = normal(2, q_len, 4), normal(2, k_len, 4, seed=1)
        scores = (2, 2, q_len, k_len + (cached or 0))
        for axes in range(6):
            for shape in itertools.product((1, 2, 3), repeat=axes) if axes < 5 else [(1,) * 5, (1, *scores)]:
                fused, explicit = masked(m, query, key, torch.ones(shape, dtype=torch.bool), cached)
                assert agree(fused, explicit), (shape, scores, fused, explicit)
                try:
                    fits = np.broadcast_to(np.ones(shape), scores).shape == scores
                except ValueError:
                    fits = False
                assert isinstance(fused, torch.Tensor) == fits, (shape, scores, fused)
                if not fits:
                    assert fused == (ValueError, f"a mask of shape {shape} does not broadcast to scores {scores}")


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64, torch.float16, torch.float64, torch.complex64])
def test_both_paths_take_boolean_masks_alone(dtype):
    m, x, cache = attention(), normal(1, 3, 4), GrowingCache()
    fused, explicit = both(m, x, mask=torch.ones(3, 3, dtype=dtype), cache=cache)
    assert fused == explicit == (TypeError, f"the mask must be boolean (True = may attend), got {dtype}")
    assert cache.keys is None


@pytest.mark.parametrize("places", [p for p in itertools.product(("cpu", "meta"), repeat=4) if "meta" in p])
def test_a_tensor_without_numbers_is_refused_by_both_paths(places):
    *inputs, weights = places
    sequences = [normal(1, 3, 4).to(place) for place in inputs]
    fused, explicit = both(attention().to(weights), *sequences)
    assert fused == explicit
    assert fused[0] is ValueError and "not on meta, which holds no numbers" in fused[1]


def test_a_mask_without_numbers_is_refused_by_both_paths():
    m, x, mask, cache = attention(), normal(1, 3, 4), torch.ones(3, 3, dtype=torch.bool, device="meta"), GrowingCache()
    fused, explicit = both(m, x, mask=mask, cache=cache)
    assert fused == explicit == (ValueError, "the mask is on the device meta, which holds no numbers")
    assert cache.keys is None
    for q in (x[0], x[0].numpy()):
        with pytest.raises(ValueError, match="the mask is on the device meta"):
            scaled_dot_product_attention(q, q, q, mask)
    q = x[0].to("meta")
    assert fitted_mask(torch.ones(3, 3, dtype=torch.bool), (3, 3), q).is_meta  # a mask goes where the scores are
    assert scaled_dot_product_attention(q, q, q, mask)[0].is_meta


@pytest.mark.parametrize("cast", [None, torch.bfloat16, torch.float16])
def test_both_paths_take_the_same_types_of_number(cast):
    kinds = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64]
    taken = 0
    for own in kinds[:4]:
        m = attention().to(own)
        for chosen in [(kind,) * 3 for kind in kinds] + list(itertools.permutations(kinds[:4], 3)):
            inputs = [torch.ones(1, 2, 4).to(kind) for kind in chosen]
            with torch.autocast("cpu", cast, enabled=cast is not None):
                fused, explicit = both(m, *inputs)
            assert type(fused) is type(explicit), (own, chosen, fused, explicit)
            assert fused == explicit if isinstance(fused, tuple) else fused.dtype == explicit.dtype
            taken += isinstance(fused, torch.Tensor)
            if cast is None:
                assert isinstance(fused, torch.Tensor) == (set(chosen) == {own})
    assert taken > 3


UNFIT = {
    "another batch": ((1, 2, 3, 2), (1, 2, 3, 2), ValueError, "no keys for queries"),
    "fewer heads": ((2, 1, 3, 2), (2, 1, 3, 2), ValueError, "no keys for queries"),
    "other keys": ((2, 2, 3, 1), (2, 2, 3, 2), ValueError, "no keys for queries"),
    "other values": ((2, 2, 3, 2), (2, 2, 3, 1), ValueError, "one value of width 2 for each key"),
    "more values than keys": ((2, 2, 3, 2), (2, 2, 9, 2), ValueError, "one value of width 2 for each key"),
    "more keys than values": ((2, 2, 9, 2), (2, 2, 3, 2), ValueError, "one value of width 2 for each key"),
    "no heads": ((2, 3, 2), (2, 3, 2), ValueError, "no keys for queries"),
    "no values": ((2, 2, 3, 2), None, ValueError, "one of them alone"),
    "no keys": (None, (2, 2, 3, 2), ValueError, "one of them alone"),
}


def filled(kind, keys, values, **like):
    return kind(*(None if shape is None else normal(*shape).to(**like) for shape in (keys, values)))


@pytest.mark.parametrize("kind", [GrowingCache, FixedCache])
@pytest.mark.parametrize("name", UNFIT)
def test_a_cache_that_does_not_fit_is_refused_by_both_paths_and_left_as_it_was(kind, name):
    keys, values, error, text = UNFIT[name]
    for need in (False, True):
        cache = filled(kind, keys, values)
        before = (cache.keys, cache.values)
        with pytest.raises(error, match=text):
            attention()(normal(2, 3, 4), need_weights=need, cache=cache)
        assert cache.keys is before[0] and cache.values is before[1]


@pytest.mark.parametrize("kind", [GrowingCache, FixedCache])
def test_a_cache_of_another_type_or_device_is_refused_by_both_paths(kind):
    shape = (2, 2, 3, 2)
    for like, error in [({"dtype": torch.float32}, TypeError), ({"device": "meta"}, ValueError)]:
        for half in (False, True):
            for need in (False, True):
                cache = filled(kind, shape, shape, **like)
                cache.keys = normal(*shape) if half else cache.keys
                with pytest.raises(error, match="the cache"):
                    attention()(normal(2, 3, 4), need_weights=need, cache=cache)
                assert cache.length == 3


def test_a_filled_fixed_cache_is_read_however_long_the_new_keys_are():
    m, query, memory = attention(), normal(2, 2, 4), normal(2, 3, 4, seed=1)
    for length in (0, 1, 5):
        for need in (False, True):
            cache = FixedCache()
            wanted, _ = m(query, memory, mask=causal_mask(2, 3), need_weights=need, cache=cache)
            found, _ = m(query, normal(2, length, 4), mask=causal_mask(2, 3), need_weights=need, cache=cache)
            assert torch.equal(found, wanted)


def test_a_cache_alone_refuses_what_does_not_continue_it():
    pair = (normal(2, 2, 3, 4), normal(2, 2, 3, 5))
    wrong = [
        ((2, 2, 3, 4), (2, 2, 4, 5)),
        ((2, 3, 4), (2, 3, 4)),
        ((1, 2, 3, 4), (1, 2, 3, 5)),
        ((2, 1, 3, 4), (2, 1, 3, 5)),
        ((2, 2, 3, 1), (2, 2, 3, 5)),
        ((2, 2, 3, 4), (2, 2, 3, 1)),
    ]
    for place, shapes in enumerate(wrong):
        cache = GrowingCache(*pair)
        with pytest.raises(ValueError, match=r"each key needs one value|do not continue the cached"):
            cache.read(lambda shapes=shapes: tuple(normal(*shape) for shape in shapes))
        assert cache.keys is pair[0] and cache.values is pair[1]
        if place < 2:
            with pytest.raises(ValueError, match="each key needs one value"):
                GrowingCache().read(lambda shapes=shapes: tuple(normal(*shape) for shape in shapes))
    with pytest.raises(ValueError, match="one of them alone"):
        GrowingCache(keys=pair[0]).read(lambda: pair)
    with pytest.raises(ValueError, match="do not continue the cached"):
        GrowingCache(pair[0], pair[1][:, :, :1]).read(lambda: pair)
    with pytest.raises(IndexError):
        DecoderCache([GrowingCache(*pair)], [FixedCache()]).reorder(torch.tensor([2]))


@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_the_function_takes_all_shapes_that_fit_and_no_others(library):
    fronts = [(), (1,), (2,), (3,), (1, 2), (2, 2)]
    for front in itertools.product(fronts, repeat=3):
        for q_len, k_len, v_len, d_q, d_k in itertools.product((0, 1, 3), (0, 2), (0, 2), (0, 2), (2,)):
            tails = ((q_len, d_q), (k_len, d_k), (v_len, 3))
            shapes = [(*one, *tail) for one, tail in zip(front, tails, strict=True)]
            arrays = [normal(*shape) if library == "torch" else np.ones(shape) for shape in shapes]
            found = outcome(lambda arrays=arrays: scaled_dot_product_attention(*arrays))
            try:
                wanted = (*np.broadcast_shapes(*front), q_len, 3) if k_len == v_len and d_q == d_k else None
            except ValueError:
                wanted = None
            if wanted is None:
                assert found[0] is ValueError and str(shapes[1]) in found[1], (shapes, found)
            else:
                assert tuple(found[0].shape) == wanted, (shapes, found)


@pytest.mark.parametrize(
    "shapes", [((4,), (2, 4), (2, 3)), ((2, 4), (4,), (2, 3)), ((2, 4), (2, 4), (2,)), ((), (), ())]
)
def test_the_function_refuses_what_has_no_length_or_no_width(shapes):
    with pytest.raises(ValueError, match="need a length and a width each"):
        scaled_dot_product_attention(*map(numbers, shapes))


@pytest.mark.parametrize("places", [p for p in itertools.product(("cpu", "meta"), repeat=3) if len(set(p)) == 2])
def test_the_function_refuses_two_devices(places):
    with pytest.raises(ValueError, match=r"must be on one device: they are on (cpu|meta), (cpu|meta) and (cpu|meta)"):
        scaled_dot_product_attention(*(normal(2, 4).to(place) for place in places))
    assert scaled_dot_product_attention(*(torch.ones(2, 4, device="meta"),) * 3)[0].is_meta  # shapes alone are allowed


def test_attend_refuses_scores_and_values_of_two_lengths():
    for lengths in itertools.product(range(4), repeat=2):
        found = outcome(lambda lengths=lengths: attend(normal(2, lengths[0]), normal(lengths[1], 5))[0])
        assert isinstance(found, torch.Tensor) == (lengths[0] == lengths[1])
    assert attend(normal(2, 3), normal(3, 5))[0].shape == (2, 5)


def test_heads_are_cut_from_three_axes_and_merged_from_four():
    for shape in [(), (4,), (2, 4), (1, 1, 2, 4)]:
        with pytest.raises(ValueError, match=r"cut from \(batch, length, width\)"):
            split_heads(numbers(shape), 2)
    for n_heads in (0, -1, -2):
        with pytest.raises(ValueError, match=f"one head or more .* n_heads {n_heads}"):
            split_heads(normal(1, 2, 4), n_heads)
    for shape in [(), (4,), (2, 4), (1, 2, 4), (1, 1, 1, 2, 4)]:
        with pytest.raises(ValueError, match=r"merged from \(batch, n_heads, length, d\)"):
            merge_heads(numbers(shape))


def test_positions_and_masks_refuse_what_they_cannot_place():
    for shape in [(), (4,)]:
        with pytest.raises(ValueError, match="need an axis of positions"):
            rotate_by_position(numbers(shape))
    for dtype in (torch.int64, torch.bool, torch.complex64):
        with pytest.raises(TypeError, match="must hold floating-point numbers"):
            rotate_by_position(torch.ones(2, 4, dtype=dtype))
    for length, width in [(-1, 4), (2, 0), (2, -4)]:
        with pytest.raises(ValueError, match=f"got {length} and {width}"):
            learned_positions(length, width)
    assert learned_positions(0, 1).shape == (0, 1)
    for shape in [(), (3,), (1, 2, 3)]:
        with pytest.raises(ValueError, match=r"token ids must be \(batch, length\)"):
            padding_mask(torch.ones(shape, dtype=torch.int64))
    for lengths, max_len in [([], -1), ([[1]], 2), (1, 2)]:
        with pytest.raises(ValueError, match="one length a row and max_len >= 0"):
            lengths_mask(torch.tensor(lengths, dtype=torch.int64), max_len)
    assert lengths_mask(torch.tensor([0]), 0).shape == (1, 1, 1, 0)


# What NaN and infinity at a masked position do: pinned, because the docstrings say so.

LAST = torch.tensor([True, True, True, False])  # four positions, the last of which is padding
MASKED = {"padding": LAST.expand(3, 4), "causal": causal_mask(4)[:3]}


def with_bad(bad, where, mask):
    """q, k and v of which the masked last key or value is not finite; and the output's three queries."""
    q, k, v = (normal(n, 4, seed=seed) for seed, n in enumerate((3, 4, 4)))
    {"k": k, "v": v}[where][3, 1] = bad
    return [x.requires_grad_() for x in (q, k, v)]


@pytest.mark.parametrize("mask", MASKED.values(), ids=MASKED)
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_masked_value_that_is_not_finite_reaches_every_output(mask, bad):
    q, k, v = with_bad(bad, "v", mask)
    ours, theirs = scaled_dot_product_attention(q, k, v, mask)[0], F.scaled_dot_product_attention(q, k, v, mask)
    assert ours[:, 1].isnan().all() and theirs[:, 1].isnan().all()
    assert ours[:, [0, 2, 3]].isfinite().all() and theirs[:, [0, 2, 3]].isfinite().all()
    zeroed = v.masked_fill(~LAST[:, None], 0)
    wanted = scaled_dot_product_attention(q, k[:3], v[:3], mask[:, :3])[0]
    torch.testing.assert_close(scaled_dot_product_attention(q, k, zeroed, mask)[0], wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("mask", MASKED.values(), ids=MASKED)
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_masked_key_that_is_not_finite_reaches_no_output_of_ours_but_the_gradient_of_the_queries(mask, bad):
    q, k, v = with_bad(bad, "k", mask)
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    wanted, _ = scaled_dot_product_attention(q, k[:3], v[:3], mask[:, :3])
    torch.testing.assert_close(output, wanted, rtol=0, atol=1e-15)
    assert (weights[:, 3] == 0).all()
    output.sum().backward()
    assert q.grad[:, 1].isnan().all() and q.grad[:, [0, 2, 3]].isfinite().all()
    assert k.grad.isfinite().all() and v.grad.isfinite().all()


@pytest.mark.parametrize("mask", MASKED.values(), ids=MASKED)
def test_a_masked_nan_key_reaches_every_output_of_torchs_fused_attention(mask):
    q, k, v = with_bad(NAN, "k", mask)
    assert F.scaled_dot_product_attention(q[None], k[None], v[None], mask).isnan().all()


@PATHS
@pytest.mark.parametrize("mask", MASKED.values(), ids=MASKED)
def test_nan_at_a_masked_position_of_a_layer_spreads_and_zeros_in_its_place_do_not(mask, need_weights):
    m, query, x = attention(), normal(1, 3, 4), normal(1, 4, 4, seed=1)
    wanted, _ = m(query, x[:, :3], mask=mask[:, :3], need_weights=need_weights)
    x[:, 3] = NAN
    assert m(query, x, mask=mask, need_weights=need_weights)[0].isnan().all()
    finite = x.masked_fill(~LAST[:, None], 0)
    found, _ = m(query, finite, mask=mask, need_weights=need_weights)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-15)
    for number in (1e6, -1e6):  # whatever is finite is as good as zero
        other, _ = m(query, x.masked_fill(~LAST[:, None], number), mask=mask, need_weights=need_weights)
        assert torch.equal(other, found)


@PATHS
def test_a_query_that_is_nan_reaches_no_output_but_its_own(need_weights):
    m, x = attention(), normal(1, 4, 4)
    wanted, query = m(x, need_weights=need_weights)[0], x.clone()
    query[:, 3] = NAN
    found, _ = m(query, x, need_weights=need_weights)
    torch.testing.assert_close(found[:, :3], wanted[:, :3], rtol=0, atol=1e-15)
    assert found[:, 3].isnan().all() or not need_weights  # torch's fused attention may give zeros for it
