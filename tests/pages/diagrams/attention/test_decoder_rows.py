"""The figure of a decoder of two rows: an arrow for each input that a row sees, and the forbidden one stands out."""

import itertools

import pytest

from attention_book.pages.diagrams.attention.decoder_rows import Panel, copying_decoder, decoder_rows, rows_told
from attention_book.pages.figures.plotting import ROLES, figure_html

from ..legibility import smallest_type

PANELS = copying_decoder("coche", "0.693")


def arrows(figure):
    return [text for text in figure.axes[0].texts if not text.get_text()]


def boxes(figure):
    return {patch.get_gid(): patch for patch in figure.axes[0].patches if patch.get_gid()}


def test_only_the_decoder_without_a_mask_sees_the_later_input():
    later = [[pair for pair in panel.seen if pair[1] > pair[0]] for panel in PANELS]
    assert later == [[], [(0, 1)], []]
    assert PANELS[0].losses == ["0.693", "0"] and PANELS[1].losses == ["0", "0"]
    assert PANELS[2].inputs == ["<s>"]


def test_there_is_an_arrow_for_each_input_that_is_seen_and_a_thick_one_from_the_answer():
    figure = decoder_rows(PANELS)
    assert len(arrows(figure)) == sum(len(panel.seen) for panel in PANELS) == 8
    (thick,) = [one for one in arrows(figure) if one.arrow_patch.get_linewidth() > 2]
    shapes = boxes(figure)
    start, end = shapes["input-1-1"], shapes["asked-1-0"]
    assert thick.xyann[0] == pytest.approx(start.get_x() + start.get_width() / 2)
    assert thick.xy[0] == pytest.approx(end.get_x() + end.get_width() / 2)
    assert f"var(--role-value, {ROLES['value'].light})" in figure_html(figure, alt="told", caption="asked")


def test_boxes_stay_on_the_sheet_and_apart():
    figure = decoder_rows(PANELS)
    for height in ("input", "asked"):
        ends = sorted(
            (box.get_x(), box.get_x() + box.get_width()) for name, box in boxes(figure).items() if height in name
        )
        assert ends[0][0] >= 0 and ends[-1][1] <= figure.get_figwidth() * 72
        assert all(end < start for (_, end), (start, _) in itertools.pairwise(ends))
    assert smallest_type(figure) >= 9


def test_the_panels_in_words():
    told = rows_told(PANELS)
    assert "With the mask: row 0 is fed <s>, sees <s> and is asked for coche, least loss 0.693;" in told
    assert "Without it: row 0 is fed <s>, sees <s> and coche and is asked for coche, least loss 0;" in told
    assert told.endswith("Writing alone: row 0 is fed <s>, sees <s> and is asked for ?.")


@pytest.mark.parametrize("panel", [Panel("", ["a"], ["b", "c"], []), Panel("", ["a"], ["b"], [(0, 1)])])
def test_what_does_not_fit_is_refused(panel):
    with pytest.raises(ValueError, match="a token for each row"):
        decoder_rows([panel])
