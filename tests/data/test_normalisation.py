"""Text made comparable: what counts as the same sentence, and what readers get."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.data.normalisation import normalise, tidy

law = settings(max_examples=100, deadline=None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Don't go!", "dont go"),
        ("A well-known fact.", "a well known fact"),
        ("Straße", "STRASSE"),
        ("ﬁne", "FINE"),
        ("café", "cafe\u0301"),
        ("two\u200bwords", "two words"),
        ("no\u00a0break", "no break"),
        ("«¿Qué?»", "qué"),
        ("क्\u200dष", "क्ष"),
        ("वह घर है।", "वह घर है|"),
    ],
)
def test_normalised_forms_agree(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), [("sí", "si"), ("año", "ano"), ("की", "कि"), ("10", "20"), ("मैं", "में")])
def test_letters_marks_and_digits_tell_sentences_apart(one, other):
    assert normalise(one) != normalise(other)


@law
@given(st.text())
def test_normalising_and_tidying_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)
    assert tidy(tidy(text)) == tidy(text)
    assert normalise(tidy(text)) == normalise(text)


@law
@given(st.text())
def test_tidy_text_is_nfc_with_single_spaces(text):
    tidied = tidy(text)
    assert unicodedata.is_normalized("NFC", tidied)
    assert tidied == " ".join(tidied.split())


def test_tidying_keeps_hindi_joiners_and_drops_zero_width_spaces():
    assert tidy(" क्\u200dष\u00a0\u00a0a\u200bb\ufeff ") == "क्\u200dष ab"
