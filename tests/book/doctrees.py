"""Small pages as docutils reads them, for tests of what the build does to a page."""

from docutils import nodes, utils


def page(*parts, title="A page"):
    """A document of one section: its title, and these parts under it."""
    document = utils.new_document("page")
    section = nodes.section()
    section += [nodes.title("", title), *parts]
    document += section
    return document
