"""A stand-alone notebook runs where a reader has it: the package from a wheel, an empty folder, no checkout.

The build has run the cells of every page, with the package of the checkout. So three things are left to see: that the
cells of each notebook are its page's, that the wheel holds what the checkout holds, and that what finds files by where
the package lies finds them there too. For the last, the notebooks that have files beside them are run, and one in
`EACH` of the others.
"""

import ast
import zipfile
from pathlib import Path

import nbformat
import pytest
from fresh_environment import BOOK, FreshEnvironment, build_wheel
from myst_nb.core.read import read_myst_markdown_notebook
from notebook_cells import setup_cell

SOURCES = BOOK / "_build" / "html" / "_sources"
NOTEBOOKS = sorted(path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.ipynb"))
EACH = 10
CARRIES = "# The files that this page reads."


def own_cells(notebook):
    """The code cells of a notebook without those that it begins with: set-up, and files to write."""
    code = [cell for cell in nbformat.read(SOURCES / notebook, as_version=4).cells if cell.cell_type == "code"]
    return [cell for cell in code if "setup" not in cell.metadata.get("tags", ()) and CARRIES not in cell.source]


def has_files(notebook):
    return CARRIES in (SOURCES / notebook).read_text(encoding="utf-8")


TO_RUN = [notebook for place, notebook in enumerate(NOTEBOOKS) if has_files(notebook) or place % EACH == 0]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    before = {path.name for path in BOOK.iterdir()}
    wheel = build_wheel(tmp_path_factory.mktemp("wheel"))
    assert {path.name for path in BOOK.iterdir()} == before  # no build/ is left in the checkout
    return wheel


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    return FreshEnvironment(tmp_path_factory.mktemp("anywhere") / "environment", wheel)


@pytest.fixture(scope="module")
def quick_run(environment):
    with environment.quick_runner() as run:
        yield run


class Given(ast.NodeTransformer):
    """Puts answers back into the call of the check that they were taken out of."""

    def __init__(self, answers):
        self.answers = answers

    def visit_Name(self, node):
        return self.answers.get(node.id, node)


def rejoined(cells):
    """The code of each cell of the page that a notebook's cells are made of, as text without layout."""
    found, before = [], None
    for cell in cells:
        lines = [line for line in cell.source.split("\n") if not line.startswith(("%", "!"))]
        body = ast.parse("\n".join(lines)).body
        role = cell.metadata.get("exercise", {}).get("role")
        if role == "check" and before is not None:
            assigned = [one for one in before if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)]
            moved = [one for one in assigned if one.targets[0].id.startswith("answer")]
            given = Given({one.targets[0].id: one.value for one in moved})
            body = [one for one in before if one not in moved] + [given.visit(one) for one in body]
            found.pop()
        found.append("\n".join(map(ast.unparse, body)))
        before = body if role == "answer" else None
    return found


@pytest.mark.site
@pytest.mark.parametrize("notebook", sorted(set(NOTEBOOKS) - set(TO_RUN)))
def test_its_cells_are_those_that_the_build_has_run(notebook):
    page = read_myst_markdown_notebook((BOOK / notebook).with_suffix(".md").read_text(encoding="utf-8"))
    assert rejoined(own_cells(notebook)) == rejoined([cell for cell in page.cells if cell.cell_type == "code"])


def test_the_wheel_holds_the_package_the_results_and_the_pages_as_they_are(wheel):
    package = BOOK / "src" / "attention_book"
    code = {path.relative_to(package.parent): path for path in package.rglob("*") if path.is_file()}
    carried = [*(BOOK / "results").rglob("*.json"), *(BOOK / "chapters").rglob("*.md")]
    wanted = {str(name): path for name, path in code.items() if "__pycache__" not in name.parts}
    wanted |= {str(Path("attention_book", path.relative_to(BOOK))): path for path in carried}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert held == wanted.keys()
        assert [name for name, path in wanted.items() if archive.read(name) != path.read_bytes()] == []


@pytest.mark.site
@pytest.mark.parametrize("notebook", TO_RUN)
def test_it_runs_anywhere(quick_run, notebook, tmp_path):
    assert quick_run(SOURCES / notebook, tmp_path / "run") == ""


@pytest.mark.site
def test_it_runs_in_a_kernel_too(environment, tmp_path):
    assert environment.run(SOURCES / "chapters/attention/masks.ipynb", tmp_path / "run") == ""


@pytest.fixture
def notebook(tmp_path):
    """A notebook that begins as a page's does, and then says where its package is from."""

    def write(**options):
        where = nbformat.v4.new_code_cell("import attention_book\nprint(attention_book.__file__)")
        path = tmp_path / "notebook.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=[setup_cell(**options), where]), path)
        return path

    return write


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import warnings; warnings.warn('stray')", "stray"),
        ("import sys; print('x' * 9, file=sys.stderr)", "x" * 9),
        ("import os; os._exit(1)", "no answer"),
    ],
    ids=["an error", "a warning", "on stderr", "a death"],
)
def test_what_goes_wrong_is_told(quick_run, tmp_path, cell, told):
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in ("found = 1", cell)])
    nbformat.write(content, tmp_path / "notebook.ipynb")
    assert told in quick_run(tmp_path / "notebook.ipynb", tmp_path / "run")
    content.cells[1].metadata["tags"] = ["skip-execution"]
    nbformat.write(content, tmp_path / "notebook.ipynb")
    assert quick_run(tmp_path / "notebook.ipynb", tmp_path / "again") == ""


def test_without_the_package_the_first_cell_says_what_to_do_and_no_other_runs(notebook, tmp_path):
    told = FreshEnvironment(tmp_path / "bare").run(notebook(), tmp_path / "run")
    _, message = told.rsplit("------------------\n", 1)
    assert message.strip().startswith("This notebook needs the book's package, attention-book,")
    assert "-m pip install '.[notebooks]'" in message
    assert len(message.strip().splitlines()) < 10 and "Traceback" not in message


def test_the_first_cell_installs_the_package_from_the_address_of_the_book(notebook, wheel, tmp_path, monkeypatch):
    for option in ("NO_INDEX", "NO_DEPS", "IGNORE_INSTALLED", "QUIET"):  # the other packages are there, as lent
        monkeypatch.setenv(f"PIP_{option}", "1")
    environment = FreshEnvironment(tmp_path / "bare")
    assert environment.run(notebook(address=wheel.as_uri()), tmp_path / "run") == ""
    assert list((tmp_path / "bare").rglob("attention_book/results/one-pass.json"))


def test_an_address_that_does_not_answer_is_told_in_the_same_words(notebook, tmp_path):
    missing = (tmp_path / "attention_book-9-py3-none-any.whl").as_uri()
    told = FreshEnvironment(tmp_path / "bare").run(notebook(address=missing), tmp_path / "run")
    assert "This notebook needs the book's package" in told
