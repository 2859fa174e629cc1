"""The first page of a reader's folder: every notebook with its title, by part and in the order of the book."""

import json
from urllib.parse import quote

NAME = "Start here.md"
TEXT = """# {title}

These notebooks are your own copies of the book's pages: run them, change them, write your answers into them. Open one
with a click, and run all of it with *Run → Run All Cells* in the menu above.

`make lab` replaces a notebook when the book has a new version of it, unless you changed yours: then yours stays as it
is, and the new version is put beside it. A notebook that you delete comes back as the book has it. Pages without code,
such as the glossary, are in the book itself, `_build/html/index.html`.
{news}{parts}
"""
NEWS = """
## New versions

The book has a newer version of these pages, which you have changed:

{lines}
"""


def start_page(title, places, copies, heading):
    """The start page as Markdown.

    Args:
        title: the book's.
        places: the pages in the order of the book (see `book_order`).
        copies: the paths of each page's copies by the page's name, the reader's first.
        heading: gives the title of the notebook at a path, as Markdown.
    """
    parts, news = [], []
    for place in places:
        if not parts or parts[-1][0] != place.part:
            parts.append((place.part, []))
        first, *others = copies[place.name]
        parts[-1][1].append(f"{'  ' * place.depth}- {_linked(heading(first), first)}")
        if others:
            named = [_linked("yours", first), *(_linked(_version(n), path) for n, path in enumerate(others, 1))]
            news.append(f"- {heading(others[-1])}: {', '.join(named)}")
    listed = [f"{chr(10)}## {part}{chr(10)}" * bool(part) + "\n" + "\n".join(lines) for part, lines in parts]
    told = NEWS.format(lines="\n".join(news)) if news else ""
    return TEXT.format(title=title, news=told, parts="\n".join(listed))


def heading_of(path):
    """The title of the notebook at `path`, as Markdown: its first heading, or the file's name where it has none."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        lines = [line for cell in cells if cell["cell_type"] == "markdown"
                 for line in "".join(cell["source"]).splitlines()]  # fmt: skip
    except (ValueError, KeyError, TypeError):
        lines = []
    return next((line[2:].strip() for line in lines if line.startswith("# ")), path.stem)


def _linked(text, path):
    return f"[{text}]({quote(path)})"


def _version(number):
    return "the new version" if number == 1 else f"the new version {number}"
