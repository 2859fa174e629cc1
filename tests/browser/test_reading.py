"""Finding one's way in the built book in Chromium, with the network off, from a server and from files."""

import re
from pathlib import Path

import pytest

from .conftest import ARGUMENTS, chromium_path

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
CHAPTERS = sorted(path.relative_to(HTML).as_posix() for path in (HTML / "chapters").rglob("*.html"))
ANSWERED = re.compile("did not match any documents|Search finished")
WHITE, PURPLE = (255, 255, 255, 255), (134, 20, 127, 255)
PIXELS = """async address => {
    const picture = new Image(16, 16);
    await new Promise((there, failed) => Object.assign(picture, { onload: there, onerror: failed, src: address }));
    const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 16 }).getContext('2d');
    canvas.drawImage(picture, 0, 0, 16, 16);
    const bytes = canvas.getImageData(0, 0, 16, 16).data;
    return [...Array(256).keys()].map(n => [...bytes.slice(4 * n, 4 * n + 4)]);
}"""
MOVED = """() => new Promise(done => {
    let moved = 0;
    const watch = list => list.getEntries().forEach(one => { moved += one.hadRecentInput ? 0 : one.value; });
    new PerformanceObserver(watch).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(moved), 200);
})"""
pytestmark = [pytest.mark.browser, pytest.mark.site]


@pytest.fixture(params=["file", "http"])
def root(request):
    return HTML.as_uri() if request.param == "file" else request.getfixturevalue("served")


def test_the_first_address_leads_to_the_front_page(open_page, root):
    page = open_page(f"{root}/index.html")
    page.wait_for_url("**/chapters/index.html")
    assert page.locator("h1").first.inner_text().startswith("Attention, Worked Out")


@pytest.mark.parametrize("width", [1280, 375])
def test_nothing_on_the_front_page_moves_when_the_translator_is_drawn(open_page, served, width):
    page = open_page(f"{served}/chapters/index.html", width)
    page.locator(".explorer[data-explorer=ready]").wait_for()
    assert page.evaluate(MOVED) < 0.05


def test_the_search_finds_a_page(open_page, root):
    page = open_page(f"{root}/chapters/index.html")
    page.goto(f"{root}/search.html?q=attention")
    results = page.locator("#search-results li a")
    results.first.wait_for()
    assert results.count() >= 2
    results.first.click()
    page.wait_for_load_state()
    assert "attention" in page.locator("main").inner_text().lower()


@pytest.mark.parametrize("word", ["constructor", "__proto__", "toString", "hasOwnProperty", "attention constructor"])
def test_the_search_answers_for_words_that_every_object_knows(open_page, root, word):
    """What it finds has the word, and if no page has it, it says so; nothing may be thrown."""
    page = open_page(f"{root}/search.html?q={word}")
    page.locator("#search-results .search-summary", has_text=ANSWERED).wait_for()
    links = page.locator("#search-results li a").all()
    for address, title in [(one.evaluate("one => one.href"), one.inner_text()) for one in links]:
        assert title not in {"", "undefined"}
        page.goto(address)
        assert all(part in page.locator("main").inner_text().lower() for part in word.lower().split())
    if not links:
        assert "did not match any documents" in page.locator("#search-results .search-summary").inner_text()


@pytest.mark.parametrize("word", ["constructor", "__proto__"])
def test_such_a_word_is_found_where_a_page_has_it(open_page, served, word):
    page = open_page(f"{served}/search.html?q=")
    page.evaluate(
        """word => {
            Object.defineProperty(Search._index.terms, word, { value: [0, 1], enumerable: true });
            Search._index.alltitles = {};  // a heading with the word would be found, too
            Object.defineProperty(Search._index.titleterms, word, { value: [], enumerable: true });
            Search.performSearch(word);
        }""",
        word,
    )
    page.locator("#search-results .search-summary", has_text=ANSWERED).wait_for()
    titles = page.evaluate("Search._index.titles.slice(0, 2)")
    assert sorted(page.locator("#search-results li a").all_inner_texts()) == sorted(titles)


@pytest.mark.parametrize("page", ["chapters/index", "chapters/attention/masks", "search", "genindex"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_page_has_an_icon_that_can_be_told_at_16_pixels(open_page, served, page, colours):
    opened = open_page(f"{served}/{page}.html", colours=colours)
    (address,) = opened.evaluate("[...document.querySelectorAll('link[rel~=icon]')].map(one => one.href)")
    drawn = [tuple(pixel) for pixel in opened.evaluate(PIXELS, address)]
    assert {pixel for pixel in drawn if pixel[3] == 255} >= {WHITE, PURPLE}
    cells = [[drawn[16 * (2 + 5 * row) + 2 + 5 * column] == WHITE for column in range(3)] for row in range(3)]
    assert cells == [[True, False, False], [False, True, False], [True, False, True]]


def test_a_browser_that_shows_icons_finds_nothing_to_complain_of(chromium, served):
    """Playwright keeps back a page's request for an icon, but not in a browser that it thinks is not headless.

    /favicon.ico is for what is no page of ours, and for browsers that cannot draw an SVG.
    """
    sample = ["index", "search", "genindex", *(chapter.removesuffix(".html") for chapter in CHAPTERS[::9])]
    browser = chromium.browser_type.launch(executable_path=chromium_path(), headless=False, args=ARGUMENTS)
    page, faults = browser.new_page(), []
    page.on("console", lambda m: m.type in {"error", "warning"} and faults.append(f"{page.url}: {m.text}"))
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    for name in sample:
        page.goto(f"{served}/{name}.html")
        if name == "index":  # sends its reader on; what is opened before he is there would be broken off
            page.wait_for_url("**/chapters/index.html")
        page.wait_for_timeout(300)  # the icon is asked for when the page is there
    drawn = page.evaluate(PIXELS, f"{served}/favicon.ico")
    browser.close()
    assert {WHITE, PURPLE} <= set(map(tuple, drawn))
    assert faults == []


def test_the_search_button_opens_one_field(open_page, served):
    page = open_page(f"{served}/chapters/index.html")
    page.keyboard.press("Control+k")
    field = page.locator("input[type=search]:visible")
    field.first.wait_for()
    assert field.count() == 1
    field.fill("mask")
    field.press("Enter")
    page.wait_for_url("**/search.html?q=mask*")
    page.locator("#search-results li a").first.wait_for()
    assert page.locator("#search-results li a").count() >= 1


def test_the_colour_mode_can_be_changed_and_is_kept(open_page, served):
    page = open_page(f"{served}/chapters/index.html")
    button = page.locator("button.theme-switch-button:visible").first
    modes = set()
    for _ in range(3):
        button.click()
        modes.add(page.evaluate("document.documentElement.dataset.mode"))
    assert modes == {"light", "dark", "auto"}
    while page.evaluate("document.documentElement.dataset.mode") != "dark":
        button.click()
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_download_button_gives_the_notebook(open_page, served):
    chapter = next(one for one in CHAPTERS if (HTML / "_sources" / one.replace(".html", ".ipynb")).exists())
    page = open_page(f"{served}/{chapter}", accept_downloads=True)
    page.locator("button[aria-label='Download this page']:visible").first.click()
    link = page.locator("a:visible", has_text=".ipynb").first
    assert link.evaluate("one => one.href").endswith(chapter.replace(".html", ".ipynb"))
