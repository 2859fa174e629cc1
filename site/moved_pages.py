"""Sphinx extension: an address that the book once had leads to where the page is now.

`moved_pages` in `_config.yml` names each old page and its new one. At the old address stands a small page that
forwards, with the part of the address behind `#`, so that links from outside and bookmarks keep working.
"""

import html
from pathlib import Path
from posixpath import relpath

from bare_page import bare_page, leads_on
from sphinx.errors import ConfigError


def check_moves(app, env):
    """Refuse a move from a page that is still there, or to one that is not."""
    for old, new in app.config.moved_pages.items():
        if old in env.found_docs:
            raise ConfigError(f"moved_pages in _config.yml: {old} is said to have moved, and is a page of the book")
        if new not in env.found_docs:
            raise ConfigError(
                f"moved_pages in _config.yml: {old} is said to be {new} now, which is no page of the book"
            )


def write_forwards(app, exception):
    if exception or app.builder.name != "html":
        return
    for old, new in app.config.moved_pages.items():
        file = Path(app.outdir, f"{old}.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        address = html.escape(relpath(f"{new}.html", Path(old).parent.as_posix()))
        title = app.env.titles[new].astext()
        head = (
            '<meta name="robots" content="noindex">',
            f'<link rel="canonical" href="{address}">',
            leads_on(address),
            f'<script>location.replace("{address}" + location.hash)</script>',
        )
        text = f'It is now at <a href="{address}">{html.escape(title)}</a>.'
        page = bare_page(f"{title} has moved", text, head, heading="This page has moved")
        file.write_text(page, encoding="utf-8")


def setup(app):
    app.add_config_value("moved_pages", {}, "env", [dict])
    app.connect("env-check-consistency", check_moves)
    app.connect("build-finished", write_forwards)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
