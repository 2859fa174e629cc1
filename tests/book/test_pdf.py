"""The book as a PDF: every heading a bookmark, every link a place, nothing asked of another host."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lxml.html
import pytest
from editions import pdf
from editions.browser import BrowserError, opened, visit
from editions.built_pages import NotBuilt, read_pages
from editions.pdf_outline import PrintedFile, pdf_text, text_of
from take_along import make

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def book(tiny_book, tmp_path_factory):
    """The folder of a tiny book to be printed, as something is written there."""
    return tiny_book.copy(tmp_path_factory.mktemp("printed")).folder


@pytest.fixture(scope="module")
def printed(book, tmp_path_factory):
    """The tiny book in print, and what was asked for beside files."""
    target = tmp_path_factory.mktemp("print") / "tiny.pdf"
    with ThreadPoolExecutor(1) as apart:  # another test's browser may have a loop in this thread
        target, asked = apart.submit(pdf.make_pdf, book, target).result()
    return PrintedFile(target), asked


def test_nothing_is_asked_of_another_host(printed):
    assert printed[1] == []


def test_every_heading_is_a_bookmark_in_order(printed, book):
    wanted = [title for _, title in pdf.headings(read_pages(book))]
    marks = printed[0].bookmarks()
    assert [mark.title for mark in marks] == wanted and len(wanted) > 5
    assert [mark.page for mark in marks] == sorted(mark.page for mark in marks)
    assert 2 < marks[0].page <= marks[-1].page <= len(printed[0].pages)
    assert {mark.depth for mark in marks} >= {0, 1}


def test_every_link_leads_to_a_place_of_the_document_or_to_an_address(printed):
    places, links = printed[0].places(), printed[0].links()
    within = [one for one in links if one.startswith(b"/")]
    assert set(within) <= set(places) and len(within) > 5
    assert all(one.startswith((b"https://", b"http://")) for one in links if one not in within)


def test_the_contents_name_the_page_on_which_each_page_begins(printed, book):
    document = (book / "_build" / "pdf" / "book.html").read_text(encoding="utf-8")
    pages, marks = read_pages(book), {mark.title: mark.page for mark in printed[0].bookmarks()}
    for page in pages:
        assert f'href="#{page.name}" data-page="{marks[page.title]}"' in document


def test_one_document_has_each_name_once_and_no_hidden_cell(book, printed):

    document = lxml.html.parse(str(book / "_build" / "pdf" / "book.html")).getroot()
    names = [one.get("id") for one in document.iter() if one.get("id")]
    assert len(names) == len(set(names))
    assert not document.xpath(".//details[not(@open)] | .//fieldset")
    assert not document.find_class("headerlink")
    [folded] = document.find_class("tag_hide-input")
    assert folded.text_content().strip() == "shown in Tiny 42"  # what the cell printed, without its code


def test_the_file_says_what_it_is(printed):
    info = printed[0].data
    assert info.startswith(b"%PDF-") and pdf_text("make pdf") in info


def test_without_chromium_it_says_what_to_install(book, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(BrowserError, match=r"not installed; on Debian and Ubuntu: apt-get install chromium"):
        make("pdf", book)


@pytest.mark.parametrize("kind", ["pdf", "zip", "epub"])
def test_without_a_built_book_it_says_what_to_run(tmp_path, kind):
    (tmp_path / "_toc.yml").write_text("root: chapters/index\n")
    (tmp_path / "_config.yml").write_text("title: Nothing\n")
    with pytest.raises(NotBuilt, match=r"run `make book` first"):
        make(kind, tmp_path)


@pytest.mark.parametrize("text", ["d_k", "Two √ roots: “½” → 𝑥", "(a\\b)", ""])
def test_a_text_of_a_pdf_is_read_as_it_was_written(text):
    assert text_of(pdf_text(text)) == text


@pytest.mark.parametrize(
    ("written", "text"), [(rb"(a \(b\) \\ c)", "a (b) \\ c"), (rb"(\376\377\000a)", "a"), (b"<FEFF 0061>", "a")]
)
def test_the_ways_to_write_a_text_are_known(written, text):
    assert text_of(written) == text


def test_a_file_that_is_cut_short_is_refused(printed, tmp_path):
    (tmp_path / "cut.pdf").write_bytes(printed[0].data[:-200])
    with pytest.raises(ValueError, match="no whole PDF"):
        PrintedFile(tmp_path / "cut.pdf")


def test_other_titles_need_one_for_each_bookmark(printed):
    with pytest.raises(ValueError, match=r"bookmarks, and there are 1 titles"):
        printed[0].retitle(["one"])


def test_what_is_wider_than_the_paper_is_made_smaller_and_nothing_else(tmp_path):
    page = tmp_path / "wide.html"
    cells = "".join(f"<td>{'x' * 20}</td>" for _ in range(20))
    page.write_text(
        f'<body style="margin:0"><main class="printed-book"><table id="wide"><tr>{cells}</tr></table>'
        '<table id="narrow"><tr><td>x</td></tr></table><pre id="code">short</pre></main></body>'
    )

    def look():
        with opened(viewport={"width": 800, "height": 600}) as (tab, asked):
            visit(tab, page)
            assert tab.evaluate("document.getElementById('wide').getBoundingClientRect().width") > 1500
            assert tab.evaluate(pdf.FITTED, 800) == 1
            assert 700 < tab.evaluate("document.getElementById('wide').getBoundingClientRect().width") <= 800
            assert asked == []

    with ThreadPoolExecutor(1) as apart:
        apart.submit(look).result()


def test_boxes_are_printed_as_lines_and_not_as_pictures_of_their_shadows(printed, book):
    document = lxml.html.parse(str(book / "_build" / "pdf" / "book.html")).getroot()
    bitmaps = document.xpath(".//img[contains(@src, '.png') or starts-with(@src, 'data:image/png')]")
    pictures = printed[0].path.read_bytes().count(b"/Subtype /Image")
    assert document.find_class("admonition") and pictures <= 2 * len(bitmaps)  # each with what is transparent in it


def test_what_belongs_together_is_not_parted_by_the_end_of_a_page(tmp_path):
    """The heads of lists, titles of two lines, and what a check says, by what the printing browser is told of them."""
    page, sheet = tmp_path / "parts.html", Path(pdf.__file__).with_name("print.css").read_text(encoding="utf-8")
    page.write_text(
        f'<style>{sheet}</style><main class="printed-book"><p class="reference-part">Raises</p>'
        '<div class="admonition"><p class="admonition-title">Solution</p></div>'
        '<div class="cell_output" id="said"><div class="output"><p class="check-report">Passed.</p></div></div>'
        '<div class="cell_output" id="drawn"><div class="output"><p>A long table.</p></div></div></main>'
    )

    def look():
        with opened() as (tab, _):
            visit(tab, page)
            told = "([which, what]) => getComputedStyle(document.querySelector(which))[what]"
            title = ".admonition-title"
            wanted = [(".reference-part", "breakAfter"), (title, "breakAfter"), (title, "breakInside")]
            wanted += [("#said", "breakBefore"), ("#drawn", "breakBefore")]
            return [tab.evaluate(told, list(one)) for one in wanted]

    with ThreadPoolExecutor(1) as apart:
        assert apart.submit(look).result() == ["avoid", "avoid", "avoid", "avoid", "auto"]
