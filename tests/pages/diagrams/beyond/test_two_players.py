"""The figure of two players: the path stands where the numbers are, at one scale, and the rounds beside it."""

import numpy as np

from attention_book.pages.diagrams.beyond import two_players as figure
from attention_book.pages.figures.plotting import figure_html
from attention_book.studies.beyond.two_players import in_turn

from ..legibility import outside, smallest_type

PATH = in_turn(1.0, 1.0, 0.5, 40)


def lines(axes):
    return {line.get_gid(): np.column_stack(line.get_data()) for line in axes.lines}


def test_the_path_stands_around_the_crossing_of_the_axes_at_one_scale():
    drawn = lines(figure.around(PATH).axes[0])
    centre = drawn["axis-judge"].mean(axis=0)
    np.testing.assert_allclose(drawn["axis-generator"].mean(axis=0), centre)
    away = drawn["path"] - centre
    np.testing.assert_allclose(away / away[0], PATH)


def test_both_axes_are_marked_at_one_and_minus_one():
    axes = figure.around(PATH).axes[0]
    drawn = lines(axes)
    centre, units = drawn["axis-judge"].mean(axis=0), (drawn["path"][0] - drawn["axis-judge"].mean(axis=0)) / PATH[0]
    for name, way in (("judge", (1, 0)), ("generator", (0, 1))):
        for at, told in ((-1, "\N{MINUS SIGN}1"), (1, "1")):
            np.testing.assert_allclose(drawn[f"mark-{name}{at:+}"].mean(axis=0), centre + at * units * way)
            assert [text.get_text() for text in axes.texts if text.get_gid() == f"unit-{name}{at:+}"] == [told]


def test_every_eighth_round_is_numbered_outside_of_the_path():
    axes = figure.around(PATH).axes[0]
    centre = lines(axes)["axis-judge"].mean(axis=0)
    numbers = {text.get_text(): text for text in axes.texts if str(text.get_gid()).startswith("round-")}
    assert list(numbers) == ["0", "8", "16", "24", "32", "40"]
    for n, text in numbers.items():
        place = lines(axes)["path"][int(n)]
        assert np.linalg.norm(np.subtract(text.get_position(), centre)) > np.linalg.norm(place - centre)


def test_all_is_on_the_sheet_and_told():
    drawing = figure.around(PATH)
    assert not outside(drawing.axes[0]) and smallest_type(drawing) >= 9
    width, height = drawing.get_size_inches() * 72
    for places in lines(drawing.axes[0]).values():
        assert places.min() >= 0 and places[:, 0].max() <= width and places[:, 1].max() <= height
    told = figure.around_told(PATH)
    assert "over 40 rounds" in told and "round 0: w 1.00, g 1.00" in told
    assert f"{min(np.hypot(w, g) for w, g in PATH):.2f}" in told
    assert "<svg" in figure_html(drawing, alt=told, caption="Two players.")
