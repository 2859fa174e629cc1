"""The bars are as long as the sums of the exponentials, and the outputs are those that the page finds by hand."""

import pytest

from attention_book.pages.diagrams.beyond.shared_softmax import output, shared_softmax, shared_softmax_told, total
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return shared_softmax().axes[0]


def test_the_outputs_are_those_by_hand():
    assert (total("source"), total("target"), total("source", "target")) == (6, 2, 8)
    assert (output("source"), output("target"), output("source", "target")) == (4, 12, 6)


def test_a_bar_is_as_long_as_its_exponentials(axes):
    widths = {patch.get_gid(): patch.get_width() for patch in axes.patches if patch.get_gid()}
    unit = widths["one-target-0"] / 2
    for name in ("one", "two"):
        assert [widths[f"{name}-source-0"], widths[f"{name}-source-1"], widths[f"{name}-target-0"]] == pytest.approx(
            [2 * unit, 4 * unit, 2 * unit]
        )


def test_the_whole_bar_is_cut_between_source_and_target(axes):
    cut = next(line for line in axes.lines if line.get_gid() == "cut")
    first = next(patch for patch in axes.patches if patch.get_gid() == "one-target-0")
    assert cut.get_xdata()[0] == pytest.approx(first.get_x())


def test_the_words_have_the_numbers(axes):
    assert "length 8, with the output 6, cut after the 6 of the source" in shared_softmax_told()
    assert any(text.get_text() == "6/8 · 4 + 2/8 · 12 = 6" for text in axes.texts)


def test_letters_stay_on_the_sheet_and_are_legible(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= 9
    assert "<image" not in figure_html(shared_softmax(), alt="told", caption="asked")
