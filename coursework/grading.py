"""A folder of submissions, graded in parallel: a CSV of points, a feedback file for each, and what stood in the way."""

import csv
import hashlib
import os
import queue
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tqdm import tqdm

from coursework.marking import Mark
from coursework.runner.process import Runner, RunnerFailed


def submissions(folder):
    """What is handed in, by name: every .ipynb in `folder` or one folder below, and why other entries are none.

    Returns:
        Pairs of a name, which is the path inside `folder`, and None or the reason why it cannot be graded.
    """
    found = []
    for path in sorted(Path(folder).iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_symlink():
            found.append((path.name, "This is a link, and links are not followed; hand in the file itself."))
        elif path.is_dir():
            inside = sorted(p.name for p in path.iterdir() if p.suffix == ".ipynb")
            found += [(f"{path.name}/{name}", None) for name in inside]
            if not inside:
                found.append((path.name, "There is no notebook (.ipynb) in this folder."))
        else:
            wrong = "This is no notebook (.ipynb). Archives are not unpacked; hand in the notebook itself."
            found.append((path.name, None if path.suffix == ".ipynb" else wrong))
    return found


def grade(marker, folder, entries, walls, workers=2, quiet=False):
    """Yield the marks of `entries`, as `submissions` gives them, in their order. One that fails stops no other.

    Args:
        marker: what marks one submission of the set.
        folder: where the submissions are.
        walls: what `try_walls` found.
        workers: how many submissions run at a time.
        quiet: no progress bar.
    """
    runners = queue.SimpleQueue()
    made = [Runner(marker.set.preload, walls.layers, walls.user and walls.user + n) for n in range(workers)]

    def mark(entry):
        name, reason = entry
        if reason:
            return Mark(name, error=reason)
        runner = runners.get()
        try:
            for attempt in (1, 2):
                try:
                    return marker.mark(name, Path(folder) / name, folder, runner)
                except RunnerFailed as error:
                    if attempt == 2:
                        return Mark(name, error=f"The grader failed, not the submission: {error}.", grader_failed=True)
        except Exception as error:  # a fault of ours must not cost the others their grades
            return Mark(name, error=f"The grader failed: {type(error).__name__}: {error}.", grader_failed=True)
        finally:
            runners.put(runner)

    pool = ThreadPoolExecutor(workers)
    try:
        for runner in made:
            runners.put(runner.__enter__())
        yield from tqdm(pool.map(mark, entries), total=len(entries), unit="submission", disable=quiet)
    finally:
        pool.shutdown(cancel_futures=True)
        for runner in made:
            runner.__exit__(None, None, None)


def write_grades(path, problem_set, marks):
    """The CSV: a row for each submission, a column for each question; no points where the grader itself failed."""
    ids = [question.id for question in problem_set.questions]
    temporary = path.with_suffix(".part")
    with open(temporary, "w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        writer = csv.writer(file)
        writer.writerow(["submission", "points", "out of", *ids, "remark"])
        for mark in marks:
            got = {question.id: number_of(question.points) for question in mark.questions}
            points = (
                [""] * (1 + len(ids))
                if mark.grader_failed
                else [number_of(mark.points), *(got.get(i, "0") for i in ids)]
            )
            writer.writerow(
                [cell_of(mark.name), points[0], number_of(problem_set.points), *points[1:], cell_of(mark.error or "")]
            )
    os.replace(temporary, path)


def number_of(points):
    """Points as text, without needless digits."""
    return f"{points:g}"


def cell_of(text):
    """A name as it may stand in a spreadsheet, which takes what begins so for a formula."""
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def write_feedback(folder, problem_set, mark):
    """A Markdown file for one submission, under its name inside `folder`: its points, and why a test gave none."""
    path = Path(folder) / f"{mark.name}.md"
    if len(os.fsencode(path.name)) > 255:
        path = path.with_name(f"{path.name[:50]}-{hashlib.sha256(os.fsencode(mark.name)).hexdigest()[:12]}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_feedback(problem_set, mark), encoding="utf-8", errors="replace")


def _feedback(problem_set, mark):
    if mark.error:
        points = "" if mark.grader_failed else f"**0 of {problem_set.points:g} points from the hidden tests.** "
        return f"# {problem_set.name}\n\n{points}{mark.error}\n"
    told = f"**{mark.points:g} of {problem_set.points:g} points from the hidden tests.**"
    parts = [f"# {problem_set.name}\n\n{told}\n"]
    for question in mark.questions:
        parts.append(f"## {question.id}: {question.title}\n")
        for test in question.tests:
            parts.append(
                f"- {test.points:g} of {test.out_of:g}, {test.name}{': ' + test.reason if test.reason else '.'}"
            )
        parts += [f"- Note: {note}" for note in question.notes]
        if question.printed.strip():
            shown = "".join(c if c.isprintable() or c == "\n" else " " for c in question.printed)
            parts.append(
                "\nWhat your code printed, from its beginning:\n\n"
                + "\n".join("    " + line for line in shown.splitlines())
            )
        parts.append("")
    return "\n".join(parts)
