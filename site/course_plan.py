"""Sphinx extension: the directives `syllabus` and `problem-sets`, for instructors.

A syllabus says which pages each week reads, and which problem set it hands in, one week a line::

    ```{syllabus}
    - read: [before/tour, attention/masks]
      set: counting
    ```

What a week takes is added up from what its pages say of themselves (`page_needs`). `problem-sets` lists the questions
of every set from the masters in `coursework/sets/`: the same tables from which the notebooks are built. A page, a set
or a section that does not exist fails a strict build.
"""

from pathlib import Path

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from attention_book.pages.book_page import BookPage

SETS = Path(__file__).resolve().parent.parent / "coursework" / "sets"
NO_BREAK = "\u00a0"
FIELDS = {"read", "set", "note"}
logger = logging.getLogger(__name__)


class WeekMinutes(nodes.General, nodes.Element):
    """Stands where the minutes of some pages will be, which are known when all pages are read."""


def masters(sets=SETS):
    """What each set's master says of it, by the name of its folder, in the order in which a course needs them."""
    paths = sorted(sets.glob("*/master.md"))
    found = {path.parent.name: BookPage.read(path).front_matter["coursework"] for path in paths}
    return dict(sorted(found.items(), key=lambda pair: pair[1]["number"]))


def link(directive, kind, target, text=None):
    """A reference to a page or a section, with its own title unless a text is given."""
    return addnodes.pending_xref(
        "", nodes.inline("", text or target), refdomain="std", reftype=kind, reftarget=target,
        refexplicit=text is not None, refwarn=True, refdoc=directive.env.docname,
    )  # fmt: skip


def listed(links):
    """Links in one paragraph, with commas."""
    line = nodes.paragraph()
    for number, one in enumerate(links):
        line += [nodes.Text(", ")] * bool(number) + [one]
    return line


def table(widths, header, rows):
    """A table of cells, each a text or a node."""

    def row(cells):
        entries = [cell if isinstance(cell, nodes.Node) else nodes.paragraph("", str(cell)) for cell in cells]
        return nodes.row("", *(nodes.entry("", entry) for entry in entries))

    columns = [nodes.colspec(colwidth=width) for width in widths]
    head, body = nodes.thead("", row(header)), nodes.tbody("", *map(row, rows))
    return nodes.table("", nodes.tgroup("", *columns, head, body, cols=len(widths)))


class Syllabus(SphinxDirective):
    """Weeks, as YAML: `read`, a list of pages below `chapters/`; and perhaps `set`, or `note`."""

    has_content = True

    def run(self):
        weeks = yaml.safe_load("\n".join(self.content))
        known = masters()
        for path in SETS.glob("*/master.md"):
            self.env.note_dependency(str(path))
        rows = []
        for number, week in enumerate(weeks, 1):
            if unknown := week.keys() - FIELDS:
                raise self.error(f"week {number} has {', '.join(sorted(unknown))}, which a syllabus does not know")
            if (chosen := week.get("set")) is not None and chosen not in known:
                raise self.error(f"week {number} hands in {chosen}, and there is no such set")
            pages = listed(link(self, "doc", f"/chapters/{page}") for page in week["read"])
            handed = " ".join(filter(None, [known[chosen]["title"] if chosen else "", week.get("note", "")]))
            minutes = WeekMinutes(pages=[f"chapters/{page}" for page in week["read"]])
            rows.append((number, pages, nodes.paragraph("", "", minutes), handed))
        return [table((8, 52, 18, 22), ("week", "read", "hours", "hand in"), rows)]


class ProblemSets(SphinxDirective):
    """All problem sets, without arguments or content."""

    def run(self):
        found = []
        for name, about in masters().items():
            self.env.note_dependency(str(SETS / name / "master.md"))
            section = nodes.section(ids=[f"problem-set-{name}"], names=[f"problem-set-{name}"])
            before = listed(link(self, "doc", f"/chapters/{page}") for page in about["prerequisites"])
            before.insert(0, nodes.Text(f"About {about['hours']} hours, after "))
            before += nodes.Text(".")
            rows = [
                (
                    nodes.paragraph("", asked["title"]),
                    "people" if "points" in asked else "grader",
                    asked["minutes"],
                    asked["difficulty"],
                    nodes.paragraph("", "", link(self, "ref", asked["section"]), nodes.Text(f": {asked['goal']}")),
                )
                for asked in about["questions"].values()
            ]
            header = ("question", "graded by", "minutes", "difficulty", "section and goal")
            section += [nodes.title("", about["title"]), before, table((24, 12, 9, 9, 46), header, rows)]
            found.append(section)
        return found


def told(minutes):
    """Hours to read and to do the exercises, to the half."""

    def hours(one):
        return f"{max(1, round(one / 30)) / 2:g}"

    reading, exercises = minutes
    return f"{hours(reading)}{NO_BREAK}+{NO_BREAK}{hours(exercises)}" if exercises else hours(reading)


def add_up(app, doctree, docname):
    """Put the minutes of a week's pages where they are wanted."""
    known = getattr(app.env, "page_minutes", {})
    for place in list(doctree.findall(WeekMinutes)):
        counted = [known[page] for page in place["pages"] if page in known]
        if len(counted) < len(place["pages"]):
            missing = sorted(set(place["pages"]) - known.keys())
            logger.warning("no time is known of %s", ", ".join(missing), location=place, type="syllabus")
        place.replace_self(nodes.Text(told([sum(parts) for parts in zip(*counted, strict=True)] or (0, 0))))


def setup(app):
    app.add_node(WeekMinutes)
    app.add_directive("syllabus", Syllabus)
    app.add_directive("problem-sets", ProblemSets)
    app.connect("doctree-resolved", add_up)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
