"""Does the student's side hold what is not for students? Every file of it is searched, before anybody gets it."""

import ast
import json
import re
from pathlib import Path

from coursework.building.markers import solution_lines

SHORTEST = 25  # characters of a line that cannot be there by chance
WORDS = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN STARTER", "END STARTER", "ProblemSet", "coursework.questions")
KEYS = {"tags", "jupyter", "deletable", "editable"}


def leaks(master, folder, seeds=()):
    """What leaks into the files of `folder`, as sentences; nothing if all is well.

    Searched for: every line of a solution, a hidden test, a rubric, a model answer and of what draws variants, if it
    has at least 25 characters; a whole solution, however short; names that only hidden cells define; marks of the
    master; outputs and unknown metadata; the `seeds`, which are secrets and seeds of variants.

    Args:
        master: the set, with its variant filled in.
        folder: the student's side.
        seeds: texts that must not be there; those under 6 characters cannot be told from ordinary text.
    """
    found = []
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".ipynb":
                found += [f"{path.name}: {leak}" for leak in _foreign_metadata(json.loads(text))]
                text = "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]) + text
            found += [f"{path.name}: {leak}" for leak in _in_text(master, text, seeds)]
    return found


def _in_text(master, text, seeds):
    flat = _flat(text)
    for seed in seeds:
        if len(seed) >= 6 and seed in text:
            yield "a secret or a seed"
    yield from (f"the mark {word!r}" for word in WORDS if word in text)
    for part in master.parts:
        where = f"{part.role}:{part.question}" if part.question else part.role
        if part.role in ("hidden", "rubric", "model", "variants"):
            lines = part.source.splitlines()
        else:
            lines = solution_lines(part.source)
            whole = _flat("\n".join(lines))
            if len(whole) >= SHORTEST and whole in flat:
                yield f"a whole solution of {where}"
        for line in map(_flat, lines):
            if len(line) >= SHORTEST and line in flat:
                yield f"a line of {where}: {line}"
    for name in sorted(_hidden_names(master)):
        if re.search(rf"\b{name}\b", text):
            yield f"the name {name}, which only hidden cells define"


def _flat(text):
    return " ".join(text.split())


def _hidden_names(master):
    hidden, elsewhere = set(), set()
    for part in master.parts:
        if part.is_code:
            names = {n.name for n in ast.walk(ast.parse(part.source)) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
            (hidden if part.role in ("hidden", "variants") else elsewhere).update(names)
    return {name for name in hidden - elsewhere if "_" in name}  # one word may stand in any text


def _foreign_metadata(notebook):
    for key in sorted(notebook["metadata"].keys() - {"kernelspec", "language_info"}):
        yield f"the notebook's metadata hold {key!r}"
    for number, cell in enumerate(notebook["cells"], 1):
        if cell.get("outputs") or cell.get("attachments"):
            yield f"cell {number} has outputs"
        for key in sorted(cell["metadata"].keys() - KEYS):
            yield f"the metadata of cell {number} hold {key!r}"
        for tag in cell["metadata"].get("tags", ()):
            if tag.partition(":")[0] not in ("question", "public", "written"):
                yield f"cell {number} has the tag {tag!r}"
