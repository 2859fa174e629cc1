"""The explorer *merge by merge* in Chromium: its pieces are those of the package; keyboard, words, phones."""

import pytest

from attention_book.pages.explorers.translator.merges import MergeByMerge, shipped_merges
from attention_book.translation.shipped_translator import shipped

from .explorer_pages import after_a_kernel, module_call, ready, width_of

pytestmark = pytest.mark.browser
ALL = len(shipped_merges())
TEXTS = [
    "I like cats.",
    "Cafe\u0301  con leche, ¿no?",
    "आप कैसे हैं",
    "it's 1234\t☕ 👩‍🚀",
    "  two  ",
    "x\u200dy ÿĀ\ufeff\x85.",
    "",
]


@pytest.mark.parametrize("allowed", [0, 30, 1000, ALL])
def test_the_pieces_are_those_of_the_package(page_of, allowed):
    explorers = [MergeByMerge(text=text, allowed=allowed) for text in TEXTS]
    page = ready(page_of(*explorers), len(explorers))
    subwords = shipped().subwords
    for explorer, box in zip(explorers, page.locator(".explorer").all(), strict=True):
        pieces = box.get_by_role("group", name="Pieces").get_by_role("button").all_text_contents()
        assert pieces == explorer.pieces
        if allowed == ALL:
            assert pieces == subwords.tokens(subwords.encode(explorer.text))
        assert box.locator(".explorer-words").text_content() == explorer.in_words()


def test_bytes_read_as_in_python(blank):
    subwords = shipped().subwords
    everything = module_call(
        blank,
        MergeByMerge,
        "given.map((merge) => module.readable(merge.replace(' ', '')))",
        shipped_merges(),
    )
    assert everything == subwords.tokens(range(260, len(subwords)))


def test_a_text_is_typed_and_more_merges_are_allowed(page_of):
    page = ready(page_of(MergeByMerge(text="cats", allowed=0)))
    pieces = page.get_by_role("group", name="Pieces").get_by_role("button")
    assert pieces.all_inner_texts() == list("cats")
    page.get_by_label("text:").fill("the hats")
    assert pieces.all_inner_texts() == list("the▁hats")
    page.get_by_label("merges allowed").fill("7")
    assert pieces.all_inner_texts() == MergeByMerge(text="the hats", allowed=ALL).pieces
    page.get_by_role("button", name="Start again").click()
    assert pieces.all_inner_texts() == list("cats")


def test_the_arrow_keys_walk_and_the_stages_are_told(page_of):
    explorer = MergeByMerge(allowed=ALL)
    page = ready(page_of(explorer))
    pieces = page.get_by_role("group", name="Pieces").get_by_role("button")
    pieces.first.focus()
    page.keyboard.press("ArrowRight")
    assert pieces.nth(1).evaluate("one => one === document.activeElement")
    told = page.locator(".explorer-working").inner_text()
    assert told.startswith("▁like: bytes: ▁ l i k e; merge ") and told.endswith(": ▁like.")
    assert told.count("merge ") == len(explorer.stages[1]) - 1
    page.keyboard.press("End")
    assert page.locator(".explorer-working").inner_text() == ".: bytes: .."


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone(page_of, width, dark):
    page = ready(page_of(MergeByMerge(text="x" * 60, allowed=0), MergeByMerge(), dark=dark, width=width), 2)
    assert width_of(page) <= width


def test_a_kernel_that_changes_several_traits_is_followed(page_of):
    before, after = MergeByMerge(), MergeByMerge(text="Me gustan", allowed=ALL)
    page = ready(page_of(before))
    assert after_a_kernel(page, before, after, "el.querySelector('.explorer-words').innerText") == after.in_words()
