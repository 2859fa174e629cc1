"""All style sheets of a page in one file (a hand of `finished_pages`, and a Sphinx extension that writes the file).

The theme, its parts and the extensions bring a dozen sheets, one of which imports another, and a browser draws nothing
before it has them all. Each page asks for one file instead, the same for all of them, which holds the sheets in their
order. The link names them in `data-sheets`. The file is written when the sheets are as they stay (`icons`).
"""

import hashlib
import re
from pathlib import Path, PurePosixPath
from posixpath import normpath

LINK = re.compile(r"\s*<link\b[^>]*\brel=\"stylesheet\"[^>]*>")
HREF = re.compile(r"\bhref=\"((?:[^\"]*/)?_static/)([^\"?]*)([^\"]*)\"")
WRITTEN = re.compile(r"_static/(all-[0-9a-f]{8}\.css)\?v=\w+\" data-sheets=\"([^\"]*)\"")
PLACED = "all-*.css"
UNUSED = ("sphinx-thebe.css",)  # nothing in the book runs on a server
IMPORT = re.compile(r"@import\s*(?:url\()?[\"']([^\"']*)[\"']\)?\s*;")
CHARSET = re.compile(r"@charset\s*\"[^\"]*\"\s*;", re.I)
ADDRESS = re.compile(r"url\(\s*([\"']?)(?!data:|https?:|[#/\"'])([^\"')]+)\1\s*\)")


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def finish(html, page):
    """The page with one link to a style sheet, where the first of its links stood; as it is if it has no more than one.

    Raises:
        ValueError: if one of its sheets is not among the book's own files, or is not for every medium.
    """
    head, end, body = html.partition("</head>")
    links = LINK.findall(head)
    if len(links) < 2:
        return html
    found = [HREF.search(link) for link in links]
    if None in found or len({one.group(1) for one in found}) > 1 or any(" media=" in link for link in links):
        raise ValueError(f"{page}: its style sheets are loaded in another way than one_sheet.py knows")
    used = [one for one in found if one.group(2) not in UNUSED]
    names = " ".join(one.group(2) for one in used)
    version = digest(" ".join(one.group(2) + one.group(3) for one in used))
    address = f"{used[0].group(1)}all-{digest(names)}.css?v={version}"
    link = f'<link rel="stylesheet" href="{address}" data-sheets="{names}" />'
    first = head.index(links[0])
    return head[:first] + "\n" + link + LINK.sub("", head[first:]) + end + body


def flat(static, name, above=()):
    """A sheet with what it imports in it, its addresses relative to the folder `static`.

    Raises:
        ValueError: if a sheet imports itself, at once or by others.
    """
    if name in above:
        raise ValueError(f"{name} imports itself")
    folder = PurePosixPath(name).parent

    def placed(address):
        return normpath(str(folder / address))

    css = CHARSET.sub("", (static / name).read_text(encoding="utf-8"))
    css = ADDRESS.sub(lambda one: f'url("{placed(one.group(2))}")', css)
    return IMPORT.sub(lambda one: flat(static, placed(one.group(1)), (*above, name)), css)


def write(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    wanted = {}
    for file in Path(app.outdir).rglob("*.html"):
        wanted.update(WRITTEN.findall(file.read_text(encoding="utf-8")))
    for old in set(static.glob(PLACED)) - {static / name for name in wanted}:
        old.unlink()
    for name, sheets in wanted.items():
        text = "\n".join(flat(static, sheet).strip() for sheet in sheets.split())
        (static / name).write_text(text, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
