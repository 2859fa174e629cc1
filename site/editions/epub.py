"""The book as an EPUB 3: one file of XHTML for each page, with formulas as MathML, figures as SVG and no script.

An explorer is a picture of its first state, with its words beside for those who hear it. The same built book gives the
same bytes, but for the date; that is the present one, or the one that SOURCE_DATE_EPOCH says.
"""

import html as escapes
import os
import time
import uuid
import zipfile
from pathlib import Path

from editions.browser import opened, visit
from editions.built_pages import BETWEEN, NotBuilt, place_images, read_pages, settings, unite
from editions.xhtml import body_of, prepared, properties_of
from editions.zipped import write_entry

NAME = "attention-worked-out.epub"
MIMETYPE = "application/epub+zip"
CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en" lang="en">
<head><meta charset="utf-8"/><title>{title}</title><link rel="stylesheet" type="text/css" href="book.css"/></head>
<body>
{body}
</body>
</html>
"""
FONT = "NotoSansDevanagari.woff2"
KINDS = {
    ".svg": "image/svg+xml",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
CLOSED = "(box) => box.querySelectorAll('details:not([open])').forEach((one) => one.remove())"
WIDTH = 720  # of a page on which an explorer is drawn, in CSS pixels


def pictures(book, pages):
    """The explorers of the pages as they stand when they start: PNGs, by the page's name and their number on it."""
    found = {}
    if not any(page.article.find_class("explorer") for page in pages):
        return found
    with opened(viewport={"width": WIDTH, "height": 1200}, device_scale_factor=2) as (tab, _):
        tab.emulate_media(media="print", color_scheme="light", reduced_motion="reduce")  # without its buttons
        for page in pages:
            if page.article.find_class("explorer"):
                visit(tab, Path(book) / "_build" / "html" / f"{page.docname}.html")
                for number, one in enumerate(tab.locator("article .explorer").all()):
                    one.scroll_into_view_if_needed()
                    one.evaluate(CLOSED)
                    tab.wait_for_timeout(300)  # an explorer that waits until it is seen starts now
                    found[page.name, number] = one.screenshot(type="png")
    return found


def contents(pages, title):
    """The contents: a list of the parts, and of the pages in each."""
    parts, last, open_lists = ["<ol>"], "", 0
    for n, page in enumerate(pages):
        if page.part != last:
            parts.append("</ol></li>" if last else "")
            parts.append(f"<li><span>{escapes.escape(page.part)}</span><ol>")
            last = page.part
        link = f'<a href="{page.name}.xhtml">{escapes.escape(page.title)}</a>'
        deeper = n + 1 < len(pages) and pages[n + 1].part == page.part and pages[n + 1].depth > page.depth
        parts.append(f"<li>{link}" + ("<ol>" if deeper else "</li>"))
        open_lists += deeper
        ends = n + 1 == len(pages) or pages[n + 1].part != page.part
        up = open_lists if ends else max(0, page.depth - pages[n + 1].depth)
        parts.append("</ol></li>" * up)
        open_lists -= up
    parts.append(("</ol></li>" if last else "") + "</ol>")
    return f'<nav epub:type="toc" id="toc"><h1>{escapes.escape(title)}</h1>{"".join(parts)}</nav>'


