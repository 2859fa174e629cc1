"""The notebook of a page: every construct that a chapter may use becomes plain Markdown, and it runs anywhere."""

import base64
import os

import nbformat
import pytest
from doctree_markdown import MarkdownWriter
from docutils import nodes
from notebook_blocks import CodeCell, Exercise, Page, prefixed
from notebook_cells import notebook_of
from notebook_client import NotebookClient
from plain_markdown import markup_left
from plain_tex import role_colours
from standalone_notebooks import absolute
from tiny_book import BOOK

pytestmark = pytest.mark.slow  # a small book is built


@pytest.fixture(scope="module")
def notebook(tiny_book):
    return nbformat.read(tiny_book.html / "_sources" / "chapters" / "everything.ipynb", as_version=4)


@pytest.fixture(scope="module")
def markdown(notebook):
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def test_it_is_a_valid_notebook_without_outputs(notebook):
    nbformat.validate(notebook)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_nothing_of_the_books_markup_is_left(markdown):
    assert markup_left(markdown) == []


@pytest.mark.parametrize(
    "expected",
    [
        "The mean is 2.6666666666666665, to two places 2.67, and the note says a \\* b.",
        "2 \\* 3 \\* 4, a\\_b\\_c, \\$5",
        'A <span style="color: #query">query</span> meets',
        "$a_1 < {\\textcolor{#query}{Q}}$",
        '```python\ndef total(numbers):\n    """The sum."""\n    return sum(numbers)\n```',
        "Two lines\n\n```python\nfrom tiny_package.sums import total\n```",
        "$$\n\\begin{aligned}\n{\\textcolor{#query}{Q}}{\\textcolor{#key}{K}}^\\top \\\\ "
        "{\\textcolor{#mask}{M}}\n\\end{aligned}\n\\tag{1}\n$$",
        "{\\textcolor{#weight}{\\operatorname{softmax}(x)}}_i = \\frac{e^{x_i}}{\\sum_j e^{x_j}}\n\\tag{2}\n$$",
        "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}",
        "See (1), equation (2), Everything at once, [the other one](other.ipynb), "
        "[The other page](other.ipynb),\nFig. 1, Exercise 1, Exercise 1",
        "Knuth \\[1984\\],\n\\[Knuth, 1984\\]",
        "[a link](https://example.org)",
        "> **Note**\n>\n> A note with `code`.",
        "> **A pitfall, with 2.7**\n>\n> What people write.\n>\n> - one\n> - two\n>\n>   1. nested\n>   2. again",
        "> **Tip**\n>\n> Hidden at first.",
        "> **More**\n>\n> Inside the dropdown, $x^2$.",
        "> In the margin.",
        "> **Exercise 1 (Predict)**\n>\n> Write down $1 + 1$ before running\n>\n> ```python\n> 1 + 1\n> ```",
        '> **Exercise 3 (Implement: a <span style="color: #query">query</span> of numbers)**\n>\n'
        "> Difficulty 2 of 3 · about 8 minutes\n>\n> Write `my_total`.",
        "> **Exercise 2**\n>\n> Difficulty 1 of 3 · about 1 minute\n>\n> An exercise with a cell.",
        "> **Solution to Exercise 1 (Predict)**\n>\n> Two.",
        "> **Theorem 1 (Rows)**\n>\n> Every row sums to one.",
        "**tensor**\n\n> A box of numbers.",
        "> A quotation.",
        "| name | size |\n|---|---|\n| a | 1 |\n| $\\lvert x \\rvert$ | 2 |",
        "*Table 1.* Shapes\n\n| tensor | shape |\n|---|---|\n| q | (2, 3) |",
        "![A small black square.](attachment:square.png)\n\n*Figure 1.* A square, as in \\[Knuth, 1984\\].",
        "**First**\n\nOne.\n\n**Second**\n\nTwo.",
        "A footnote<sup>1</sup>.",
        "<sup>1</sup> Its text.",
        "## References\n\n- Donald E. Knuth. *The TeXbook*. Addison-Wesley, 1984.",
    ],
)
def test_each_construct_becomes_plain_markdown(markdown, expected):
    for role, colour in role_colours().items():
        markdown = markdown.replace(colour, f"#{role}")
    assert expected in markdown


def test_the_cells_are_the_pages_own_in_its_order_with_their_tags(notebook):
    setup, carried, *code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert (setup.metadata["tags"], notebook.cells.index(setup)) == (["setup"], 1)
    assert carried.source.startswith("# The files that this page reads.")
    assert [cell.metadata.get("tags") for cell in code] == [["remove-cell"], ["hide-input"], *[None] * 3]
    assert code[0].source.startswith("import json")


