"""The figure of one head and two: what is drawn is what the example computes."""

import numpy as np
import pytest

from attention_book.examples.two_heads_by_hand import TOKENS, steps
from attention_book.pages.diagrams.attention.two_heads import Asked, asked, two_heads, two_heads_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type


@pytest.fixture(scope="module")
def axes():
    return two_heads(asked()).axes[0]


def test_the_panels_are_the_single_head_and_both_of_two():
    one, first, second = asked()
    np.testing.assert_allclose(one.weights, steps(1)["weights"][0, 1])
    np.testing.assert_allclose([first.weights, second.weights], steps(2)["weights"][:, 1])
    output = steps(2)["output"][1]
    assert first.found == {"person": pytest.approx(output[5])} and second.found == {"number": pytest.approx(output[6])}
    output = steps(1)["output"][1]
    assert one.found == {"person": pytest.approx(output[5]), "number": pytest.approx(output[6])}


def test_another_word_has_other_weights():
    assert asked("cats")[1].weights != asked()[1].weights


def test_lines_are_as_thick_as_the_weights(axes):
    lines = {line.get_gid(): line.get_linewidth() for line in axes.lines if line.get_gid()}
    weights = {f"weight-{n}-{i}": w for n, panel in enumerate(asked()) for i, w in enumerate(panel.weights)}
    assert lines.keys() == weights.keys()
    assert [lines[name] for name in weights] == pytest.approx([0.4 + 8 * w for w in weights.values()])


def test_each_line_comes_from_above_its_word(axes):
    words = {patch.get_gid(): patch.get_x() + patch.get_width() / 2 for patch in axes.patches}
    for line in (line for line in axes.lines if line.get_gid()):
        assert line.get_xdata()[0] == pytest.approx(words[line.get_gid().replace("weight", "word")])


def test_the_words_are_those_of_the_figure(axes):
    told = two_heads_told(asked())
    drawn = [text.get_text() for text in axes.texts]
    for panel in asked():
        for token, weight in zip(TOKENS, panel.weights, strict=True):
            assert f"{weight:.2f} on {token}" in told and f"{weight:.2f}" in drawn
        for name, value in panel.found.items():
            assert f"{name} {value:.2f}" in told and f"{name} {value:.2f}" in drawn


def test_fewer_panels_stand_in_the_middle_and_are_counted(axes):
    one, *two = asked()
    for some in ([one], two, asked()):
        words = [patch.get_x() + patch.get_width() / 2 for patch in two_heads(some).axes[0].patches]
        assert np.mean(words) == pytest.approx(np.mean(axes.get_xlim()))
    assert two_heads_told([one]).startswith("One panel, with the query of like")
    assert two_heads_told(two).startswith("Two panels, each with the query of like")
    assert two_heads_told(asked()).startswith("Three panels, each")


@pytest.mark.parametrize("count", [0, 4])
def test_no_panels_and_too_many_are_refused(count):
    with pytest.raises(ValueError, match="one to 3 panels"):
        two_heads(asked()[:1] * count)


def test_on_a_phone_the_type_is_nine_pixels_or_more(axes):
    assert smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors():
    drawing = figure_html(two_heads(asked()), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-weight" in drawing


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.5, 0.5, 0.5)])
def test_weights_that_do_not_fit_are_refused(weights):
    with pytest.raises(ValueError, match="one weight each"):
        two_heads([Asked("one head", weights, {})])
