"""The book as an EPUB: what the format asks for, every link a place, no script, the same bytes for the same book."""

import json
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import lxml.html
import pytest
from editions import built_pages, epub, xhtml
from editions.browser import opened, visit
from editions.built_pages import Settings, read_pages
from lxml import etree

pytestmark = pytest.mark.slow  # a small book is built
XHTML, OPF = "{http://www.w3.org/1999/xhtml}", "{http://www.idpf.org/2007/opf}"
MATH, SVG = "{http://www.w3.org/1998/Math/MathML}", "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}href"


@pytest.fixture(scope="module")
def target(tiny_book, tmp_path_factory):
    return epub.make_epub(tiny_book.folder, tmp_path_factory.mktemp("epub") / "tiny.epub")


@pytest.fixture(scope="module")
def held(target):
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def documents(held):
    """The parsed pages, by their names."""
    return {name: etree.fromstring(content) for name, content in held.items() if name.endswith(".xhtml")}


def test_it_is_recognised_by_its_first_entry(target):
    with zipfile.ZipFile(target) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type, first.extra) == ("mimetype", zipfile.ZIP_STORED, b"")
        assert archive.read(first) == b"application/epub+zip"
    assert target.read_bytes()[30:58] == b"mimetypeapplication/epub+zip"


def test_the_list_of_files_is_complete_and_says_what_each_holds(held, documents):
    root = etree.fromstring(held["META-INF/container.xml"]).find(".//{*}rootfile").get("full-path")
    package = etree.fromstring(held[root])
    items = {f"book/{one.get('href')}": one for one in package.iter(f"{OPF}item")}
    assert set(items) == set(held) - {"mimetype", "META-INF/container.xml", root}
    assert len({one.get("id") for one in items.values()}) == len(items)
    for name, page in documents.items():
        said = (items[name].get("properties") or "").split()
        assert ("mathml" in said) == (page.find(f".//{MATH}math") is not None)
        assert ("svg" in said) == (page.find(f".//{SVG}svg") is not None)
    assert [name for name, one in items.items() if one.get("properties") == "nav"] == ["book/nav.xhtml"]
    kinds = {PurePosixPath(name).suffix: one.get("media-type") for name, one in items.items()}
    assert kinds[".xhtml"] == "application/xhtml+xml" and kinds[".css"] == "text/css"
    for needed in ("identifier", "title", "language", "creator"):
        assert package.find(f".//{{http://purl.org/dc/elements/1.1/}}{needed}").text


def test_the_pages_come_in_the_order_of_the_book(held, tiny_book):
    package = etree.fromstring(held["book/package.opf"])
    names = {one.get("id"): one.get("href") for one in package.iter(f"{OPF}item")}
    spine = [names[one.get("idref")] for one in package.iter(f"{OPF}itemref")]
    pages = read_pages(tiny_book.folder)
    assert spine == ["nav.xhtml", *(f"{page.name}.xhtml" for page in pages)]
    links = etree.fromstring(held["book/nav.xhtml"]).iterfind(f".//{XHTML}nav//{XHTML}a")
    assert [(one.get("href"), one.text) for one in links] == [(f"{page.name}.xhtml", page.title) for page in pages]


def test_every_link_leads_to_a_place_of_the_book_or_to_an_address(documents, held):
    names = {name: {one.get("id") for one in page.iter() if one.get("id")} for name, page in documents.items()}
    count = 0
    for name, page in documents.items():
        assert len(names[name]) == sum(one.get("id") is not None for one in page.iter())
        for one in page.iter():
            link = one.get("href") or one.get(XLINK) or one.get("src")
            if link and not link.startswith(("https://", "http://")):
                file, _, part = link.partition("#")
                file = f"book/{file}" if file else name
                assert file in held, link
                assert not part or part in names[file], link
                count += 1
    assert count > 20


def test_nothing_in_it_runs_or_waits_for_a_hand(documents):
    for page in documents.values():
        for one in page.iter():
            kind = etree.QName(one).localname
            assert kind not in {"script", "button", "input", "select", "form", "iframe", "fieldset"}
            assert not kind.startswith("mjx") and not any(name.startswith("on") for name in one.attrib)


def test_formulas_are_mathml_with_their_tex_beside(documents):
    formulas = [one for page in documents.values() for one in page.iter(f"{MATH}math")]
    assert len(formulas) > 3 and all(one.get("alttext") for one in formulas)
    assert not [one for one in formulas if one.find(f".//{MATH}annotation") is not None]
    assert {one.get("display") for one in formulas} == {"block", "inline"}
    assert not any("\\query" in one.get("alttext") for one in formulas)


