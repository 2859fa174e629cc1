"""The figure of one step of the translator: every part is there, and what is drawn is what was given."""

import itertools

import numpy as np
import pytest

from attention_book.pages.diagrams.translator_flow import Step, flow_told, step_of, translator_flow
from attention_book.pages.figures.plotting import ROLES, figure_html

from .legibility import smallest_type

SENTENCE, READ, WRITTEN, LATER = "I like cats.", ["I", "like", "cats", "."], ["<s>", "Me"], ["gustan", "los", "gatos"]
WEIGHTS = np.array([0.05, 0.5, 0.4, 0.05])
LIKELIEST = [("gustan", 0.9), ("gusta", 0.06)]
STEP = Step(SENTENCE, READ, WRITTEN, LATER, WEIGHTS, LIKELIEST)


@pytest.fixture(scope="module")
def axes():
    return translator_flow(STEP).axes[0]


def boxes(axes, name):
    return [patch for patch in axes.patches if (patch.get_gid() or "").startswith(f"{name}-")]


def texts(axes):
    return {text.get_position(): text.get_text() for text in axes.texts if text.get_text()}


def test_every_piece_has_a_box_and_stands_in_it(axes):
    for name, pieces in {"read": READ, "written": WRITTEN, "later": LATER}.items():
        found = boxes(axes, name)
        assert len(found) == len(pieces)
        for box, piece in zip(found, pieces, strict=True):
            (left, bottom), width, height = box.get_xy(), box.get_width(), box.get_height()
            inside = [said for (x, y), said in texts(axes).items() if 0 < x - left < width and 0 < y - bottom < height]
            assert inside == [piece]


def test_boxes_of_a_row_do_not_overlap_and_the_columns_stay_apart(axes):
    for row in (boxes(axes, "read"), boxes(axes, "written") + boxes(axes, "later")):
        ends = [(box.get_x(), box.get_x() + box.get_width()) for box in row]
        assert all(end < start for (_, end), (start, _) in itertools.pairwise(ends))
    assert max(box.get_x() + box.get_width() for box in boxes(axes, "read")) < boxes(axes, "written")[0].get_x()


def test_the_memory_has_a_key_and_a_value_for_each_subword_in_their_colours(axes):
    for role in ("key", "value"):
        found = boxes(axes, role)
        assert len(found) == len(READ)
        assert {box.get_facecolor() for box in found} == {(*_rgb(ROLES[role].light), 1.0)}


def test_lines_are_as_thick_as_their_weights_and_lead_to_one_query(axes):
    lines = {line.get_gid(): line for line in axes.lines if (line.get_gid() or "").startswith("weight-")}
    thickness = np.array([lines[f"weight-{place}"].get_linewidth() for place in range(len(WEIGHTS))])
    slope = np.diff(thickness[[0, 2, 1]]) / np.diff(WEIGHTS[[0, 2, 1]])
    assert slope[0] > 0
    assert slope[0] == pytest.approx(slope[1])
    assert len({(line.get_xdata()[-1], line.get_ydata()[-1]) for line in lines.values()}) == 1


def test_bars_are_as_long_as_the_probabilities(axes):
    lengths = [box.get_width() for box in boxes(axes, "probability")]
    assert lengths[0] / lengths[1] == pytest.approx(0.9 / 0.06)


def test_the_chosen_piece_goes_back_to_the_place_after_the_written_ones(axes):
    heads = [text.xy for text in axes.texts if not text.get_text()]
    box = boxes(axes, "later")[0]
    middle = box.get_x() + box.get_width() / 2
    assert any(x == pytest.approx(middle) and y > box.get_y() + box.get_height() / 2 for x, y in heads)


def test_another_count_of_pieces_moves_that_place():
    axes = translator_flow(STEP._replace(written=["<s>", "Me", "gustan"], later=["los"])).axes[0]
    assert len(boxes(axes, "written")) == 3
    box = boxes(axes, "later")[0]
    assert any(
        text.xy[0] == pytest.approx(box.get_x() + box.get_width() / 2) for text in axes.texts if not text.get_text()
    )


def test_on_a_phone_the_type_is_nine_pixels_or_more():
    figure = translator_flow(STEP)
    assert smallest_type(figure) >= 9


def test_the_words_tell_the_pieces_the_weights_and_the_choice():
    words = flow_told(STEP)
    assert "subwords I, like, cats, .;" in words
    assert "fed <s>, Me; later pieces are masked" in words
    assert "weights: 0.05 on I, 0.50 on like, 0.40 on cats, 0.05 on ." in words
    assert "gustan 0.900, gusta 0.060. The search takes gustan" in words


def test_it_is_drawn_as_vectors_in_colours_of_the_page():
    drawing = figure_html(translator_flow(STEP), alt="told", caption="asked")
    assert "<image" not in drawing
    assert all(f"var(--role-{role}" in drawing for role in ROLES)


@pytest.mark.parametrize(
    ("place", "wrong", "said"),
    [
        (1, [], "needs pieces read"),
        (2, [], "pieces written"),
        (3, [], "pieces to come"),
        (5, [], "candidates"),
        (4, WEIGHTS[:3], "one weight each"),
        (4, WEIGHTS * 2, "with the sum 1"),
        (4, np.array([-0.1, 0.6, 0.4, 0.1]), "one weight each"),
        (5, LIKELIEST[::-1], "comes first"),
    ],
)
def test_what_makes_no_figure_is_refused(place, wrong, said):
    given = list(STEP)
    given[place] = wrong
    with pytest.raises(ValueError, match=said):
        translator_flow(Step(*given))


def test_a_step_is_taken_from_the_translators_own_translation(translator):
    told = translator.translate(SENTENCE, return_attention=True)
    for known in (0, 1, 3):
        step = step_of(translator, SENTENCE, known)
        assert [*step.written[1:], *step.later] == told.target_tokens[: known + 2]
        assert step.read == told.source_tokens and step.written[0] == "<s>"
        np.testing.assert_allclose(step.weights, told.cross[-1, :, known].mean(axis=0), atol=1e-6)
        piece, probability = step.likeliest[0]
        assert piece == step.later[0]  # this sentence is the greedy one
        assert np.log(probability) == pytest.approx(told.log_probs[known], abs=1e-4)
        translator_flow(step)


def _rgb(colour):
    return tuple(int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
