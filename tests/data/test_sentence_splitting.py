"""Where sentences are cut, and that nothing is lost."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_book.data.normalisation import tidy
from attention_book.data.sentence_splitting import split_sentences, without_controls


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \t\n ", []),
        ("I like cats.", ["I like cats."]),
        ("I like cats. You like dogs!  Do we agree?", ["I like cats.", "You like dogs!", "Do we agree?"]),
        ("no end mark", ["no end mark"]),
        ("Wait... What?! No.", ["Wait...", "What?!", "No."]),
        ('He said, "Go." She went.', ['He said, "Go."', "She went."]),
        ("(It rained.) We stayed.", ["(It rained.)", "We stayed."]),
        ("Come.\nIt is late.", ["Come.", "It is late."]),
        ("Who is it? 3 people came.", ["Who is it?", "3 people came."]),
        ("It was me and I. You knew.", ["It was me and I.", "You knew."]),
        # not ends of sentences
        ("Mr. Smith met Dr. Jones on Mt. Fuji.", ["Mr. Smith met Dr. Jones on Mt. Fuji."]),
        ("(Mrs. Lee left.)", ["(Mrs. Lee left.)"]),
        ("J. Smith left at 7 p.m. Tuesday.", ["J. Smith left at 7 p.m. Tuesday."]),
        ("We met at 8 a.m. on Monday.", ["We met at 8 a.m. on Monday."]),
        ("He is No. 1 here.", ["He is No. 1 here."]),
        ("It costs 3.50 dollars.", ["It costs 3.50 dollars."]),
        ("See example.com for more.", ["See example.com for more."]),
        # but
        ("No. I do not.", ["No.", "I do not."]),
        ("The U.S.! We won.", ["The U.S.!", "We won."]),
    ],
)
def test_sentences(text, sentences):
    assert split_sentences(text) == sentences


@given(st.text() | st.text(alphabet="aB. !?\"')…\n"))
def test_nothing_but_space_is_lost(text):
    sentences = split_sentences(text)
    assert " ".join(sentences) == tidy(text)
    assert all(sentence == tidy(sentence) != "" for sentence in sentences)


def test_a_long_run_of_marks_takes_no_long_time():
    assert "".join(split_sentences("." * 50_000 + "a" * 50_000)) == "." * 50_000 + "a" * 50_000


@given(st.text() | st.text(alphabet="a\0\x1b\x7f\x85\t\n"))
def test_controls_become_spaces_and_are_named(text):
    clean, found = without_controls(text)
    assert len(clean) == len(text)
    changed = [(before, after) for before, after in zip(text, clean, strict=True) if before != after]
    assert all(unicodedata.category(before) == "Cc" and after == " " for before, after in changed)
    assert found == [f"U+{ord(before):04X}" for before, _ in changed]
    assert not any(unicodedata.category(c) == "Cc" and not c.isspace() for c in clean)


def test_tabs_and_line_ends_are_no_controls():
    assert without_controls("a\tb\r\nc") == ("a\tb\r\nc", [])
    assert without_controls("a\0b\x1b[1m") == ("a b [1m", ["U+0000", "U+001B"])
