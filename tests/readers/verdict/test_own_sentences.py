"""What *Outside its style* says of our own sentences holds in the result and the verdicts on record."""

import pytest

from attention_book.data.own_sentences import KINDS
from attention_book.readers.verdict import own_sentences
from attention_book.readers.verdict.own_sentences import CATEGORIES, EXAMPLES, HEADER, SIGN_HEADER
from attention_book.translation.translator import Translator


@pytest.fixture(scope="module")
def runs():
    return own_sentences.read()


def test_tables_count_every_sentence_once(runs):
    rows = runs.rows()
    assert len(rows) == len(KINDS) and all(len(row) == len(HEADER) and sum(map(int, row[1:])) == 40 for row in rows)
    assert sum(runs.numbers()[f"{kind}_{name}"] for kind in KINDS for name in CATEGORIES) == 200
    for beam in (1, 4):
        signs = runs.sign_rows(beam)
        assert len(signs) == len(KINDS) + 1 and all(len(row) == len(SIGN_HEADER) for row in signs)
        assert all(max(map(int, row[1:-1])) <= int(row[-1]) <= min(40, sum(map(int, row[1:-1]))) for row in signs[:-1])


def test_caught_and_missed_are_all(runs):
    n, caught = runs.numbers(), runs.harmful() & runs.flagged("any")
    rows = runs.caught_rows()
    assert [sum(int(row[column]) for row in rows) for column in (1, 2)] == [len(runs.harmful()), len(caught)]
    assert (n["own_harmful"], n["own_caught"]) == (len(runs.harmful()), len(caught))
    assert rows[3][1:] == (str(n["name_harmful"]), str(n["name_caught"]))
    assert len(caught) + n["own_missed"] == len(runs.harmful()) == 200 - n["own_harmless"]
    assert len(caught) + n["own_alarms"] == n["own_any"] == n["own"] - n["own_unflagged"]


def test_the_verdicts_belong_to_what_the_shipped_model_writes(runs):
    chosen = list(range(41, 200, 12))
    texts = [sentence.text for sentence in own_sentences.own_sentences() if sentence.number in chosen]
    today = Translator.from_pretrained("en-es").translate(texts)
    rows = runs.example_rows(chosen, today, [""] * len(chosen))
    assert all(len(row) == len(EXAMPLES) for row in rows)
    unread = [row for row in rows if row[3] == "not read yet"]
    assert len(unread) <= 1, f"{len(unread)} of {len(rows)} translations are others than were read: read again"
    assert runs.still() >= 180, "run `python -m attention_book experiment own-sentences` and read again"


def test_one_rare_word_breaks_a_sentence_of_the_corpus_style():
    things = ["umbrella", "accordion", "colander"]
    english = [f"I forgot my {thing} at the station." for thing in things]
    spanish = Translator.from_pretrained("en-es").translate(english)
    assert spanish == [f"Olvidé mi {thing} en la estación." for thing in ("paraguas", "acción", "colonero")]


def test_the_bet_on_the_wet_paint_is_settled_by_what_the_translator_writes():
    english = own_sentences.own_sentences()[191].text
    spanish = Translator.from_pretrained("en-es").translate(english)
    assert (english, spanish) == ("Wet paint", "La pintura pinta de pintura.")  # the paint paints with paint


def test_a_translation_that_was_not_read_has_no_verdict(runs):
    (row,) = runs.example_rows([49], ["Algo nuevo."], ["Something new."])
    assert row[1:] == ("Algo nuevo.", "Something new.", "not read yet")
    assert runs.still(["Algo nuevo."] * 200) == 0


def test_what_the_page_says_holds(runs):
    n = runs.numbers()
    assert n["own_fine"] < 0.25 * n["own"] and n["own_harmless"] < n["own"] / 2
    assert n["long_dropped"] == max(n[f"{kind}_dropped"] for kind in KINDS) and n["long_dropped"] > 20
    assert n["question_harmful"] == min(n[f"{kind}_harmful"] for kind in KINDS)
    assert n["rare_nonsense"] == max(n[f"{kind}_nonsense"] for kind in KINDS) and n["rare_nonsense"] > 20
    assert n["name_fine"] == 0
    assert n["headline_repetition"] == max(n[f"{kind}_repetition"] for kind in KINDS)
    assert n["headline_repetition"] > len(runs.having("repetition")) / 2
    assert 0.25 * len(runs.harmful()) < n["own_missed"] < len(runs.harmful()) / 2
    assert n["name_caught"] > 0.9 * n["name_harmful"]
    assert n["own_lost_short"] < n["own_lost"] / 3
    dropped = {kind: n[f"{kind}_dropped"] for kind in KINDS}
    assert n["own_lost"] == sum(dropped.values()) - dropped["name"]
    repeated = {kind: len(runs.kind_numbers(kind) & runs.flagged("repeated")) for kind in KINDS}
    assert repeated["headline"] == repeated["long"] == max(repeated.values()), "by the sign, long ones repeat as often"
    assert n["own_repeated_greedy"] > n["own_repeated"] and n["own_short_greedy"] < n["own_short"]
    alarms = runs.found["reference_signs"]
    assert alarms["made_up"] > alarms["any"] / 2
    share = f"{100 * alarms['any'] / runs.found['references']:.1f}"
    assert n["false_alarms"].startswith(share), "to one decimal, as the share of our translations beside it"


def test_the_recurrent_translator_keeps_the_coffee_that_the_transformer_loses(runs):
    english = own_sentences.own_sentences()[46].text
    kept = Translator.from_pretrained("en-es-rnn-attention").translate(english, beam_size=4)
    lost = runs.written()[46]
    assert "coffee" in english and "still" in english
    assert all(word in kept and word not in lost for word in ("café", "todavía"))
