"""Sphinx extension: under its title a page says which pages it needs, and how long it and its exercises take.

The pages are named in the front matter, relative to `chapters/`, those that the reader should have read last first::

    needs: [attention/masks, attention/scaled-dot-product]

An empty list says that the page needs none. The time is an estimate by what the page shows: its words, its formulas,
its lines of code, its pictures and tables. How long its exercises take, they say themselves (`exercise_effort`). Both
stand in `env.page_minutes`, for `course_plan`.
"""

from pathlib import Path

from docutils import nodes
from exercise_effort import exercise_minutes
from sphinx import addnodes
from sphinx.util import logging

from attention_book.pages.book_page import BookPage

CHAPTERS = "chapters/"
WORDS_A_MINUTE = 180
SECONDS = {"formula": 15, "line of code": 3, "picture or table": 20}
"""What a reader spends on other things than words: guesses, as the speed of reading is, which is slow for prose."""

logger = logging.getLogger(__name__)


def reading_minutes(doctree):
    """How long a page takes to read, its exercises included but not done, in whole steps of five minutes."""
    counted = dict.fromkeys(SECONDS, 0)
    words = 0
    for node in doctree.findall(nodes.Element):
        if isinstance(node, nodes.paragraph | nodes.title):
            words += len(node.astext().split())
        elif isinstance(node, nodes.math_block):
            counted["formula"] += 1
        elif isinstance(node, nodes.literal_block) and "output" not in node.get("classes", ()):
            counted["line of code"] += sum(bool(line.strip()) for line in node.astext().splitlines())
        elif isinstance(node, nodes.figure | nodes.table) or node.get("nb_element") == "cell_code_output":
            counted["picture or table"] += 1
    seconds = 60 * words / WORDS_A_MINUTE + sum(SECONDS[kind] * number for kind, number in counted.items())
    return max(5, 5 * round(seconds / 300))


def needs_of(app, docname):
    """The pages that a page needs; None where its front matter does not say."""
    path = Path(app.env.doc2path(docname))
    return BookPage.read(path).front_matter.get("needs") if path.suffix == ".md" else None


def told(names, minutes, exercises=None):
    """The line under the title: links to the pages, the minutes to read, and those for the exercises where known."""
    line = nodes.paragraph(classes=["page-needs"])
    for number, name in enumerate(names):
        line += nodes.Text("You need " if not number else " and " if number == len(names) - 1 else ", ")
        line += addnodes.pending_xref(
            "",
            nodes.inline("", name),  # which the page's title takes the place of
            refdomain="std",
            reftype="doc",
            reftarget=f"/{CHAPTERS}{name}",
            refexplicit=False,
            refwarn=True,
        )
    line += nodes.Text(". " if names else "")
    line += nodes.Text(f"About {minutes} minutes to read{f', {exercises} for the exercises' if exercises else ''}.")
    return line


def add_needs(app, doctree):
    names = needs_of(app, app.env.docname)
    if names is None:
        return
    reading, exercises = reading_minutes(doctree), exercise_minutes(doctree)
    app.env.page_minutes = {**getattr(app.env, "page_minutes", {}), app.env.docname: (reading, exercises or 0)}
    line = told(names, reading, exercises)
    for link in line.findall(addnodes.pending_xref):
        link["refdoc"] = app.env.docname
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is None:
        logger.warning("a page that needs others has a title", location=app.env.docname, type="needs")
        return
    title.parent.insert(title.parent.index(title) + 1, line)


def setup(app):
    app.connect("doctree-read", add_needs)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
