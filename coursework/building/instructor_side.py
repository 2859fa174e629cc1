"""For instructors alone: the full submission, the notebook with solutions and hidden tests, the rubric."""

import nbformat

from coursework.building.markers import solved
from coursework.building.student_notebook import assembled, code, student_notebook

HEAD = "| | question | points | graded by | minutes | difficulty | section | goal |\n|---|---|---|---|---|---|---|---|"


def full_submission(master, points):
    """What a very good student hands in: the student's notebook with every answer in its place."""
    notebook = student_notebook(master, points)
    solutions = iter([part for part in master.parts if part.role == "question"])
    for cell in notebook.cells:
        role, _, id_ = (cell.metadata.get("tags") or [""])[0].partition(":")
        if role == "question":
            cell.source = solved(next(solutions).source)
        elif role == "written":
            cell.source = master.of("model", id_)[0].source
    return notebook


def solution_notebook(master, points):
    """The full submission, with the hidden tests after each question and the rubric after each text."""
    cells = []
    for cell in full_submission(master, points).cells:
        cells.append(cell)
        role, _, id_ = (cell.metadata.get("tags") or [""])[0].partition(":")
        if role == "public" and id_:
            tests = master.of("hidden", id_)[0].source.splitlines()
            lines = ["# Hidden tests, as set.py has them:", *(f"# {line}".rstrip() for line in tests)]
            cells.append(code("\n".join(lines)))
        elif role == "written":
            cells.append(nbformat.v4.new_markdown_cell(f"**Rubric**\n\n{master.of('rubric', id_)[0].source}"))
    return assembled(cells)


def rubric(master, points):
    """The rubric as Markdown: a table of all questions, then each written one with its lines and a model answer."""
    rows = [
        f"| {number} | {asked.title} | {points[asked.id]:g} | {'people' if asked.written else 'grader'} | "
        f"{asked.minutes} | {asked.difficulty} | `{asked.section}` | {asked.goal} |"
        for number, asked in enumerate(master.questions, 1)
    ]
    minutes = sum(asked.minutes for asked in master.questions)
    parts = [
        f"# {master.title}: rubric",
        f"{sum(points.values()):g} points, {minutes} minutes of work as estimated, {master.hours} hours as announced.",
        "\n".join([HEAD, *rows]),
    ]
    for number, asked in enumerate(master.questions, 1):
        if asked.written:
            statements = "\n\n".join(part.source for part in master.of("statement", asked.id))
            parts += [f"## {number}. {asked.title} ({asked.points:g} points)", statements, "**Rubric**",
                      master.of("rubric", asked.id)[0].source, "**A full answer**",
                      master.of("model", asked.id)[0].source]  # fmt: skip
    return "\n\n".join(parts) + "\n"
