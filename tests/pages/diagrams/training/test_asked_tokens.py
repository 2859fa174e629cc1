"""The figure of teacher forcing: its bars, its tokens and its words are those of the rows."""

import math

import pytest

from attention_book.pages.diagrams.training.asked_tokens import asked_tokens, asked_tokens_told
from attention_book.pages.figures.plotting import figure_html
from attention_book.studies.training.told_the_truth import Asked

from ..legibility import smallest_type

ROWS = Asked(["<s>", "Vimos", "un", "er"], ["Vimos", "un", "er", "izo"], [0.5, 0.9, 1e-3, 0.01])


def boxes(name):
    found = {patch.get_gid(): patch for patch in asked_tokens(ROWS).axes[0].patches if patch.get_gid()}
    return [patch for key, patch in found.items() if key.startswith(name)]


def test_bars_are_as_long_as_the_losses_and_end_inside():
    bars = boxes("loss-")
    longest = max(bar.get_width() for bar in bars)
    for bar, p in zip(bars, ROWS.probabilities, strict=True):
        assert bar.get_width() / longest == pytest.approx(math.log(p) / math.log(1e-3))
        assert bar.get_x() + bar.get_width() + 30 < 338


def test_tokens_stand_in_their_boxes_row_below_row():
    texts = {(round(x), round(y)): text.get_text() for text in asked_tokens(ROWS).axes[0].texts
             for x, y in [text.get_position()]}  # fmt: skip
    for name, tokens in (("read-", ROWS.read), ("wanted-", ROWS.wanted)):
        heights = []
        for patch, token in zip(boxes(name), tokens, strict=True):
            centre = round(patch.get_x() + patch.get_width() / 2), round(patch.get_y() + patch.get_height() / 2)
            assert texts[centre] == token
            heights.append(patch.get_y())
        assert heights == sorted(heights, reverse=True)


def test_the_words_have_every_row():
    told = asked_tokens_told(ROWS)
    assert "After reading un, it is asked for er: probability 0.00, loss 6.91." in told
    assert told.count("After reading") == 4


def test_on_a_phone_the_type_is_nine_pixels_or_more():
    figure = asked_tokens(ROWS)
    assert smallest_type(figure) >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="asked")