def package(about, entries, pages, now):
    """What the EPUB says of itself and of its files.

    Args:
        about: the `Settings` of the book.
        entries: the files of the folder `book/`, by name, with their contents.
        pages: in the order of the book.
        now: the date, in seconds.
    """
    items, spine = [], []
    names = {f"{page.name}.xhtml": page for page in pages}
    for number, name in enumerate(sorted(entries)):
        said = {"nav.xhtml": "nav", "cover.png": "cover-image"}.get(name, "")
        if name in names:
            said = properties_of(entries[name])
        more = f' properties="{said}"' if said else ""
        items.append(f'<item id="i{number}" href="{name}" media-type="{KINDS[Path(name).suffix]}"{more}/>')
        names[name] = f"i{number}"
    spine = [f'<itemref idref="{names[name]}"/>' for name in ["nav.xhtml", *(f"{page.name}.xhtml" for page in pages)]]
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    identity = uuid.uuid5(uuid.NAMESPACE_URL, about.address or about.title)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{identity}</dc:identifier>
<dc:title>{escapes.escape(about.title)}</dc:title>
<dc:creator>{escapes.escape(about.author)}</dc:creator>
<dc:language>en</dc:language>
<meta property="dcterms:modified">{date}</meta>
</metadata>
<manifest>{"".join(items)}</manifest>
<spine>{"".join(spine)}</spine>
</package>
"""


def make_epub(book, target=None):
    """Write the built book in a folder as an EPUB; returns the file.

    Args:
        book: its folder.
        target: the file to write; by default in `_build/epub/`.

    Raises:
        NotBuilt: if the book has not been built.
        BrowserError: if there is an explorer and no Chromium to draw it, or it does not start.
    """
    book = Path(book)
    about, pages = settings(book), read_pages(book)
    drawn = pictures(book, pages)
    entries, images = {}, {}
    place_images(pages, lambda file: images.setdefault(file, f"image-{len(images)}{Path(file).suffix}"))
    entries |= {name: (book / "_build" / "html" / file).read_bytes() for file, name in images.items()}
    for page in pages:
        for number, one in enumerate(page.article.find_class("explorer")):
            entries[f"{page.name}-{number}.png"] = drawn[page.name, number]
            one.set("data-picture", f"{page.name}-{number}.png")
        prepared(page, about.address)
    unite(pages, about.address,
          lambda page, part: f"{page.name}.xhtml" + (f"#{page.name}{BETWEEN}{part}" if part else ""))  # fmt: skip
    for page in pages:
        text = PAGE.format(title=escapes.escape(page.title), body=body_of(page.article))
        entries[f"{page.name}.xhtml"] = text.encode("utf-8")
    entries["nav.xhtml"] = PAGE.format(title=escapes.escape(about.title), body=contents(pages, about.title)).encode()
    static = book / "_build" / "html" / "_static"
    if not static.is_dir():
        raise NotBuilt(f"{static} is not there: run `make book` first")
    font = next(iter(sorted(static.rglob(FONT))), None)
    entries["book.css"] = style_sheet(font is not None).encode("utf-8")
    entries |= {FONT: font.read_bytes()} if font else {}
    entries |= {"cover.png": (static / "card.png").read_bytes()} if (static / "card.png").exists() else {}
    now = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    opf = package(about, entries, pages, now)
    target = Path(target or book / "_build" / "epub" / NAME)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    with zipfile.ZipFile(part, "w") as archive:
        write_entry(archive, "mimetype", MIMETYPE, squeezed=False)  # first, and as it is: that is how it is recognised
        write_entry(archive, "META-INF/container.xml", CONTAINER)
        write_entry(archive, "book/package.opf", opf)
        for name in sorted(entries):
            write_entry(archive, f"book/{name}", entries[name], Path(name).suffix not in {".png", ".woff2"})
    part.replace(target)
    return target


def style_sheet(hindi):
    """The rules of the EPUB: its own, the colours of the roles and of code, and the font for Hindi if it is there."""
    from pygments.formatters import HtmlFormatter

    from attention_book.pages.figures.plotting import ROLES

    own = Path(__file__).with_name("epub.css").read_text(encoding="utf-8")
    roles = "".join(f".role-{name} {{ color: {role.light}; font-weight: bold }}\n" for name, role in ROLES.items())
    code = HtmlFormatter(style="a11y-high-contrast-light").get_style_defs(".highlight")
    face = f'@font-face {{ font-family: "Noto Sans Devanagari"; src: url("{FONT}") }}\n' if hindi else ""
    return face + own + roles + code
