"""What heads and lengths cost: counts against formulas, and where their lines cross."""

import numpy as np
import pytest
import torch

from attention_book.analysis.costs import counted, of_attention
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.models import cells
from attention_book.studies.heads.cost_tables import (
    HEADER,
    LENGTH_HEADER,
    SHAPES,
    WIDTH,
    attention_cost,
    dearer_from,
    layer_costs,
    length_lines,
    length_lines_told,
    length_numbers,
    length_rows,
    recurrent_cost,
    rows,
)


@pytest.mark.parametrize(("n_heads", "d_k", "d_v"), SHAPES)
def test_what_torch_counts_is_the_formula(n_heads, d_k, d_v):
    bare, biases, products, exponentials = layer_costs(n_heads, d_k, d_v, n=10)
    formula = of_attention(10, WIDTH, n_heads, d_k, d_v)
    assert products == formula["projections"] + formula["scores"] + formula["mixing"]
    assert exponentials == n_heads * 10 * 10
    assert bare == 2 * WIDTH * n_heads * (d_k + d_v)
    assert biases == n_heads * (2 * d_k + d_v) + WIDTH


def test_layers_as_wide_as_the_model_cost_the_same_but_for_the_exponentials():
    one, eight, sixty_four, *_ = rows()
    assert one[2:5] == eight[2:5] == sixty_four[2:5]
    assert eight[2] == f"{4 * 512**2:,}"
    assert [row[0] for row in (one, eight, sixty_four)] == ["1 × 512", "8 × 64", "64 × 8"]
    assert one[5] == "10,000" and eight[5] == "80,000" and len(one) == len(HEADER)


def test_the_last_two_layers_show_that_the_choice_is_no_law():
    _, eight, _, *others = rows()
    assert others[0][2:5] != eight[2:5] != others[1][2:5]


def test_attention_is_the_dearer_layer_beyond_d_words_of_a_gru_and_beyond_2_d_of_an_lstm():
    for d in (8, 64):
        assert [dearer_from(cell, d) for cell in ("plain cell", "GRU", "LSTM")] == [1, d + 1, 2 * d + 1]
        assert attention_cost(d, d) == recurrent_cost(d, "GRU", d) and attention_cost(1, d) > recurrent_cost(
            1, "plain cell", d
        )


@pytest.mark.parametrize(("layer", "cell"), [(cells.RNN, "plain cell"), (cells.GRU, "GRU"), (cells.LSTM, "LSTM")])
def test_the_books_own_recurrent_layers_multiply_as_often(layer, cell):
    assert counted(layer(6, 6), torch.zeros(1, 5, 6)) == recurrent_cost(5, cell, 6)


def test_the_books_own_attention_multiplies_as_often():
    assert counted(MultiHeadAttention(16, 8), torch.zeros(1, 5, 16), need_weights=True) == attention_cost(5, 16)


def test_the_lines_are_the_formulas():
    lines = length_lines(64)
    (lengths, attention), (_, gru), (_, plain) = lines.values()
    assert lengths[0] == 16 and lengths[-1] == 4096
    assert np.array_equal(attention, 4 * lengths * 64**2 + 2 * lengths**2 * 64)
    assert np.array_equal(gru, 6 * lengths * 64**2) and np.array_equal(plain, 2 * lengths * 64**2)


def test_thirty_words_and_a_crossing_as_rows():
    thirty, crossing = length_rows((30, 512))
    pairs, products = 2 * 30**2 * 512, 30 * 512**2
    assert thirty == (
        "30",
        *(f"{x:,}" for x in (4 * products, pairs, 4 * products + pairs, 6 * products)),
    )
    assert crossing[3] == crossing[4] and len(crossing) == len(LENGTH_HEADER)


def test_the_figure_is_told_with_its_crossing():
    told = length_lines_told()
    assert "16 to 4,096" in told and "at 512 as much" in told
    assert "0.68 times" in told and "3.3 times" in told and "0.33 times" in told  # (4 + 2 n / 512) / 6 at both ends


def test_the_numbers_of_the_page():
    told = length_numbers()
    assert (told["from_gru"], told["from_lstm"], told["from_plain"]) == (513, 1025, 1)
    assert told["sentence"] == 30 and told["projected"] == pytest.approx(400 / (4 + 60 / 512))
    assert attention_cost(30) / recurrent_cost(30, "GRU") == pytest.approx((4 + 60 / 512) / 6)
