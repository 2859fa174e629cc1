"""The kinds of Spanish words, beside sentences whose kinds were told by hand."""

from collections import Counter

import pytest

from attention_book.little_language.language import pair_for, sample
from attention_book.little_language.word_kinds import KINDS, kinds_of


@pytest.mark.parametrize(
    ("source", "target", "kinds"),
    [
        ("I like cats.", "Me gustan los gatos.", "clitic,verb of liking,article without source,noun,mark"),
        ("The boy likes the red car.", "Al niño le gusta el coche rojo.",
         "article,noun,clitic,verb of liking,article,noun,adjective,mark"),
        ("I read the newspaper every day.", "Leo el diario a diario.", "verb,article,noun,other,other,mark"),
        ("Do you see two birds?", "¿Ves dos aves?", "mark,verb,other,noun,mark"),
        ("Tom is in the kitchen.", "Tom está en la cocina.", "other,other,other,article,noun,mark"),
    ],
)  # fmt: skip
def test_kinds_are_those_told_by_hand(source, target, kinds):
    assert kinds_of(pair_for(source, "es", target)) == kinds.split(",")


def test_every_kind_occurs_and_each_word_has_one():
    seen = Counter()
    for pair in sample(300, 3, "es"):
        kinds = kinds_of(pair)
        assert len(kinds) == len(pair.target_words)
        seen.update(kinds)
    assert set(seen) == set(KINDS) and seen["clitic"] == seen["verb of liking"]


def test_another_language_is_refused():
    with pytest.raises(ValueError, match="Spanish words"):
        kinds_of(sample(1, 0, "hi")[0])
