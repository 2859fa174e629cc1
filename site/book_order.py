"""Where each notebook of the book stands in a reader's folder: by part, numbered in the order of `_toc.yml`."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import yaml


@dataclass(frozen=True)
class Place:
    """One notebook of the book.

    Attributes:
        name: what the page is called wherever it stands: `masks`, or `solutions/masks` for its solutions.
        source: the built notebook, relative to the folder of the built sources.
        path: the reader's copy, relative to the folder of the copies.
        part: caption of the page's part, empty for the book's first page.
        depth: how many notebooks it stands below in the contents.
    """

    name: str
    source: PurePosixPath
    path: PurePosixPath
    part: str
    depth: int


def places(toc, sources):
    """The place of every page that has a notebook, in the order of the book.

    Args:
        toc: the contents as `_toc.yml` holds them.
        sources: folder of the built notebooks.

    Raises:
        ValueError: if two pages have the same name, so that a copy could not be told from the other's.
    """
    found = [*_listed([{"file": toc["root"]}], PurePosixPath(), "", Path(sources), 0, first=0)]
    for number, part in enumerate(toc["parts"], start=1):
        folder = PurePosixPath(_file_name(f"{number} {part['caption']}"))
        found += _listed(part["chapters"], folder, part["caption"], Path(sources), 0)
    named = {}
    for place in found:
        if other := named.get(place.name):
            raise ValueError(f"{place.source} and {other.source} have the same name; rename one of the two pages")
        named[place.name] = place
    return found


def read_places(book):
    """The places of the built book in the folder `book`."""
    toc = yaml.safe_load((book / "_toc.yml").read_text(encoding="utf-8"))
    return places(toc, book / "_build" / "html" / "_sources")


def page_name(page):
    """The name of a page that stays the same when the page moves to another part."""
    parts = PurePosixPath(page).parts
    return "/".join(parts[2:]) or parts[-1]


def _listed(entries, folder, part, sources, depth, first=1):
    number = first
    for entry in entries:
        page, below = PurePosixPath(entry["file"]), entry.get("sections", [])
        stem = page.parent.name if page.name == "index" and below else page.name
        inside = folder / f"{number:02} {stem}"
        has_notebook = (sources / f"{page}.ipynb").exists()  # a page without code has none, but may have some below it
        if has_notebook:
            yield Place(page_name(page), PurePosixPath(f"{page}.ipynb"), folder / f"{inside.name}.ipynb", part, depth)
        listed = [*_listed(below, inside, part, sources, depth + has_notebook)]
        yield from listed
        number += bool(has_notebook or listed)


def _file_name(text):
    """A text without the characters that some system forbids in a file's name."""
    return re.sub(r'[<>:"/\\|?*]', "", text).strip(" .")
