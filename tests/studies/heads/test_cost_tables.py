"""What heads and lengths cost: counts against formulas, and where their lines cross."""

import numpy as np
import pytest

from attention_book.analysis.costs import of_attention, of_recurrence
from attention_book.studies.heads.cost_tables import (
    HEADER,
    LENGTH_HEADER,
    SHAPES,
    WIDTH,
    crossings,
    layer_costs,
    length_lines,
    length_lines_told,
    length_rows,
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


def test_pairs_cost_what_a_recurrence_costs_at_d_and_what_projections_cost_at_twice_d():
    assert crossings() == (512, 1024)
    assert crossings(64) == (64, 128)


def test_the_lines_are_the_formulas():
    lines = length_lines(64)
    for (lengths, pairs), (_, recurrent) in [list(lines.values())[:2]]:
        assert lengths[0] == 16 and lengths[-1] == 4096
        assert np.array_equal(pairs, 2 * lengths**2 * 64)
        assert recurrent.tolist() == [of_recurrence(int(n), 64) for n in lengths]
    assert np.array_equal(lines["the four projections"][1], 4 * lengths * 64 * 64)


def test_ten_words_and_the_two_crossings_as_rows():
    ten, first, second = length_rows((10, 512, 1024))
    assert ten == ("10", f"{4 * 10 * 512**2:,}", f"{2 * 10**2 * 512:,}", f"{2 * 10 * 512**2:,}")
    assert first[2] == first[3] and second[1] == second[2] and len(ten) == len(LENGTH_HEADER)


def test_the_figure_is_told_with_its_crossings():
    told = length_lines_told()
    assert "512 positions" in told and "1,024" in told and "16 to 4,096" in told
    lines = length_lines()
    assert np.array_equal(lines["the four projections"][1], 2 * lines["recurrent layer"][1])
