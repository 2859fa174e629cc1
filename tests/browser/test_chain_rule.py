"""The explorer of the chain rule in Chromium: what it says is what Python says, by mouse and by keyboard."""

import pytest
from pages.explorers.test_chain_rule import SENTENCES

from attention_book.pages.explorers.chain_rule import ChainRule

from .explorer_pages import ready

pytestmark = pytest.mark.browser


def words(page):
    return page.locator(".explorer-words").inner_text()


@pytest.mark.parametrize(("sentence", "place", "bits"), [(0, 0, False), (0, 1, True), (0, 2, False), (1, 0, True)])
def test_it_says_what_python_says(page_of, sentence, place, bits):
    explorer = ChainRule(sentences=SENTENCES, sentence=sentence, place=place, bits=bits)
    assert words(ready(page_of(explorer))) == explorer.in_words()


def test_a_choice_a_switch_and_the_arrow_keys_are_followed_and_said(page_of):
    explorer = ChainRule(sentences=SENTENCES)
    page = ready(page_of(explorer))
    tokens = page.get_by_role("group", name="The tokens and their probabilities").get_by_role("button")
    tokens.nth(0).focus()
    places = []
    for key in ("ArrowRight", "End", "ArrowRight", "ArrowLeft", "Home"):
        page.keyboard.press(key)
        places.append(tokens.evaluate_all("all => all.findIndex((one) => one.ariaPressed === 'true')"))
        assert tokens.nth(places[-1]).evaluate("one => one === document.activeElement")
    assert places == [1, 2, 2, 1, 0]
    assert page.get_by_role("status").inner_text() == "x: probability 0.500."
    page.get_by_label("surprises in bits").check()
    explorer.bits = True
    assert words(page) == explorer.in_words()
    page.get_by_label("translation").select_option("1")
    explorer.sentence = 1
    assert words(page) == explorer.in_words()
    assert "z" in page.locator(".explorer-came").inner_text()  # the token that came is shown though it is not likely


def test_bars_are_as_long_as_the_probabilities(page_of):
    page = ready(page_of(ChainRule(sentences=SENTENCES, place=1)))
    read = "all => all.map((one) => one.style.getPropertyValue('--share'))"
    shares = page.locator(".explorer-bar").evaluate_all(read)
    assert [float(share) for share in shares] == [0.6, 0.25]


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_everything_has_a_name(page_of, dark):
    page = ready(page_of(ChainRule(sentences=SENTENCES), dark=dark, width=375))
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    all_ = "[...document.querySelectorAll('input, button, select')]"
    assert page.evaluate(f"{all_}.filter((one) => !(one.ariaLabel || one.labels?.length)).length") == 0
