"""The sentences that tell readings of a head apart: all combinations, and weights that are the translator's own."""

import numpy as np
import pytest

from attention_book.examples.contrastive_sentences import (
    ADJECTIVES,
    DETERMINERS,
    HEADER,
    NOUNS,
    ROLES,
    VERBS,
    numbers,
    rows,
    seen_by_head,
    sentences,
    weights_by_role,
)
from attention_book.readers.attention.removing_heads import read


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


@pytest.fixture(scope="module")
def found(translator):
    head = read().back_head
    return weights_by_role(translator, head.layer, head.head)


def test_neither_reading_survives(found):
    bare, adjective, determiner, both = (
        found["subject", "verb", *between, "noun"]
        for between in ((), ("adjective",), ("determiner",), ("determiner", "adjective"))
    )
    assert determiner["determiner"] > 0.8 > 0.2 > determiner["verb"]  # so it is not the verb that is looked for
    assert adjective["verb"] > adjective["adjective"]  # nor the word before
    assert max(bare, key=bare.get) == "verb" and max(both, key=both.get) == "determiner"  # the third reading


def test_the_rows_have_an_example_and_the_weights_of_its_roles(found):
    (bare, *_, full) = rows(found)
    assert len(rows(found)) == 4 and all(len(row) == len(HEADER) for row in rows(found))
    assert bare[0] == "I like cats." and bare[3:5] == ("", "")
    assert full[0] == "I like the old cats."
    assert full[1:] == tuple(f"{found[ROLES][role]:.2f}" for role in ROLES)


def test_what_is_said_of_the_rows_is_found_by_their_roles():
    kinds = [("subject", "verb", *between, "noun") for between in ((), ROLES[3:4], ROLES[2:3], ROLES[2:4])]
    made_up = {kind: {role: 10.0 * n + m for m, role in enumerate(kind)} for n, kind in enumerate(kinds)}
    said = numbers(made_up)
    assert (said["adjective_before"], said["adjective_verb"]) == (12, 11)
    assert (said["determiner_before"], said["determiner_verb"]) == (22, 21)
    assert (said["both_determiner"], said["both_before"]) == (32, 33)
    assert said["n_words"] == 1 + len(VERBS) + len(NOUNS) + len(DETERMINERS) - 1 + len(ADJECTIVES) - 1
    assert said["n_built"] == len(list(sentences()))


def test_a_heads_weights_stand_beside_their_tokens(translator):
    tokens, seen = seen_by_head(translator, 2, 1, "I like cats.")
    assert tokens == ["I", "like", "cats", ".", "</s>"] and seen.shape == (5, 5)
    told = translator.translate("I like cats.", return_attention=True)
    assert np.array_equal(seen, told.encoder_self[2, 1])
