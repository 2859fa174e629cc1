"""The figure of a beam search: a box per candidate, joined to the prefix that it continues, dressed as it fared."""

import math

import pytest

from attention_book.examples.small_bigram import ANIMALS, SmallBigram
from attention_book.pages.diagrams.before.beam_levels import beam_levels, levels_told
from attention_book.pages.figures.plotting import figure_html
from attention_book.translation.beam_tree import DROPPED, FINISHED, KEPT, BeamTree, grow

from ..legibility import smallest_type

MODEL = SmallBigram(ANIMALS)
TREE = grow(MODEL, MODEL.source, 2, max_len=5)


@pytest.fixture(scope="module")
def axes():
    return beam_levels(TREE, MODEL.spelt).axes[0]


def boxes(axes):
    """Each candidate's box by its tokens, with its fate."""
    found = {}
    for patch in axes.patches:
        fate, *tokens = (patch.get_gid() or "-").split("-")
        if tokens and all(token.isdigit() for token in tokens):
            found[tuple(map(int, tokens))] = (fate, patch)
    return found


def test_every_candidate_has_a_box_with_its_word_and_probability(axes):
    wanted = {one.tokens: one for step in TREE.steps for one in step.candidates}
    assert set(boxes(axes)) == set(wanted)
    texts = [(text.get_position(), text.get_text()) for text in axes.texts if text.get_text()]
    for tokens, (fate, patch) in boxes(axes).items():
        (x, y), width, height = patch.get_xy(), patch.get_width(), patch.get_height()
        inside = [said for (tx, ty), said in texts if 0 < tx - x < width and 0 < ty - y < height]
        assert inside == [MODEL.spelt(tokens[-1:]), f"{math.exp(wanted[tokens].log_prob):.4g}"]
        assert fate == wanted[tokens].fate


def test_fates_are_told_by_edges_and_not_by_colour_alone(axes):
    styles = {}
    for fate, patch in boxes(axes).values():
        styles.setdefault(fate, set()).add((patch.get_linewidth(), patch.get_linestyle() in ("-", "solid")))
    assert styles[DROPPED] == {(1, False)} and styles[KEPT] == styles[FINISHED] == {(2.2, True)}
    inner = [patch for patch in axes.patches if not patch.get_gid()]
    assert len(inner) == 1 + sum(fate == FINISHED for fate, _ in boxes(axes).values())  # and one in the legend


def test_each_line_leads_from_the_box_of_the_prefix_to_that_of_its_continuation(axes):
    lines = [line for line in axes.lines if line.get_gid()]
    assert len(lines) == sum(len(step.candidates) for step in TREE.steps[1:])
    ends = {(round(x, 3), round(y, 3)): (round(x0, 3), round(y0, 3)) for (x0, x), (y0, y) in
            ((line.get_xdata(), line.get_ydata()) for line in lines)}  # fmt: skip
    for tokens, (_, patch) in boxes(axes).items():
        if len(tokens) > 1:
            parent = boxes(axes)[tokens[:-1]][1]
            into = (round(patch.get_x(), 3), round(patch.get_y() + patch.get_height() / 2, 3))
            out_of = (parent.get_x() + parent.get_width(), parent.get_y() + parent.get_height() / 2)
            assert ends[into] == pytest.approx(out_of, abs=0.01)


def test_boxes_do_not_overlap_and_stay_on_the_sheet(axes):
    corners = [(patch.get_x(), patch.get_y()) for _, patch in boxes(axes).values()]
    _, patch = next(iter(boxes(axes).values()))
    width, height = patch.get_width(), patch.get_height()
    for n, (x, y) in enumerate(corners):
        assert x > 0 and y > 0 and x + width < axes.get_xlim()[1] and y + height < axes.get_ylim()[1]
        assert all(abs(x - a) > width or abs(y - b) > height for a, b in corners[n + 1 :])


def test_the_words_tell_each_step_in_order_of_probability():
    words = levels_told(TREE, MODEL.spelt)
    assert "Step 1: dogs 0.45, kept; cats 0.35, kept; hide 0.2, dropped." in words
    assert words.endswith("Step 5: dogs bark loudly today </s> 0.1215, finished.")


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors():
    figure = beam_levels(TREE, MODEL.spelt)
    assert smallest_type(figure) >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="asked")


@pytest.mark.parametrize("steps", [(), TREE.steps + TREE.steps[:1]])
def test_a_search_of_no_step_or_too_many_is_refused(steps):
    with pytest.raises(ValueError, match="room for one to five steps"):
        beam_levels(BeamTree(steps, 9), MODEL.spelt)
