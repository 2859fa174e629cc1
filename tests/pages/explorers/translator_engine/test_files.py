"""The files of the translator in the page: what a built book holds, and the text of the engine."""

import base64
import re

import pytest

from attention_book.pages.explorers.base import joined
from attention_book.pages.explorers.translator_engine import files
from attention_book.translation.page_weights import page_weights
from attention_book.translation.translator import Translator


def test_the_addresses_lead_to_the_weights_and_the_scripts_to_the_same_bytes(tmp_path):
    files.write_weights(tmp_path)
    weights = files.weights_of()
    content = (tmp_path / weights["address"].split("?")[0]).read_bytes()
    assert content == page_weights(Translator.from_pretrained("en-es")) and len(content) == weights["bytes"]
    spelt = []
    for n, script in enumerate(weights["scripts"]):
        text = (tmp_path / script.split("?")[0]).read_text(encoding="ascii")
        number, letters = re.fullmatch(
            r'\(globalThis\.attentionBookWeights \?\?= \[\]\)\[(\d+)\] = "(.*)";\n', text
        ).groups()
        assert int(number) == n
        spelt.append(letters)
    assert b"".join(map(base64.b64decode, spelt)) == content
    assert sum(map(len, spelt)) < 4 / 3 * len(content) + 4 * len(spelt)


def test_addresses_change_with_the_weights(monkeypatch):
    before = files.weights_of()
    monkeypatch.setattr(files, "_content", lambda name: b"other")
    assert files.weights_of()["address"] != before["address"]
    assert not set(files.weights_of()["scripts"]) & set(before["scripts"])


def test_the_engine_is_a_script_that_imports_and_exports_nothing_and_knows_no_page():
    source = files.engine_source()
    assert not re.search(r"^(import|export)\b", source, re.MULTILINE)
    assert not re.search(r"\b(document|window|innerHTML|fetch|XMLHttpRequest|eval)\b", source)


def test_files_are_listed_after_those_they_import_from():
    with pytest.raises(ValueError, match=r"translator_engine/layers\.js, which must be listed before"):
        joined("translator_engine/transformer.js")
