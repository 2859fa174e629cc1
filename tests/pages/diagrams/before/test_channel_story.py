"""The figure of the noisy channel: its bars are the numbers of both models, and the largest product is marked."""

import pytest

from attention_book.pages.diagrams.before.channel_story import Candidate, channel_story, channel_story_told, fraction
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type

CANDIDATES = [
    Candidate("gatos negros", 1 / 3, 1 / 4),
    Candidate("negros gatos", 0.0, 1 / 4),
    Candidate("perros negros", 1 / 3, 1 / 12),
]


@pytest.fixture(scope="module")
def axes():
    return channel_story("black cats", CANDIDATES).axes[0]


def bars(axes, name):
    return [patch.get_width() for patch in axes.patches if patch.get_gid().startswith(f"{name}-")]


def test_bars_are_as_long_as_the_numbers(axes):
    for name in ("fluency", "fit", "product"):
        values = [getattr(one, name) for one in CANDIDATES]
        assert bars(axes, name) == pytest.approx([bars(axes, name)[0] * value / values[0] for value in values])


def test_the_numbers_stand_beside_them_as_fractions(axes):
    written = [text.get_text() for text in axes.texts]
    rows = written[written.index("gatos negros") :]
    assert [text for text in rows if text] == [
        *("gatos negros", "1/3", "1/4", "1/12"),
        *("negros gatos", "0", "1/4", "0"),
        *("perros negros", "1/3", "1/12", "1/36"),
    ]


def test_only_the_best_is_bold_wherever_it_stands():
    for shift in range(3):
        moved = CANDIDATES[shift:] + CANDIDATES[:shift]
        axes = channel_story("black cats", moved).axes[0]
        assert [text.get_text() for text in axes.texts if text.get_weight() == "bold"] == ["gatos negros"]


def test_no_text_leaves_the_sheet(axes):
    assert not outside(axes)


def test_the_words_have_the_numbers_and_the_choice():
    told = channel_story_told("black cats", CANDIDATES)
    assert "perros negros: P(y) = 1/3, P(x | y) = 1/12, product 1/36." in told
    assert told.endswith("The product of gatos negros is the largest.")
    assert fraction(0.0) == "0" and fraction(13 / 315) == "13/315"


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    assert smallest_type(axes.figure) >= 9
    drawing = figure_html(channel_story("black cats", CANDIDATES), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-output" in drawing


@pytest.mark.parametrize(
    ("candidates", "said"),
    [
        ([], "needs candidates"),
        ([Candidate("gatos", 1.2, 0.5)], "are probabilities"),
        ([Candidate("gatos", 0.5, -0.1)], "are probabilities"),
        ([Candidate("gatos", 0.5, 0.0)], "every product is 0"),
    ],
)
def test_what_makes_no_figure_is_refused(candidates, said):
    with pytest.raises(ValueError, match=said):
        channel_story("black cats", candidates)
