"""Sentences of the little language in which two words can change places, and such in which none can."""

import pytest

from attention_book.little_language.language import pair_for
from attention_book.studies.attention.word_exchange import can_be_exchanged, share_exchangeable


def test_subjects_of_two_clauses_can_change_places_and_the_words_of_a_short_clause_cannot():
    assert can_be_exchanged(pair_for("You like white horses, and we do not like water."))  # you and we
    assert not can_be_exchanged(pair_for("She likes the horse."))


def test_the_pages_two_sentences_have_the_same_words_and_are_both_of_the_language():
    one, other = "You like white horses, and we do not like water.", "We like white horses, and you do not like water."
    assert sorted(one.lower().split()) == sorted(other.lower().split())
    assert all(pair_for(text).source == text for text in (one, other))


@pytest.mark.slow
def test_two_clauses_leave_more_to_the_order_than_one():
    one, two = share_exchangeable(1, 8), share_exchangeable(2, 12)
    assert one < 0.1 < 0.3 < two


def test_too_few_sentences_are_refused():
    with pytest.raises(ValueError, match="draw more"):
        share_exchangeable(2, 4, n=5, drawn=20)
