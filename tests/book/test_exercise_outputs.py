"""What stands under the cell of an exercise on a page, and what a build says of a solution that fails its check."""

import pytest
from doctrees import page
from docutils import nodes
from exercise_outputs import answers_in, faults_of, leave_unanswered, mend_outputs

from attention_book.checks.report import Report

NOT_YET, PASSED = Report(False, "Row 2 sees `x[3]`."), Report(True, "As it should be.")


def cell(*shown, tags=()):
    """A code cell as MyST-NB makes it, with what it shows: reports, or texts."""
    bundles = []
    for one in shown:
        bundle = nodes.container("", nb_element="mime_bundle")
        for kind, text in (
            ("text/plain", repr(one)),
            ("text/html", one._repr_html_() if one in (NOT_YET, PASSED) else ""),
        ):
            part = nodes.container("", mime_type=kind)
            part += nodes.raw("", text, format="html") if kind == "text/html" else nodes.literal_block("", text)
            bundle += part
        bundles.append(bundle)
    whole = nodes.container("", nb_element="cell_code", cell_metadata={"tags": list(tags)} if tags else {})
    output = nodes.container("", *bundles, nb_element="cell_code_output", classes=["cell_output"])
    whole += [nodes.container("", nb_element="cell_code_source"), output]
    return whole


def exercise():
    return nodes.admonition("", classes=["exercise"])


def test_the_diagnosis_of_a_starter_is_not_shown():
    doctree = page(exercise(), cell("a print of the starter", NOT_YET))
    leave_unanswered(doctree)
    text = doctree.pformat()
    assert "Not answered yet." in text and "Row 2" not in text and "a print" not in text


def test_every_exercise_of_a_page_is_left_unanswered():
    doctree = page(exercise(), cell(NOT_YET), exercise(), exercise(), cell(NOT_YET, NOT_YET), cell(PASSED))
    assert len(list(answers_in(doctree))) == 3
    leave_unanswered(doctree)
    assert doctree.pformat().count("Not answered yet.") == 3


@pytest.mark.parametrize(
    "parts",
    [(cell(NOT_YET), exercise()), (exercise(), cell("a table"))],
    ids=["before any exercise", "without a check"],
)
def test_other_outputs_stay(parts):
    doctree = page(*parts)
    before = doctree.pformat()
    leave_unanswered(doctree)
    assert doctree.pformat() == before


def test_a_solution_that_fails_its_check_is_named_with_what_the_check_says():
    ((_, fault),) = faults_of(page(cell(PASSED), cell(NOT_YET), cell("a table")))
    assert "fails its own check, which says: Not yet. Row 2 sees x[3]." in fault


def test_an_answer_that_is_wrong_on_purpose_must_fail():
    assert not list(faults_of(page(cell(NOT_YET, tags=["wrong-on-purpose"]))))
    ((_, fault),) = faults_of(page(cell(PASSED, tags=["wrong-on-purpose"])))
    assert "passes its check" in fault


class App:
    def __init__(self, docname):
        self.env = self
        self.docname = docname


@pytest.mark.parametrize("docname", ["chapters/appendix/solutions/masks", "chapters/attention/masks"])
def test_a_page_of_solutions_is_judged_and_another_is_left_unanswered(docname, monkeypatch):
    warned = []
    monkeypatch.setattr("exercise_outputs.logger.warning", lambda fault, **where: warned.append(fault))
    doctree = page(exercise(), cell(NOT_YET))
    mend_outputs(App(docname), doctree)
    judged = "solutions" in docname
    assert (len(warned) == 1) == judged and ("Not answered yet." in doctree.pformat()) != judged
