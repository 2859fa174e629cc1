"""The figure of error categories: its bars are as long as the counts, its words have every number."""

import pytest

from attention_book.pages.diagrams.verdict.error_bars import LEFT, RIGHT, error_bars, error_bars_told
from attention_book.pages.figures.plotting import figure_html
from attention_book.readers.verdict import hundred_sentences

from ..legibility import smallest_type

COUNTS = {"one": {"right": 30, "wrong": 12}, "two": {"right": 40, "wrong": 0}, "three": {"right": 1, "wrong": 3}}


def test_bars_are_as_long_as_the_counts_and_inside():
    bars = {patch.get_gid(): patch for patch in error_bars(COUNTS).axes[0].patches}
    for place, counts in enumerate(COUNTS.values()):
        for row, count in enumerate(counts.values()):
            bar = bars[f"bar-{row}-{place}"]
            assert bar.get_width() == pytest.approx(count / 40 * (RIGHT - LEFT))
            assert bar.get_x() == pytest.approx(LEFT) and bar.get_y() > 0


def test_bars_of_one_translator_look_alike_and_unlike_the_others():
    bars = {patch.get_gid(): patch for patch in error_bars(COUNTS).axes[0].patches}
    look = [[(bars[f"bar-{row}-{place}"].get_facecolor(), bars[f"bar-{row}-{place}"].get_hatch()) for row in (0, 1)]
            for place in range(3)]  # fmt: skip
    assert all(a == b for a, b in look) and len({pair[0] for pair in look}) == 3


def test_the_words_have_every_number():
    told = error_bars_told(COUNTS)
    assert "one: right 30, wrong 12. two: right 40, wrong 0. three: right 1, wrong 3." in told


def test_other_categories_are_refused():
    with pytest.raises(ValueError, match="the same categories"):
        error_bars(COUNTS | {"three": {"wrong": 3, "right": 1}})
    with pytest.raises(ValueError, match="at most 3"):
        error_bars(COUNTS | {"four": {"right": 1, "wrong": 3}})


def test_on_a_phone_the_type_is_nine_pixels_or_more():
    figure = error_bars(hundred_sentences.read().bars())
    assert smallest_type(figure) >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="asked")
