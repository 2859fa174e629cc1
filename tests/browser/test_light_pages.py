"""Pages whose formulas, icons and colours need no script of others: copied, printed, and reached by the keyboard."""

from pathlib import Path

import pytest

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
MASKS = f"{HTML.as_uri()}/chapters/attention/masks.html"
SCALED = f"{HTML.as_uri()}/chapters/attention/scaled-dot-product.html"
pytestmark = [pytest.mark.browser, pytest.mark.site]
COPY = """one => {
    addEventListener("copy", event => { window.copied = event.clipboardData.getData("text/plain"); }, { once: true });
    getSelection().selectAllChildren(one);
    document.execCommand("copy");
    return [window.copied, [...one.querySelectorAll("annotation")].map(source => source.textContent)];
}"""
SPOKEN = """async one => {
    const box = one.querySelector("mjx-assistive-mml").getBoundingClientRect();
    return [box.width <= 2 || getComputedStyle(one.querySelector("mjx-assistive-mml")).clip !== "auto",
        one.querySelector("mjx-math").getAttribute("aria-hidden")];
}"""
INK = "() => [document.documentElement.dataset.theme, getComputedStyle(document.querySelector('main p')).color]"


def test_a_paragraph_is_copied_with_the_source_of_its_formulas(open_page):
    page = open_page(SCALED)
    text, sources = page.locator("article p:has(.math)").first.evaluate(COPY)
    assert sources and all(f"${source}$" in text for source in sources)


def test_text_without_a_formula_is_copied_as_the_browser_does(open_page):
    page = open_page(SCALED)
    text, _ = page.locator("article p:not(:has(.math)):not(.page-needs)").first.evaluate(COPY)
    assert text == ""  # nothing was put in the place of what the browser copies


def test_what_is_spoken_of_a_formula_is_not_seen_and_what_is_drawn_is_not_spoken(open_page):
    for formula in open_page(SCALED).locator("main mjx-container").all()[:5]:
        assert formula.evaluate(SPOKEN) == [True, "true"]


def test_a_dark_page_is_printed_in_the_light_and_is_dark_again_afterwards(open_page):
    page = open_page(MASKS, colours="dark")
    dark = page.evaluate(INK)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = page.evaluate(INK)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert dark[0] == "dark" and printed[0] == "light" and printed[1] != dark[1]
    assert page.evaluate(INK)[0] == "dark"


def test_paper_shows_the_cells_of_a_mask_and_all_of_the_code(open_page):
    page = open_page(MASKS)
    page.wait_for_selector(".explorer-cell", state="attached")
    page.emulate_media(media="print")
    shown = "all => all.map(one => getComputedStyle(one).display)"
    assert "none" not in page.locator(".explorer-body .explorer-cell").evaluate_all(shown)
    breaks = page.locator(".bd-article pre").evaluate_all("all => all.map(one => getComputedStyle(one).whiteSpace)")
    assert set(breaks) == {"pre-wrap"}


@pytest.mark.parametrize("button", [".primary-toggle", ".dropdown-toggle"])
def test_the_keyboard_sees_where_it_is(open_page, button):
    page = open_page(MASKS)
    page.keyboard.press("Tab")  # from now on, the browser shows where the keyboard is
    page.locator(f".bd-header-article {button}").first.focus()
    style = page.locator(f".bd-header-article {button}").first.evaluate(
        "one => [getComputedStyle(one).outlineStyle, parseFloat(getComputedStyle(one).outlineWidth)]"
    )
    assert style[0] != "none" and style[1] >= 2


def test_the_icons_above_a_page_are_drawn_by_the_books_own_font(open_page):
    page = open_page(MASKS)
    page.evaluate("document.fonts.ready.then(() => true)")
    loaded = page.evaluate("[...document.fonts].filter(font => font.status === 'loaded').map(font => font.family)")
    assert any("Font Awesome" in family for family in loaded)
    widths = page.locator(".bd-header-article [class*=fa-]:visible").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert widths and min(widths) > 8
