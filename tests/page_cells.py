"""The visible cells of a page, for tests that run what a reader runs and ask the functions that a reader sees."""

from pathlib import Path

from attention_book.pages.book_page import BookPage

CHAPTERS = Path(__file__).parents[1] / "chapters"


def visible_cells(page):
    """The code of the cells that a page shows, in order; `page` is named as in the table of contents."""
    return [cell.body for cell in BookPage.read(CHAPTERS / f"{page}.md").cells if not cell.hidden]


def run_until(page, last):
    """The names that the page has defined after the first visible cell with `last` in it, run from the top."""
    cells = visible_cells(page)
    count = next(n for n, cell in enumerate(cells, start=1) if last in cell)
    names = {}
    for cell in cells[:count]:
        exec(compile(cell, f"a cell of {page}", "exec"), names)
    return names
