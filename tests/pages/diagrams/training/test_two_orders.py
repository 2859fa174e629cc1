"""The figure of four trainings: a box with each score, and an arrow from each training to the next with its gain."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.training.two_orders import two_orders, two_orders_told
from attention_book.pages.figures.plotting import figure_html

SCORES = {"neither": 20.0, "R-Drop": 22.25, "the lesson": 19.0, "both": 23.5}


@pytest.fixture(scope="module")
def axes():
    return two_orders(SCORES).axes[0]


def boxes(axes):
    return {patch.get_gid().removeprefix("box-"): patch.get_bbox() for patch in axes.patches if patch.get_gid()}


def letters(axes):
    return {text.get_text(): text for text in axes.texts if text.get_text()}


def test_every_box_has_its_name_and_its_score(axes):
    assert list(boxes(axes)) == list(SCORES)
    for name, score in SCORES.items():
        box = boxes(axes)[name]
        inside = [text for text, at in letters(axes).items() if box.contains(*at.get_position())]
        assert inside == [name, f"{score:.1f}"]


def test_every_step_is_an_arrow_between_its_boxes_beside_the_gain_of_its_change(axes):
    arrows = [(text.xyann, text.xy) for text in axes.texts if getattr(text, "arrowprops", None)]
    assert len(arrows) == 4
    steps = {
        ("neither", "R-Drop"): "R-Drop +2.2",
        ("neither", "the lesson"): "the lesson \N{MINUS SIGN}1.0",
        ("R-Drop", "both"): "the lesson +1.2",
        ("the lesson", "both"): "R-Drop +4.5",
    }

    def at_edge(place):
        (found,) = (name for name, box in boxes(axes).items() if box.padded(0.5).contains(*place))
        return found

    for start, end in arrows:
        text = steps.pop((at_edge(start), at_edge(end)))
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        x, y = letters(axes)[text].get_position()
        assert x == pytest.approx(middle[0]) and abs(y - middle[1]) < 20
    assert not steps


def test_nothing_stands_outside_the_sheet_or_over_a_box_and_the_type_is_legible_on_a_phone(axes):
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    for words, text in letters(axes).items():
        extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, words
        if words not in SCORES and words[-4] in "+\N{MINUS SIGN}":
            assert not any(box.overlaps(extent) for box in boxes(axes).values()), words
        assert text.get_fontsize() * min(1.0, 311 / width) >= 9
    assert "<image" not in figure_html(two_orders(SCORES), alt="told", caption="asked")


def test_the_words_have_both_ways_and_all_gains():
    told = two_orders_told(SCORES)
    assert "from neither, 20.0, by +2.2 to R-Drop, 22.2, and by +1.2 to both, 23.5" in told
    assert "from neither, 20.0, by \N{MINUS SIGN}1.0 to the lesson, 19.0, and by +4.5 to both, 23.5" in told


def test_two_changes_give_four_scores():
    with pytest.raises(ValueError, match="four scores, got 3"):
        two_orders({"neither": 1.0, "A": 2.0, "B": 3.0})
