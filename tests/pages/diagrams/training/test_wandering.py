"""The figure of two walks: paths, snapshots and their mean stand where they were, at one scale, inside the sheet."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.training.wandering import RINGS, wandering, wandering_told
from attention_book.pages.figures.plotting import figure_html

STAYS = np.array([[3.0, 2.0], [1.0, 0.0], [-1.0, 1.0], [1.0, 2.0], [0.0, -3.0]])
FALLS = np.array([[3.0, 2.0], [1.0, 1.0], [0.5, 0.0], [0.3, 0.4], [0.3, 0.4]])
KEPT = STAYS[2:]


@pytest.fixture(scope="module")
def axes():
    return wandering(STAYS, KEPT, FALLS).axes[0]


def drawn(axes, name):
    """The places of all lines of one name, in points."""
    return [np.column_stack(line.get_data()) for line in axes.lines if line.get_gid() == name]


def test_places_stand_where_they_were_around_the_lowest_point_at_one_scale(axes):
    ring = drawn(axes, f"ring-stays-{RINGS[0]:g}")[0]
    scale = np.ptp(ring[:, 0]) / 2
    assert np.ptp(ring[:, 1]) / 2 == pytest.approx(scale)
    for name, path in (("stays", STAYS), ("falls", FALLS)):
        lowest = (drawn(axes, f"ring-{name}-{RINGS[0]:g}")[0][:-1]).mean(axis=0)
        np.testing.assert_allclose(drawn(axes, f"path-{name}")[0], lowest + scale * path)
        for way in ("across", "up"):
            (cross,) = drawn(axes, f"lowest-{name}-{way}")
            np.testing.assert_allclose(cross.mean(axis=0), lowest)
    lowest = (drawn(axes, "ring-stays-1")[0][:-1]).mean(axis=0)
    np.testing.assert_allclose(drawn(axes, "kept")[0], lowest + scale * KEPT)
    np.testing.assert_allclose(drawn(axes, "mean")[0], [lowest + scale * KEPT.mean(axis=0)])
    np.testing.assert_allclose(drawn(axes, "end")[0], drawn(axes, "path-falls")[0][-1:])


def test_the_words_have_the_distances():
    told = wandering_told(STAYS, KEPT, FALLS)
    assert "walks of 4 steps" in told and "its last place is 3.00 away" in told
    assert "average of its last 3 snapshots 0.00" in told and "settles 0.50 away" in told


def test_nothing_stands_outside_the_sheet_and_the_type_is_legible_on_a_phone(axes):
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    for text in axes.texts:
        if text.get_text():
            extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
            assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, text.get_text()
            assert text.get_fontsize() * min(1.0, 311 / width) >= 9
    for line in axes.lines:
        x, y = line.get_data()
        assert min(x) >= 0 and max(x) <= width and min(y) >= 0 and max(y) <= height
    assert "<image" not in figure_html(wandering(STAYS, KEPT, FALLS), alt="told", caption="asked")
