"""Key–value caches: what grows, what stays, and that no copy disturbs its original."""

import torch
from oracles import normal

from attention_book.attention.cache import DecoderCache, FixedCache, GrowingCache


def keys_and_values(length, seed=0, batch=3):
    """For 2 heads, keys of width 4 and values of width 5."""
    return normal(batch, 2, length, 4, seed=seed), normal(batch, 2, length, 5, seed=seed + 1)


def test_a_growing_cache_returns_all_positions_in_order():
    cache, steps = GrowingCache(), [keys_and_values(length, seed) for seed, length in enumerate((2, 1, 3))]
    for step in steps:
        keys, values = cache.read(lambda step=step: step)
    assert torch.equal(keys, torch.cat([step[0] for step in steps], dim=2))
    assert torch.equal(values, torch.cat([step[1] for step in steps], dim=2))


def test_a_growing_cache_knows_how_many_positions_it_holds():
    cache = GrowingCache()
    assert cache.length == 0
    for length in (2, 1, 3):
        cache.read(lambda length=length: keys_and_values(length))
    assert cache.length == 6


def test_a_fixed_cache_computes_once():
    cache, calls = FixedCache(), []

    def compute():
        calls.append(1)
        return keys_and_values(4, seed=len(calls))

    first = cache.read(compute)
    second = cache.read(compute)
    assert len(calls) == 1
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_reordering_repeats_and_drops_rows_of_every_part():
    rows = torch.tensor([2, 0, 0, 2])
    cache = DecoderCache.empty(2)
    for layer in range(2):
        cache.self_attention[layer].read(lambda layer=layer: keys_and_values(2, seed=10 * layer))
        cache.cross_attention[layer].read(lambda layer=layer: keys_and_values(4, seed=100 * (layer + 1)))
    cache.real = torch.tensor([[True, True], [True, False], [False, False]])
    moved = cache.reorder(rows)
    for before, after in zip(
        cache.self_attention + cache.cross_attention, moved.self_attention + moved.cross_attention, strict=True
    ):
        assert type(after) is type(before)
        assert torch.equal(after.keys, before.keys[rows])
        assert torch.equal(after.values, before.values[rows])
    assert moved.real.tolist() == [[False, False], [True, True], [True, True], [False, False]]
    assert cache.length == moved.length == 2


def test_an_empty_cache_can_be_reordered_and_has_no_length():
    cache = DecoderCache.empty(1)
    assert cache.length == 0
    assert cache.reorder(torch.tensor([1, 0])).self_attention[0].keys is None


def test_a_copy_can_grow_without_its_original():
    original = DecoderCache.empty(1)
    original.self_attention[0].read(lambda: keys_and_values(2))
    kept = original.self_attention[0].keys.clone()
    copy = original.copy()
    copy.self_attention[0].read(lambda: keys_and_values(1, seed=5))
    copy.cross_attention[0].read(lambda: keys_and_values(4, seed=6))
    assert copy.self_attention[0].keys.shape[2] == 3
    assert torch.equal(original.self_attention[0].keys, kept)
    assert original.cross_attention[0].keys is None


def test_layers_do_not_share_a_cache():
    cache = DecoderCache.empty(3)
    assert len({id(part) for part in cache.self_attention + cache.cross_attention}) == 6
