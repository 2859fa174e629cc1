"""The book as one PDF: the built pages put together, and printed by Chromium.

Chromium numbers the pages, draws the explorers in their first state, and makes bookmarks of the headings: a part's, a
page's below it, and its sections' below that. The contents name page numbers, which are known when the book has been
printed once; so it is printed twice.
"""

import base64
import html as escapes
import re
from pathlib import Path

import lxml.html

from editions.browser import BrowserError, chromium, opened, visit
from editions.built_pages import (
    BETWEEN,
    HEADINGS,
    drop_folded,
    formula_styles,
    place_images,
    read_pages,
    settings,
    slug,
    unite,
    where_to_play,
)
from editions.pdf_outline import PrintedFile

NAME = "attention-worked-out.pdf"
CONTENT_PX = 176 / 25.4 * 96  # of A4 between the margins of print.css
SCALE = 0.8
PRINTING = {"preferCSSPageSize": True, "printBackground": True, "scale": SCALE,
            "generateTaggedPDF": True, "generateDocumentOutline": True}  # fmt: skip
SHEETS = re.compile(r"<link [^>]*rel=\"stylesheet\"[^>]*>")
STATIC = re.compile(r"(?:\.\./)*_static/")
# Names that explorers give to their parts while they start are theirs alone: each gets its own beginning.
OWN_NAMES = """() => [...document.querySelectorAll(".explorer")].forEach((box, n) => {
  for (const name of ["id", "for", "aria-labelledby", "aria-describedby", "aria-controls"])
    for (const one of box.querySelectorAll(`[${name}]`))
      one.setAttribute(name, one.getAttribute(name).split(" ").map((word) => `x${n}-${word}`).join(" "));
})"""
# What is wider than the paper is made smaller as a whole.
FITTED = """(width) => {
  let fitted = 0;
  const kinds = "figure svg, table, mjx-container[display='true'], .explorer > div, .figure-drawing, pre, dl";
  for (const one of document.querySelectorAll(kinds)) {
    if (one.closest("[data-fitted]")) continue;
    const box = one.getBoundingClientRect();
    const wide = Math.max(box.width, one.scrollWidth ?? 0);
    const room = width - Math.max(0, box.left - document.querySelector(".printed-book").getBoundingClientRect().left);
    if (wide > room + 1 && room > 0) {
      one.dataset.fitted = one.tagName;
      one.style.zoom = String(Math.floor(1000 * room / wide) / 1000);
      fitted += 1;
    }
  }
  return fitted;
}"""


def prepared(pages, address):
    """Make each page's article ready to be printed; the pages are changed."""
    for page in pages:
        article = page.article
        drop_folded(article)
        for one in article.iter("details"):
            one.set("open", "open")
        for one in article.find_class("explorer"):
            note = lxml.html.fragment_fromstring('<p class="printed-where"></p>')
            note.text = where_to_play(page, address)
            one.addnext(note)
        below = (1 if page.part else 0) + page.depth
        for level, tag in enumerate(HEADINGS, start=1):
            for heading in article.iter(tag):
                heading.set("class", f"{heading.get('class', '')} heading-{level}".strip())
                heading.set("data-level", str(min(level + below, len(HEADINGS))))
        for heading in article.xpath(".//*[@data-level]"):
            heading.tag = f"h{heading.attrib.pop('data-level')}"


def contents(pages, numbers):
    """The contents as HTML, with the page numbers that are known.

    Args:
        pages: from `read_pages`.
        numbers: of the first page of each, by its title; empty before the first print.
    """
    parts, last = ['<nav class="printed-contents"><p class="h1" role="presentation">Contents</p>'], None
    for page in pages:
        if page.part != last:
            named = f'<p class="printed-caption">{escapes.escape(page.part)}</p>' if page.part else ""
            parts.append(f"{'</ol>' if last is not None else ''}{named}<ol>")
            last = page.part
        parts.append(
            f'<li class="depth-{page.depth}"><a href="#{page.name}" data-page="{numbers.get(page.name, "")}">'
            f"{escapes.escape(page.title)}<i></i></a></li>"
        )
    return "".join([*parts, "</ol></nav>"])


