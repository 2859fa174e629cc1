"""The figure of the cut picture shows every pixel twice, in the two places where it belongs."""

import pytest

from attention_book.pages.diagrams.beyond.patches import cut_picture, cut_picture_told, seven
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return cut_picture().axes[0]


def test_each_pixel_is_drawn_in_the_picture_and_in_its_row(axes):
    inked = {patch.get_gid() for patch in axes.patches if patch.get_facecolor()[3] > 0}
    image = seven()
    expected = set()
    for row in range(8):
        for column in range(8):
            if image[row, column]:
                expected.add(f"pixel-{row}-{column}")
                patch, place = row // 2 * 4 + column // 2, row % 2 * 2 + column % 2
                expected.add(f"row-{patch}-{place}")
    assert inked == expected and len(inked) == 2 * 11


def test_its_words_name_the_rows_with_ink():
    told = cut_picture_told()
    assert "patch 0: 0 0 0 1" in told and "patch 14: 0 1 0 0" in told and told.count("patch ") == 7


def test_letters_stay_on_the_sheet_and_are_legible(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= 9
    assert "<image" not in figure_html(cut_picture(), alt="told", caption="asked")
