"""Lint the code cells of the book's pages with ruff, as it lints the package; with `--fix`, mend what ruff can mend.

What a page shows is no wider than its column (`code_width`): a line of a visible cell that is wider is a fault too, and
with `--fix` ruff breaks the lines of that cell.

Each page's cells are written into a temporary notebook of the same path, which ruff reads as it reads any notebook: a
name from an earlier cell is known, and an import may stand in any cell. The cells that the page shows are then linted
by themselves: whoever types in what is seen needs no name from a cell that is hidden. `make lint` runs this.
"""

import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import nbformat
from code_width import WIDTH, fitted, too_wide
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

BOOK = Path(__file__).resolve().parent.parent
# What a page does on purpose: it shows a value by naming it last, imports again what an earlier cell imported, gives a
# short function a name by `lambda`, pairs rows whose lengths are known, and leaves names in an exercise unused.
ALLOWED = ("B018", "B905", "E731", "F811", "RUF005")
OPTIONS = ("--no-cache", "--line-length", "100", "--config", "lint.isort.known-first-party=['attention_book']")


KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


@cache
def notebook_cells(text):
    """A page's code cells, in order, read once: nobody may change them. None if it has no notebook in it."""
    if not is_myst_markdown_notebook(text):
        return []
    return [cell for cell in read_myst_markdown_notebook(text).cells if cell.cell_type == "code"]


def code_cells(text):
    """The sources of a page's code cells, in order."""
    return [cell.source for cell in notebook_cells(text)]


def ruff(cells_of, folder, *options):
    """Run ruff over notebooks with these cells, by path; returns its exit status and the notebooks' files, by path."""
    files = {path: Path(folder, path).with_suffix(".ipynb") for path in cells_of}
    for path, file in files.items():
        cells = [nbformat.v4.new_code_cell(source) for source in cells_of[path]]
        file.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=KERNEL), file)
    command = [Path(sys.executable).with_name("ruff"), "check", "--config", BOOK / "pyproject.toml", *OPTIONS]
    return subprocess.run([*command, *options, "."], cwd=folder).returncode, files


def visible_cells(text):
    """The sources of a page's code cells that a reader sees, folded ones among them."""
    cells, unseen = notebook_cells(text), {"remove-cell", "remove-input"}
    return [cell.source for cell in cells if not unseen & set(cell.metadata.get("tags", ()))]


def with_narrow_cells(text):
    """A page whose visible cells are no wider than its column, as far as their strings and names allow."""
    wide = {source for source in visible_cells(text) if too_wide(source)}
    cells = code_cells(text)
    return with_cells(text, [fitted(source) if source in wide else source for source in cells]) if wide else text


def wide_lines(pages):
    """(path, number of the line, the line) of each line of a visible cell that is wider than the page's column."""
    for path, text in pages.items():
        wide = {line for source in visible_cells(text) for line in too_wide(source)}
        yield from ((path, number, line) for number, line in enumerate(text.splitlines(), 1) if line in wide)


def lint(pages, fix=False):
    """Run ruff over the cells of some pages, and print what it finds.

    Args:
        pages: path in the book to source, of each page.
        fix: whether ruff may mend what it can.

    Returns:
        Ruff's exit status, and the pages' sources, those that were mended changed.
    """
    with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as seen:
        cells_of = {path: cells for path, text in pages.items() if (cells := code_cells(text))}
        options = ["--extend-select", "F821", "--extend-ignore", ",".join(ALLOWED), *["--fix"] * fix]
        status, notebooks = ruff(cells_of, whole, *options)
        mended = dict(pages)
        for path, file in notebooks.items() if fix else ():
            after = [cell.source for cell in nbformat.read(file, as_version=4).cells]
            mended[path] = with_narrow_cells(with_cells(pages[path], after))
        shown = {path: cells for path, text in mended.items() if (cells := visible_cells(text))}
        unseen = ruff(shown, seen, "--select", "F821")[0] if shown else 0
    if unseen:
        print("A page shows a cell that uses a name of a hidden cell: define it where the reader sees it.")
    wide = list(wide_lines(mended))
    for path, number, line in wide:
        print(f"{path}:{number}: a line of {len(line)} characters in a visible cell, where a page shows {WIDTH}")
    return status or unseen or int(bool(wide)), mended


def with_cells(text, sources):
    """A page with other sources in its code cells, which are found by what they hold now.

    Raises:
        ValueError: if a cell cannot be told from the text around it.
    """
    start = 0
    for old, new in zip(code_cells(text), sources, strict=True):
        place = text.find(f"\n{old}\n`", start)
        if place < 0:
            raise ValueError(f"no cell like this in the page's source: {old[:80]!r}")
        text = text[: place + 1] + new + text[place + 1 + len(old) :]
        start = place + len(new)
    return text


if __name__ == "__main__":
    sources = {path.relative_to(BOOK): path.read_text("utf-8") for path in sorted((BOOK / "chapters").rglob("*.md"))}
    status, mended = lint(sources, fix="--fix" in sys.argv[1:])
    for path, text in mended.items():
        if text != sources[path]:
            (BOOK / path).write_text(text, encoding="utf-8")
    sys.exit(status)
