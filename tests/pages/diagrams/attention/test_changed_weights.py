"""The figure of one row whose weights are changed: its numbers are those of attention, and its lines those numbers."""

import math

import pytest

from attention_book.pages.diagrams.attention.changed_weights import changed_weights, changed_weights_told, four_rows
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

MEMORY = {"I": (0.0, 6.0), "like": (math.log(2), 12.0), "cats": (math.log(3), 0.0)}
OTHER = {"Tom": (math.log(3), 2.0), "sleeps": (0.0, 10.0)}


@pytest.fixture(scope="module")
def rows():
    return four_rows(1.0, MEMORY, OTHER)


@pytest.fixture(scope="module")
def axes(rows):
    return changed_weights(rows).axes[0]


def boxes(axes, name):
    return {patch.get_gid(): patch for patch in axes.patches if (patch.get_gid() or "").startswith(f"{name}-")}


def test_the_rows_are_those_of_a_pencil(rows):
    weights = [[1 / 6, 1 / 3, 1 / 2], [1 / 3] * 3, [0.0] * 3, [0.75, 0.25]]
    for row, wanted, output in zip(rows, weights, (5, 6, 0, 4), strict=True):
        assert row.weights == pytest.approx(wanted)
        assert row.output == pytest.approx(output)


def test_a_query_of_zero_has_even_weights_already():
    trained, even, *_ = four_rows(0.0, MEMORY, OTHER)
    assert trained.weights == pytest.approx(even.weights)


def test_every_value_has_a_box_with_its_number_in_it(axes, rows):
    for place, row in enumerate(rows):
        found = boxes(axes, f"value-{place}")
        assert len(found) == len(row.values)
        for box, value in zip(found.values(), row.values, strict=True):
            inside = [
                text.get_text()
                for text in axes.texts
                if 0 < text.get_position()[0] - box.get_x() < box.get_width()
                and 0 < text.get_position()[1] - box.get_y() < box.get_height()
            ]
            assert inside == [f"{value:g}"]


def test_lines_are_as_thick_as_their_weights_and_a_weight_of_zero_has_none(axes, rows):
    lines = {line.get_gid(): line for line in axes.lines if (line.get_gid() or "").startswith("weight-")}
    assert not [name for name in lines if name.startswith("weight-2-")]
    assert len(lines) == 3 + 3 + 2
    at = lambda place, n: (rows[place].weights[n], lines[f"weight-{place}-{n}"].get_linewidth())  # noqa: E731
    (w, thin), (x, thick), (y, thicker) = at(0, 0), at(0, 2), at(3, 0)
    assert (thick - thin) / (x - w) == pytest.approx((thicker - thick) / (y - x)) and thick > thin


def test_panels_do_not_overlap(axes):
    for line in ((0, 1), (2, 3)):
        ends = [
            (min(box.get_x() for box in found), max(box.get_x() + box.get_width() for box in found))
            for place in line
            if (found := list(boxes(axes, f"value-{place}").values()))
        ]
        assert ends[0][1] < ends[1][0] and ends[0][0] >= 0 and ends[1][1] <= axes.get_xlim()[1]


def test_on_a_phone_the_type_is_nine_pixels_or_more(rows):
    figure = changed_weights(rows)
    assert smallest_type(figure) >= 9


def test_the_words_tell_weights_values_and_outputs(rows):
    words = changed_weights_told(rows)
    assert words.startswith("As trained: 0.17 of I with the value 6, 0.33 of like with the value 12, 0.50 of cats with")
    assert "Another memory: 0.75 of Tom with the value 2, 0.25 of sleeps with the value 10; output 4." in words


def test_it_is_drawn_as_vectors_in_colours_of_the_page(axes):
    drawing = figure_html(axes.figure, alt="told", caption="asked")
    assert "<image" not in drawing
    assert all(f"var(--role-{role}" in drawing for role in ("value", "weight", "output"))


def test_what_makes_no_figure_is_refused(rows):
    with pytest.raises(ValueError, match="no row to draw"):
        changed_weights([])
    with pytest.raises(ValueError, match="'even weights' puts out 6, and 7 is given"):
        changed_weights([rows[1]._replace(output=7.0)])
