"""A word and a position, added by hand; the lengths of positions; which measurement sees which fault; and why D is half
as sure as F that a word follows itself: what the layers add weakens the word, and not the position.
"""

import math

import pytest
import torch
from global_state import unchanged_state

from attention_book.attention.positions import sinusoidal_positions
from attention_book.readers.attention.embedding_scale import read
from attention_book.studies.attention.sizes_at_the_start import (
    CONFIG,
    D_K,
    FAULT_HEADER,
    FAULTS,
    Symptoms,
    all_symptoms,
    fault_numbers,
    fault_rows,
    itself,
    large_tables,
    symptoms,
)


def test_four_numbers_by_hand():
    """*cats* at the first position: e + p = (½, ½, ½, 1½) and 2e + p = (1, 0, 1, 2)."""
    e, p = torch.tensor([0.5, -0.5, 0.5, 0.5]), sinusoidal_positions(1, 4)[0]
    assert torch.equal(p, torch.tensor([0.0, 1, 0, 1]))
    assert torch.equal(e + p, torch.tensor([0.5, 0.5, 0.5, 1.5]))
    assert torch.equal(2 * e + p, torch.tensor([1.0, 0, 1, 2]))
    assert e @ p == 0 and (e @ e, p @ p, 2 * e @ (2 * e)) == (1, 2, 4)


@pytest.mark.parametrize("d_model", [2, 64])
def test_every_position_has_the_length_of_its_pairs(d_model):
    lengths = sinusoidal_positions(20, d_model).norm(dim=1)
    assert lengths.tolist() == pytest.approx([math.sqrt(d_model / 2)] * 20, rel=1e-5)


@pytest.fixture(scope="module")
def seen():
    return all_symptoms()


def test_the_variance_of_the_scores_sees_the_divisor(seen):
    right = seen["none"].scores
    assert seen["scores not divided"].scores / right == pytest.approx(D_K, rel=0.01)
    assert seen["scores divided by √d_model"].scores / right == pytest.approx(1 / CONFIG.n_heads, rel=0.01)


def test_the_first_loss_sees_a_table_that_is_too_large_for_the_output_and_nothing_else(seen):
    blind = ["scores not divided", "scores divided by √d_model", "factor forgotten"]
    assert all(abs(seen[fault].loss - seen["none"].loss) < 0.1 for fault in blind)
    assert set(seen) - set(blind) - {"none"} == {"σ = 1, factor kept", "σ = 1, factor forgotten"}
    assert min(seen["σ = 1, factor kept"].loss, seen["σ = 1, factor forgotten"].loss) > 10


def test_the_share_sees_a_forgotten_factor(seen):
    assert seen["none"].share == pytest.approx(1 / 3, abs=0.02) and seen["factor forgotten"].share > 0.95
    assert seen["σ = 1, factor forgotten"].share == pytest.approx(seen["none"].share, abs=1e-4)


def test_rows_and_numbers_by_hand():
    made_up = dict.fromkeys(FAULTS, Symptoms(1.0, -0.5, 0.25)) | {"scores not divided": Symptoms(16.0, 0.5, 0.25)}
    assert fault_rows(made_up)[0] == ("none", "1.00", "−0.50", "25\xa0%") and len(FAULT_HEADER) == 4
    numbers = fault_numbers()
    assert (numbers["fault_heads"], numbers["fault_d_k"], numbers["fault_width"]) == (4, 16, 64)


def test_measuring_changes_no_global_state():
    with unchanged_state():
        symptoms()


@pytest.fixture(scope="module")
def large():
    return large_tables()


def test_the_logits_are_those_on_record(large):
    told = read().numbers()
    assert (large["D"].own, large["F"].own) == pytest.approx((told["own_large"], told["own_factor"]), abs=0.5)


def test_the_words_are_8_and_64_long_beside_a_position_of_the_root_of_32(large):
    assert (large["D"].word, large["F"].word) == pytest.approx((8, 64), rel=0.02)
    assert large["D"].position == large["F"].position == pytest.approx(math.sqrt(32), rel=1e-4)


def test_without_positions_d_stays_far_from_64(large):
    """If the position weakened the word, its removal would bring nearly all of the missing 32 back."""
    assert large["D"].own_alone - large["D"].own < 0.1 * (64 - large["D"].own)


def test_what_the_layers_add_explains_the_logits(large):
    """With word, position and addition at right angles, the word has the share word / length of the sum."""
    for kind in large.values():
        assert kind.added > 11
        alone = 64 * kind.word / math.hypot(kind.word, kind.added)
        assert kind.own_alone == pytest.approx(alone, rel=0.05)
    assert large["D"].added > 1.5 * large["D"].word and large["F"].added < large["F"].word / 5


def test_measuring_large_tables_changes_no_global_state():
    with unchanged_state():
        itself("large", pairs=3)
