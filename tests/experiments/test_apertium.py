"""Apertium is called with whole paragraphs, and what comes back is counted; a program of our own stands in for it."""

import shutil
import stat

import pytest

from attention_book.experiments import apertium
from attention_book.experiments.apertium import Apertium, marked_words, versions

PROGRAM = """#!/bin/sh
if [ "$1" = "-u" ]; then sed 's/cats/gatos/; s/^./ &/'; else sed 's/cats/gatos/; s/blorps/*blorps/; s/^./ &/'; fi
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Puts a program in the place of Apertium; call it with the program's text."""

    def put(text=PROGRAM):
        program = tmp_path / "apertium"
        program.write_text(text, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(apertium.shutil, "which", lambda name: str(program))

    return put


def test_each_sentence_is_a_paragraph_and_marks_are_left_out_unless_asked_for(stand_in):
    stand_in()
    given = ["I like cats.", "The dog blorps."]
    assert Apertium().translate(given, beam_size=4, length_penalty=0.6) == ["I like gatos.", "The dog blorps."]
    assert Apertium(marks=True).translate(given) == ["I like gatos.", "The dog *blorps."]
    assert Apertium().translate([]) == []


@pytest.mark.parametrize("sentence", ["", "  ", "one\ntwo"])
def test_what_is_no_paragraph_is_refused_with_its_number(stand_in, sentence):
    stand_in()
    with pytest.raises(ValueError, match="sentence 1 must be one line"):
        Apertium().translate(["I like cats.", sentence])


def test_a_failure_and_a_lost_sentence_are_errors(stand_in):
    stand_in("#!/bin/sh\necho no such mode >&2\nexit 1\n")
    with pytest.raises(RuntimeError, match="no such mode"):
        Apertium().translate(["I like cats."])
    stand_in("#!/bin/sh\necho uno\n")
    with pytest.raises(RuntimeError, match="was given 2 sentences and returned 1"):
        Apertium().translate(["I like cats.", "Me too."])


def test_without_the_program_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(apertium.shutil, "which", lambda name: None)
    with pytest.raises(FileNotFoundError, match="apt install apertium"):
        Apertium()
    assert versions() == {}


def test_marks_are_counted_where_a_word_follows_them():
    texts = ["El erizo *blorped.", "¿*Why? #ser @to", "5 * 3 # @ a*b"]
    assert marked_words(texts) == {"*": 2, "@": 1, "#": 1}


@pytest.mark.skipif(shutil.which("apertium") is None, reason="Apertium is not installed")
def test_the_real_program_translates_each_sentence_by_itself():
    given = ["I like cats", "He said nothing.", "The dog blorps."]
    together = Apertium().translate(given)
    assert together == [Apertium().translate([one])[0] for one in given]
    assert together[0] == "Me gustan los gatos" and "blorps" in together[2] and "*" not in together[2]
    assert marked_words(Apertium(marks=True).translate(given))["*"] == 1
