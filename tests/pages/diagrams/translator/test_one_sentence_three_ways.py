"""The figure of one sentence in three vocabularies: its boxes are the pieces, and nothing leaves the sheet."""

from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.translator.one_sentence_three_ways import (
    inside,
    one_sentence_three_ways,
    one_sentence_three_ways_told,
)
from attention_book.pages.figures.plotting import figure_html
from attention_book.studies.translator.vocabularies_by_size import sentence_cuts

CUTS, WORD = sentence_cuts()


@pytest.fixture(scope="module")
def axes():
    return one_sentence_three_ways(CUTS, WORD).axes[0]


@pytest.mark.parametrize(
    ("pieces", "shaded"),
    [
        (["▁", "er", "i", "zo", "▁en"], [False, True, True, True, False]),
        (["▁er", "izo"], [True, True]),
        (["un", "▁erizos"], [False, True]),
    ],
)
def test_the_pieces_of_the_word_are_found(pieces, shaded):
    assert inside(pieces, "erizo") == shaded


def test_a_word_that_is_not_spelt_is_refused():
    with pytest.raises(ValueError, match="substring not found"):
        inside(["el"], "erizo")


def test_every_piece_stands_in_its_box_and_the_word_alone_is_shaded(axes):
    texts = {(round(x, 3), round(y, 3)): text.get_text() for text in axes.texts for x, y in [text.get_position()]}
    drawn, shaded = {}, {}
    for patch in axes.patches:
        centre = patch.get_x() + patch.get_width() / 2, patch.get_y() + patch.get_height() / 2
        row, place = map(int, patch.get_gid().split("-"))
        drawn[row, place] = texts[round(centre[0], 3), round(centre[1], 3)]
        shaded[row, place] = patch.get_facecolor()[3] > 0
    for row, pieces in enumerate(CUTS.values()):
        places = range(len(pieces))
        assert [drawn.pop((row, place)) for place in places] == pieces
        assert "".join(piece for place, piece in enumerate(pieces) if shaded[row, place]).strip("▁") == "erizo"
    assert not drawn
    assert "vocabulary of 500 pieces: 17 in the sentence" in texts.values()


def test_nothing_touches_its_neighbour_or_leaves_the_sheet(axes):
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    for text in axes.texts:
        extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, text.get_text()
        assert text.get_fontsize() * min(1, 311 / width) >= 9
    boxes = sorted((round(p.get_y(), 3), p.get_x(), p.get_x() + p.get_width()) for p in axes.patches)
    for (y, _, end), (other, start, _) in pairwise(boxes):
        assert y != other or end < start
    assert max(end for _, _, end in boxes) <= width


def test_each_piece_fits_into_its_box(axes):
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    widths = {
        (round(p.get_x() + p.get_width() / 2, 3), round(p.get_y() + p.get_height() / 2, 3)): p.get_width()
        for p in axes.patches
    }
    for text in axes.texts:
        place = tuple(round(x, 3) for x in text.get_position())
        if place in widths:
            extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
            assert extent.width <= widths[place], text.get_text()


def test_the_words_tell_every_piece():
    told = one_sentence_three_ways_told({9: ["un", "▁er", "izo"]}, "erizo")
    assert told == (
        "With 9 pieces in the vocabulary, the sentence has 3: un ▁er izo. Of these, 2 hold letters of erizo."
    )


def test_it_is_drawn_as_vectors():
    assert "<image" not in figure_html(one_sentence_three_ways(CUTS, WORD), alt="told", caption="asked")
