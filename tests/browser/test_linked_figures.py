"""Links over a figure in a real browser: by keyboard and by mouse, in the right place, at every width."""

import pytest

from attention_book.pages.diagrams.translator.architecture import architecture
from attention_book.pages.diagrams.translator.attention_boxes import attention_boxes
from attention_book.pages.diagrams.translator.companion import HERE, companion_html
from attention_book.pages.figures.linked import linked_html

from .conftest import BOOK, HTML

PAGE = "chapters/translator/blocks-and-stacks.html"
DRAWN = {"architecture": architecture, "attention": attention_boxes}
OFFSETS = """() => [...document.querySelectorAll('.figure-links')].map(over => {
  const above = over.getBoundingClientRect(), below = over.previousElementSibling.getBoundingClientRect();
  return ['x', 'y', 'width', 'height'].map(side => Math.abs(above[side] - below[side]));
})"""
FOCUSED = "() => document.activeElement.getAttribute('aria-label')"
LABELS = "() => [...document.querySelectorAll('.figure-links a')].map(link => link.getAttribute('aria-label'))"
pytestmark = pytest.mark.browser


@pytest.fixture(params=DRAWN)
def drawn(request, tmp_path):
    """A page with the figure and the book's style sheet, and the page of the table, at its place beside it."""
    figure, links = DRAWN[request.param]()
    style = (BOOK / "site" / "static" / "book.css").read_text(encoding="utf-8")
    drawing = linked_html(figure, links, alt="A figure.", caption="Where does it lead?")
    start = f'<!doctype html><html lang="en"><title>Figure</title><style>{style}</style><body class="bd-article">'
    file, table = tmp_path / "figures" / "page.html", tmp_path / f"{HERE}.html"
    for one, content in ((file, drawing), (table, f"<p style='height: 2000px'></p>{companion_html()}")):
        one.parent.mkdir()
        one.write_text(start + content, encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize("width", [375, 1280])
def test_the_links_lie_on_the_drawing_and_each_under_the_pointer(open_page, drawn, width):
    page = open_page(drawn, width=width)
    assert all(offset < 0.5 for figure in page.evaluate(OFFSETS) for offset in figure)
    for link in page.locator(".figure-links a").all():
        hit = link.evaluate("""link => {
          const {x, y, width, height} = link.getBoundingClientRect();
          return document.elementFromPoint(x + width / 2, y + height / 2)?.closest('a') === link;
        }""")
        assert hit, link.get_attribute("aria-label")


def test_the_keyboard_visits_every_link_in_order_and_follows_it(open_page, drawn):
    page = open_page(drawn)
    for label in page.evaluate(LABELS):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED) == label
    marked = page.locator(".figure-links a:focus-visible rect")
    assert marked.count() == 1
    assert marked.evaluate("rect => getComputedStyle(rect).strokeWidth") == "2.5px"
    page.keyboard.press("Enter")  # the last link leads to the table
    page.wait_for_url(f"**/{HERE}.html#*")
    target = page.evaluate("() => location.hash.slice(1)")
    assert target.startswith("companion-")
    assert page.locator(f"tr#{target}").evaluate("row => row.getBoundingClientRect().top < innerHeight")


def test_a_click_on_the_lower_half_of_a_box_leads_to_its_row(open_page, drawn):
    page = open_page(drawn)
    page.locator(".figure-links a[href$='#companion-softmax']").first.click()
    page.wait_for_url(f"**/{HERE}.html#companion-softmax")
    assert page.locator("tr:target").count() == 1


@pytest.mark.site
def test_on_the_built_page_a_box_leads_to_another_chapter(open_page):
    page = open_page(f"{(HTML / PAGE).as_uri()}")
    link = page.locator(".figure-links a[href*='masks.html#masks-softmax']").first
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/attention/masks.html#masks-softmax")
