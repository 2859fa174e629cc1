"""The notebook of a page: every construct that a chapter may use becomes plain Markdown, and it runs anywhere."""

import base64
import os

import nbformat
import pytest
from doctree_markdown import CodeCell, MarkdownWriter, Page, expand_macros, prefixed
from docutils import nodes
from nbclient import NotebookClient
from plain_markdown import markup_left
from standalone_notebooks import absolute, notebook_of


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
        "$a_1 < {Q}$",
        '```python\ndef total(numbers):\n    """The sum."""\n    return sum(numbers)\n```',
        "Two lines\n\n```python\nfrom tiny_package.sums import total\n```",
        "$$\n\\begin{aligned}\n{Q}{K}^\\top \\\\ {M}\n\\end{aligned}\n\\tag{1}\n$$",
        "_i = \\frac{e^{x_i}}{\\sum_j e^{x_j}}\n\\tag{2}\n$$",
        "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}",
        "See (1), equation (2), Everything at once, the other one, The other page,\nFig. 1, Exercise 1, Exercise 1",
        "Knuth \\[1984\\],\n\\[Knuth, 1984\\]",
        "[a link](https://example.org)",
        "> **Note**\n>\n> A note with `code`.",
        "> **A pitfall, with 2.7**\n>\n> What people write.\n>\n> - one\n> - two\n>\n>   1. nested\n>   2. again",
        "> **Tip**\n>\n> Hidden at first.",
        "> **More**\n>\n> Inside the dropdown, $x^2$.",
        "> In the margin.",
        "> **Exercise 1 (Predict)**\n>\n> Write down $1 + 1$ before running\n>\n> ```python\n> 1 + 1\n> ```",
        "> **Exercise 2**\n>\n> An exercise with a cell.",
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
    assert expected in markdown


def test_the_cells_are_the_pages_own_in_its_order_with_their_tags(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.metadata.get("tags") for cell in code] == [None, ["remove-cell"], ["hide-input"], None]
    assert code[1].source.startswith("import json")
    before = notebook.cells[notebook.cells.index(code[3]) - 1]
    assert before.source.endswith("> An exercise with a cell.")


def test_images_travel_inside(notebook, tiny_book):
    [cell] = [cell for cell in notebook.cells if "attachments" in cell]
    carried = base64.b64decode(cell.attachments["square.png"]["image/png"])
    assert carried == (tiny_book.folder / "chapters" / "square.png").read_bytes()


def test_it_runs_in_an_empty_folder(notebook, tiny_book, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tiny_book.folder / "src")]))
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


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\query{Q}\key{K}^\top", r"{Q}{K}^\top"),
        (r"\query{\key{K}_{ij}}", r"{{{K}_{ij}}}"),
        (r"\class{role-query}{Q}_i", r"{Q}_i"),
        (r"\keyword + \R", r"\keyword + {\mathbb{R}}"),
        (r"\query{a \{ b}", r"{{a \{ b}}"),
    ],
)
def test_macros_are_written_out(latex, plain):
    macros = {"query": (r"\class{q}{#1}", 1), "key": (r"\class{k}{#1}", 1), "R": (r"\mathbb{R}", 0)}
    assert expand_macros(latex, macros) == plain


def test_a_formula_with_an_open_brace_is_named():
    with pytest.raises(ValueError, match="a brace is not closed"):
        expand_macros(r"\query{Q", {"query": ("#1", 1)})


def test_an_unknown_node_is_an_error_and_not_a_gap():
    class strange(nodes.Element):
        pass

    document = nodes.paragraph("", "", strange())
    with pytest.raises(ValueError, match="does not know <strange>"):
        MarkdownWriter(Page()).write(document)


def test_a_cell_inside_a_box_cuts_it_in_two():
    assert prefixed(["a", CodeCell(3), "b\nc"], "> ") == ["> a", CodeCell(3), "> b\n> c"]
    assert prefixed(["a", "b"], "- ", "  ") == ["- a\n\n  b"]


def test_hidden_cells_come_before_the_next_shown_one():
    cells = [nbformat.v4.new_code_cell(source) for source in ("zero", "one", "two")]
    notebook = notebook_of(["# Title", "text", CodeCell(1), "end"], cells)
    assert [cell.source for cell in notebook.cells] == ["# Title\n\ntext", "zero", "one", "end", "two"]


@pytest.mark.parametrize(
    ("page", "address", "expected"),
    [("a/b", "c.html#x", "a/c.html#x"), ("a/b", "../c.html", "c.html"), ("index", "a/b.html", "a/b.html")],
)
def test_addresses_of_other_pages_are_resolved(page, address, expected):
    assert absolute(page, address) == expected
