"""Batching: every pair once an epoch, within the budget, in an order that seed and epoch decide."""

import warnings
from collections import Counter
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.data.batching import Batch, encode_pairs, padded_batch, padding_waste, token_batches
from attention_book.data.normalisation import Pair
from attention_book.data.subwords import Subwords

law = settings(max_examples=60, deadline=None)
PIECES = st.lists(st.integers(4, 99), max_size=30)
ENCODED = st.lists(st.tuples(PIECES, PIECES), max_size=50)
BUDGET = st.integers(1, 200)


def varied(n=300, seed=0):
    """Pairs of many lengths, each with pieces of its own."""
    draw = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 30, (n, 2), generator=draw).tolist()
    return [([4 + i] * source, [4 + i] * target) for i, (source, target) in enumerate(lengths)]


def rows(tensor):
    return [[i for i in row if i != 0] for row in tensor.tolist()]


def same(one, other):
    return len(one) == len(other) and all(
        torch.equal(getattr(a, name), getattr(b, name))
        for a, b in zip(one, other, strict=True)
        for name in ("src", "tgt_in", "tgt_out")
    )


@law
@given(ENCODED, BUDGET, st.integers(0, 9), st.integers(0, 9))
def test_every_pair_is_in_exactly_one_batch(encoded, budget, seed, epoch):
    found = Counter()
    for batch in token_batches(encoded, budget, seed, epoch):
        for source, target in zip(rows(batch.src), rows(batch.tgt_out), strict=True):
            assert source[-1] == target[-1] == 2
            found[tuple(source[:-1]), tuple(target[:-1])] += 1
    assert found == Counter((tuple(source), tuple(target)) for source, target in encoded)


@law
@given(ENCODED, BUDGET)
def test_no_batch_is_over_budget_unless_it_is_a_single_pair(encoded, budget):
    for batch in token_batches(encoded, budget, 0, 0):
        assert len(batch.src) == 1 or max(batch.src.numel(), batch.tgt_out.numel()) <= budget


@law
@given(ENCODED, BUDGET)
def test_what_is_read_and_what_is_asked_for_are_shifted_by_one(encoded, budget):
    for batch in token_batches(encoded, budget, 0, 0):
        assert batch.tgt_in.shape == batch.tgt_out.shape
        assert {tensor.dtype for tensor in (batch.src, batch.tgt_in, batch.tgt_out)} == {torch.int64}
        for read, asked in zip(rows(batch.tgt_in), rows(batch.tgt_out), strict=True):
            assert read[0] == 1
            assert read[1:] == asked[:-1]
            assert asked[-1] == 2


@law
@given(ENCODED, BUDGET)
def test_padding_is_at_the_end_only_and_target_tokens_leave_it_out(encoded, budget):
    batches = token_batches(encoded, budget, 0, 0)
    for batch in batches:
        for tensor in (batch.src, batch.tgt_in, batch.tgt_out):
            real = tensor != 0
            assert bool((real[:, :-1] >= real[:, 1:]).all())
            assert bool(real.any(dim=0).all())  # no column is all padding
    assert sum(batch.target_tokens for batch in batches) == sum(len(target) + 1 for _, target in encoded)


def test_seed_and_epoch_decide_the_batches():
    encoded = varied()
    first = token_batches(encoded, 200, 1, 1)
    assert same(first, token_batches(encoded, 200, 1, 1))
    assert not same(first, token_batches(encoded, 200, 1, 2))
    assert not same(first, token_batches(encoded, 200, 2, 1))
    torch.manual_seed(5)  # no global generator has a say
    assert same(first, token_batches(encoded, 200, 1, 1))


def test_an_epoch_has_its_own_company_and_not_only_its_own_order():
    def company(epoch):
        return {frozenset(map(tuple, rows(batch.src))) for batch in token_batches(varied(2000), 200, 0, epoch)}

    first, second = company(0), company(1)
    assert len(first & second) < 0.5 * len(first)


