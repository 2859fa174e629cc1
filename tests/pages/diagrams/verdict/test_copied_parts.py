"""Which parts are copied is drawn and said alike; every seed has its dot, and letters stay legible on a phone."""

import re

import pytest
from matplotlib.colors import to_rgba

from attention_book.pages.diagrams.verdict import copied_parts as diagrams
from attention_book.pages.figures.legible import LEAST_TYPE
from attention_book.pages.figures.plotting import figure_html

STARTS = {"alone": [], "encoder": ["src_embedding", "encoder"], "all": ["src_embedding", "encoder", "decoder"]}
SCORES = {"look-up": [23.0], "alone": [20.0, 21.0], "all": [28.0, 30.0]}


def test_a_copied_part_is_shaded_and_another_is_dashed():
    (axes,) = diagrams.copied_parts(STARTS).axes
    boxes = {patch.get_gid(): patch for patch in axes.patches if patch.get_gid()}
    for row, copied in enumerate(STARTS.values()):
        for part in (*diagrams.PARTS, "own"):
            drawn = boxes[f"{row}-{part}"]
            assert (to_rgba(drawn.get_facecolor())[3] > 0) == (part in copied)
            assert (drawn.get_linestyle() == "--") == (part not in copied)


def test_the_words_name_what_is_copied_and_what_is_not():
    told = diagrams.copied_parts_told(STARTS)
    assert "alone: copied nothing; drawn anew English table, encoder layers, decoder layers, Hindi table." in told
    assert "encoder: copied English table, encoder layers; drawn anew decoder layers, Hindi table." in told


def test_every_seed_has_its_dot_and_the_floor_is_the_mean_of_its_row():
    (axes,) = diagrams.start_dots(SCORES, "look-up").axes
    lines = {line.get_gid(): line for line in axes.lines}
    for place, (label, seeds) in enumerate(SCORES.items()):
        dots = lines[f"seeds-{label}"]
        assert (list(dots.get_xdata()), list(dots.get_ydata())) == (seeds, [place] * len(seeds))
    assert list(lines["floor"].get_xdata()) == [23.0, 23.0] and axes.get_xlim()[0] == 0
    told = diagrams.start_dots_told(SCORES)
    assert "look-up: 23.0; alone: 20.0, 21.0; all: 28.0, 30.0." in told


def test_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no part head"):
        diagrams.copied_parts({"alone": ["head"]})
    with pytest.raises(ValueError, match="there is no row 'other'"):
        diagrams.start_dots(SCORES, "other")


@pytest.mark.parametrize("figure", [diagrams.copied_parts(STARTS), diagrams.start_dots(SCORES, "look-up")])
def test_letters_keep_their_size_on_a_phone(figure):
    html = figure_html(figure, alt="a", caption="b")
    assert int(re.search(r"min-width: (\d+)px", html)[1]) <= 343, LEAST_TYPE