def document(book, pages, numbers=None):
    """The whole book as one HTML page, to be kept in `_build/pdf/`.

    Args:
        book: its folder.
        pages: as `prepared` leaves them.
        numbers: of the pages in print, by their names.
    """
    about = settings(book)
    first = (Path(book) / "_build" / "html" / f"{pages[0].docname}.html").read_text(encoding="utf-8")
    sheets = "\n".join(SHEETS.findall(first))
    own = Path(__file__).with_name("print.css").read_text(encoding="utf-8")
    body, last = [], ""
    for page in pages:
        if page.part and page.part != last:
            name = f"part-{slug(page.part)}"
            body.append(f'<section class="printed-part" id="{name}"><h1>{escapes.escape(page.part)}</h1></section>')
            last = page.part
        body.append(lxml.html.tostring(page.article, encoding="unicode", with_tail=False))
    title = escapes.escape(about.title)
    cover = (
        f'<section class="printed-title"><p class="h1">{title}</p><p>An interactive textbook, printed</p>'
        f"<p>{escapes.escape(about.author)}</p><p>{escapes.escape(about.address)}</p></section>"
    )
    head = STATIC.sub("../html/_static/", f'{sheets}<style class="formulas">{formula_styles(pages)}</style>')
    script = '<script defer src="../html/_static/explorers.js"></script>'
    return (
        f'<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light" data-content_root="../html/"><head>'
        f'<meta charset="utf-8"><title>{title}</title>{head}<style>{own}</style>{script}</head>'
        f'<body><main class="printed-book bd-main"><div class="bd-content"><div class="bd-article-container">'
        f"{cover}{contents(pages, numbers or {})}{''.join(body)}</div></div></main></body></html>"
    )


def print_file(tab, file, target):
    """Print a file of HTML, its explorers started, and whatever is too wide made smaller.

    Raises:
        BrowserError: if an explorer does not start.
    """
    tab.emulate_media(media="print", color_scheme="light", reduced_motion="reduce")
    visit(tab, file)
    tab.evaluate(OWN_NAMES)
    fitted = tab.evaluate(FITTED, CONTENT_PX / SCALE)
    # In one answer: as a stream, which `tab.pdf` asks for, forty megabytes do not always arrive.
    answer = tab.context.new_cdp_session(tab).send("Page.printToPDF", PRINTING)
    target.write_bytes(base64.b64decode(answer["data"]))
    return fitted


def make_pdf(book, target=None):
    """Print the built book in a folder.

    Args:
        book: its folder.
        target: the file to write; by default in `_build/pdf/`.

    Returns:
        The file, and the requests for anything that is not a file of this machine.

    Raises:
        NotBuilt: if the book has not been built.
        BrowserError: if there is no Chromium, or an explorer does not start.
    """
    chromium()  # before the pages are read, which takes its time
    book = Path(book)
    about, pages = settings(book), read_pages(book)
    place_images(pages, lambda file: f"../html/{file}")
    prepared(pages, about.address)
    unite(pages, about.address, lambda page, part: f"#{page.name}{BETWEEN}{part}" if part else f"#{page.name}")
    folder = book / "_build" / "pdf"
    folder.mkdir(parents=True, exist_ok=True)
    file, target = folder / "book.html", Path(target or folder / NAME)
    with opened(viewport={"width": round(CONTENT_PX / SCALE), "height": 1000}) as (tab, asked):
        file.write_text(document(book, pages), encoding="utf-8")
        print_file(tab, file, target)
        numbers = finished(target, pages, about)
        file.write_text(document(book, pages, numbers), encoding="utf-8")
        print_file(tab, file, target)
    if finished(target, pages, about) != numbers:
        raise BrowserError("the contents took more room with page numbers than without, so these are wrong: try again")
    return target, asked


def headings(pages):
    """What stands in the headings of the document, in order: (the page's name or None, the heading's text)."""
    found, last = [], ""
    for page in pages:
        if page.part and page.part != last:
            found.append((None, page.part))
            last = page.part
        main = True
        for heading in page.article.iter(*HEADINGS):
            found.append((page.name if main else None, heading_text(heading)))
            main = False
    return found


def heading_text(heading):
    """A heading's words; of a formula what it says, and not its TeX beside."""
    parts = heading.xpath(".//text()[not(ancestor::annotation)]")
    return " ".join("".join(parts).split())


def finished(file, pages, about):
    """Mend the bookmarks of what was printed, and say whose book it is.

    Chromium gives a heading that begins a printed page, or fills more than a line, its words twice or without a space.

    Returns:
        The number of the first printed page of each page of the book, by its name.

    Raises:
        ValueError: if the bookmarks are not the headings of the document.
    """
    printed, told = PrintedFile(file), headings(pages)
    marks = printed.bookmarks()
    printed.retitle([title for _, title in told], Title=about.title, Author=about.author, Creator="make pdf")
    return {name: mark.page for mark, (name, _) in zip(marks, told, strict=True) if name}
