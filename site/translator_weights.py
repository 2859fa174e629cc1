"""Sphinx extension: write the weights of the translator in the page into the built book, where a page asks for them.

They are made from the translator that comes with the book, so no second copy of it is in the repository.
"""

import re
from pathlib import Path

ASKED = re.compile(rb"_static/translator/([\w-]+)\.bin")


def asked_for(folder):
    """The names of the translators that the pages in a folder ask for, sorted."""
    pages = (path.read_bytes() for path in Path(folder).rglob("*.html"))
    return sorted({name.decode() for page in pages for name in ASKED.findall(page)})


def write(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    for name in asked_for(app.outdir):
        from attention_book.pages.explorers.translator_engine.files import write_weights  # with torch, which takes time

        write_weights(Path(app.outdir), name)


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
