"""The translation memory, against cosines of written-out vectors and a case counted by hand."""

import math

import numpy as np
import pytest

from attention_book.counting.translation_memory import TranslationMemory, bag

PAIRS = [
    ("I like cats.", "Me gustan los gatos."),
    ("I like dogs.", "Me gustan los perros."),
    ("The dogs sleep.", "Los perros duermen."),
    ("Do you sleep?", "¿Duermes?"),
]


def test_a_bag_has_each_word_and_mark_once_in_small_letters():
    assert bag("Dogs like dogs, don't they?") == {"dogs", "like", ",", "don", "'", "t", "they", "?"}


def test_a_stored_sentence_finds_itself_and_a_cosine_of_one():
    memory = TranslationMemory(PAIRS)
    for place, (source, target) in enumerate(PAIRS):
        found, cosine = memory.nearest(source.upper())
        assert (found, memory.translate([source])) == (place, [target])
        assert cosine == pytest.approx(1)


def test_the_rarer_shared_word_decides():
    # "cats" is in one source, "dogs" in two; both candidates share "I", "like" and the full stop with the sentence
    assert TranslationMemory(PAIRS).translate(["I like cats and dogs."]) == ["Me gustan los gatos."]


def test_the_pages_cosine_by_hand():
    the = cats = math.log(4)
    dogs = sleep = math.log(2)
    stop = math.log(4 / 3)
    shared = the**2 + sleep**2 + stop**2
    place, cosine = TranslationMemory(PAIRS).nearest("The cats sleep.")
    assert place == 2 and cosine == pytest.approx(shared / math.sqrt((shared + cats**2) * (shared + dogs**2)))
    told = (shared, shared + cats**2, shared + dogs**2)
    assert [round(number, 3) for number in told] == [2.485, 4.407, 2.965] and round(cosine, 2) == 0.69


def test_cosines_are_those_of_written_out_vectors():
    memory = TranslationMemory(PAIRS)
    sentence = "Do the purple dogs like cats?"
    words = sorted(set().union(*(bag(source) for source, _ in PAIRS), bag(sentence)))
    n = len(PAIRS)
    seen = [sum(word in bag(source) for source, _ in PAIRS) for word in words]
    weights = np.array([math.log(n / count) if count else math.log(n) for count in seen])
    vectors = [np.array([word in bag(text) for word in words]) * weights for text in (*(s for s, _ in PAIRS), sentence)]
    *stored, asked = [vector / np.linalg.norm(vector) for vector in vectors]
    cosines = [float(vector @ asked) for vector in stored]
    place, cosine = memory.nearest(sentence)
    assert place == int(np.argmax(cosines)) and cosine == pytest.approx(max(cosines))


def test_where_nothing_is_shared_the_first_pair_answers():
    assert TranslationMemory(PAIRS).nearest("zzz") == (0, 0.0)
    assert TranslationMemory(PAIRS[:1]).nearest("I like cats.") == (0, 0.0)  # a word of every source weighs nothing


def test_a_memory_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one pair"):
        TranslationMemory([])
