"""Build one page for whoever writes it: `make page P=attention/masks`.

What the last successful build knew of the other pages (their titles, labels and numbers) is copied and used, so that
references into them are right; only the page itself is read and written. Before there is such a build, the page is
built alone, and references into other pages are not checked.
"""

import argparse
import difflib
import os
import shutil
import sys
import time
from pathlib import Path

import yaml
from progress import Progress, follow, minutes
from shared_state import RECORD

BIBLIOGRAPHY = "chapters/appendix/bibliography"
ALONE = "References into other pages are not checked before a first `make book`"


def known_pages(book):
    """The pages of the table of contents, such as "attention/masks", in its order."""
    names = []

    def collect(entry):
        if isinstance(entry, dict):
            names.extend(str(value) for key, value in entry.items() if key in ("root", "file"))
            for value in entry.values():
                collect(value)
        elif isinstance(entry, list):
            for one in entry:
                collect(one)

    collect(yaml.safe_load((book / "_toc.yml").read_text(encoding="utf-8")))
    return [name.removeprefix("chapters/") for name in names]


def page_named(book, name):
    """The page that a writer means: by its path, with or without `chapters/` and `.md`, or by the end of it.

    Raises:
        ValueError: if there is none or more than one; the message lists close names.
    """
    pages = known_pages(book)
    wanted = name.replace("\\", "/").removeprefix("chapters/").removesuffix(".md").strip("/")
    ending = [page for page in pages if page.endswith(f"/{wanted}")]
    chapters = [page for page in ending if not page.startswith("appendix/solutions/")]
    found = [page for page in pages if page == wanted] or chapters or ending
    if len(found) == 1:
        return found[0]
    last = wanted.rpartition("/")[2]
    ends = difflib.get_close_matches(last, [page.rpartition("/")[2] for page in pages], n=5)
    close = found or [page for page in pages if page.rpartition("/")[2] in ends or (last and last in page)]
    told = f"Do you mean one of these? {', '.join(close)}" if close else f"The pages are: {', '.join(pages)}"
    raise ValueError(f"{'More than one' if found else 'No'} page of _toc.yml is called {name!r}. {told}")


def preview(book, name):
    """Build one page of the book into `_build/page/`; returns the exit status, 0 if nothing was wrong with it."""
    start = time.monotonic()
    try:
        page = page_named(book, name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    folder = book / "_build"
    known, mine = folder / ".doctrees", folder / ".doctrees-page"
    alone = not (known / RECORD).exists()
    if alone:
        shutil.rmtree(mine, ignore_errors=True)
    elif not (mine / RECORD).exists() or (mine / RECORD).stat().st_mtime < (known / RECORD).stat().st_mtime:
        shutil.rmtree(mine, ignore_errors=True)
        shutil.copytree(known, mine)
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-u", __file__, str(book), f"chapters/{page}", *(["--alone"] if alone else [])]
    environment = {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONIOENCODING": "utf-8"}
    environment.pop("BOOK_ONLY_CHANGED", None)
    with (folder / "page.log").open("w", encoding="utf-8") as log:
        progress = Progress(log, pages=1, without_references=alone)
        status = follow(command, progress, cwd=book, env=environment)
    if alone:
        print(f"{ALONE}: {progress.unchecked} lead elsewhere")
    if status:  # what a run that broke off knew is not to be believed
        shutil.rmtree(mine, ignore_errors=True)
    written = folder / "page" / "chapters" / f"{page}.html"
    if status or progress.warnings:
        print(f"Something is wrong with {page}: see above. All that Sphinx said is in {folder / 'page.log'}")
    if not status:
        print(f"{page} is built, in {minutes(time.monotonic() - start)}: {written}")
    return status or bool(progress.warnings)


def to_read(book, docname):
    """The page, and the bibliography if its entries have changed since the last build: it must list what is cited."""
    record = book / "_build" / ".doctrees" / RECORD
    entries, listed = book / "references.bib", book / f"{BIBLIOGRAPHY}.md"
    changed = record.exists() and entries.exists() and entries.stat().st_mtime > record.stat().st_mtime
    return [docname, *([BIBLIOGRAPHY] if changed and listed.exists() and docname != BIBLIOGRAPHY else [])]


def restrict(app, book, docname):
    """Let Sphinx read this page, and no other, whatever else has changed."""

    def read_this(app, env, docnames):
        docnames[:] = to_read(book, docname)

    app.connect("env-before-read-docs", read_this, priority=0)  # before `parallel_execution` asks which pages to run
    asked = app.events.listeners["env-get-outdated"]  # `reexecution` computes what every page depends on
    asked[:] = [one for one in asked if one.handler.__module__ != "reexecution"]
    app.builder.search = False  # there would be an index of one page
    app.config.moved_pages = {}  # most of the pages that they lead to are not there


def build_page(book, docname, alone):
    """Run Sphinx for one page, in this process; returns its exit status."""
    sys.modules["rfc3987_syntax"] = None  # as in `build`
    import sphinx.application
    from jupyter_book.sphinx import build_sphinx

    folder, contents = book / "_build", book / "_toc.yml"
    if alone:
        contents = folder / "page-toc.yml"
        contents.write_text(f"format: jb-book\nroot: {docname}\n", encoding="utf-8")
    overrides = {"external_toc_path": contents.as_posix(), "latex_individualpages": False, "nitpicky": True}
    original = sphinx.application.Sphinx.build

    def build(app, force_all=False, filenames=None):
        restrict(app, book, docname)
        original(app, force_all, filenames)

    sphinx.application.Sphinx.build = build
    result = build_sphinx(
        str(book), str(folder / "page"), noconfig=True, path_config=str(book / "_config.yml"), confoverrides=overrides,
        doctreedir=str(folder / ".doctrees-page"), filenames=[str(book / f"{docname}.md")], freshenv=alone,
    )  # fmt: skip
    return result if isinstance(result, int) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("book", type=Path)
    parser.add_argument("docname")
    parser.add_argument("--alone", action="store_true")
    arguments = parser.parse_args()
    sys.exit(build_page(arguments.book, arguments.docname, arguments.alone))
