"""Hindi's signs and cuts, against Python's own tables of Unicode; what sacreBLEU does with the danda."""

import unicodedata

import pytest
from sacrebleu.metrics import BLEU

from attention_book.little_language.language import pair_for
from attention_book.studies.translator import devanagari as study
from attention_book.translation.translator import Translator


def test_letters_take_their_marks_along_and_lose_nothing():
    assert study.letters("हिन्दी") == ["हि", "न्", "दी"]
    assert study.letters("ab") == ["a", "b"]
    assert study.letters("िक") == ["ि", "क"]  # a mark without a letter stands alone
    assert "".join(study.letters(study.SENTENCE)) == study.SENTENCE


def test_the_rows_of_signs_spell_the_word():
    rows = study.sign_rows()
    assert "".join(row[0] for row in rows) == study.WORD
    assert [row[1] == "mark" for row in rows] == [unicodedata.category(sign)[0] == "M" for sign in study.WORD]
    assert {len(sign.encode()) for sign in study.WORD} == {3}
    assert all(len(row) == len(study.SIGN_HEADER) for row in rows)


def test_the_sentence_is_the_commonest_translation():
    assert pair_for("I like cats.", "hi").target == study.SENTENCE


@pytest.mark.slow
def test_the_cuts_go_from_bytes_to_words_and_the_usual_pattern_cuts_finer_than_the_eye():
    rows = study.cut_rows(Translator.from_pretrained("en-es").subwords)
    counts = {name: int(count) for name, _, count in rows}
    assert counts["pieces of English and Spanish"] == len(study.SENTENCE.encode())
    assert counts["signs"] == len(study.SENTENCE)
    assert counts["pieces of Hindi, usual recipe"] > counts["letters with their marks"]
    assert counts["pieces of Hindi, pattern changed"] == len(study.SENTENCE.split()) + 1  # the danda is a piece
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    shown = {name: parts.split(" · ") for name, parts, _ in rows}
    assert len(shown["pieces of English and Spanish"]) == 6 + 1 and shown["pieces of English and Spanish"][-1] == "…"
    assert len(shown["letters with their marks"]) == counts["letters with their marks"]


def test_the_usual_pattern_runs_out_of_merges():
    found = study.numbers()
    assert len(study.hindi_pieces(True)) == found["asked_pieces"] > found["cut_pieces"]


def test_bleu_takes_a_last_word_and_the_danda_for_one_word():
    assert BLEU(effective_order=True).sentence_score("हैं।", ["हैं ।"]).score == 0
    assert BLEU(effective_order=True).sentence_score("son.", ["son ."]).score == pytest.approx(100)


def test_the_words_sizes():
    found = study.numbers()
    assert (found["word_points"], found["word_marks"], found["word_letters"]) == (9, 5, 4)


def test_the_usual_pattern_cuts_the_word_wherever_a_letter_and_a_mark_meet():
    whole, cut = study.shred_rows()
    assert whole[1:] == (study.WORD, "1")
    parts = cut[1].split(" · ")
    assert "".join(parts) == study.WORD and cut[2] == "8"
    assert all(len({study.is_mark(sign) for sign in part}) == 1 for part in parts)
