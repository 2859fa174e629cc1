"""The figure of gaps: every chosen position is asked for its true word, and no other."""

import pytest

from attention_book.pages.diagrams.beyond.gaps import EXAMPLE, Gapped, gaps, gaps_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return gaps().axes[0]


def test_it_has_one_position_of_each_kind():
    kinds = [EXAMPLE.kind(n) for n in range(len(EXAMPLE.words))]
    assert sorted(kinds) == ["hidden", "kept", *["not chosen"] * 3, "replaced"]


def test_the_true_word_is_asked_at_the_chosen_positions_alone(axes):
    said = [text.get_text() for text in axes.texts]
    assert [text for text in said if text.endswith("?")] == ["girls?", "long?", "letters?"]
    bold = {patch.get_gid() for patch in axes.patches if patch.get_linewidth() == 2}
    assert bold == {"shown-1", "shown-3", "shown-4"}
    assert said.count("<mask>") == said.count("coat") == 1 and said.count("letters") == 2


def test_the_words_say_the_same():
    told = gaps_told()
    assert "'girls' is hidden, shown as '<mask>'; 'long' is replaced, shown as 'coat'; 'letters' is kept." in told
    assert told.endswith("Nothing is asked at 'the', 'write', '.'.")
    assert "At these 1 states" in gaps_told(Gapped(("a", "b"), ((0, "c"),)))


def test_letters_stay_on_the_sheet_and_are_legible(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= 9
    assert "var(--role-output" in figure_html(gaps(), alt="told", caption="asked")
