import pytest

from attention_book.pages.figures.axis_marks import marked
from attention_book.pages.figures.plotting import curves


@pytest.fixture
def figure():
    lines = {"rising": ([1, 10, 100], [0, 1, 2]), "falling": ([1, 10, 100], [2, 1, 0])}
    return curves(lines, x_label="x", y_label="y", x_scale="log")


def labels(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_marks_stand_where_they_are_asked_for_and_nowhere_else(figure):
    (axes,) = marked(figure, x={1: "one", 50: "fifty"}, y=[0, 2], y_limits=(0, 3)).axes
    assert axes.get_xticks().tolist() == [1, 50] and labels(axes.xaxis) == ["one", "fifty"]
    assert axes.get_yticks().tolist() == [0, 2] and axes.get_ylim() == (0, 3)
    assert len(axes.xaxis.get_minorticklocs()) == 0
    assert [text.get_text() for text in axes.get_legend().texts] == ["rising", "falling"]


def test_an_axis_can_be_left_alone_or_without_marks_and_the_legend_taken_away(figure):
    before = figure.axes[0].get_yticks().tolist()
    (axes,) = marked(figure, x=[], legend=False).axes
    assert axes.get_yticks().tolist() == before and axes.get_xticks().size == 0
    assert axes.get_legend() is None
    assert marked(figure, legend=False) is figure
