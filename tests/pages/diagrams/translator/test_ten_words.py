"""The figure of ten words: its pieces are those of pencil and paper, and nothing leaves the sheet."""

from itertools import pairwise

import pytest

from attention_book.pages.diagrams.translator.ten_words import TEN_WORDS, columns, ten_words, ten_words_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type

BY_HAND = [
    "c a t s|c a t|h a t s|h a t|e a t s|e a t",
    "c at s|c at|h at s|h at|e at s|e at",
    "c ats|c at|h ats|h at|e ats|e at",
    "cats|c at|h ats|h at|e ats|e at",
    "cats|c at|h ats|h at|e ats|eat",
]


@pytest.fixture(scope="module")
def axes():
    return ten_words().axes[0]


def test_the_pieces_are_those_found_by_hand():
    assert sum(TEN_WORDS.values()) == 10
    assert ["|".join(map(" ".join, split.values())) for split in columns()] == BY_HAND


def test_every_piece_is_drawn_in_its_box_and_new_ones_are_shaded(axes):
    texts = {(round(x, 3), round(y, 3)): text.get_text() for text in axes.texts for x, y in [text.get_position()]}
    made = [None, "at", "ats", "cats", "eat"]
    drawn = {}
    for patch in axes.patches:
        centre = (patch.get_x() + patch.get_width() / 2, patch.get_y() + patch.get_height() / 2)
        piece = texts[round(centre[0], 3), round(centre[1], 3)]
        column, row, place = map(int, patch.get_gid().split("-"))
        drawn[column, row, place] = piece
        assert (patch.get_facecolor()[3] > 0) == (piece == made[column])
    for column, split in enumerate(columns()):
        for row, pieces in enumerate(split.values()):
            assert [drawn.pop((column, row, place)) for place in range(len(pieces))] == pieces
    assert not drawn


def test_nothing_touches_its_neighbour_or_leaves_the_sheet(axes):
    assert not outside(axes)
    assert smallest_type(axes.figure) >= 9
    boxes = sorted((round(p.get_y(), 3), p.get_x(), p.get_x() + p.get_width()) for p in axes.patches)
    for (y, _, end), (other, start, _) in pairwise(boxes):
        assert y != other or end < start


def test_the_words_tell_every_merge():
    told = ten_words_told()
    assert "3 times cats" in told and "Merge 1 joins a and t: cats is c at s; cat is c at;" in told
    assert told.endswith("Merge 4 joins e and at: eat is eat.")


def test_it_is_drawn_as_vectors():
    assert "<image" not in figure_html(ten_words(), alt="told", caption="asked")
