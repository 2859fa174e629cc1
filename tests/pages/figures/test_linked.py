"""Links over a figure: where they lie, what they say, and that the picture under them stays a picture."""

import xml.etree.ElementTree as ET

import pytest

from attention_book.pages.diagrams.shapes import box, said, sheet
from attention_book.pages.figures.linked import Link, linked_html, show_linked

SVG = "{http://www.w3.org/2000/svg}"
WORDS = {"alt": "One box that says hello.", "caption": "Where does it lead?"}
LINKS = [Link(10, 20, 30, 8, "#here", "the section"), Link(10, 28, 30, 8, "../masks.html#a&b", 'a "quoted" <label>')]


def figure():
    with sheet(100) as axes:
        box(axes, (25, 28), (30, 16), "one")
        said(axes, (25, 28), "hello")
    return axes.figure


def drawings(html):
    start = html.index("<svg")
    return ET.fromstring(f"<div>{html[start : html.rindex('</svg>')]}</svg></div>").findall(f"{SVG}svg")


def test_the_picture_comes_first_and_has_its_words_and_no_links():
    picture, over = drawings(linked_html(figure(), LINKS, **WORDS))
    assert (picture.get("role"), picture.get("aria-label")) == ("img", WORDS["alt"])
    assert not list(picture.iter(f"{SVG}a")) and over.get("role") == "group"
    assert "hello" in {text.strip() for text in picture.itertext()}


def test_each_link_lies_over_its_part_counted_from_above():
    picture, over = drawings(linked_html(figure(), LINKS, **WORDS))
    assert picture.get("viewBox") == "0 0 338 100" and [float(n) for n in over.get("viewBox").split()] == [
        0,
        0,
        338,
        100,
    ]
    boxes = [[float(one.get(name)) for name in ("x", "y", "width", "height")] for one in over.iter(f"{SVG}rect")]
    assert boxes == [[10, 72, 30, 8], [10, 64, 30, 8]]


def test_links_have_addresses_and_names_and_are_escaped():
    _, over = drawings(linked_html(figure(), LINKS, **WORDS))
    found = [(one.get("href"), one.get("aria-label"), one.find(f"{SVG}title").text) for one in over.iter(f"{SVG}a")]
    assert found == [(link.address, link.label, link.label) for link in LINKS]


def test_both_drawings_take_the_same_place_and_shrink_to_the_same_width():
    html = linked_html(figure(), LINKS, **WORDS)
    picture, over = drawings(html)
    assert picture.get("style") == over.get("style") and "grid-area: 1 / 1; min-width: 308px" in over.get("style")
    assert (picture.get("width"), picture.get("height")) == ("338pt", "100pt")
    assert [float(over.get(side).removesuffix("pt")) for side in ("width", "height")] == [338, 100]
    assert html.count("display: grid") == 1


def test_the_caption_stays_behind_both():
    html = linked_html(figure(), LINKS, **WORDS)
    assert html.rindex("</svg>") < html.index("<figcaption>Where does it lead?</figcaption>")
    assert html.startswith('<figure class="book-figure">') and html.endswith("</figure>")


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (LINKS[0]._replace(address=" "), "an address and a label"),
        (LINKS[0]._replace(label=""), "an address and a label"),
        (LINKS[0]._replace(left=320), "outside the drawing of 338 × 100 points"),
        (LINKS[0]._replace(bottom=-1), "outside"),
        (LINKS[0]._replace(height=90), "outside"),
    ],
)
def test_links_that_lead_nowhere_or_lie_nowhere_are_refused(link, said):
    with pytest.raises(ValueError, match=said):
        linked_html(figure(), [link], **WORDS)


def test_show_displays_it(monkeypatch):
    displayed = []
    monkeypatch.setattr("IPython.display.display", displayed.append)
    show_linked(figure(), LINKS, **WORDS)
    assert displayed[0].data.count("<a href=") == 2
