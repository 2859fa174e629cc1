"""Sphinx extension: let the search answer for words that every JavaScript object knows (search_maps.js).

The script stands in the search page itself, before Sphinx's own, so that it runs after the index has been read and
before the first search: both wait for the page, and what waits longer goes first. No other page needs it.
"""

from pathlib import Path

SCRIPT = Path(__file__).with_name("search_maps.js")


def add_script(app, pagename, templatename, context, doctree):
    if pagename == "search":
        app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))


def setup(app):
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
