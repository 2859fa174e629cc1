"""Signs of failure, by hand: what each finds, and what it must leave alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_book.data import failures

SPANISH = {"el", "la", "un", "barco", "piano", "vendió", "pescador", "en", "de", "casa", "nos", "quedamos"}


@pytest.mark.parametrize(
    ("source", "translation", "wanted"),
    [
        ("A thief near the shop.", "Un robo cerca del robo.", ["robo"]),
        ("The boat is old.", "El barco es el barco.", ["barco"]),
        ("We go to the sea.", "Vamos al mar, vamos al mar.", ["vamos", "vamos al mar"]),
        ("Mr. Haddad is here.", "Aquí está el Mrrru.", ["mrrru"]),
        ("Doctor Lin is here.", "La Namamamérica está aquí.", ["namamamérica"]),
        ("A question about a question.", "Una pregunta sobre una pregunta.", []),
        ("It costs a thousand euros.", "Cuesta 1000 euros.", []),
        ("Tea with milk and honey.", "Té con leche y con miel.", []),
        ("He said it on Monday and wrote it again.", "Dijo eso el lunes, y una semana más tarde dijo otra cosa.", []),
    ],
)
def test_repetitions(source, translation, wanted):
    assert failures.repeated(source, translation) == wanted


@pytest.mark.parametrize(
    ("source", "translation", "wanted"),
    [
        ("one two three four five six seven eight nine ten", "uno dos tres cuatro cinco", ["5 of 10"]),
        ("one two three four five six seven eight nine ten", "uno dos tres cuatro cinco seis", []),
        ("one two three four five six seven eight nine", "uno", []),
    ],
)
def test_short_ones(source, translation, wanted):
    assert failures.short(source, translation) == wanted


@pytest.mark.parametrize(
    ("source", "translation", "wanted"),
    [
        ("It costs 1,250 euros.", "Cuesta 1.250 euros.", []),
        ("It costs 1,250 euros.", "Cuesta 125 euros.", ["1250"]),
        ("At 14:30, in room 7.", "A las 14.30 en la sala 17.", ["7"]),
        ("I am 18.", "Tengo dieciocho.", ["18"]),
    ],
)
def test_numbers(source, translation, wanted):
    assert failures.missing_numbers(source, translation) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Tom met Anna and Gustav in Oslo.", ["Anna", "Gustav", "Oslo"]),
        ("They paid Mrs. Okafor on Monday.", ["Okafor"]),
        ("I think I saw it on Sundays in May. Tom left.", []),
        ("He said: “Anna is here.”", []),
        ("Dr. Yamamoto and Mr. Lin", ["Yamamoto", "Lin"]),
    ],
)
def test_names(text, wanted):
    assert failures.names(text) == wanted


def test_a_name_must_be_kept_letter_by_letter():
    assert failures.missing_names("We saw Henrik in Lima.", "Vimos a Hriky en Lima.") == ["Henrik"]


def test_words_that_are_not_spanish():
    source, translation = "The fisherman sold the piano of Marta.", "El fishermán vendió el piano sold de Marta."
    assert failures.copied(source, translation, SPANISH) == ["sold"]
    assert failures.made_up(source, translation, SPANISH) == ["fishermán"]
    assert failures.made_up("Nadia stayed.", "Nadia quedamos en casa.", SPANISH) == []
    assert failures.copied("Nadia stayed.", "Nadia quedamos en casa.", SPANISH) == []
    assert failures.made_up("She stayed.", "Quedamosa en casa.", SPANISH) == ["quedamosa"]


def test_all_signs_together_and_none():
    source = "The fisherman sold the boat to Marta for 90 euros yesterday evening."
    assert failures.signs(source, "El barco barquó el barco.", SPANISH) == {
        "repeated": ["barco"],
        "short": ["5 of 12"],
        "number": ["90"],
        "name": ["Marta"],
        "made_up": ["barquó"],
    }
    assert failures.signs("The boat.", "El barco.", SPANISH) == {}


@given(st.text(), st.text())
def test_any_text_can_be_looked_at(source, translation):
    assert set(failures.signs(source, translation, SPANISH)) <= set(failures.SIGNS)
    spanish = {word.lower() for word in failures.words(source)}
    assert not {"name", "number", "short", "repeated", "copied", "made_up"} & set(
        failures.signs(source, source, spanish)
    )
