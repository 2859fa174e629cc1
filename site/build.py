"""Build the book, strictly, and not at all when nothing that goes into it has changed.

Every build is a whole one (`--all`): numbers glued across pages, cross-references and the table of contents can then
not go stale, and a build after a failed one cannot pass by skipping the page that failed. What makes this affordable is
that pages are executed again only when their code changed (`reexecution`), and that a build whose inputs are those
of the last success is skipped: their digest is written down on success and removed before a build starts.
"""

import argparse
import hashlib
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parent.parent
INPUTS = (
    "chapters",
    "results",
    "site",
    "src/attention_book",
    "_config.yml",
    "_toc.yml",
    "references.bib",
    "requirements.lock",
)
STRICT = ("-W", "-n", "--keep-going", "--all")


def inputs_digest(book=BOOK):
    """Digest of the names and contents of every file that goes into the book."""
    files = []
    for name in INPUTS:
        path = book / name
        files += [path] if path.is_file() else path.rglob("*")
    digest = hashlib.sha256()
    for file in sorted(files):
        parts = file.relative_to(book).parts
        if file.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in parts):
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            digest.update(f"{'/'.join(parts)} {content}\n".encode())
    return digest.hexdigest()


def build(book=BOOK):
    """Build the book in `book`; returns the exit status, 0 for a strict success."""
    html, stamp = book / "_build" / "html", book / "_build" / "built-from"
    digest = inputs_digest(book)
    if (html / "index.html").exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        print(f"Nothing changed since the last build: {html / 'index.html'}")
        return 0
    stamp.unlink(missing_ok=True)
    shutil.rmtree(html, ignore_errors=True)
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    # Matplotlib lists the fonts at its first import and says so on stderr: here that harms nobody, on a page it fails.
    importlib.import_module("matplotlib.font_manager")
    # What the pages compute is small: a second thread gains nothing, and beside other work it costs a lot.
    environment = {"OMP_NUM_THREADS": "1", **os.environ}
    status = subprocess.run([jupyter_book, "build", book, *STRICT], cwd=book, env=environment).returncode
    if status == 0:
        stamp.write_text(digest, encoding="utf-8")
    return status


def collect_notebooks(book=BOOK):
    """Copy the stand-alone notebooks of the built book to `_build/notebooks/`."""
    sources, target = book / "_build" / "html" / "_sources", book / "_build" / "notebooks"
    shutil.rmtree(target, ignore_errors=True)
    for notebook in sorted(sources.rglob("*.ipynb")):
        copy = target / notebook.relative_to(sources)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(notebook, copy)
        print(copy.relative_to(book))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collect-notebooks", action="store_true", help="write _build/notebooks/ from the built book")
    if parser.parse_args().collect_notebooks:
        collect_notebooks()
    else:
        sys.exit(build())
