"""The student's notebook: statements, starters, checks that diagnose, room for text. Nothing else of the master."""

from pathlib import Path

import nbformat

from coursework.building.markers import unsolved
from coursework.questions import BadSet

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
FIXED = {"deletable": False, "editable": False}
LIBRARIES = {"numpy": "NumPy", "torch": "PyTorch", "attention_book": "the book's package"}
RULES = """# {title}

{count} questions, {points:g} points, about {hours} hours. It needs these pages of the book:
{pages}.

Write your answers into the cells under the questions, and keep the names of the functions: the grader calls them by
name, on inputs of its own. Run the cells from the top. The folded cell below each answer checks it, tells what is
wrong, and gives no points; it needs the book's package, `attention_book`. An answer may use {allowed} and
helpers of your own, which go into the same cell or into cells of their own. Hand in this notebook alone.
"""
ROOM = "*Your answer.*"


def student_notebook(master, points):
    """The notebook that is handed out, without outputs.

    Args:
        master: the set, with its variant filled in.
        points: what each question is worth, by its id.
    """
    cells = [_text(_rules(master, points), FIXED)]
    for index, part in enumerate(master.parts):
        if part.role == "statement":
            cells.append(statement(master, points, part))
            later = [p for p in master.parts[index + 1 :] if (p.role, p.question) == ("statement", part.question)]
            if not later and _asked(master, part.question).written:
                cells.append(_text(ROOM, {"tags": [f"written:{part.question}"]}))
        elif part.role == "question":
            cells.append(code(unsolved(part.source), {"tags": [f"question:{part.question}"]}))
        elif part.role == "public":
            folded = {"tags": [f"public:{part.question or ''}"], "jupyter": {"source_hidden": True}}
            cells.append(code(part.source, FIXED | folded))
        elif part.role in ("text", "code"):
            cells.append(code(part.source) if part.is_code else _text(part.source))
    return assembled(cells)


def _rules(master, points):
    libraries = dict.fromkeys(LIBRARIES.get(name.split(".")[0], name.split(".")[0]) for name in master.preload)
    return RULES.format(
        title=master.title,
        count=len(points),
        points=sum(points.values()),
        hours=master.hours,
        pages="; ".join(f"*{page_title(page)}*" for page in master.prerequisites),
        allowed=", ".join(["Python", *libraries]),
    )


def page_title(page):
    """The title of a page of the book, such as "before/decoding".

    Raises:
        BadSet: the book has no such page.
    """
    path = CHAPTERS / f"{page}.md"
    if not path.is_file():
        raise BadSet(f"The book has no page {page}.")
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("# ") for line in lines if line.startswith("# "))


def statement(master, points, part):
    """A statement; the first of a question begins with its number, title, points, time and difficulty."""
    asked = _asked(master, part.question)
    head = ""
    if part is master.of("statement", part.question)[0]:
        number = master.questions.index(asked) + 1
        each = "1 point" if points[asked.id] == 1 else f"{points[asked.id]:g} points"
        told = f"{each}, about {asked.minutes} minutes, difficulty {asked.difficulty} of 3"
        head = f"## {number}. {asked.title}\n\n*{told}*\n\n"
    return _text(head + part.source, FIXED)


def assembled(cells):
    """A notebook of these cells. Their ids are their places, so that building again writes the same bytes."""
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})


def code(source, metadata=None):
    """A code cell."""
    return nbformat.v4.new_code_cell(source.strip("\n"), metadata=dict(metadata or {}))


def _text(source, metadata=None):
    return nbformat.v4.new_markdown_cell(source.strip("\n"), metadata=dict(metadata or {}))


def _asked(master, id_):
    return next(asked for asked in master.questions if asked.id == id_)
