"""Sphinx extension: write the weights of the translator in the page into the built book, for its explorer to fetch.

They are made from the translator that comes with the book, so no second copy of it is in the repository.
"""

from pathlib import Path

from attention_book.pages.explorers.translator_engine.files import shipped_names, write_weights


def write(app, exception):
    if exception is None and app.builder.format == "html":
        for name in shipped_names():
            write_weights(Path(app.outdir), name)


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
