"""Every stand-alone notebook runs where a reader has it: the package from a wheel, an empty folder, no checkout."""

import nbformat
import pytest
from fresh_environment import BOOK, FreshEnvironment, build_wheel
from notebook_cells import setup_cell

SOURCES = BOOK / "_build" / "html" / "_sources"
NOTEBOOKS = sorted(path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.ipynb"))
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


@pytest.mark.site
@pytest.mark.parametrize("notebook", NOTEBOOKS)
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
