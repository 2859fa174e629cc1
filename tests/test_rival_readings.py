"""The sentences that tell readings of a head apart: all combinations, and weights that are the translator's own."""

import pytest

from attention_book.rival_readings import ADJECTIVES, DETERMINERS, NOUNS, VERBS, sentences, weights_by_role
from attention_book.translator import Translator


@pytest.fixture(scope="module")
def translator():
    return Translator.from_pretrained("en-es")


def test_every_combination_is_there_once_with_its_words_in_order():
    built = [tuple(words.values()) for words in sentences()]
    assert len(set(built)) == len(built) == len(VERBS) * len(DETERMINERS) * len(ADJECTIVES) * len(NOUNS)
    assert ("I", "like", "two", "small", "cats") in built and ("I", "like", "cats") in built
    for words in sentences():
        assert list(words) == [r for r in ("subject", "verb", "determiner", "adjective", "noun") if r in words]


def test_the_weights_are_those_of_a_translation(translator):
    words = {"subject": "I", "verb": "like", "determiner": "the", "adjective": "old", "noun": "dogs"}
    ((roles, found),) = weights_by_role(translator, 2, 3, [words]).items()
    row = translator.translate("I like the old dogs.", return_attention=True).encoder_self[2, 3, 4]
    assert roles == tuple(words)
    assert [found[role] for role in roles] == pytest.approx(row[:5].tolist(), abs=1e-5)
    assert found["end"] == pytest.approx(float(row[5:].sum()), abs=1e-5)


def test_kinds_are_averaged_apart(translator):
    built = [{"subject": "I", "verb": verb, "noun": "cats"} for verb in ("like", "see")]
    built.append({"subject": "I", "verb": "like", "adjective": "old", "noun": "cats"})
    together = weights_by_role(translator, 2, 3, built)
    singly = [weights_by_role(translator, 2, 3, [words]) for words in built]
    bare = ("subject", "verb", "noun")
    assert together[bare]["verb"] == pytest.approx((singly[0][bare]["verb"] + singly[1][bare]["verb"]) / 2, abs=1e-6)
    assert set(together) == {bare, ("subject", "verb", "adjective", "noun")}
    assert all(sum(shares.values()) == pytest.approx(1, abs=1e-5) for shares in together.values())


def test_a_word_of_several_subwords_is_refused(translator):
    with pytest.raises(ValueError, match="'I see hedgehogs' is not one subword"):
        weights_by_role(translator, 0, 0, [{"subject": "I", "verb": "see", "noun": "hedgehogs"}])
