"""Fonts with few letters."""

from io import BytesIO

import subset_fonts
import vendored_files
from fontTools.ttLib import TTFont
from matplotlib import font_manager

FONT = font_manager.findfont("DejaVu Sans")


def test_letters_of_a_range_are_found_as_they_are_and_as_scripts_write_them():
    texts = ["abc न", '{"word": "\\u0915"}']
    assert subset_fonts.characters(texts, 0x0900, 0x097F) == {"न", "क"}


def test_a_font_keeps_the_letters_asked_for_and_says_which_it_has():
    content, has = subset_fonts.subset_font(FONT, {"a", "b", "न"})
    font = TTFont(BytesIO(content))
    assert has == {"a", "b"} and set(font.getBestCmap()) == {ord("a"), ord("b")}
    assert font.flavor == "woff2" and font["hmtx"]["a"][0] == TTFont(FONT)["hmtx"]["a"][0]


def test_the_same_letters_give_the_same_file():
    assert subset_fonts.subset_font(FONT, "ab")[0] == subset_fonts.subset_font(FONT, "ba")[0]


def test_a_font_has_the_letters_of_the_pages_and_those_that_a_browser_draws_by_itself(tmp_path):
    (tmp_path / "page.html").write_text("<p>a न ◌</p>", encoding="utf-8")
    entry = {"letters": [0x0900, 0x097F], "besides": [0x25CC]}
    assert vendored_files.wanted_letters(tmp_path, entry) == {"न", "◌"}
    assert vendored_files.wanted_letters(tmp_path, {"letters": entry["letters"]}) == {"न"}
    assert vendored_files.wanted_letters(tmp_path, {}) is None