def test_the_same_book_and_date_give_the_same_bytes(tiny_book, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first, again = (epub.make_epub(tiny_book.folder, tmp_path / name).read_bytes() for name in "ab")
    assert first == again and b"mimetype" in first


def test_a_drawing_gets_the_names_of_xml_and_its_colours():
    text = (
        '<article><svg viewBox="0 0 1 1" xmlns="http://www.w3.org/2000/svg"><defs><clipPath id="c"></clipPath></defs>'
        '<use href="#c" style="fill: var(--role-query); stroke: var(--other, #123456)" data-x="1"></use>'
        "</svg></article>"
    )
    drawn = etree.fromstring(xhtml.body_of(lxml.html.fragment_fromstring(text)))[0]
    assert drawn.tag == f"{SVG}svg" and drawn.get("viewBox") == "0 0 1 1"
    assert drawn.find(f".//{SVG}clipPath") is not None
    use = drawn.find(f"{SVG}use")
    assert use.get(XLINK) == "#c" and use.get("data-x") is None
    assert use.get("style") == f"fill: {xhtml.colours()['--role-query']}; stroke: #123456"


def test_a_place_for_a_line_break_holds_nothing():
    page = built_pages.parsed("<html><body><article><p>one.<wbr>two.<wbr><b>three</b></p></article></body></html>")
    [written] = etree.fromstring(xhtml.body_of(page.find(".//article")))
    assert [etree.QName(one).localname for one in written] == ["wbr", "wbr", "b"]
    assert "".join(written.itertext()) == "one.two.three" and not any(one.text for one in written[:2])


def test_a_drawing_has_no_role_that_epubs_do_not_know():
    text = '<article><svg role="group" aria-label="Links"></svg><svg role="img" aria-label="A"></svg></article>'
    links, picture = etree.fromstring(xhtml.body_of(lxml.html.fragment_fromstring(text)))
    assert (links.get("role"), picture.get("role")) == (None, "img") and links.get("aria-label") == "Links"


def test_the_contents_close_every_list_they_open():
    places = [("", 0), ("A", 0), ("A", 0), ("A", 1), ("A", 2), ("A", 0), ("B", 0), ("B", 1)]
    pages = [SimpleNamespace(name=f"p{n}", title=f"{n} < 9", part=part, depth=d) for n, (part, d) in enumerate(places)]
    nav = etree.fromstring(epub.contents(pages, "T").replace("epub:type", "class"))
    depths = {one.text[0]: len(list(one.iterancestors("ol"))) for one in nav.iter("a")}
    assert depths == {"0": 1, "1": 2, "2": 2, "3": 3, "4": 4, "5": 2, "6": 2, "7": 3}


@pytest.mark.browser
def test_an_explorer_is_a_picture_with_its_words(tmp_path):
    """A page with an explorer that draws a word, in a book of one page."""
    html = tmp_path / "_build" / "html"
    (html / "_static").mkdir(parents=True)
    shutil.copy(Path(__file__).parents[2] / "site" / "static" / "explorers.js", html / "_static")
    module = "export default { render({ el }) { el.textContent = 'drawn'; } };"
    data = json.dumps({"esm": module, "css": "", "state": {}})
    (html / "index.html").write_text(
        f'<!DOCTYPE html><html><body><article><h1>One</h1><div class="explorer"><p><strong>It.</strong> Its words.</p>'
        f'<p class="explorer-waits">no</p><script type="application/json">{data}</script></div></article>'
        '<script src="_static/explorers.js"></script></body></html>'
    )
    (tmp_path / "_toc.yml").write_text("root: index\n")
    (tmp_path / "_config.yml").write_text("title: T\nauthor: A\nhtml:\n  baseurl: https://example.org/b\n")
    with ThreadPoolExecutor(1) as apart:  # another test's browser may have a loop in this thread
        made = apart.submit(epub.make_epub, tmp_path).result()
    with zipfile.ZipFile(made) as archive:
        page = etree.fromstring(archive.read("book/index.xhtml"))
        [picture] = page.iter(f"{XHTML}img")
        assert picture.get("alt") == "It. Its words." and "drawn" not in "".join(page.itertext())
        assert archive.read(f"book/{picture.get('src')}").startswith(b"\x89PNG")
        assert "https://example.org/b/index.html" in page.find(f".//{XHTML}figcaption")[0].text


@pytest.mark.browser
def test_links_that_lie_upon_a_drawing_do_not_hide_it(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        f'<style>{epub.style_sheet(False)}</style><figure class="book-figure"><div style="display: grid">'
        '<svg id="drawing"></svg><svg class="figure-links" id="links"></svg></div></figure>'
    )

    def look():
        with opened() as (tab, _):
            visit(tab, page)
            ground = "one => getComputedStyle(one).backgroundColor"
            return [tab.locator(name).evaluate(ground) for name in ("#drawing", "#links")]

    with ThreadPoolExecutor(1) as apart:
        assert apart.submit(look).result() == ["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"]


def test_its_package_names_the_book():
    said = epub.package(Settings("A & B", "C", "https://example.org/"), {"nav.xhtml": b"", "book.css": b""}, [], 0)
    package = etree.fromstring(said.encode())
    assert package.find(".//{*}title").text == "A & B" and "1970-01-01T00:00:00Z" in said
