"""Pages, bookmarks and links of a PDF that Chromium wrote, read without a library; and its bookmarks' titles, mended.

Chromium writes each object by itself, `N 0 obj … endobj`, lists them in one table, and compresses streams alone. That
is what is needed here, and no other PDF is promised to be read. A change is appended, as PDF allows: the objects that
are new, a table of them, and where the table before was.
"""

import re
from dataclasses import dataclass
from pathlib import Path

START = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*\Z")
ENTRY = re.compile(rb"(\d{10}) (\d{5}) ([nf])")
TITLE = re.compile(rb"/Title\s*(\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>)", re.S)
DEST = re.compile(rb"/Dest\s*(\[(\d+) 0 R[^\]]*\]|/[^\s/<>\[\]()]+)")
NAMED = re.compile(rb"(/[^\s/<>\[\]()]+)\s*\[(\d+) 0 R")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


@dataclass
class Bookmark:
    """One bookmark: the number of its object, its title, its page (from 1), and how deep it stands (from 0)."""

    number: int
    title: str
    page: int
    depth: int


class PrintedFile:
    """A PDF of Chromium's.

    Attributes:
        pages: the numbers of the pages' objects, in order.
        root: what the document's catalogue says, as bytes.

    Raises:
        ValueError: if the file cannot be read in this way.
    """

    def __init__(self, path):
        self.path = Path(path)
        self.data = self.path.read_bytes()
        found = START.search(self.data[-100:])
        if not self.data.startswith(b"%PDF-") or not found:
            raise ValueError(f"{path} is no whole PDF of Chromium's: it lacks its first or its last line")
        self.table, self.offsets, self.trailer = int(found.group(1)), {}, b""
        table = self.table
        while table is not None:
            table = self._read_table(table)
        self.root = self.object(_reference(self.trailer, b"Root"))
        self.pages = [*self._kids(_reference(self.root, b"Pages"))]

    def _read_table(self, start):
        """Read one table; the address of the one before it, or None."""
        end = self.data.find(b"startxref", start)
        head, _, trailer = self.data[start:end].partition(b"trailer")
        if not head.startswith(b"xref") or not trailer:
            raise ValueError(f"{self.path} has no table of its objects where it says so")
        self.trailer = self.trailer or trailer
        position = 4
        while section := re.compile(rb"\s*(\d+) (\d+)\s*\n").match(head, position):
            first, count, position = int(section.group(1)), int(section.group(2)), section.end()
            for number in range(first, first + count):
                entry = ENTRY.match(head, position)
                position += 20
                if entry.group(3) == b"n":
                    self.offsets.setdefault(number, int(entry.group(1)))
        before = re.search(rb"/Prev (\d+)", trailer)
        return int(before.group(1)) if before else None

    def object(self, number):
        """What an object that is no stream says, as bytes."""
        start = self.offsets[number]
        return self.data[self.data.index(b"obj", start) + 3 : self.data.index(b"endobj", start)]

    def _kids(self, number):
        said = self.object(number)
        if b"/Kids" not in said:
            yield number
            return
        kids = re.search(rb"/Kids\s*\[([^\]]*)\]", said).group(1)
        for one in re.findall(rb"(\d+) 0 R", kids):
            yield from self._kids(int(one))

    def places(self):
        """The number of the page that each name of a place leads to."""
        at = _reference(self.root, b"Dests")
        order = {page: n for n, page in enumerate(self.pages, start=1)}
        return {name: order[int(page)] for name, page in NAMED.findall(self.object(at))} if at else {}

    def bookmarks(self):
        """The bookmarks, in order."""
        outlines = _reference(self.root, b"Outlines")
        order = {page: n for n, page in enumerate(self.pages, start=1)}
        waiting = [(_reference(self.object(outlines), b"First"), 0)] if outlines else []
        found = []
        while waiting:
            number, depth = waiting.pop()
            said = self.object(number)
            page = order.get(int(DEST.search(said).group(2)), 0)
            found.append(Bookmark(number, text_of(TITLE.search(said).group(1)), page, depth))
            for name, level in ((b"Next", depth), (b"First", depth + 1)):
                if other := _reference(said, name):
                    waiting.append((other, level))
        return found

    def links(self):
        """The links: names of places within, as `/name`, and addresses elsewhere."""
        found = []
        for number in self.offsets:
            start = self.offsets[number]
            said = self.data[start : start + 600].partition(b"endobj")[0]
            if b"/Subtype /Link" in said:
                name, address = DEST.search(said), re.search(rb"/URI \((.*?)\)>", said)
                found.append((address or name).group(1) if address or name else b"")
        return found

    def retitle(self, titles, **about):
        """Append other titles for the bookmarks, and what the file says about itself.

        Args:
            titles: one for each bookmark, in order.
            about: such as `Author`; what stands there otherwise is left out.

        Raises:
            ValueError: if there are more bookmarks than titles, or fewer.
        """
        marks = self.bookmarks()
        if len(titles) != len(marks):
            raise ValueError(f"{self.path} has {len(marks)} bookmarks, and there are {len(titles)} titles")
        changed = {
            mark.number: TITLE.sub(
                lambda _, title=title: b"/Title " + pdf_text(title), self.object(mark.number), count=1
            )
            for mark, title in zip(marks, titles, strict=True)
            if title != mark.title
        }
        info = _reference(self.trailer, b"Info")
        changed[info] = b"<<%s>>" % b"\n".join(b"/%s %s" % (k.encode(), pdf_text(v)) for k, v in about.items())
        out, table = bytearray(self.data.rstrip(b"\n") + b"\n"), [b"xref\n"]
        for number in sorted(changed):
            table.append(b"%d 1\n%010d 00000 n \n" % (number, len(out)))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, changed[number].strip())
        start = len(out)
        trailer = re.sub(rb"/Prev \d+\s*", b"", self.trailer.strip()).removesuffix(b">>")
        out += b"".join(table) + b"trailer\n%s\n/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (trailer, self.table, start)
        self.path.write_bytes(bytes(out))


def _reference(said, name):
    found = re.search(rb"/%s (\d+) 0 R" % name, said)
    return int(found.group(1)) if found else None


def text_of(written):
    """A PDF's text string, `(…)` or `<…>`, as text."""
    if written.startswith(b"<"):
        raw = bytes.fromhex(re.sub(rb"\s", b"", written[1:-1]).decode("ascii"))
    else:
        inside = written[1:-1].decode("latin-1")
        one = re.sub(r"\\([0-7]{1,3}|.)", lambda m: _escaped(m.group(1)), inside, flags=re.S)
        raw = one.encode("latin-1")
    return raw[2:].decode("utf-16-be") if raw.startswith(b"\xfe\xff") else raw.decode("latin-1")


def _escaped(sign):
    return chr(int(sign, 8)) if sign[0].isdigit() else ESCAPES.get(sign, sign)


def pdf_text(text):
    """A text as a PDF writes it, in UTF-16."""
    return b"<FEFF" + text.encode("utf-16-be").hex().upper().encode("ascii") + b">"
