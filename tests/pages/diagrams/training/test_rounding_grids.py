"""The figure of a row on two grids: a stroke per whole number, and an arrow from each weight to the nearest one."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.training.rounding_grids import rounding_grids, rounding_grids_told
from attention_book.pages.figures.plotting import figure_html

ROW = (0.5, -1.27, 0.333)
UNITS = {"fine": 1.27 / 7, "coarse": 12.7 / 7}
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def axes():
    return rounding_grids(ROW, UNITS).axes[0]


def strokes(axes, name):
    """The place of the stroke of each whole number of a grid."""
    found = {line.get_gid(): line for line in axes.lines if (line.get_gid() or "").startswith(f"{name} ")}
    return {int(gid.split()[1]): line.get_xdata()[0] for gid, line in found.items()}


def test_strokes_stand_a_unit_apart(axes):
    per_weight = {}
    for name, unit in UNITS.items():
        places = strokes(axes, name)
        assert min(places) == -max(places)
        per_weight[name] = (places[1] - places[0]) / unit
        assert places[1] - places[0] == pytest.approx(places[0] - places[-1])
    assert per_weight["fine"] == pytest.approx(per_weight["coarse"])


def test_every_weight_has_an_arrow_to_the_nearest_stroke_of_either_grid(axes):
    arrows = [(text.xyann, text.xy) for text in axes.texts if getattr(text, "arrowprops", None)]
    assert len(arrows) == 2 * len(ROW)
    for name, wholes, upper in (("fine", (3, -7, 2), True), ("coarse", (0, -1, 0), False)):
        places, middle = strokes(axes, name), axes.get_ylim()[1] / 2
        mine = sorted((start[0], end[0]) for start, end in arrows if (start[1] > middle) == upper)
        wanted = sorted(zip(ROW, wholes, strict=True))
        assert [end for _, end in mine] == pytest.approx([places[whole] for _, whole in wanted])
        for (start, end), (weight, whole) in zip(mine, wanted, strict=True):
            assert (start < end) == (weight < whole * UNITS[name]) or start == pytest.approx(end)
            assert all(abs(start - end) <= abs(start - place) for place in places.values())


def test_all_letters_stand_on_the_sheet_apart_from_each_other_and_are_legible_on_a_phone(axes):
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    texts = [text for text in axes.texts if text.get_text()]
    extents = [text.get_window_extent(renderer).transformed(axes.transData.inverted()) for text in texts]
    for text, extent in zip(texts, extents, strict=True):
        assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, text.get_text()
        assert not any(extent.overlaps(other) for other in extents if other is not extent), text.get_text()
        assert text.get_fontsize() * min(1.0, 311 / width) >= 9
    assert "<image" not in figure_html(rounding_grids(ROW, UNITS), alt="told", caption="asked")


def test_the_words_have_every_step_of_either_grid():
    told = rounding_grids_told(ROW, UNITS)
    assert f"fine, where a unit is 0.18: 0.5 to 3, {MINUS}1.27 to {MINUS}7, 0.333 to 2" in told
    assert f"coarse, where a unit is 1.81: 0.5 to 0, {MINUS}1.27 to {MINUS}1, 0.333 to 0" in told


@pytest.mark.parametrize("drawn", [rounding_grids, rounding_grids_told])
def test_a_row_needs_weights_and_a_unit_is_positive(drawn):
    with pytest.raises(ValueError, match="no weights"):
        drawn((), UNITS)
    with pytest.raises(ValueError, match="must be positive: none"):
        drawn(ROW, {"none": 0.0})
