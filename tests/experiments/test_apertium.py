"""Apertium is called with whole paragraphs, and what comes back is counted; a program of our own stands in for it."""

import shutil
import stat
import subprocess

import pytest

from attention_book.experiments import apertium
from attention_book.experiments.apertium import Apertium, by_rules, versions

PROGRAM = """#!/bin/sh
test "$*" = "-u eng-spa" || exit 2
sed 's/cats/gatos/; s/^./  &/'
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


def test_each_sentence_is_a_paragraph_and_the_search_is_of_no_use_to_rules(stand_in):
    stand_in()
    given = ["I like cats.", "The dog blorps."]
    assert by_rules(given) == ["I like gatos.", "The dog blorps."]
    assert Apertium().translate(given, beam_size=4, length_penalty=0.6) == by_rules(given)


def test_a_failure_and_a_lost_sentence_are_errors(stand_in):
    stand_in("#!/bin/sh\nexit 1\n")
    with pytest.raises(subprocess.CalledProcessError):
        by_rules(["I like cats."])
    stand_in("#!/bin/sh\necho uno\n")
    with pytest.raises(RuntimeError, match="was given 2 sentences and returned 1"):
        by_rules(["I like cats.", "Me too."])


def test_without_the_program_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(apertium.shutil, "which", lambda name: None)
    with pytest.raises(FileNotFoundError, match="apt install apertium"):
        by_rules(["Come in!"])
    assert versions() == {}


@pytest.mark.skipif(shutil.which("apertium") is None, reason="Apertium is not installed")
def test_the_real_program_translates_each_sentence_by_itself():
    given = ["I like cats.", "The house is white.", "The dog blorps."]
    together = by_rules(given)
    assert together == [by_rules([one])[0] for one in given]
    assert together[:2] == ["Me gustan los gatos.", "La casa es blanca."]
    assert "blorps" in together[2] and "*" not in together[2]
