"""Best-first search against listing every sentence, and against what beams find."""

import math

import pytest
import torch
from hypothesis import given, settings

from attention_book.translation.best_first_search import best_first_search
from attention_book.translation.decoding import beam_search, exhaustive_search

from .test_decoding import SEEDS, random_tables, table, tiny_transformer  # isort: skip

PLENTY = 100_000


@settings(deadline=None, max_examples=30)
@given(SEEDS)
def test_it_finds_what_listing_everything_finds(seed):
    model = random_tables(seed)
    for row in range(4):
        src = torch.tensor([[row]])
        (expected,) = exhaustive_search(model, src, max_len=5, length_penalty=0.0)
        exact = best_first_search(model, src, max_len=5, max_expansions=PLENTY)
        assert exact.hypothesis.tokens == expected.tokens
        assert exact.hypothesis.log_prob == pytest.approx(expected.log_prob)
        assert exact.bound == exact.hypothesis.log_prob


def test_greedy_takes_the_bait_and_it_does_not():
    """0.6 · 0.5 = 0.30 begins better and ends worse than 0.4 · 0.9 = 0.36."""
    model = table({1: {3: 0.6, 4: 0.4}, 3: {2: 0.5, 5: 0.5}, 4: {2: 0.9, 5: 0.1}, 5: {2: 1.0}})
    src = torch.tensor([[0]])
    assert beam_search(model, src, 1, 0.0, 3)[0].tokens == (3, 2)
    exact = best_first_search(model, src, max_len=3)
    assert exact.hypothesis.tokens == (4, 2)
    assert exact.hypothesis.log_prob == pytest.approx(math.log(0.36))
    assert exact.expansions == 3  # <s>, the 0.6 and the 0.4


def test_a_greedy_sentence_that_does_not_end_is_no_bound():
    model = table({1: {3: 0.9, 2: 0.1}, 3: {3: 1.0}})
    found = best_first_search(model, torch.tensor([[0]]), max_len=3).hypothesis
    assert found is not None and found.tokens == (2,)


def test_a_search_that_is_cut_off_knows_no_more_than_its_most_probable_prefix():
    model = table({1: {3: 0.6, 4: 0.4}, 3: {2: 0.5, 5: 0.5}, 4: {2: 0.9, 5: 0.1}, 5: {2: 1.0}})
    bounds = [best_first_search(model, torch.tensor([[0]]), 3, limit).bound for limit in (1, 2)]
    assert bounds == pytest.approx([math.log(0.6), math.log(0.4)])  # greedy search found 0.3, and there is 0.36


def test_no_beam_beats_it_on_a_transformer():
    model = tiny_transformer()
    for seed in range(5):
        src = torch.randint(3, 12, (1, 5), generator=torch.Generator().manual_seed(seed))
        exact = best_first_search(model, src, max_len=6, max_expansions=PLENTY)
        for beam_size in (1, 4, 16):
            assert beam_search(model, src, beam_size, 0.0, 6)[0].log_prob <= exact.hypothesis.log_prob + 1e-9
        assert any(
            beam_search(model, src, wide, 0.0, 6)[0].tokens == exact.hypothesis.tokens for wide in (16, 256, 2048)
        )


def test_cut_off_it_knows_a_bound_and_no_sentence():
    model = random_tables(3)
    whole = best_first_search(model, torch.tensor([[1]]), max_len=6, max_expansions=PLENTY)
    for limit in range(1, whole.expansions):
        cut = best_first_search(model, torch.tensor([[1]]), max_len=6, max_expansions=limit)
        assert cut.hypothesis is None and cut.expansions == limit
        assert cut.bound >= whole.hypothesis.log_prob
    assert best_first_search(model, torch.tensor([[1]]), 6, whole.expansions).hypothesis == whole.hypothesis


def test_nothing_may_end_in_time():
    model = table({1: {3: 1.0}, 3: {3: 1.0}})
    assert best_first_search(model, torch.tensor([[0]]), max_len=3).hypothesis is None


def test_bad_input_is_named():
    model = random_tables(0)
    with pytest.raises(ValueError, match="one sentence at a time, got 2"):
        best_first_search(model, torch.tensor([[0], [1]]))
    with pytest.raises(ValueError, match="max_expansions must be at least 1"):
        best_first_search(model, torch.tensor([[0]]), max_expansions=0)
    with pytest.raises(FloatingPointError, match="NaN"):
        best_first_search(table({1: {3: math.nan}}), torch.tensor([[0]]))
