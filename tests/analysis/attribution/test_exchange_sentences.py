"""The sixty sentences: one word differs, at the place that is said; words of pieces; what is refused."""

import pytest

from attention_book.analysis.attribution.exchange_sentences import is_mark, read, sentences, spelled, words_of_pieces


def test_sixty_sentences_each_with_exchanges_of_one_word():
    found = sentences()
    assert len(found) == len({one.text for one in found}) == 60
    assert sum(len(one.exchanged) >= 3 for one in found) >= 40
    for one in found:
        for place, text in one.exchanged:
            old, new = one.text.split(), text.split()
            assert [n for n, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [place]


def test_places_count_the_words_of_pieces(translator):
    subwords = translator.subwords
    for one in sentences():
        pieces = subwords.tokens(subwords.encode(one.text))
        words = [spelled([pieces[j] for j in word]) for word in words_of_pieces(pieces)]
        for place, _ in one.exchanged:
            assert one.text.split()[place].strip(".?") == words[place]


def test_a_sentence_is_read_by_its_brackets():
    found = read("The [red|blue] house is [old|new].")
    assert found.text == "The red house is old."
    assert found.exchanged == ((1, "The blue house is old."), (4, "The red house is new."))
    for wrong in ("The [red|dark blue] house.", "The [red house."):
        with pytest.raises(ValueError, match="one word on each side"):
            read(wrong)


def test_pieces_make_words_and_marks_stand_alone():
    assert words_of_pieces(["The", "▁hou", "se", "s", "?", "!", "▁no"]) == [[0], [1, 2, 3], [4], [5], [6]]
    assert is_mark("▁—") and not is_mark("▁7")