def test_batches_do_not_come_in_order_of_length():
    lengths = [max(batch.src.shape[1], batch.tgt_out.shape[1]) for batch in token_batches(varied(), 200, 0, 0)]
    rises = sum(one < other for one, other in pairwise(lengths))
    falls = sum(one > other for one, other in pairwise(lengths))
    assert min(rises, falls) > len(lengths) / 4


def test_the_pairs_given_are_left_as_they_were():
    encoded = varied(40)
    token_batches(encoded, 100, 0, 0)
    assert encoded == varied(40)


def test_buckets_waste_less_than_batches_in_any_order():
    encoded = varied(1000)
    bucketed = token_batches(encoded, 400, 0, 0)
    in_any_order = [token_batches(encoded[start : start + 13], 9999, 0, 0)[0] for start in range(0, 1000, 13)]
    assert padding_waste(bucketed) < 0.6 * padding_waste(in_any_order)


def test_padding_waste_is_the_share_of_pads():
    (batch,) = token_batches([([5, 6], [7]), ([5], [7, 8, 9])], 100, 0, 0)
    # source: 2 rows of 3 with 1 pad; target: 2 rows of 4 with 2 pads
    assert padding_waste([batch]) == 3 / 14
    assert padding_waste(token_batches([([5], [7])] * 9, 10, 0, 0)) == 0
    assert padding_waste([]) == 0


def test_no_pairs_give_no_batches_and_a_budget_of_nothing_is_refused():
    assert token_batches([], 100, 0, 0) == []
    with pytest.raises(ValueError, match="tokens_per_batch is 0"):
        token_batches(varied(3), 0, 0, 0)


def test_a_batch_moves_to_a_device_whole():
    (batch,) = token_batches([([5, 6], [7])], 100, 0, 0)
    moved = batch.to("meta")
    assert isinstance(moved, Batch)
    for name in ("src", "tgt_in", "tgt_out"):
        assert getattr(moved, name).device.type == "meta"
        assert getattr(moved, name).shape == getattr(batch, name).shape


SUBWORDS = Subwords.train(["the cat", "el gato"] * 9, 270)


def pair(source, target):
    return Pair(source, target, (target,))


def test_pairs_are_encoded_in_order_without_special_ids():
    pairs = [pair("the cat", "el gato"), pair("the", "</s>")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoded = encode_pairs(iter(pairs), SUBWORDS, 100)
    assert encoded == [(SUBWORDS.encode(p.source), SUBWORDS.encode(p.target)) for p in pairs]


@pytest.mark.parametrize("long_side", [("a" * 10, "a"), ("a", "a" * 10)])
def test_pairs_too_long_for_the_model_are_left_out_whole_with_a_warning(long_side):
    pieces = max(len(SUBWORDS.encode(side)) for side in long_side)
    pairs = [pair("a", "a"), pair(*long_side)]
    with pytest.warns(UserWarning, match=f"1 of 2 pairs are longer than max_len={pieces} tokens"):
        encoded = encode_pairs(pairs, SUBWORDS, pieces)
    assert encoded == [(SUBWORDS.encode("a"), SUBWORDS.encode("a"))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(encode_pairs(pairs, SUBWORDS, pieces + 1)) == 2  # with `</s>` it is just as long as allowed


def test_a_batch_of_given_pairs_keeps_their_order_and_pads_each_side_to_its_longest():
    batch = padded_batch([([7], [8, 9]), ([5, 6], [4])])
    assert batch.src.tolist() == [[7, Subwords.eos_id, Subwords.pad_id], [5, 6, Subwords.eos_id]]
    assert batch.tgt_in.tolist() == [[Subwords.bos_id, 8, 9], [Subwords.bos_id, 4, Subwords.pad_id]]
    assert batch.tgt_out.tolist() == [[8, 9, Subwords.eos_id], [4, Subwords.eos_id, Subwords.pad_id]]
