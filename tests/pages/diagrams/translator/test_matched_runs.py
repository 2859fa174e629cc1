"""The figure of BLEU's counts: a bar per run, full where the reference has the run."""

import pytest

from attention_book.pages.diagrams.shapes import WIDTH
from attention_book.pages.diagrams.translator.matched_runs import matched_runs, matched_runs_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

REFERENCE = ["Me", "gustan", "los", "gatos", ",", "pero", "no", "me", "gustan", "los", "perros", "."]
SHORTER = ["Me", "gustan", "los", "gatos", ",", "pero", "no", "los", "perros", "."]


@pytest.fixture(scope="module")
def axes():
    return matched_runs(SHORTER, REFERENCE).axes[0]


def bars(axes):
    """Each bar by its length and place, with whether it is full."""
    named = {tuple(bar.get_gid().split("-")[1:]): bar for bar in axes.patches}
    return {(int(n), int(i)): (bar, said == "found") for (n, i, said), bar in named.items()}


def test_each_run_has_a_bar_and_the_hollow_ones_are_those_that_the_reference_lacks(axes):
    drawn = bars(axes)
    assert len(drawn) == 10 + 9 + 8 + 7
    hollow = {place for place, (_, found) in drawn.items() if not found}
    assert hollow == {(2, 6), (3, 5), (3, 6), (4, 4), (4, 5), (4, 6)}
    assert {place for place, (bar, _) in drawn.items() if bar.get_facecolor()[3] == 0} == hollow
    assert {bar.get_linestyle() for bar, found in drawn.values() if not found} == {"--"}


def test_a_bar_lies_under_its_words_and_no_two_bars_overlap(axes):
    centre = {i: text.get_position()[0] for i, text in enumerate(axes.texts[: len(SHORTER)])}
    boxes = []
    for (n, i), (bar, _) in bars(axes).items():
        left, right = bar.get_x(), bar.get_x() + bar.get_width()
        assert [k for k, x in centre.items() if left < x < right] == list(range(i, i + n))
        boxes.append((left, right, bar.get_y(), bar.get_y() + bar.get_height()))
    for k, (left, right, low, high) in enumerate(boxes):
        assert 0 <= left < right <= WIDTH and low >= 0
        for other in boxes[k + 1 :]:
            assert right <= other[0] or other[1] <= left or high <= other[2] or other[3] <= low


def test_the_counts_stand_beside_the_bars_and_in_the_words(axes):
    assert [text.get_text() for text in axes.texts][-4:] == ["10 of 10", "8 of 9", "6 of 8", "4 of 7"]
    told = matched_runs_told(SHORTER, REFERENCE)
    assert "Single words: 10 of 10 stand in the reference." in told
    assert "Runs of 2 words: 8 of 9 stand in the reference; not “no los”." in told


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    assert smallest_type(axes.figure) >= 9
    drawing = figure_html(matched_runs(SHORTER, REFERENCE), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-output" in drawing


def test_too_long_a_sentence_is_refused():
    with pytest.raises(ValueError, match="too many for one row"):
        matched_runs(["palabra"] * 12, REFERENCE)
