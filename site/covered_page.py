"""Sphinx extension: the directive `topics`, which tells what is covered where (see `topics.py`).

It makes a section with a table for each group: the topic, and either links to the sections that teach it with their
tests, or the chapter that it is still to come in. A label that no page has fails a strict build, as any reference does.
"""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective
from topics import BOOK, TOPICS, book_groups, chapter_sources, counts

from attention_book.pages.book_page import BookPage

HEADER = ("topic", "taught in, and tested by")


class Topics(SphinxDirective):
    """All topics, without arguments or content."""

    def run(self):
        self.sources, groups = chapter_sources(), book_groups()
        for file in (TOPICS, TOPICS.with_suffix(".py"), *(BOOK / f"{page}.md" for page in self.sources)):
            self.env.note_dependency(str(file))
        covered, to_come = counts(groups)
        told = f"{covered} topics are covered" + (f", and {to_come} are to come." if to_come else ".")
        return [nodes.paragraph("", told), *map(self.section, groups)]

    def section(self, group):
        name = f"topics-{group.letter.lower()}"
        section = nodes.section(ids=[name], names=[name])
        covered, to_come = counts([group])
        said = f"{covered} covered" + (f", {to_come} to come." if to_come else ".")
        section += [nodes.title("", group.title), nodes.paragraph("", said), self.table(group.topics)]
        return section

    def table(self, topics):
        body = nodes.tbody("", *(self.row(topic) for topic in topics))
        head = nodes.thead("", self.cells(*([nodes.paragraph("", text)] for text in HEADER)))
        widths = [nodes.colspec(colwidth=width) for width in (45, 55)]
        return nodes.table("", nodes.tgroup("", *widths, head, body, cols=2), classes=["topics"])

    @staticmethod
    def cells(*contents):
        return nodes.row("", *(nodes.entry("", *content) for content in contents))

    def row(self, topic):
        title = nodes.paragraph(
            "", "", nodes.inline("", f"{topic.id} ", classes=["topic-id"]), *self.inline(topic.title)
        )
        places = [
            line for place in topic.places for line in (self.link(place), nodes.paragraph("", "", self.test(place)))
        ]
        return self.cells([title], places or [nodes.paragraph("", f"to come: {topic.planned}")])

    def link(self, place):
        """The chapter's title, and the section's where it is another, as one link."""
        page = BookPage.of(self.sources[place.page])
        heading = page.labels.get(place.section)
        titles = [page.title, heading.text if heading else place.section]  # Sphinx will warn
        said = nodes.inline()
        for number, title in enumerate(dict.fromkeys(titles)):
            said += [nodes.Text(": ")] * number + self.inline(title)
        link = addnodes.pending_xref(
            "", said, refdomain="std", reftype="ref", reftarget=place.section.lower(), refexplicit=True, refwarn=True,
            refdoc=self.env.docname,
        )  # fmt: skip
        return nodes.paragraph("", "", link)

    @staticmethod
    def test(place):
        return nodes.literal("", place.test)

    def inline(self, text):
        """A line of MyST as nodes."""
        holder = nodes.Element()
        self.state.nested_parse(StringList([text], self.env.docname), 0, holder)
        return list(holder[0].children)


def setup(app):
    app.add_directive("topics", Topics)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
