"""Hindi in the built book: letters in its own font, fetched where it is needed, and a gloss beside each word."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
LETTERS = re.compile("[\u0900-\u097f]")
LOADED = "[...document.fonts].filter(font => font.status === 'loaded').map(font => font.family.replaceAll('\"', ''))"
pytestmark = [pytest.mark.browser, pytest.mark.site]


def test_hindi_words_are_set_in_the_books_font_and_glossed(open_page):
    page = open_page(f"{HTML.as_uri()}/chapters/attention/translator-masks.html")
    page.evaluate("document.fonts.ready")
    words = page.locator("main [lang=hi]")
    source = (HTML / "chapters/attention/translator-masks.html").read_text(encoding="utf-8")
    main = BeautifulSoup(source, "html.parser").main
    written = main.find_all(string=LETTERS)
    assert words.count() == len(written) > 0 and all(text.find_parent(lang="hi") for text in written)
    assert all(LETTERS.search(text) for text in words.all_inner_texts())
    family = words.first.evaluate("word => getComputedStyle(word).fontFamily")
    assert family.startswith('"Noto Sans Devanagari"') and family.endswith("sans-serif")  # and others to fall back on
    assert "Noto Sans Devanagari" in page.evaluate(LOADED)
    glossed = page.locator(".word-table th:has([lang=hi])")
    assert glossed.count() >= 3
    assert all(re.search("[a-z]", gloss) for gloss in glossed.locator("small").all_inner_texts())
    assert glossed.locator("small").count() == glossed.count()


def test_a_page_without_hindi_does_not_fetch_the_font(open_page):
    page = open_page(f"{HTML.as_uri()}/chapters/attention/scaled-dot-product.html")
    page.evaluate("document.fonts.ready")
    assert "Noto Sans Devanagari" not in page.evaluate(LOADED)
