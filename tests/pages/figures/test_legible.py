"""Type in figures: never below nine pixels, and no number with an exponent in smaller type."""

import re

import pytest

from attention_book.pages.figures.legible import LEAST_TYPE, least_width, plain_number
from attention_book.pages.figures.plotting import curves, figure_html

PHONE = 375 - 2 * 16  # what the margins of a page leave


def drawn(figure):
    return figure_html(figure, alt="A line.", caption="What rises? The line.")


def type_of(html, width):
    """The smallest type of a figure that is shown that many pixels wide, by its view box."""
    sizes = re.findall(r"font-size: ([0-9.]+)px", html)
    return min(map(float, sizes)) * width / float(re.search(r'viewBox="0 0 ([0-9.]+)', html)[1])


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_chart_fits_a_phone_with_letters_of_nine_pixels(scale):
    line = {"loss": ([1, 10, 1000, 30_000], [1e-9, 1e-5, 1, 40])}
    html = drawn(curves(line, x_label="steps", y_label="loss", x_scale=scale, y_scale=scale))
    assert type_of(html, PHONE) >= LEAST_TYPE
    assert "<tspan" not in html  # which an exponent of Matplotlib's is


def test_a_figure_with_smaller_letters_asks_for_more_room():
    figure = curves({"loss": ([1, 2], [3, 4])}, x_label="steps", y_label="loss")
    figure.axes[0].text(1.5, 3.5, "here", fontsize=5)
    html = drawn(figure)
    width = int(re.search(r'style="min-width: (\d+)px"', html)[1])
    assert width > PHONE and type_of(html, width) >= LEAST_TYPE > type_of(html, width - 2)


@pytest.mark.parametrize(
    ("drawing", "width"),
    [
        ('<svg viewBox="0 0 100 50"><text style="font-size: 10px">a</text></svg>', 90),
        ('<svg viewBox="0 0 100 50"><text style="font-size: 10px">a<tspan style="font: italic 7px x">b</tspan>', 129),
        ('<svg viewBox="0 0 100 50"><path d="M 0 0"/></svg>', 0),
    ],
)
def test_the_least_width_is_that_of_the_smallest_letters(drawing, width):
    assert least_width(drawing) == width


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (60, "60"),
        (1, "1"),
        (0.02, "0.02"),
        (0.001, "0.001"),
        (20_000, "20\u202f000"),
        (100_000, "10⁵"),
        (3e6, "3 × 10⁶"),
        (1e-6, "10⁻⁶"),
        (2e-9, "2 × 10⁻⁹"),
        (1e15, "10¹⁵"),
    ],
)
def test_numbers_of_an_axis_are_plain(number, text):
    assert plain_number(number) == text


def test_only_some_marks_of_a_logarithmic_axis_are_written():
    figure = curves({"loss": ([1, 1000], [2, 3])}, x_label="steps", y_label="loss", x_scale="log")
    figure.draw_without_rendering()
    written = [text.get_text() for text in figure.axes[0].get_xticklabels(which="both") if text.get_text()]
    assert {"1", "10", "100", "1\u202f000"} <= set(written) and len(written) < 12
