"""Sphinx extension: execute a page again when what it runs, or a file it reads, has changed.

The page's digest (see `code_digest`) is put into its kernelspec, one of the two things that jupyter-cache looks at;
and pages whose digest moved are named to Sphinx as outdated, so that an incremental build reads them again.
"""

import os
from pathlib import Path

from code_digest import page_digest
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from attention_book.provenance.definitions import Definitions
from attention_book.provenance.source_graph import SourceGraph


def digest_of(app, docname, text):
    """Digest of a page's source text; empty for a page that is not a notebook. Taken once in a build for each text."""
    if (docname, text) not in app.digests_taken:
        app.digests_taken[docname, text] = _digest_of(app, docname, text)
    return app.digests_taken[docname, text]


def _digest_of(app, docname, text):
    if not is_myst_markdown_notebook(text):
        return ""
    cells = [cell.source for cell in read_myst_markdown_notebook(text).cells if cell.cell_type == "code"]
    folder, lock = Path(app.env.doc2path(docname)).parent, Path(app.srcdir, "requirements.lock")
    return page_digest(cells, folder, app.package_definitions, Path(app.srcdir, "results"), [lock])


def read_package(app, config):
    app.digests_taken = {}
    app.package_definitions = Definitions(SourceGraph(Path(app.srcdir, "src")), messages=True)


def put_digest_into_kernelspec(app, docname, source):
    digest = digest_of(app, docname, source[0])
    app.env.page_digests = {**getattr(app.env, "page_digests", {}), docname: digest}
    if digest:
        source[0] = source[0].replace("\nkernelspec:\n", f"\nkernelspec:\n  code_digest: '{digest}'\n", 1)


def moved_pages(app, env, added, changed, removed):
    if os.environ.get("BOOK_ONLY_CHANGED"):  # `build` has made sure that nothing but text has changed
        return []
    pages = {name: Path(env.doc2path(name)) for name in getattr(env, "page_digests", {})}
    return [
        name
        for name, path in pages.items()
        if path.exists() and digest_of(app, name, path.read_text(encoding="utf-8")) != env.page_digests[name]
    ]


def setup(app):
    app.connect("config-inited", read_package)
    app.connect("env-get-outdated", moved_pages)
    app.connect("source-read", put_digest_into_kernelspec)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
