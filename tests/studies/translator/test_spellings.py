"""How texts are spelt: counted by hand and by Python's own tables of Unicode."""

import unicodedata

from attention_book.data.subwords import Subwords
from attention_book.studies.translator.spellings import HEADER, WORDS, forms, spelling_rows
from attention_book.translation.shipped_translator import shipped


def test_the_rows_are_those_counted_by_hand():
    rows = {row[0]: row[2:] for row in spelling_rows(Subwords.train(["abc"], 260))}
    assert all(len(row) == len(HEADER) for row in spelling_rows(shipped().subwords))
    assert rows["हिन्दी"] == ("6", "3", "18", "18")  # ha i na virama da ii: three are marks; no merge, so bytes
    assert rows["क्ष"] == ("3", "1", "9", "9") and rows["क्\u200dष"] == ("4", "2", "12", "12")


def test_spellings_that_differ_stay_different():
    subwords = shipped().subwords
    ids = [tuple(subwords.encode(text)) for text in WORDS]
    assert len(set(ids)) == len(WORDS)
    assert [subwords.decode(one) for one in ids] == list(WORDS)
    names = [unicodedata.name(text[2]) for text in WORDS if "\u200c" in text or "\u200d" in text]
    assert names == ["ZERO WIDTH JOINER", "ZERO WIDTH NON-JOINER"]


def test_the_two_forms_look_alike_and_are_two_texts():
    one = forms("café")
    assert (len(one["NFC"]), len(one["NFD"])) == (4, 5) and one["NFC"] != one["NFD"]
    assert shipped().subwords.encode(one["NFC"]) == shipped().subwords.encode(one["NFD"])
