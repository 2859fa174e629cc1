"""The figures of a decoder that looks back: lines are where the weights and links are, and as thick."""

import numpy as np
import pytest

from attention_book.pages.diagrams.before import looking_back as diagrams
from attention_book.pages.figures.plotting import ROLES, figure_html

from ..legibility import smallest_type

SOURCE, TARGET = ["I", "like", "cats", "</s>"], ["Me", "gustan", "gatos"]
WEIGHTS = np.array([[0.2, 0.6, 0.1, 0.1], [0.1, 0.7, 0.2, 0.0], [0.0, 0.1, 0.85, 0.05]])
LINKS = {(0, 0), (1, 1), (2, 2)}
LOOK = diagrams.look_of(SOURCE, TARGET, WEIGHTS, LINKS)
FIGURES = [diagrams.one_state_or_all, diagrams.links_and_weights]


def lines(axes, name):
    return {line.get_gid(): line for line in axes.lines if (line.get_gid() or "").startswith(name)}


def middles(axes, name):
    found = [patch for patch in axes.patches if (patch.get_gid() or "").startswith(name)]
    return [patch.get_x() + patch.get_width() / 2 for patch in found]


@pytest.mark.parametrize("draw", FIGURES)
def test_every_weight_has_a_line_as_thick_as_it_is(draw):
    found = lines(draw(LOOK).axes[0], "weight-")
    thick = np.array([[found[f"weight-{i}-{j}"].get_linewidth() for i in range(4)] for j in range(3)])
    slopes = np.polyfit(WEIGHTS.ravel(), thick.ravel(), 1)
    assert slopes[0] > 1
    np.testing.assert_allclose(np.polyval(slopes, WEIGHTS), thick, atol=1e-9)


def test_without_attention_all_lines_begin_at_the_last_state():
    axes = diagrams.one_state_or_all(LOOK).axes[0]
    found = lines(axes, "without-line-").values()
    assert [line.get_xdata()[1] for line in found] == pytest.approx(middles(axes, "without-target-"))
    assert {round(line.get_xdata()[0], 6) for line in found} == {round(middles(axes, "without-source-")[-1], 6)}


def test_with_attention_lines_join_the_boxes_of_their_words():
    axes = diagrams.one_state_or_all(LOOK).axes[0]
    tops, bottoms = middles(axes, "with-source-"), middles(axes, "with-target-")
    for i in range(4):
        for j in range(3):
            (line,) = lines(axes, f"weight-{i}-{j}").values()
            assert list(line.get_xdata()) == pytest.approx([tops[i], bottoms[j]])


def test_links_are_dashed_and_join_what_belongs_together():
    axes = diagrams.links_and_weights(LOOK).axes[0]
    found = lines(axes, "link-")
    assert set(found) == {"link-0-0", "link-1-1", "link-2-2"}
    tops, bottoms = middles(axes, "word-source-"), middles(axes, "word-target-")
    for (i, j), line in zip(sorted(LINKS), found.values(), strict=True):
        assert line.get_linestyle() == "--"
        assert np.abs(np.array(line.get_xdata()) - [tops[i], bottoms[j]]).max() < 10


@pytest.mark.parametrize("draw", FIGURES)
def test_every_word_stands_in_its_box_and_the_type_is_legible_on_a_phone(draw):
    axes = draw(LOOK).axes[0]
    said = [text for text in axes.texts if text.get_text() in {*SOURCE, *TARGET}]
    places = [(text.get_position()[0], text.get_text()) for text in said]
    rows = "source", "target"
    for row, words in zip(rows, (SOURCE, TARGET), strict=True):
        for prefix in ("without", "with", "word"):
            for x, word in zip(middles(axes, f"{prefix}-{row}-"), words, strict=False):
                assert any(abs(x - place) < 1e-6 and word == text for place, text in places)
    assert smallest_type(axes.figure) >= 9


@pytest.mark.parametrize("draw", FIGURES)
def test_they_are_drawn_as_vectors_in_colours_of_the_page(draw):
    drawing = figure_html(draw(LOOK), alt="told", caption="asked")
    assert "<image" not in drawing
    assert all(f"var(--role-{role}" in drawing and ROLES[role].light for role in ("query", "key", "weight"))


def test_the_words_tell_the_largest_weights_and_the_links():
    for told in (diagrams.one_state_or_all_told(LOOK), diagrams.links_and_weights_told(LOOK)):
        assert "Me, 0.60 on like; gustan, 0.70 on like; gatos, 0.85 on cats." in told
    assert "from the last state alone, that of </s>" in diagrams.one_state_or_all_told(LOOK)
    assert "I with Me, like with gustan, cats with gatos." in diagrams.links_and_weights_told(LOOK)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((SOURCE, TARGET, WEIGHTS.T), "do not fit weights of shape"),
        ((SOURCE, TARGET, WEIGHTS * 2), "with the sum 1"),
        ((SOURCE, TARGET, WEIGHTS - 0.2), "with the sum 1"),
        ((SOURCE, TARGET, WEIGHTS, {(4, 0)}), "links are"),
        ((SOURCE, TARGET, WEIGHTS, {(0, 3)}), "links are"),
    ],
)
def test_what_does_not_fit_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        diagrams.look_of(*given)
