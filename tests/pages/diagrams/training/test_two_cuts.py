"""The figure of five sentences cut twice: its cells are those of pencil and paper, and nothing leaves the sheet."""

from collections import Counter

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.training.two_cuts import both_cuts, numbers, two_cuts, two_cuts_told
from attention_book.pages.figures.plotting import figure_html


@pytest.fixture(scope="module")
def axes():
    return two_cuts().axes[0]


def test_the_batches_are_those_found_by_hand():
    assert both_cuts() == {"as drawn": [[5, 9], [4, 8], [5]], "sorted": [[4, 5, 5], [8, 9]]}
    found = numbers()
    assert (found["drawn_cells"], found["drawn_padded"], found["drawn_batches"]) == (39, 8, 3)
    assert (found["sorted_cells"], found["sorted_padded"], found["sorted_batches"]) == (33, 2, 2)
    assert found["drawn_share"] == pytest.approx(800 / 39) and found["sorted_share"] == pytest.approx(200 / 33)


def test_each_row_has_its_tokens_and_then_padding_up_to_the_longest(axes):
    drawn = Counter()
    for patch in axes.patches:
        name, batch, row, place, kind = patch.get_gid().rsplit("-", 4)
        lengths = both_cuts()[name][int(batch)]
        assert kind == ("token" if int(place) < lengths[int(row)] else "padding")
        assert (patch.get_facecolor()[3] > 0) == (kind == "token") == (patch.get_linestyle() == "-")
        drawn[name, kind] += 1
    assert drawn == {
        ("as drawn", "token"): 31, ("as drawn", "padding"): 8, ("sorted", "token"): 31, ("sorted", "padding"): 2
    }  # fmt: skip


def test_nothing_touches_its_neighbour_or_leaves_the_sheet(axes):
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    extents = []
    for text in axes.texts:
        extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, text.get_text()
        assert text.get_fontsize() * min(1, 311 / width) >= 9
        extents.append(extent)
    for n, one in enumerate(extents):
        assert not any(one.overlaps(other) for other in extents[n + 1 :])
        for patch in axes.patches:
            assert not one.overlaps(patch.get_bbox()), patch.get_gid()
    assert all(patch.get_x() >= 0 and patch.get_x() + patch.get_width() <= width for patch in axes.patches)


def test_the_words_tell_both_cuts():
    told = two_cuts_told()
    assert "As drawn, 3 batches: 5, 9 tokens, 18 cells; 4, 8 tokens, 16 cells; 5 tokens, 5 cells." in told
    assert told.endswith("Of 33 cells 2 are padding.")


def test_it_is_drawn_as_vectors():
    assert "<image" not in figure_html(two_cuts(), alt="told", caption="asked")
