"""Sphinx extension: give no two elements of a page the same id.

sphinx-exercise and sphinx-proof wrap the body of every exercise, solution and theorem in a section, and give all of
them the same id. A page with two exercises is then not valid HTML. Nothing refers to these ids, so they go.
"""

from docutils import nodes

SHARED = {"exercise-content", "solution-content", "proof-content"}


def drop_shared_ids(app, doctree, docname):
    for section in doctree.findall(nodes.section):
        section["ids"] = [name for name in section["ids"] if name not in SHARED]


def setup(app):
    app.connect("doctree-resolved", drop_shared_ids)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
