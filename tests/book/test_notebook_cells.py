"""How a cell that answers an exercise is cut in two: the reader's answer, and the check of it."""

import ast

import nbformat
import pytest
from notebook_blocks import CodeCell, Exercise
from notebook_cells import answer_and_check, code_cell, notebook_of

EXERCISE = Exercise("> **Exercise 7 (Implement: it)**", "ex-it", "7", "Implement: it")


@pytest.mark.parametrize(
    ("source", "answer", "check"),
    [
        ("def f():\n    ...\n\n\ncheck_f(f)", "def f():\n    ...", "check_f(f)"),
        ("a = 1\nb = 2\n\ndisplay(check_a(a))\ncheck_b(b)", "a = 1\nb = 2", "display(check_a(a))\ncheck_b(b)"),
        ("from c import check_x\n\ncheck_x(...)", "from c import check_x\n\nanswer = ...", "check_x(answer)"),
        ("check_x({'a': ...,  # why?\n  'b': 1})", "answer = {'a': ...,  # why?\n  'b': 1}", "check_x(answer)"),
        ("check_x(\n    {\n        'a': ...,\n    }\n)", "answer = {\n    'a': ...,\n}", "check_x(answer)"),
        ("check_x(1, [2])", "answer_1 = 1\nanswer_2 = [2]", "check_x(answer_1, answer_2)"),
        ("check_x(f, near=..., far=2)", "answer_near = ...\nanswer_far = 2",
         "check_x(f, near=answer_near, far=answer_far)"),
        ("display(check_x(lambda x: ...))\ncheck_y(lambda y: y)", "answer_1 = lambda x: ...\nanswer_2 = lambda y: y",
         "display(check_x(answer_1))\ncheck_y(answer_2)"),
    ],
)  # fmt: skip
def test_answer_and_check_are_parted(source, answer, check):
    assert answer_and_check(source) == (answer, check)
    ast.parse(answer)


@pytest.mark.parametrize(
    "source",
    ["x = check_x(f)", "check_x(f)\nprint(1)", "%time check_x(f)", "check_x(*f)", "check_x(**f)", "display(f)", ""],
)
def test_a_cell_that_does_not_end_in_a_plain_check_stays_whole(source):
    assert answer_and_check(source) is None


def cells_after(*blocks, sources):
    page = [nbformat.v4.new_code_cell(source) for source in sources]
    cells = notebook_of(blocks, page).cells
    return [(cell.source, cell.metadata.get("exercise", {}).get("role")) for cell in cells if cell.cell_type == "code"]


def test_the_cell_right_after_a_statement_is_its_answer_and_no_other_is():
    sources = ["hidden = 1", "f = 2\ncheck_f(f)", "g = 3\ncheck_g(g)"]
    found = cells_after(EXERCISE, CodeCell(1), CodeCell(2), sources=sources)
    assert found == [("hidden = 1", None), ("f = 2", "answer"), ("check_f(f)", "check"), ("g = 3\ncheck_g(g)", None)]
    assert cells_after(EXERCISE, "A sentence.", CodeCell(0), sources=["f = 2\ncheck_f(f)"]) == [
        ("f = 2\ncheck_f(f)", None)
    ]
    assert cells_after(EXERCISE, CodeCell(0), sources=["check_f(f)"]) == [("check_f(f)", "check")]
    assert cells_after(EXERCISE, CodeCell(0), sources=["f = 2"]) == [("f = 2", "answer")]


@pytest.mark.parametrize(
    ("tag", "source_hidden", "outputs_hidden"),
    [("remove-cell", True, True), ("remove-input", True, False), ("hide-input", True, False), ("hide-cell", True, True),
     ("hide-output", False, True), ("remove-output", False, False), ("skip-execution", False, False)],
)  # fmt: skip
def test_a_tag_folds_what_the_page_does_not_show(tag, source_hidden, outputs_hidden):
    metadata = code_cell(nbformat.v4.new_code_cell("1", metadata={"tags": [tag]})).metadata
    assert metadata["tags"] == [tag]
    folded = metadata.get("jupyter", {})
    assert (folded.get("source_hidden", False), folded.get("outputs_hidden", False)) == (source_hidden, outputs_hidden)
