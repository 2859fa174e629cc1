"""The pages of the built book in the order of the book, to be put together as one document.

Their names and addresses are made such that they hold in one document: a name that a page gives to one of its parts
begins with the page's own, and a link to another page leads to that page's place.
"""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin, urlsplit

import lxml.html
import yaml

NAMING = ("id", "for", "headers", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns")
LOCAL = re.compile(r"url\(#([^)]+)\)")
FORMULA_STYLES = re.compile(r"<style class=\"formulas\">(.*?)</style>", re.S)
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
ON_DEMAND = ("above-input", "above-cell", "symbols")  # what a page hides until somebody asks
FOLDED = f".//details[{' or '.join(f'contains(@class, {name!r})' for name in ON_DEMAND)}]"
WHERE = "In a browser, this explorer can be played with, on the page “{title}” of the book{address}."
BETWEEN = "--"  # the page's name and that of its part


class EditionError(Exception):
    """An edition cannot be made; the message says what to do."""


class NotBuilt(EditionError):
    """There is no built book to make an edition of; the message says what to do."""


@dataclass
class BuiltPage:
    """One page of the book.

    Attributes:
        docname: its name in `_toc.yml`.
        part: the caption of its part, empty for the book's first page.
        depth: how many pages it stands below in the contents.
        title: its heading, as text.
        article: what it says, an element that may be changed.
        styles: the style rules of its formulas.
    """

    docname: str
    part: str
    depth: int
    title: str
    article: lxml.html.HtmlElement
    styles: str

    @property
    def name(self):
        return slug(self.docname)


@dataclass
class Settings:
    """What the book's `_config.yml` says that an edition needs: title, author, address (empty if there is none)."""

    title: str
    author: str
    address: str


def slug(docname):
    """A page's name as one word, which is the name of its place in one document."""
    return re.sub(r"[^\w-]", "-", docname.removeprefix("chapters/"))


def settings(book):
    """The `Settings` of the book in a folder."""
    said = yaml.safe_load((Path(book) / "_config.yml").read_text(encoding="utf-8"))
    address = (said.get("html") or {}).get("baseurl") or ""
    return Settings(said.get("title", ""), said.get("author", ""), address.rstrip("/") + "/" if address else "")


def listed(toc):
    """(docname, part, depth) of each page of a table of contents, in order."""
    found = [(toc["root"], "", 0)]

    def below(entries, part, depth):
        for entry in entries:
            found.append((entry["file"], part, depth))
            below(entry.get("sections", []), part, depth + 1)

    for part in toc.get("parts", [{"caption": "", "chapters": toc.get("chapters", [])}]):
        below(part["chapters"], part.get("caption", ""), 0)
    return found


def read_pages(book):
    """The pages of the book in a folder, which has been built.

    Raises:
        NotBuilt: if it has not, or a page of its contents was not.
    """
    book = Path(book)
    html = book / "_build" / "html"
    toc = yaml.safe_load((book / "_toc.yml").read_text(encoding="utf-8"))
    pages = []
    for docname, part, depth in listed(toc):
        file = html / f"{docname}.html"
        if not file.exists():
            raise NotBuilt(f"{file} is not there: this is made of the built book, so run `make book` first")
        text = file.read_text(encoding="utf-8")
        article = parsed(text).find(".//article")
        if article is None or article.find(".//h1") is None:
            raise NotBuilt(f"{file} has no article with a heading: it was not built whole, so run `make book`")
        for link in article.find_class("headerlink"):
            link.drop_tree()
        title = " ".join(article.find(".//h1").text_content().split())
        pages.append(BuiltPage(docname, part, depth, title, article, "".join(FORMULA_STYLES.findall(text))))
    return pages


def parsed(text):
    """A page of HTML, parsed. The parser does not know that a `wbr` holds nothing, so that is said in the text."""
    return lxml.html.document_fromstring(text.replace("<wbr>", "<wbr/>"))


def drop_folded(article):
    """Take away what a page folds, and the buttons with which a reader chooses what it shows."""
    for one in [*article.iter("fieldset"), *article.xpath(FOLDED)]:
        one.drop_tree()


def where_to_play(page, address):
    """What stands below an explorer that cannot be played with: where it can be."""
    return WHERE.format(title=page.title, address=f" ({address}{page.docname}.html)" if address else "")


def names_of(page):
    return {one.get("id") for one in page.article.iter() if one.get("id")}


def place_images(pages, place):
    """Write the addresses of the images of pages anew; the pages are changed.

    Args:
        pages: from `read_pages`.
        place: the address of an image, given its file, relative to the built book.
    """
    for page in pages:
        for image in page.article.xpath(".//img[@src]"):
            file, _ = resolved(page.docname, image.get("src"))
            if file is not None:
                image.set("src", place(file))


def unite(pages, address, place):
    """Make names and links of the pages hold in one document; the pages are changed.

    Args:
        pages: from `read_pages`.
        address: where the book is published, for what is not in the document; empty if nowhere.
        place: how a link to a part of a page is written, given the page and the part's name, or None for all of it.

    Returns:
        Links that lead to no page and to no address, as (docname, link); they have become plain text.
    """
    known = {page.docname: page for page in pages}
    names = {page.docname: names_of(page) for page in pages}
    lost = []
    for page in pages:
        for element in page.article.iter():
            if isinstance(element.tag, str):
                _rename(element, page)
        page.article.set("id", page.name)
        for link in page.article.xpath(".//a[@href]"):
            told = link.get("href")
            target, fragment = resolved(page.docname, told)
            if target is None:
                continue
            other = known.get(target.removesuffix(".html"))
            if other is not None:
                link.set("href", place(other, fragment if fragment in names[other.docname] else None))
            elif address:
                link.set("href", urljoin(address, target) + (f"#{fragment}" if fragment else ""))
            else:
                lost.append((page.docname, told))
                link.tag = "span"
                del link.attrib["href"]
    return lost


def resolved(docname, link):
    """Where a link of a page leads, as a file of the built book and a part of it; (None, "") for one to elsewhere."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None, ""
    if not parts.path:
        return f"{docname}.html", parts.fragment
    found = []
    for part in PurePosixPath(docname).parent.joinpath(parts.path).parts:
        found = found[:-1] if part == ".." else [*found, part]
    return "/".join(found), parts.fragment


def _rename(element, page):
    for name in NAMING:
        if value := element.get(name):
            element.set(name, " ".join(f"{page.name}{BETWEEN}{one}" for one in value.split()))
    for name, value in element.attrib.items():
        if name in ("href", "xlink:href") and element.tag != "a" and value.startswith("#"):
            element.set(name, f"#{page.name}{BETWEEN}{value[1:]}")
        elif "url(#" in value:
            element.set(name, LOCAL.sub(lambda one: f"url(#{page.name}{BETWEEN}{one.group(1)})", value))


def formula_styles(pages):
    """The style rules of all pages' formulas, each once."""
    rules = {}
    for page in pages:
        for rule in re.findall(r"[^{}]*\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*\}", page.styles):
            rules.setdefault(rule)
    return "".join(rules)
