"""Altered cells: what was altered, and what *Recurrent cells* says that it does to a fresh cell."""

import math

import pytest
import torch
from global_state import unchanged_state
from torch import nn

from attention_book.readers.before.reaching_back import read
from attention_book.studies.before.altered_cells import fresh_rate, open_lstm


@pytest.fixture(scope="module")
def sizes():
    setting = read().setting
    return setting["d_in"], setting["hidden"], setting["reach_rows"]


def seeded(make):
    torch.manual_seed(1)
    return make()


def test_cut_means_the_way_from_the_state_to_the_proposal_alone():
    whole, cut = (seeded(lambda cut=cut: open_lstm(3, 4, 3.0, cut)) for cut in (False, True))
    apart = whole.weight_hh_l0 != cut.weight_hh_l0
    assert apart[8:12].all() and not apart[:8].any() and not apart[12:].any()
    assert (cut.bias_ih_l0[4:8] == 3).all()


def test_the_rate_of_a_cell_that_halves_is_one_half_and_the_random_state_stays():
    def halving():
        layer = nn.RNN(2, 2, batch_first=True, dtype=torch.float64)
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.zero_()
            layer.weight_ih_l0 += 1e-9 * torch.eye(2)  # so near to 0 that tanh does nothing
            layer.weight_hh_l0 += 0.5 * torch.eye(2)
        return layer

    with unchanged_state():
        assert fresh_rate(halving, rows=2, seeds=2) == pytest.approx(0.5)


def test_an_open_gate_keeps_what_its_bias_says_once_the_way_back_is_cut(sizes):
    d_in, hidden, rows = sizes
    bias = read().open_bias
    whole, cut = (fresh_rate(lambda cut=cut: open_lstm(d_in, hidden, bias, cut), rows) for cut in (False, True))
    assert abs(cut - 1 / (1 + math.exp(-bias))) < 0.02 < whole - cut
