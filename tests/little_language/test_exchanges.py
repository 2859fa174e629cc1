"""Exchanges: one English word differs, the new sentence is in the language, and the changed words are the grammar's."""

import pytest

from attention_book.little_language.exchanges import exchanges, some_of_each_place, with_likeliest_choices
from attention_book.little_language.language import pair_for, sample


def found_in(text):
    own = pair_for(text)
    return own, {(own.source_words[e.place], e.pair.source_words[e.place]): e for e in exchanges(own)}


def changed(own, exchange):
    return [word for word, new in zip(own.target_words, exchange.changed, strict=True) if new]


def test_a_noun_of_the_other_gender_changes_its_article_and_adjective():
    own, found = found_in("I do not buy the pretty flower.")
    assert changed(own, found["flower", "car"]) == ["la", "flor", "bonita"]
    assert changed(own, found["flower", "table"]) == ["flor"]
    assert changed(own, found["pretty", "blue"]) == ["bonita"]
    assert changed(own, found["I", "We"]) == ["compro"]


def test_every_exchange_is_a_sentence_of_the_language_with_one_other_word():
    for drawn in sample(3, 5, "es", 1):
        own = pair_for(drawn.source)
        found = exchanges(drawn)
        assert len({e.pair.source for e in found}) == len(found)
        for exchange in found[::9]:
            other = pair_for(exchange.pair.source)
            assert other.target == exchange.pair.target
            differ = [n for n, (a, b) in enumerate(zip(own.source_words, other.source_words, strict=True)) if a != b]
            assert differ == [exchange.place]
            assert exchange.changed.tolist() == [
                a != b for a, b in zip(own.target_words, other.target_words, strict=True)
            ]


def test_likeliest_choices_are_those_of_pair_for():
    for drawn in sample(3, 1, "es", 1):
        assert with_likeliest_choices(drawn).target == pair_for(drawn.source).target


def test_some_of_each_place_are_drawn_alike_for_one_seed():
    found = exchanges("I do not buy the pretty flower.")
    few = some_of_each_place(found, 2, seed=1)
    assert few == some_of_each_place(found, 2, seed=1)
    places = [one.place for one in few]
    assert places == sorted(places) and set(places) == {one.place for one in found}
    assert max(places.count(place) for place in places) == 2


def test_a_sentence_beyond_the_language_is_refused():
    with pytest.raises(ValueError, match="not a statement"):
        exchanges("I buy the moon.")
