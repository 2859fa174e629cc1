"""The map of the one file: sections as long as they are in the file, and legible on a phone."""

from itertools import pairwise
from pathlib import Path

import pytest

from attention_book.examples import translator_in_one_file
from attention_book.pages.diagrams.translator.one_file_map import one_file_map, one_file_told, sections
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type

LINES = Path(translator_in_one_file.__file__).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def axes():
    return one_file_map().axes[0]


def test_the_sections_are_those_of_the_file_one_after_the_other():
    found = sections()
    names = ["Words", "Attention", "Block", "Model", "Training", "Search", "Pairs"]
    assert [section.name for section in found] == names
    assert found[-1].last == len(LINES)
    for number, section in enumerate(found, 1):
        assert LINES[section.first - 1].startswith(f"# {number}. {section.name}") and LINES[section.last - 1].strip()
    for before, after in pairwise(found):
        assert not any(line.strip() for line in LINES[before.last : after.first - 1])


def test_each_box_is_as_high_as_its_section_is_long(axes):
    heights = {patch.get_gid(): patch.get_height() for patch in axes.patches if patch.get_gid()}
    scale = {round(heights[section.name] / section.lines, 6) for section in sections()}
    assert len(scale) == 1
    shown = [text.get_text() for text in axes.texts]
    assert all(str(section.lines) in shown for section in sections())


def test_the_words_tell_every_section():
    told = one_file_told()
    for section in sections():
        assert f"{section.name}, {section.lines} lines" in told
    assert "Search" in told and "gives a sentence" in told and told.count("gives") == 6


def test_nothing_stands_outside_the_sheet_and_the_type_is_legible_on_a_phone(axes):
    assert not outside(axes)
    assert smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors():
    drawing = figure_html(one_file_map(), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-weight" in drawing
