"""The explorer *heads, split and joined* in Chromium: against the package; controls, words, marks, phones."""

from itertools import product

import numpy as np
import pytest

from attention_book.pages.explorers.attention.reshaped_heads import D_MODEL, HEADS, WORDS, ReshapedHeads

from .explorer_pages import after_a_kernel, field, module_call, ready, unnamed_controls, width_of

pytestmark = pytest.mark.browser


def matrices(page):
    rows = "[...one.tBodies[0].rows].map((row) => [...row.cells].slice(1).map((cell) => cell.innerText))"
    drawn = page.locator("table.explorer-matrix").evaluate_all(f"all => all.map((one) => {rows})")
    return [np.array(one, dtype=int) for one in drawn]


def marked(page):
    return sorted({int(text) for text in page.locator(".explorer-followed").all_inner_texts()})


@pytest.mark.parametrize("n_heads", HEADS)
def test_places_and_words_are_the_packages(blank, n_heads):
    for length, split, merge in product((2, 3, 5, 8), (True, False), (True, False)):
        explorer = ReshapedHeads(length=length, n_heads=n_heads, split=split, merge=merge, word=length - 1)
        got = module_call(blank, ReshapedHeads, "module.computed(given)", explorer.state())
        assert (np.array(got["heads"], int) == explorer.heads).all()
        assert (np.array(got["joined"], int) == explorer.joined).all()
        said = module_call(blank, ReshapedHeads, "module.inWords(module.computed(given))", explorer.state())
        assert said == explorer.in_words()


def test_controls_work_by_keyboard_and_are_said_and_taken_back(page_of):
    explorer = ReshapedHeads()
    page = ready(page_of(explorer))
    words, news = page.locator(".explorer-words"), page.locator(".explorer-news")
    start = words.inner_text()
    assert start == explorer.in_words()
    page.get_by_label("transpose in the split").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    explorer.split = explorer.merge = False
    assert words.inner_text() == explorer.in_words()
    assert news.inner_text() == "The merge has no transpose. Wrong, and neither test notices."
    field(page, "words").press("ArrowLeft")
    explorer.length = 3
    assert words.inner_text() == explorer.in_words() and news.inner_text() == "Wrong, and only the order notices."
    field(page, "Heads:").select_option("4")
    field(page, "Mark:").select_option("old")
    explorer.n_heads, explorer.word = 4, 2
    assert words.inner_text() == explorer.in_words() and news.inner_text().startswith("The numbers of old are marked.")
    page.get_by_role("button", name="Start again").click()
    assert words.inner_text() == start


def test_the_marks_follow_a_word_into_the_heads_and_the_rows(page_of):
    explorer = ReshapedHeads(split=False)
    page = ready(page_of(explorer))
    drawn = matrices(page)
    assert (drawn[0].flatten() == range(explorer.length * D_MODEL)).all()
    assert all((got == wanted).all() for got, wanted in zip(drawn[1:], [*explorer.heads, explorer.joined], strict=True))
    assert marked(page) == list(range(8, 16)) and page.locator(".explorer-followed").count() == 3 * D_MODEL
    page.get_by_role("cell", name="31", exact=True).first.click()
    assert marked(page) == list(range(24, 32)) and field(page, "Mark:").input_value() == "3"
    field(page, "words").press("Home")  # cats is gone
    assert marked(page) == list(range(8, 16)) and page.locator("option:enabled").all_inner_texts()[-2:] == list(
        WORDS[:2]
    )


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_every_control_has_a_name(page_of, width, dark):
    page = ready(page_of(ReshapedHeads(length=8, n_heads=4), dark=dark, width=width))
    assert width_of(page) <= width
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator("table.explorer-matrix").evaluate_all(cut) == 0  # nothing to scroll sideways
    assert unnamed_controls(page) == []


def test_a_kernel_that_changes_several_traits_is_followed(page_of):
    before, after = ReshapedHeads(), ReshapedHeads(length=7, n_heads=4, split=False, merge=False, word=0)
    page = ready(page_of(before))
    assert after_a_kernel(page, before, after, "el.querySelector('.explorer-words').innerText") == after.in_words()
