"""The shapes of the diagrams stand where they are put, in points, and keep their size on a phone."""

import pytest

from attention_book.pages.diagrams import shapes
from attention_book.pages.figures.plotting import INK, figure_html


def patches(axes):
    return {patch.get_gid(): patch for patch in axes.patches}


def test_a_sheet_is_measured_in_points():
    with shapes.sheet(120) as axes:
        assert axes.get_xlim() == (0, shapes.WIDTH) and axes.get_ylim() == (0, 120)
    assert axes.figure.get_size_inches() * 72 == pytest.approx([shapes.WIDTH, 120])


def test_a_box_stands_around_its_centre_and_takes_a_style():
    with shapes.sheet(100) as axes:
        shapes.box(axes, (50, 40), (20, 10), "one", linewidth=3)
    one = patches(axes)["one"]
    assert one.get_xy() == (40, 35) and (one.get_width(), one.get_height()) == (20, 10)
    assert one.get_linewidth() == 3 and one.get_facecolor()[3] == 0


def test_a_grid_counts_its_rows_from_above():
    with shapes.sheet(100) as axes:
        shapes.grid(axes, (10, 90), (2, 3), 8, "cell")
    assert set(patches(axes)) == {f"cell-{row}-{column}" for row in range(2) for column in range(3)}
    assert patches(axes)["cell-0-0"].get_xy() == (10, 82) and patches(axes)["cell-1-2"].get_xy() == (26, 74)


def test_an_arrow_leads_from_its_start_to_its_end_in_the_colour_of_the_text():
    with shapes.sheet(100) as axes:
        shapes.arrow(axes, (1, 2), (30, 40))
        shapes.said(axes, (5, 5), "from here", ha="left")
    (drawn,) = [text for text in axes.texts if text.get_text() == ""]
    assert drawn.xyann == (1, 2) and drawn.xy == (30, 40)
    assert "from here" in (drawing := figure_html(axes.figure, alt="told", caption="asked")) and INK not in drawing
