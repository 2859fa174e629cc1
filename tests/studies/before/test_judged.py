import pytest

from attention_book.counting.text import CountingTranslator
from attention_book.studies.before.judged import is_right, judged, judged_rows, words_before


def test_the_grammar_judges():
    assert judged("I like cats.", "Me gustan los gatos.") == "Me gustan los gatos. ✓"
    assert judged("I like cats.", "Yo gusto gatos.") == "Yo gusto gatos. ✗"
    assert is_right("I like cats.", "Me gustan los gatos.") and not is_right("I like dogs.", "Me gustan los gatos.")


def test_rows_have_a_column_per_translator():
    rows = judged_rows(["I like cats."], [["Me gustan los gatos."], ["gatos"]])
    assert rows == [("I like cats.", "Me gustan los gatos. ✓", "gatos ✗")]
    with pytest.raises(ValueError):
        judged_rows(["I like cats.", "I like dogs."], [["gatos"]])


def test_words_before_a_word_are_counted_without_their_capitals():
    assert words_before("b", [["A", "b", "b"], ["a", "b"], ["b", "c"]]) == {"a": 2, "b": 1}


def test_a_diario_is_more_fluent_than_el_diario_in_a_thousand_sentences(spanish_pairs):
    before = words_before("diario", [pair.target_words for pair in spanish_pairs[0][:1000]])
    assert before["a"] > before["el"]


def test_4000_pairs_give_me_gustan_los_gatos_and_not_who_reads_what_in_which_clause(spanish_pairs):
    translator = CountingTranslator([(pair.source, pair.target) for pair in spanish_pairs[0]], least_count=1)
    long = "I like cats, and you often read the newspaper."
    short, two_clauses = translator.translate(["I like cats.", long])
    assert short == "Me gustan los gatos." and not is_right(long, two_clauses)
