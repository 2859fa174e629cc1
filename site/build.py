"""Build the book, strictly, and do no work again whose result cannot differ.

A build is one of three things, told apart by digests that the last successful build left behind, and that are removed
before a build starts. So a build after a failed or interrupted one is always whole.

- Nothing that goes into the book has changed: nothing is done.
- Only the text of pages that were there before has changed, and no code cell of theirs: these pages are read and
  written again. If that changes anything that pages share (titles, labels, numbers, citations, what a page's code
  depends on), it stops before it writes, and the whole book is built (see `shared_state`).
- Otherwise the whole book is built from nothing (`--all`). Even then a page's code runs only if something that
  it uses has changed (`reexecution`).
"""

import argparse
import hashlib
import importlib
import os
import shutil
import sys
import time
from pathlib import Path

from page_preview import preview
from progress import Progress, follow, minutes
from shared_state import RECORD, SHARED_CHANGED

from attention_book.pages.book_page import BookPage

BOOK = Path(__file__).resolve().parent.parent
INPUTS = (
    "chapters",
    "coursework/sets",
    "results",
    "site",
    "src/attention_book",
    "_config.yml",
    "_toc.yml",
    "references.bib",
    "requirements.lock",
)
STRICT = ("-W", "-n", "--keep-going", "--all")
# jsonschema would read the grammar of addresses where it is installed, which takes seconds; no notebook has one.
# And to give back, object by object, what a whole book has taken takes seconds too.
MAIN = """
import os, sys
sys.modules["rfc3987_syntax"] = None
from jupyter_book.cli.main import main
try:
    main()
except SystemExit as end:
    if end.code:
        raise
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
"""
JUPYTER_BOOK = (sys.executable, "-u", "-c", MAIN, "build")


def input_files(book):
    """(name, file) of each file that goes into the book, sorted."""
    files = []
    for name in INPUTS:
        path = book / name
        files += [path] if path.is_file() else path.rglob("*")
    for file in sorted(files):
        parts = file.relative_to(book).parts
        if file.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in parts):
            yield "/".join(parts), file


def inputs_digest(book=BOOK, texts=True):
    """Digest of the names and contents of every file that goes into the book.

    Args:
        book: the folder of the book.
        texts: whether the text of pages counts. If not, only their code cells do, whose numbers other pages may show.
    """
    digest = hashlib.sha256(sys.version.encode())
    for name, file in input_files(book):
        content = file.read_bytes()
        if not texts and name.startswith("chapters/") and name.endswith(".md"):
            content = "".join(cell.text for cell in BookPage.of(content.decode()).cells).encode()
        content = hashlib.sha256(content).hexdigest()
        digest.update(f"{name} {content}\n".encode())
    return digest.hexdigest()


def run(book, options, log, hold=False, only_changed=False):
    """One run of jupyter-book; returns its exit status and the `Progress` that followed it."""
    # What the pages compute is small: a second thread gains nothing, and beside other work it costs a lot.
    environment = {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONIOENCODING": "utf-8"}
    environment.pop("BOOK_ONLY_CHANGED", None)
    if only_changed:
        environment["BOOK_ONLY_CHANGED"] = "1"
    progress = Progress(log, hold=hold)
    return follow([*JUPYTER_BOOK, str(book), *options], progress, cwd=book, env=environment), progress


def build(book=BOOK):
    """Build the book in `book`; returns the exit status, 0 for a strict success."""
    start, folder = time.monotonic(), book / "_build"
    html, doctrees, stamp = folder / "html", folder / ".doctrees", folder / "built-from"
    now = [inputs_digest(book), inputs_digest(book, texts=False)]
    last = stamp.read_text(encoding="utf-8").split() if stamp.exists() and (html / "index.html").exists() else []
    if last == now:
        print(f"Nothing changed since the last build: {html / 'index.html'}")
        return 0
    stamp.unlink(missing_ok=True)
    folder.mkdir(exist_ok=True)
    # Matplotlib lists the fonts at its first import and says so on stderr: here that harms nobody, on a page it fails.
    importlib.import_module("matplotlib.font_manager")
    with (folder / "build.log").open("w", encoding="utf-8") as log:
        status = SHARED_CHANGED
        if last[1:] == now[1:] and (doctrees / RECORD).exists():
            print("Building the pages whose text has changed", flush=True)
            status, progress = run(book, [one for one in STRICT if one != "--all"], log, hold=True, only_changed=True)
            if status == SHARED_CHANGED:
                print("Something changed that other pages show", flush=True)
            else:
                progress.release()
        if status == SHARED_CHANGED:
            print("Building the whole book", flush=True)
            shutil.rmtree(html, ignore_errors=True)
            shutil.rmtree(doctrees, ignore_errors=True)
            status, _ = run(book, STRICT, log)
    if status:
        shutil.rmtree(doctrees, ignore_errors=True)
        print(f"The book was not built: see above. All that Sphinx said is in {folder / 'build.log'}")
        return status
    stamp.write_text("\n".join(now), encoding="utf-8")
    print(f"The book is built, in {minutes(time.monotonic() - start)}: {html / 'index.html'}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", metavar="PART/NAME", help="build one page, into _build/page/")
    arguments = parser.parse_args()
    sys.exit(build() if arguments.page is None else preview(BOOK, arguments.page))