def test_what_the_page_hides_is_folded_and_the_rest_is_not(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    both, source = {"source_hidden": True, "outputs_hidden": True}, {"source_hidden": True}
    assert [cell.metadata.get("jupyter") for cell in code] == [source, both, both, source, None, None, None]


def test_an_exercise_has_a_cell_of_its_own_and_so_have_its_answer_and_its_check(notebook):
    told = [cell for cell in notebook.cells if "exercise" in cell.metadata]
    number = {"ex-first": "1", "ex-gated": "2", "ex-total": "3"}
    title = {"ex-first": "Predict", "ex-gated": "", "ex-total": "Implement: a query of numbers"}
    statements = {cell.metadata["exercise"]["label"]: cell for cell in told if cell.cell_type == "markdown"}
    for label, cell in statements.items():
        kind = title[label].partition(":")[0]
        expected = {"label": label, "number": number[label], "kind": kind, "title": title[label]}
        assert cell.metadata["exercise"] == expected
        assert cell.source.startswith(f"> **Exercise {number[label]}") and cell.source.count("**Exercise") == 1
    assert statements.keys() == number.keys()
    gated, answer, check = [cell for cell in told if cell.cell_type == "code"]
    assert gated.metadata["exercise"] == {"label": "ex-gated", "role": "answer"} and gated.source == "1 + 1"
    assert answer.metadata["exercise"] == {"label": "ex-total", "role": "answer"}
    assert answer.source.endswith("def my_total(numbers):\n    return 0\n\n\nanswer = lambda numbers: 0")
    assert check.metadata["exercise"] == {"label": "ex-total", "role": "check"}
    assert check.source == "check_total(my_total)\ndisplay(check_total(answer))"


def test_images_travel_inside(notebook, tiny_book):
    [cell] = [cell for cell in notebook.cells if "attachments" in cell]
    carried = base64.b64decode(cell.attachments["square.png"]["image/png"])
    assert carried == (tiny_book.folder / "chapters" / "square.png").read_bytes()


def test_it_runs_in_an_empty_folder(notebook, tiny_book, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tiny_book.folder / "src"), str(BOOK / "src")]))
    ran = NotebookClient(nbformat.from_dict(notebook), resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = [
        output.text for cell in ran.cells if cell.cell_type == "code" for output in cell.outputs if "text" in output
    ]
    assert printed == ["shown in Tiny 42\n"]  # both files that the page reads came with it


def test_the_download_button_serves_it_and_not_the_source(tiny_book):
    page = (tiny_book.html / "chapters" / "everything.html").read_text(encoding="utf-8")
    assert 'href="../_sources/chapters/everything.ipynb"' in page
    assert "download-source-button" not in page
    assert not (tiny_book.html / "_sources" / "chapters" / "index.ipynb").exists()  # a page without code has none


def test_an_equation_has_the_number_by_which_the_text_refers_to_it():
    equation = nodes.math_block("", "a = b", number=1, ids=["equation-eq-a"])
    document = nodes.section("", equation)
    assert MarkdownWriter(Page()).blocks(document) == ["$$\na = b\n\\tag{1}\n$$"]
    counted = Page(numbers={("displaymath", "equation-eq-a"): "44"})
    assert MarkdownWriter(counted).blocks(document) == ["$$\na = b\n\\tag{44}\n$$"]


def test_a_box_of_an_exercise_is_one_block_with_its_label():
    class exercise_node(nodes.Admonition, nodes.Element):
        pass

    box = exercise_node("", nodes.title("", "(Predict: what?)"), nodes.paragraph("", "Say it."), label="ex-what")
    [exercise] = MarkdownWriter(Page()).blocks(nodes.section("", box))
    expected = ("ex-what", "", "Predict", "Predict: what?")
    assert (exercise.label, exercise.number, exercise.kind, exercise.title) == expected
    assert exercise.text.endswith("> Say it.")


def test_an_unknown_node_is_an_error_and_not_a_gap():
    class strange(nodes.Element):
        pass

    document = nodes.paragraph("", "", strange())
    with pytest.raises(ValueError, match="does not know <strange>"):
        MarkdownWriter(Page()).write(document)


def test_a_cell_inside_a_box_cuts_it_in_two():
    assert prefixed(["a", CodeCell(3), "b\nc"], "> ") == ["> a", CodeCell(3), "> b\n> c"]
    exercise = Exercise("> **Exercise 1**", "ex-one", "1", "")
    assert prefixed(["a", exercise], "> ") == ["> a", exercise]
    assert prefixed(["a", "b"], "- ", "  ") == ["- a\n\n  b"]


def test_hidden_cells_come_before_the_next_shown_one():
    cells = [nbformat.v4.new_code_cell(source) for source in ("zero", "one", "two")]
    opening = nbformat.v4.new_code_cell("opening")
    notebook = notebook_of(["# Title", "text", CodeCell(1), "end"], cells, openings=[opening])
    assert [cell.source for cell in notebook.cells] == ["# Title\n\ntext", "opening", "zero", "one", "end", "two"]


@pytest.mark.parametrize(
    ("page", "address", "expected"),
    [("a/b", "c.html#x", "a/c.html#x"), ("a/b", "../c.html", "c.html"), ("index", "a/b.html", "a/b.html")],
)
def test_addresses_of_other_pages_are_resolved(page, address, expected):
    assert absolute(page, address) == expected
