"""How texts are spelt: counted by hand and by Python's own tables of Unicode."""

import unicodedata

from attention_book.data.subwords import Subwords
from attention_book.studies.translator.spellings import forms
from attention_book.translation.shipped_translator import shipped

JOINED = ["क्ष", "क्\u200dष", "क्\u200cष"]
"""Two Hindi consonants: joined, with a joiner, with a non-joiner. The last two signs have no shape of their own."""


def test_without_merges_a_sign_is_its_bytes():
    subwords = Subwords.train(["abc"], 260)
    assert [len(subwords.encode(text)) for text in ("हिन्दी", *JOINED)] == [18, 9, 12, 12]


def test_spellings_that_differ_stay_different():
    subwords = shipped().subwords
    ids = [tuple(subwords.encode(text)) for text in JOINED]
    assert len(set(ids)) == len(JOINED)
    assert [subwords.decode(one) for one in ids] == JOINED
    assert [unicodedata.name(text[2]) for text in JOINED[1:]] == ["ZERO WIDTH JOINER", "ZERO WIDTH NON-JOINER"]


def test_the_two_forms_look_alike_and_are_two_texts():
    one = forms("café")
    assert (len(one["NFC"]), len(one["NFD"])) == (4, 5) and one["NFC"] != one["NFD"]
    assert shipped().subwords.encode(one["NFC"]) == shipped().subwords.encode(one["NFD"])
