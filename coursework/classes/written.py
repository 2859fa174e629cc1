"""Written answers, for the person who marks them: a page for each question, a table for the points, and their way back.

A notebook comes from a student. Its text is read as data, cut to a length, and escaped; the pages hold no script.
"""

import csv
import html
import io
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from coursework.grading import cell_of, number_of
from coursework.notebooks import UnreadableSubmission, read_written
from coursework.questions import BadSet

MOST_CHARACTERS = 20_000  # of one answer; a page of text has 3000
ROOM = "*Your answer.*"
JOINERS = "\u200c\u200d"  # without these two, words of some languages are spelt wrong
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 46em; margin: 2em auto; padding: 0 1em; font: 1rem/1.5 sans-serif; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }}
pre.code {{ font-family: monospace; font-size: .875em; border-left: 3px solid #888; padding-left: .8em; }}
details, section {{ border-top: 1px solid #888; padding: .5em 0; }}
h2 {{ font-size: 1.05rem; }}
</style></head><body>
<h1>{title}</h1>
<p>{set}: {points:g} points, {count} submissions. The points go into the column <code>{id}</code> of points.csv.</p>
<details open><summary>Question</summary><pre>{statement}</pre></details>
<details open><summary>Rubric</summary><pre>{rubric}</pre></details>
<details><summary>A full answer</summary><pre>{model}</pre></details>
{answers}
</body></html>
"""


@dataclass(frozen=True)
class Collected:
    """What `collect` wrote: how many submissions there are, and those that cannot be read, with the reason."""

    count: int
    unreadable: dict[str, str]
    kept_table: bool


def collect(problem_set, folder, entries, out):
    """Write OUT/ID.html for each written question, and OUT/points.csv to fill in, unless one is there already.

    Args:
        problem_set: the set, whose `written` are the questions.
        folder: where the submissions are.
        entries: what `submissions(folder)` gives.
        out: an existing folder.

    Raises:
        BadSet: the set has no written questions.
    """
    _require_written(problem_set)
    answers, unreadable = {}, {}
    for name, reason in entries:
        try:
            if reason:
                raise UnreadableSubmission(reason)
            answers[name] = read_written(Path(folder) / name, folder, problem_set.limits.notebook_bytes)
        except UnreadableSubmission as error:
            unreadable[name] = str(error)
    for asked in problem_set.written:
        page = _page(problem_set, asked, answers, unreadable)
        (Path(out) / f"{asked.id}.html").write_text(page, encoding="utf-8")
    table = Path(out) / "points.csv"
    kept = table.exists()  # it may hold somebody's work
    if not kept:
        rows = [["submission", *(asked.id for asked in problem_set.written)]]
        for name, _ in entries:
            rows.append([cell_of(name), *(_empty(answers.get(name), asked.id) for asked in problem_set.written)])
        _write(table, rows)
    return Collected(len(entries), unreadable, kept)


def merge(grades, table, problem_set):
    """The rows of `grades.csv` with the written questions' points in columns of their own, and in the sums.

    Raises:
        BadSet: a file cannot be read or is another set's; a row is missing, unknown or twice there; an answer has no
            points yet, or more than there are.
    """
    _require_written(problem_set)
    ids, most = [asked.id for asked in problem_set.written], sum(asked.points for asked in problem_set.written)
    old, given = _rows(grades, ["submission", "points", "out of", "remark"]), _rows(table, ["submission", *ids])
    if set(ids) & old[0].keys():
        raise BadSet(f"{grades} has the written points already.")
    names, marked = [row["submission"] for row in old], {row["submission"]: row for row in given}
    for path, found in ((grades, names), (table, [row["submission"] for row in given])):
        if twice := _few({name for name in found if found.count(name) > 1}):
            raise BadSet(f"{path} has more than one row for {twice}.")
    if unknown := _few(marked.keys() - set(names)):
        raise BadSet(f"{table} has rows that {grades} lacks: {unknown}.")
    head = [*list(old[0])[:-1], *ids, "remark"]
    rows, missing = [head], []
    for row in old:
        mark = marked.get(row["submission"], {})
        points = [_points(mark.get(asked.id), asked, row, table) for asked in problem_set.written]
        missing += [f"{row['submission']} ({id_})" for id_, one in zip(ids, points, strict=True) if one is None]
        if row["points"] and None not in points:
            row["points"] = number_of(_number(row["points"], grades) + sum(points))
        row["out of"] = number_of(_number(row["out of"], grades) + most)
        added = dict(zip(ids, map(number_of, (one or 0 for one in points)), strict=True))
        rows.append([(row | added)[name] for name in head])
    if missing:
        raise BadSet(f"{table} has no points yet for {_few(missing)}; 0 is a number too.")
    return rows


def write_merged(path, rows):
    """Write the rows that `merge` gave."""
    _write(Path(path), rows)


def _require_written(problem_set):
    if not problem_set.written:
        raise BadSet(f"{problem_set.name} has no written questions, or its set.py is an old one: build it again.")


def _page(problem_set, asked, answers, unreadable):
    sections = [_section(name, answers[name].get(asked.id)) for name in answers]
    sections += [f"<section><h2>{_safe(name)}</h2><p>{_safe(why)}</p></section>" for name, why in unreadable.items()]
    return PAGE.format(
        title=_safe(asked.title), set=_safe(problem_set.name), points=asked.points, id=_safe(asked.id),
        count=len(sections), statement=_flowing(asked.statement), rubric=_flowing(asked.rubric),
        model=_flowing(asked.model), answers="\n".join(sections),
    )  # fmt: skip


def _section(name, parts):
    if parts is None:
        body = "<p>The notebook has no cell for this answer: was it deleted, or written elsewhere? Look into it.</p>"
    elif not (kept := _written(parts)):
        body = "<p>No answer.</p>"
    else:
        left, blocks = MOST_CHARACTERS, []
        for kind, text in kept:
            shown = text[: max(left, 0)]
            left -= len(text)
            if shown:
                blocks.append(f'<pre class="{"text" if kind == "markdown" else "code"}">{_safe(shown)}</pre>')
        if left < 0:
            blocks.append(f"<p>{-left} more characters are left out; they are in the notebook.</p>")
        body = "\n".join(blocks)
    return f"<section><h2>{_safe(name)}</h2>\n{body}\n</section>"


def _written(parts):
    """The parts that hold something; the room for an answer is not one."""
    cleaned = [(kind, text.replace(ROOM, "").strip()) for kind, text in parts]
    return [(kind, text) for kind, text in cleaned if text]


def _empty(parts, id_):
    """Nothing was written, so there is nothing to read: 0 points. Else an empty place."""
    return "0" if parts is not None and id_ in parts and not _written(parts[id_]) else ""


def _flowing(text):
    """A text of the master, in which a line break is only where its author folded the line."""
    return _safe(text if "```" in text else re.sub(r"(?<!\n)\n(?![\n|#$-])", " ", text))


def _safe(text):
    """Text as it may stand in HTML: what does not print, such as a mark that turns the line round, is shown as such."""
    return html.escape("".join(c if c.isprintable() or c in "\n\t" + JOINERS else "\ufffd" for c in text))


def _rows(path, needed):
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        first = text.partition("\n")[0]
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
        rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadSet(f"{path} cannot be read: {error}. Save it as CSV in UTF-8.") from None
    if not rows or not set(needed) <= rows[0].keys():
        raise BadSet(f"{path} is empty, or lacks one of the columns {', '.join(needed)}.")
    if any(None in row or None in row.values() for row in rows):
        raise BadSet(f"{path} has a row that is longer or shorter than its first one.")
    return rows


def _points(text, asked, row, table):
    """Points as a number; None if they are still missing. What could not be read has none."""
    if not (text or "").strip():
        return 0.0 if row["remark"] else None
    number = _number(text, table)
    if not 0 <= number <= asked.points:
        raise BadSet(f"{table}, {row['submission']}: {asked.id} has 0 to {asked.points:g} points, not {text.strip()}.")
    return number


def _number(text, path):
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadSet(f"{path}: {text.strip()[:40]!r} is no number of points.")
    return number


def _few(names):
    """The first names of many."""
    names = sorted(names)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _write(path, rows):
    temporary = path.with_suffix(".part")
    with open(temporary, "w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        csv.writer(file).writerows(rows)
    os.replace(temporary, path)
