"""Sentences with a right verb are in the language and those with another form are not; the coin is fair."""

import math

import pytest

from attention_book.little_language.agreement import FORMS, agreeing_position, judged_sentences
from attention_book.little_language.gaps import gap_vocabulary
from attention_book.little_language.language import sample
from attention_book.little_language.sentences import parse
from attention_book.little_language.words import capitalise, detokenize

VOCABULARY = gap_vocabulary()


def spelled(words):
    return detokenize(capitalise(words))


def in_the_language(words):
    try:
        return bool(parse(spelled(words)))
    except ValueError:
        return False


@pytest.mark.slow
def test_a_sentence_is_in_the_language_exactly_if_it_agrees():
    judged = judged_sentences(1500, 4, VOCABULARY)
    for one in judged:
        assert in_the_language(one.words) is one.agrees, one
    right = sum(one.agrees for one in judged)
    assert abs(right - 750) < 5 * math.sqrt(1500) / 2


def test_only_the_verb_is_changed_and_into_another_of_its_forms():
    pairs = sample(300, 4, clauses=1)
    for pair, one in zip(pairs, judged_sentences(300, 4, VOCABULARY), strict=True):
        words = VOCABULARY.tokens(VOCABULARY.encode(pair.source))
        differing = [n for n, (a, b) in enumerate(zip(words, one.words, strict=True)) if a != b]
        assert differing == ([] if one.agrees else [one.at])
        assert one.words[one.at] in FORMS[words[one.at]]


@pytest.mark.parametrize(
    ("sentence", "word"),
    [("I like cats.", "like"), ("Tom does not like cats.", "does"), ("Do you like cats?", "Do"), ("I am tall.", "am")]
)  # fmt: skip
def test_the_word_that_agrees_stands_where_the_grammar_says(sentence, word):
    derivation = parse(sentence).clauses[0]
    assert sentence.rstrip(".?").split()[agreeing_position(derivation)] == word


def test_excluded_sentences_come_in_no_form():
    pairs = sample(200, 4, clauses=1)
    judged = judged_sentences(200, 4, VOCABULARY, {pair.source for pair in pairs[:100]})
    originals = {tuple(VOCABULARY.tokens(VOCABULARY.encode(pair.source))) for pair in pairs[:100]}
    assert not all(one.agrees for one in judged)
    for one in judged:  # with each form of its verb, and so with the right one
        before, after = one.words[: one.at], one.words[one.at + 1 :]
        assert not originals & {(*before, form, *after) for form in FORMS[one.words[one.at]]}, one
