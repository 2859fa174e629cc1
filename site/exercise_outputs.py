"""Sphinx extension: no page gives away an exercise, and no solution fails its own check.

When the book is built, the cell of an exercise runs with the answer still open. What its check says then is the
diagnosis of the starter, which may be half of the answer. On the page stands "Not answered yet." instead.

On a page of solutions each check must say "Passed.", or the build fails. Where a solution shows what the check says of
a wrong answer, the cell has the tag `wrong-on-purpose`, and its check must not pass.
"""

import html
import re

from docutils import nodes
from sphinx.util import logging

SOLUTIONS = "chapters/appendix/solutions/"
ON_PURPOSE = "wrong-on-purpose"
REPORT = 'class="check-report"'
PASSED = "<strong>Passed.</strong>"
UNANSWERED = '<p class="check-report" role="status"><strong>Not answered yet.</strong></p>'

logger = logging.getLogger(__name__)


def reports_in(node):
    """The HTML of the reports of checks in a part of a page."""
    return [raw.astext() for raw in node.findall(nodes.raw) if REPORT in raw.astext()]


def answers_in(doctree):
    """The outputs of the cells behind the first exercise that hold the report of a check."""
    begun = False
    for node in doctree.findall(nodes.Element):
        begun = begun or "exercise" in node.get("classes", ())
        if begun and node.get("nb_element") == "cell_code_output" and reports_in(node):
            yield node


def leave_unanswered(doctree):
    """Put "Not answered yet." in the place of all that the cells of exercises gave."""
    for output in list(answers_in(doctree)):
        output.children = []
        output += nodes.raw("", UNANSWERED, format="html", classes=["output", "text_html"])


def faults_of(doctree):
    """What is wrong with the solutions of a page: (the cell, what to say of it), for each report of a check."""
    for cell in doctree.findall(
        lambda node: isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"
    ):
        wanted = ON_PURPOSE not in cell.get("cell_metadata", {}).get("tags", ())
        for report in reports_in(cell):
            if wanted and PASSED not in report:
                said = html.unescape(re.sub("<[^>]*>", "", report))
                yield (
                    cell,
                    f"a solution fails its own check, which says: {said} (An answer that is to fail: {ON_PURPOSE}.)",
                )
            elif not wanted and PASSED in report:
                yield cell, f"an answer tagged {ON_PURPOSE} passes its check"


def mend_outputs(app, doctree):
    if not app.env.docname.startswith(SOLUTIONS):
        leave_unanswered(doctree)
        return
    for cell, fault in faults_of(doctree):
        logger.warning(fault, location=cell, type="exercise")


def setup(app):
    app.connect("doctree-read", mend_outputs)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
