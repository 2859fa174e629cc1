"""The entry point of the autograder that Gradescope runs: one submission in, one results.json out.

`run_autograder` in the zip calls it. The grade comes from the same marker as `python -m coursework grade`; where the
walls do not stand it writes no results, which Gradescope shows to the instructor as a failed autograder.
"""

import json
import os
import sys
from pathlib import Path

from coursework.grading import grade, submissions
from coursework.layers import Refused, try_walls
from coursework.marking import Mark, Marker
from coursework.questions import BadSet, load_set


def results(problem_set, mark):
    """A mark as Gradescope reads it: the points, and an entry for each hidden test with its reason."""
    tests = []
    for question in mark.questions:
        for test in question.tests:
            told = [test.reason] if test.reason else []
            tests.append({"name": f"{question.id}: {test.name}", "score": test.points, "max_score": test.out_of,
                          "output": "\n".join(told + question.notes), "output_format": "text",
                          "visibility": "visible"})  # fmt: skip
    head = mark.error or f"{mark.points:g} of {problem_set.points:g} points. People grade the written answers."
    return {"score": mark.points, "output": head, "output_format": "text", "tests": tests}


def the_one(folder):
    """The entry of the one notebook in `folder`; a mark with the reason if there is none, or more than one."""
    entries = [entry for entry in submissions(folder) if entry[0].endswith(".ipynb")]
    if len(entries) == 1:
        return entries[0], None
    names = ", ".join(name for name, _ in entries) or "none"
    return None, Mark("submission", error=f"Hand in one notebook (.ipynb); there are {len(entries)}: {names}.")


def main(set_file, folder, out):
    """Grade the submission in `folder` and write `out`/results.json.

    Returns:
        The exit status: 0 if there is a grade, 1 if the grader could not give one.
    """
    set_file, folder, out = Path(set_file), Path(folder), Path(out)
    if os.geteuid() == 0:
        _close(set_file.parent, folder, out)
    try:
        problem_set = load_set(set_file)
        entry, mark = the_one(folder)
        if mark is None:
            marker, walls = Marker(problem_set), try_walls([set_file, folder, out])
            walls.require()
            (mark,) = grade(marker, folder, [entry], walls, workers=1, quiet=True)
    except (BadSet, Refused, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    if mark.grader_failed:
        print(mark.error, file=sys.stderr)
        return 1
    (out / "results.json").write_text(json.dumps(results(problem_set, mark), indent=1), encoding="utf-8")
    return 0


def _close(*folders):
    """Close folders to every user but root, under whose id no submission runs."""
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & 0o700)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("python -m coursework.gradescope.autograder SET.py FOLDER_OF_THE_SUBMISSION FOLDER_FOR_RESULTS")
    sys.exit(main(*sys.argv[1:]))
