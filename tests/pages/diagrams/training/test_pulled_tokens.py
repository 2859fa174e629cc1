"""The figure of losses and pulls: its bars, its order and its words are those of the rows."""

import math

import pytest

from attention_book.pages.diagrams.shapes import WIDTH
from attention_book.pages.diagrams.training.pulled_tokens import dearest_first, pulled_tokens, pulled_tokens_told
from attention_book.pages.figures.plotting import figure_html
from attention_book.studies.training.told_the_truth import Asked

from ..legibility import smallest_type

ROWS = Asked(["<s>", "un", "er", "izo"], ["un", "er", "izo", "</s>"], [0.5, 1e-3, 0.01, 0.9])
ORDER = [1e-3, 0.01, 0.5, 0.9]


def boxes(name):
    found = {patch.get_gid(): patch for patch in pulled_tokens(ROWS).axes[0].patches if patch.get_gid()}
    return [found[f"{name}-{place}"] for place in range(len(ORDER))]


def test_the_dearest_token_comes_first():
    assert [token for token, _, _ in dearest_first(ROWS)] == ["er", "izo", "un", "</s>"]
    for (_, loss, pull), p in zip(dearest_first(ROWS), ORDER, strict=True):
        assert loss == pytest.approx(-math.log(p)) and pull == pytest.approx(1 - p)
    heights = [bar.get_y() for bar in boxes("token")]
    assert heights == sorted(heights, reverse=True)


def test_bars_are_as_long_as_losses_and_pulls_and_stay_inside():
    losses, pulls = boxes("loss"), boxes("pull")
    full = losses[0].get_width()  # of the largest loss, and of a pull of 1
    for loss, pull, p in zip(losses, pulls, ORDER, strict=True):
        assert loss.get_width() / full == pytest.approx(math.log(p) / math.log(1e-3))
        assert pull.get_width() / full == pytest.approx(1 - p)
        assert loss.get_y() == pull.get_y()
        assert loss.get_x() > 30 and pull.get_x() + pull.get_width() + 30 < WIDTH
        assert loss.get_x() + loss.get_width() < WIDTH / 2 - 33 and pull.get_x() > WIDTH / 2 + 33  # beside the tokens


def test_the_words_have_every_row_in_the_same_order():
    told = pulled_tokens_told(ROWS)
    assert "first. er: loss 6.91, pull 1.00. izo: loss 4.61, pull 0.99. un: loss 0.69, pull 0.50." in told
    assert told.count("pull") == 4


def test_on_a_phone_the_type_is_nine_pixels_or_more():
    figure = pulled_tokens(ROWS)
    assert smallest_type(figure) >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="pulled")
