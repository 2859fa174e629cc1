"""What the page says of captions and pictures holds in the committed result."""

import re

import numpy as np
import pytest

from attention_book.experiments.beyond.captioned_pictures import captions, is_unseen, pictures
from attention_book.readers.beyond import captioned_pictures


@pytest.fixture(scope="module")
def runs():
    return captioned_pictures.read()


def test_both_draw_what_they_have_seen(runs):
    assert min(runs.of("few_seen").min(), runs.of("many_seen").min()) > 0.85


def test_more_colours_help_unseen_captions_in_every_seed(runs):
    assert (runs.of("many_unseen") > runs.of("few_unseen")).all()
    assert runs.of("few_unseen").min() > 2 * runs.guessed / 100


def test_the_colour_is_seldom_what_is_wrong(runs):
    for arm in ("few", "many"):
        assert runs.wrong(arm, "colour").value < 5
        shares = runs.of(f"{arm}_wrong").sum(axis=1) + runs.of(f"{arm}_unseen")
        assert np.allclose(shares, 1)
    assert runs.wrong("few", "more").value > (100 - runs.right("few", "unseen").value) / 2


def test_the_chances_of_a_dot_rise_and_end_short_of_one(runs):
    for arm in ("few", "many"):
        means = runs.of(f"{arm}_dots").mean(axis=0)
        assert (np.diff(means) > 0).all() and 0.7 < means[-1] < 1
    assert [row[1] for row in runs.dot_rows()] == ["0.25", "0.33", "0.50", "1.00"]
    header, last = captioned_pictures.DOT_HEADER, runs.dot_rows()[-1]
    assert list(header[2:]) == [f"{colours} colours" for colours in runs.setting["arms"].values()]
    for arm, cell in zip(runs.setting["arms"], last[2:], strict=True):
        assert cell.startswith(f"{runs.of(f'{arm}_dots')[:, -1].mean():.2f}")


def test_a_guess_counted_by_hand(runs):
    """A guess is right if a dot in a corner serves two sides: 1/4 each time that dots of one colour share a corner."""
    right = 0.0
    for asked in filter(is_unseen, captions()):
        for other in captions():
            if not is_unseen(other) and asked[0] == other[0] and asked[1] == other[1] == "dot":
                right += len({*pictures(asked)} & {*pictures(other)}) / 4
    assert runs.guessed == pytest.approx(100 * right / (12 * 24)) and 0 < runs.guessed < 5


def test_tables_words_and_numbers(runs):
    rows = runs.rows()
    assert [row[0] for row in rows] == ["3 colours", "12 colours"] and [row[1] for row in rows] == ["24", "96"]
    for arm, row in zip(("few", "many"), rows, strict=True):
        assert re.match(r"\d+", row[3]).group() == f"{100 * runs.of(f'{arm}_unseen').mean():.0f}"
    assert len(runs.drawn("many")) == 12
    told = runs.drawn_told("many")
    assert told.startswith("12 pictures of unseen captions.")
    assert told.count(": right") == runs.numbers()["pictures_drawn_right"] == 12 - told.count(": wrong")
    numbers = runs.numbers()
    assert (numbers["pictures_captions"], numbers["pictures_unseen"]) == (36, 12)
