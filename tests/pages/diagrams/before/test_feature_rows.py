"""The figure of a log-linear model: its shares are softmax of the sums, and its bars are as high as the shares."""

import numpy as np
import pytest

from attention_book.attention.probability import softmax
from attention_book.pages.diagrams.before.feature_rows import feature_rows, feature_rows_told, shares_of
from attention_book.pages.figures.plotting import figure_html

WORDS = ("negros", "negras")
FACTORS = {"the word before is libros": (1, 1), "it ends in -os": (6, 1)}


@pytest.fixture(scope="module")
def axes():
    return feature_rows(WORDS, FACTORS).axes[0]


@pytest.mark.parametrize("factors", [FACTORS, {"one": (2, 3), "two": (5, 1), "three": (1, 4)}])
def test_the_shares_are_softmax_of_the_sums_of_points(factors):
    points = np.log(np.array(list(factors.values()), dtype=float))
    np.testing.assert_allclose([float(share) for share in shares_of(factors)], softmax(points.sum(axis=0)))


def test_a_bar_is_as_high_as_its_share_and_every_feature_has_a_row(axes):
    boxes = {patch.get_gid(): patch for patch in axes.patches}
    assert {f"{name} {word}" for name in (*FACTORS, "sum", "share") for word in WORDS} == set(boxes)
    first, second = (boxes[f"share {word}"] for word in WORDS)
    assert first.get_height() / second.get_height() == pytest.approx(6)
    assert first.get_y() == pytest.approx(second.get_y())
    assert boxes["sum negros"].get_y() < min(boxes[f"{name} negros"].get_y() for name in FACTORS)


def test_no_texts_overlap_and_all_stand_on_the_sheet(axes):
    axes.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    assert not any(one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n])
    assert min(one.x0 for one in boxes) >= 0 and min(one.y0 for one in boxes) >= 0


def test_the_words_have_the_points_and_the_shares():
    assert feature_rows_told(WORDS, FACTORS) == (
        "Rows of points, one per feature, are added. the word before is libros: 0 to negros, 0 to negras. "
        "it ends in -os: log 6 to negros, 0 to negras. Softmax of the sum gives negros 6/7, negras 1/7."
    )


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    shrunk = min(1.0, 311 / (axes.figure.get_figwidth() * 72))
    assert min(text.get_fontsize() for text in axes.texts if text.get_text()) * shrunk >= 9
    assert "<image" not in figure_html(feature_rows(WORDS, FACTORS), alt="told", caption="asked")


@pytest.mark.parametrize(("words", "factors"), [(("a",), {"f": (1,)}), (WORDS, {"f": (1, 2, 3)})])
def test_tables_that_cannot_be_drawn_are_refused(words, factors):
    with pytest.raises(ValueError, match="two words"):
        feature_rows(words, factors)
