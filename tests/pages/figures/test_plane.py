"""Figures in the plane: they show the numbers they were given, in the colours of their roles, at one scale."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from attention_book.pages.figures.plane import arrows, inside, points_told
from attention_book.pages.figures.plotting import ROLES, figure_html


def test_arrows_go_from_the_origin_to_each_vector_in_its_colour():
    figure = arrows({"q": ((1, 0), "query"), "k": ((-3, 2), "key")})
    (axes,) = figure.axes
    drawn = [note for note in axes.texts if note.arrow_patch is not None]
    assert [note.xy for note in drawn] == [(1, 0), (-3, 2)]
    assert [note.get_position() for note in drawn] == [(0, 0), (0, 0)]
    colours = [to_hex(note.arrow_patch.get_edgecolor()) for note in drawn]
    assert colours == [ROLES["query"].light, ROLES["key"].light]
    assert [note.get_text() for note in axes.texts if note.arrow_patch is None] == ["q", "k"]
    assert axes.get_aspect() == 1
    for limits, values in ((axes.get_xlim(), (-3, 0, 1)), (axes.get_ylim(), (0, 2))):
        assert all(limits[0] < value < limits[1] for value in values)


def test_shadows_fall_at_right_angles_and_are_as_long_as_the_dot_product_with_a_unit_vector():
    vectors = {"q": ((0.6, 0.8), "query"), "k": ((3, 3), "key"), "other": ((-2, 1), "key")}
    lines = arrows(vectors, onto="q").axes[0].lines
    named = {line.get_gid(): line.get_xydata() for line in lines}  # names are ids on a page, so each is there once
    falls, shadows = ([named[f"{part}-{place}"] for place in range(len(vectors))] for part in ("fall", "shadow"))
    for ((x, y), _), fall, shadow in zip(vectors.values(), falls, shadows, strict=True):
        assert fall[0] == pytest.approx((x, y)) and (fall[1] - fall[0]) @ (0.6, 0.8) == pytest.approx(0)
        assert shadow[0] == pytest.approx(fall[1]) and shadow[1] == pytest.approx((0, 0))
        assert shadow[0] @ (0.6, 0.8) == pytest.approx(0.6 * x + 0.8 * y)
    with pytest.raises(ValueError, match="shadows fall on the line"):
        arrows(vectors, onto="v")
    with pytest.raises(ValueError, match="shadows fall on the line"):
        arrows({"q": ((0, 0), "query")}, onto="q")


def test_a_thin_line_joins_the_tips_of_two_vectors():
    vectors = {"I": ((0.5, -1), "key"), "like": ((0, -0.5), "key"), "cats": ((-0.5, 0), "key")}
    (line,) = [line for line in arrows(vectors, joined=("I", "cats")).axes[0].lines if line.get_gid() == "joined"]
    assert line.get_xydata().tolist() == [[0.5, -1], [-0.5, 0]]
    assert all(line.get_gid() != "joined" for line in arrows(vectors).axes[0].lines)
    with pytest.raises(ValueError, match="not in list"):
        arrows(vectors, joined=("I", "dogs"))


def test_corners_are_joined_and_points_are_not():
    figure = inside({"a": (0, 0), "b": (4, 0), "c": (0, 4)}, {"o": (1, 1)})
    lines = [line for line in figure.axes[0].lines if len(line.get_xydata()) and line.get_marker() != "None"]
    assert np.array_equal(lines[0].get_xydata(), [(0, 0), (4, 0), (0, 4), (0, 0)])
    assert np.array_equal(lines[1].get_xydata(), [(1, 1)]) and lines[1].get_linestyle() == "None"
    page = figure_html(figure, alt="A triangle.", caption="Where?")
    assert "var(--role-value" in page and "var(--role-output" in page


def test_what_is_not_in_the_plane_is_refused():
    with pytest.raises(ValueError, match="two coordinates"):
        arrows({"q": ((1, 0, 0), "query")})
    with pytest.raises(ValueError, match="two coordinates"):
        arrows({})
    with pytest.raises(ValueError, match="three corners, got 2"):
        inside({"a": (0, 0), "b": (1, 1)}, {})


def test_points_are_told():
    assert points_told({"a": (1, 2), "b": (0.5, -3.004)}) == "a (1.00, 2.00); b (0.50, -3.00)"
