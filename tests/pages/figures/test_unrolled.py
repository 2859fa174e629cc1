"""The figure of an encoder–decoder: a box a state, counted, and the tokens where they belong."""

import pytest

from attention_book.pages.figures.unrolled import told, unrolled

from ..diagrams.legibility import smallest_type

SOURCE, FED, ASKED = ["I", "like", "cats"], ["<s>", "Me", "gustan"], ["Me", "gustan", "</s>"]


def texts(figure):
    return {(round(t.get_position()[0], 1), t.get_text()) for t in figure.axes[0].texts if t.get_text()}


def test_there_is_one_state_more_than_tokens_in_either_row():
    found = {text for _, text in texts(unrolled(SOURCE, FED, ASKED))}
    assert {text for text in found if text.startswith("$h")} == {f"$h_{{{n}}}$" for n in range(4)}
    assert {text for text in found if text.startswith("$s")} == {f"$s_{{{n}}}$" for n in range(4)}


def test_tokens_stand_at_the_state_that_has_met_them():
    found = texts(unrolled(SOURCE, FED, ASKED))
    for tokens in (SOURCE, FED, ASKED):
        assert {(float(place), token) for place, token in enumerate(tokens, start=1)} <= found


def test_running_free_has_an_arrow_more_for_each_word_fed_back():
    forced, free = (unrolled(SOURCE, FED, ASKED, free=free).axes[0] for free in (False, True))
    assert len(free.lines) - len(forced.lines) == len(FED) - 1


def test_the_one_vector_is_the_thickest_line():
    thick = max(line.get_linewidth() for line in unrolled(SOURCE, FED, ASKED, free=True).axes[0].lines)
    (path,) = [line for line in unrolled(SOURCE, FED, ASKED, free=True).axes[0].lines if line.get_linewidth() == thick]
    assert (path.get_xdata()[0], path.get_xdata()[-1]) == (len(SOURCE), 0)


def test_on_a_phone_the_type_is_nine_pixels_or_more():
    figure = unrolled(SOURCE, FED, ASKED)
    assert smallest_type(figure) >= 9


@pytest.mark.parametrize(("source", "fed", "asked"), [([], FED, ASKED), (SOURCE, [], []), (SOURCE, FED, ASKED[:2])])
def test_what_makes_no_figure_is_refused(source, fed, asked):
    with pytest.raises(ValueError, match="do not make a figure"):
        unrolled(source, fed, asked)


def test_the_words_name_every_token_and_the_last_state_of_either_row():
    words = told(SOURCE, FED, ASKED)
    assert "reads I, like, cats and has the states h0 to h3. One arrow leads from h3 to s0" in words
    assert "is fed <s>, Me, gustan, has the states s0 to s3, and is asked for Me, gustan, </s>." in words
