"""The reader's copies of the book's notebooks: written by `make lab` into `notebooks/`, and never lost.

A copy that the reader has not touched is replaced by the next build's. One that was saved in Jupyter is the reader's:
it stays, moves along when its page moves, and a new version of the page is written beside it. What was written is kept
in `.written.json`, page by page, with a digest of each file and one of the built notebook that it was made from. A
file that is not as it was written is the reader's, and so is a file that is not listed there.
"""

import hashlib
import json
import os
import posixpath
import re
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

WRITTEN = ".written.json"
LINK = re.compile(r'(\]\(|href=")([^)\s"#:]+\.ipynb)(?=[)#"])')


@dataclass
class Copy:
    """A file that was written: its path, the digest of its bytes, and that of the built notebook that it shows."""

    path: str
    digest: str
    version: str


def cells_of(notebook):
    """What makes one version of a notebook: the kind and the source of each cell."""
    return [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]


def relinked(notebook, old, new, moved):
    """A notebook whose links to other notebooks fit its new place.

    Args:
        notebook: the notebook as JSON; it is not changed.
        old: path that its links start from.
        new: path that it is written to.
        moved: maps a path that a link may lead to, to the path that it shall lead to. Other links stay as they are.
    """

    def link(found):
        leads_to = posixpath.normpath(posixpath.join(posixpath.dirname(str(old)), unquote(found[2])))
        target = moved.get(leads_to)
        if target is None:
            return found[0]
        return found[1] + quote(posixpath.relpath(target, posixpath.dirname(str(new)) or "."))

    cells = [
        {**cell, "source": LINK.sub(link, "".join(cell["source"]))} if cell["cell_type"] == "markdown" else cell
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


class ReaderCopies:
    """The folder of a reader's copies.

    Args:
        folder: where the copies are.
        sources: folder of the built notebooks.
    """

    def __init__(self, folder, sources):
        self.folder, self.sources = Path(folder), Path(sources)
        self.news, self.counts = [], Counter()
        try:
            listed = json.loads((self.folder / WRITTEN).read_text(encoding="utf-8"))
            self.pages = {page: [Copy(**copy) for copy in copies] for page, copies in listed.items()}
        except (FileNotFoundError, ValueError, TypeError, AttributeError):  # every file is then the reader's
            self.pages = {}

    def update(self, places):
        """Bring the folder up to the built book.

        Args:
            places: the pages in the order of the book (see `book_order`).

        Returns:
            the copies of each page by its name: the first is the one to read, the last the newest version.
        """
        before = {page: list(copies) for page, copies in self.pages.items()}
        moved = {str(place.path): str(place.path) for place in places}
        moved |= {before[place.name][0].path: str(place.path) for place in places if before.get(place.name)}
        built = {str(place.source): str(place.path) for place in places}
        for page in before.keys() - {place.name for place in places}:
            self.pages[page] = [copy for copy in before[page] if self._kept(copy)]
        for place in places:
            self._update_page(place, moved, built)
        self.pages = {page: copies for page, copies in self.pages.items() if copies}
        listed = {page: [asdict(copy) for copy in copies] for page, copies in self.pages.items()}
        self.write(WRITTEN, json.dumps(listed, indent=1, sort_keys=True))
        return {place.name: self.pages[place.name] for place in places}

    def _update_page(self, place, moved, built):
        source = json.loads((self.sources / place.source).read_text(encoding="utf-8"))
        version = _digest(json.dumps(cells_of(source)).encode())
        copies = [copy for copy in self.pages.get(place.name, []) if (self.folder / copy.path).exists()]
        if not copies and (self.folder / place.path).exists():
            copies = [Copy(str(place.path), "", "")]
        for number, copy in enumerate(copies):
            self._move(copy, _beside(place.path, number), moved)
        self.pages[place.name] = copies

        path = _beside(place.path, len(copies))
        newest = copies[-1] if copies else None
        if newest and self._untouched(newest):
            path = newest.path
        elif newest:
            self.counts["yours"] += 1
        notebook = relinked(source, place.source, path, built)
        if newest and not self._untouched(newest):
            if newest.version == version or self._cells(newest) == cells_of(notebook):
                newest.version = version
                return
            while (self.folder / path).exists():
                path = _next(path)
            self.news.append(f"{newest.path} is as you left it; the book's new version is beside it: {Path(path).name}")
        content = _as_text(notebook)
        digest = _digest(content.encode())
        if newest and newest.path == path:
            self.counts["replaced" if newest.digest != digest else "as before"] += 1
            copies.pop()
        else:
            self.counts["new"] += 1
        if not newest or newest.path != path or newest.digest != digest:
            self.write(path, content)
        copies.append(Copy(path, digest, version))

    def _move(self, copy, path, moved):
        """Bring a copy to where its page now stands, and its links to where theirs do."""
        old, untouched = copy.path, self._untouched(copy)
        if (self.folder / path).exists():
            path = old
        try:
            notebook = json.loads((self.folder / old).read_text(encoding="utf-8"))
            linked = relinked(notebook, old, path, moved)
        except (ValueError, KeyError, TypeError):  # no notebook: whatever the reader made of it goes along as it is
            if path != old:
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                os.replace(self.folder / old, self.folder / path)
                copy.path = path
            return
        if path == old and cells_of(linked) == cells_of(notebook):
            return
        content = _as_text(linked)
        self.write(path, content)
        if path != old:
            (self.folder / old).unlink()
            self._drop_empty((self.folder / old).parent)
        copy.path, copy.digest = path, _digest(content.encode()) if untouched else ""
        if not untouched and path != old:
            self.news.append(f"{old}, which you changed, is now {path}, where its page stands in the book")

    def _kept(self, copy):
        """Whether a copy of a page that has left the book stays: the reader's does, and is told."""
        file = self.folder / copy.path
        if not file.exists():
            return False
        if self._untouched(copy):
            file.unlink()
            self._drop_empty(file.parent)
            return False
        self.news.append(f"{copy.path} is as you left it; its page is no longer in the book")
        return True

    def _untouched(self, copy):
        return _digest((self.folder / copy.path).read_bytes()) == copy.digest

    def _cells(self, copy):
        try:
            return cells_of(json.loads((self.folder / copy.path).read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError):
            return None

    def write(self, path, content):
        """Write a file so that it is either the old one or the new one, whatever happens."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f".{file.name}.unfinished")
        unfinished.write_text(content, encoding="utf-8", newline="\n")
        os.replace(unfinished, file)

    def _drop_empty(self, folder):
        while folder != self.folder and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def _beside(path, number):
    """The path of the first copy of a page, of the new version beside it, of a newer one beside that."""
    path = PurePosixPath(path)
    words = ["", " (new version)"][number] if number < 2 else f" (new version {number})"
    return str(path.with_name(f"{path.stem}{words}.ipynb"))


def _next(path):
    """The path to try when one is taken by a file that is not ours."""
    path = PurePosixPath(path)
    found = re.fullmatch(r"(.*) \(new version(?: (\d+))?\)", path.stem)
    stem, number = (found[1], int(found[2] or 1) + 1) if found else (path.stem, 1)
    return _beside(path.with_name(f"{stem}.ipynb"), number)


def _digest(content):
    return hashlib.sha256(content).hexdigest()


def _as_text(notebook):
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
