"""The visible cells of a page, for tests that run what a reader runs."""

import re
from pathlib import Path

CHAPTERS = Path(__file__).parents[1] / "chapters"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.M | re.S)
OPTION = re.compile(r"^:[\w-]+:.*\n", re.M)


def visible_cells(page):
    """The code of the cells that a page shows, in order; `page` is named as in the table of contents."""
    cells = CELL.findall(CHAPTERS.joinpath(f"{page}.md").read_text(encoding="utf-8"))
    shown = [cell for cell in cells if not re.search(r"^:tags:.*(remove-cell|remove-input|hide-)", cell, re.M)]
    return [OPTION.sub("", cell) for cell in shown]


def run_until(page, last):
    """The names that the page has defined after the first visible cell with `last` in it, run from the top."""
    cells = visible_cells(page)
    count = next(n for n, cell in enumerate(cells, start=1) if last in cell)
    names = {}
    for cell in cells[:count]:
        exec(compile(cell, f"a cell of {page}", "exec"), names)
    return names
