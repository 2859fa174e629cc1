"""The figures of a masked row and of a mask read in two ways: what is drawn and told is what softmax gives."""

import math

import pytest
import torch

from attention_book.attention.masks import causal_mask
from attention_book.pages.diagrams.attention.masked_weights import (
    MaskedRow,
    keep_weights,
    masked_row,
    read_both_ways,
    readings_told,
    row_told,
)
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

ROW = MaskedRow("gustan", ["<s>", "Me", "gustan", "los"], [1, 0, 2, 3], [True, True, True, False])
WORDS = ["I", "like", "cats"]


def boxes(figure, name):
    return {patch.get_gid(): patch for patch in figure.axes[0].patches if patch.get_gid().startswith(name)}


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_weights_are_those_of_a_softmax_over_the_allowed_keys():
    scores = torch.tensor(ROW.scores, dtype=torch.float64)
    hidden = scores.masked_fill(~torch.tensor(ROW.mask), -math.inf)
    assert ROW.weights == pytest.approx(torch.softmax(hidden, 0).tolist())
    assert ROW.unmasked == pytest.approx(torch.softmax(scores, 0).tolist())


def test_bars_are_as_high_as_the_weights_and_numbers_stand_over_them():
    figure = masked_row(ROW)
    for name, shares in {"weight": ROW.weights, "before": ROW.unmasked}.items():
        heights = [bar.get_height() for bar in boxes(figure, f"{name}-").values()]
        assert heights == pytest.approx([heights[2] / shares[2] * share for share in shares])
        assert {f"{share:.2f}" for share in shares if share} <= set(texts(figure))
    assert boxes(figure, "weight-")["weight-3"].get_height() == 0


def test_hidden_cells_are_dashed_and_allowed_ones_full():
    cells = boxes(masked_row(ROW), "mask-")
    assert [cell.get_linestyle() != "-" and cell.get_facecolor()[3] == 0 for cell in cells.values()] == [
        False, False, False, True,
    ]  # fmt: skip
    assert texts(masked_row(ROW)).count("True") == 3


def test_the_row_in_words_has_its_numbers():
    words = row_told(ROW)
    assert "Me: score 0, allowed, exponential 1.00, weight 0.09; without the mask 0.03." in words
    assert "los: score 3, hidden by the mask" in words and words.endswith("weight 0; without the mask 0.64.")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"scores": [1, 2]}, "as many scores"),
        ({"mask": [True]}, "cells of the mask"),
        ({"mask": [False] * 4}, "not hid"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        masked_row(ROW._replace(**wrong))


def test_read_the_wrong_way_each_row_has_the_future_only_and_the_last_one_nothing():
    assert torch.equal(keep_weights(causal_mask(3))[0], torch.tensor([1.0, 0, 0]))
    opposite = keep_weights(~causal_mask(3))
    assert torch.equal(opposite, torch.tensor([[0, 0.5, 0.5], [0, 0, 1], [0, 0, 0]]))
    figure = read_both_ways(causal_mask(3), WORDS)
    assert texts(figure).count("True") == 6 and texts(figure).count("False") == 3
    assert texts(figure).count("0.50") == 4 and texts(figure).count("1.00") == 2
    assert texts(figure).count("?") == 3 and texts(figure).count("0") == 6  # the empty row is a bet of the page
    shades = boxes(figure, "shade-2-")
    assert [shades[f"shade-2-{row}-2"].get_facecolor()[3] for row in range(3)] == pytest.approx([0.225, 0.45, 0])


def test_the_readings_in_words_have_their_numbers():
    told = readings_told(causal_mask(3), WORDS)
    assert "The mask: I: True, False, False." in told
    assert told.endswith("may not attend: I: 0, 0.50, 0.50. like: 0, 0, 1.00. cats: ?, ?, ?.")
    with pytest.raises(ValueError, match="square"):
        read_both_ways(causal_mask(2), WORDS)


@pytest.mark.parametrize("figure", [masked_row(ROW), read_both_ways(causal_mask(3), WORDS)], ids=["row", "readings"])
def test_on_a_phone_the_type_is_nine_pixels_or_more_in_colours_of_the_page(figure):
    assert smallest_type(figure) >= 9
    drawing = figure_html(figure, alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-weight" in drawing and "var(--role-mask" in drawing
