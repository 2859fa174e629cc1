"""What a page's visible cells define, so that tests can ask the functions that a reader sees."""

from pathlib import Path

from myst_nb.core.read import read_myst_markdown_notebook

CHAPTERS = Path(__file__).parents[1] / "chapters"


def shown(page, last):
    """Run the visible cells of a page, up to the first one that holds a text, and return the names that they define.

    Args:
        page: such as "attention/masks".
        last: a piece of the last cell to run.
    """
    cells = read_myst_markdown_notebook((CHAPTERS / f"{page}.md").read_text(encoding="utf-8")).cells
    sources = [cell.source for cell in cells if cell.cell_type == "code" and not cell.metadata.get("tags")]
    end = next(n for n, source in enumerate(sources) if last in source)
    names = {}
    for source in sources[: end + 1]:
        exec(source, names)
    return names
