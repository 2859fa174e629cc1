"""The figure of two translators that look elsewhere: its lines are its weights, and its words tell them."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.before.looking_back import look_of
from attention_book.pages.diagrams.reading.two_looks import two_looks, two_looks_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

SOURCE, TARGET = ["my", "brother", "sees", "a", "white", "cat", ".", "</s>"], ["mi", "hermano", "ve"]
ROWS = np.zeros((3, 8))
ROWS[[0, 1, 2], [0, 1, 2]], ROWS[[0, 1, 2], [7, 7, 7]] = 0.97, 0.03


@pytest.fixture
def looks():
    other = np.roll(ROWS, 1, axis=1)
    other[2] = [0.25, 0, 0, 0.75, 0, 0, 0, 0]
    return {"the first": look_of(SOURCE, TARGET, ROWS), "pushed away": look_of(SOURCE, TARGET, other)}


def test_every_weight_that_can_be_seen_has_a_line_as_thick_as_it(looks):
    axes = two_looks(looks).axes[0]
    lines = {line.get_gid(): line.get_linewidth() for line in axes.lines}
    drawn = [(0, i, i) for i in range(3)] + [(1, 1, 0), (1, 2, 1), (1, 3, 2), (1, 0, 2)]
    assert set(lines) == {f"weight-{panel}-{i}-{j}" for panel, i, j in drawn}
    assert lines["weight-1-3-2"] - lines["weight-1-0-2"] == pytest.approx(7 * 0.5)
    assert lines["weight-0-0-0"] > lines["weight-1-3-2"]


def test_words_stand_inside_the_sheet_and_do_not_touch(looks):
    figure = two_looks(looks)
    renderer = FigureCanvasAgg(figure).get_renderer()
    by_row = {}
    for text in figure.axes[0].texts:
        extent = text.get_window_extent(renderer)
        assert extent.x0 >= -1 and extent.x1 <= figure.bbox.x1 + 1
        by_row.setdefault(round(extent.y0 + extent.y1), []).append((extent.x0, extent.x1))
    for spans in by_row.values():
        spans.sort()
        assert all(one[1] < other[0] for one, other in pairwise(spans))


def test_the_words_tell_the_largest_weight_of_every_word(looks):
    told = two_looks_told(looks)
    assert told.startswith("“my brother sees a white cat . </s>” above, “mi hermano ve” below")
    assert "The first, the largest weight of each word: mi, 0.97 on my; hermano, 0.97 on brother;" in told
    assert "Pushed away, the largest weight of each word: mi, 0.97 on brother;" in told and "ve, 0.75 on a." in told


def test_it_is_legible_and_drawn_as_vectors(looks):
    assert smallest_type(two_looks(looks)) >= 9
    drawing = figure_html(two_looks(looks), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-weight" in drawing


def test_looks_of_two_translations_are_refused(looks):
    with pytest.raises(ValueError, match="one source and one translation"):
        two_looks(looks | {"third": look_of(SOURCE, ["tu", "hermano", "ve"], ROWS)})
    with pytest.raises(ValueError, match="one source and one translation"):
        two_looks({})
