"""`python -m coursework grade FOLDER --set FILE`: the course from the command line."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from coursework.building.course import build_set, known_sets
from coursework.building.otter_form import NoOtter, write_otter_form
from coursework.classes.report import read_grades
from coursework.classes.report import report as report_of
from coursework.classes.similar import LEAST_NODES, alike
from coursework.classes.written import collect, write_merged
from coursework.classes.written import merge as merged
from coursework.grading import grade as grade_all
from coursework.grading import submissions, write_feedback, write_grades
from coursework.layers import Refused, try_walls
from coursework.marking import Marker
from coursework.notebooks import UnreadableSubmission
from coursework.public_checks import check_notebook
from coursework.questions import BadSet, load_set

app = typer.Typer(add_completion=False, help="Build problem sets, and grade them without trusting what is handed in.")
Folder = Annotated[Path, typer.Argument(help="where the submissions are: .ipynb files, or a folder for each student")]
SetFile = Annotated[Path, typer.Option("--set", help="the Python file that defines SET, with the hidden tests")]


@app.command()
def grade(
    folder: Folder,
    set_file: SetFile,
    out: Annotated[Path | None, typer.Option(help="where grades and feedback go; FOLDER-grades if left out")] = None,
    secret_file: Annotated[Path | None, typer.Option(help="a file with a secret of your own for the inputs")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="submissions at a time")] = 2,
    part: Annotated[str, typer.Option(help="grade one slice of the folder, such as 3/10, for a job array")] = "1/1",
):
    """Grade every submission in FOLDER: grades.csv, a feedback file for each, and which walls stood."""
    try:
        problem_set = load_set(set_file)
        if secret_file is not None:
            problem_set = replace(problem_set, secret=secret_file.read_text(encoding="utf-8").strip())
        number, count = _part(part)
        if not folder.is_dir():
            raise BadSet(f"There is no folder of submissions at {folder}.")
        entries = submissions(folder)[number - 1 :: count]
        out = out or folder.resolve().with_name(f"{folder.resolve().name}-grades")
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        marker = Marker(problem_set)
        walls = try_walls([set_file, folder, out, *([secret_file] if secret_file else [])])
        walls.require()
    except (BadSet, Refused, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    for notice in walls.notices():
        typer.echo(notice, err=True)
    suffix, marks = "" if count == 1 else f"-{number}-of-{count}", []
    try:
        for mark in grade_all(marker, folder, entries, walls, workers):
            marks.append(mark)
            write_feedback(out / "feedback", problem_set, mark)
    except KeyboardInterrupt:
        write_grades(out / f"grades{suffix}-unfinished.csv", problem_set, marks)
        typer.echo(f"Interrupted: {len(marks)} of {len(entries)} are in grades{suffix}-unfinished.csv.", err=True)
        raise typer.Exit(130) from None
    write_grades(out / f"grades{suffix}.csv", problem_set, marks)
    (out / f"walls{suffix}.md").write_text(walls.table(), encoding="utf-8")
    failed = [mark.name for mark in marks if mark.grader_failed]
    typer.echo(f"{len(marks)} submissions, {len(failed)} of them not graded for a fault of the grader; see {out}")
    for name in failed:
        typer.echo(f"not graded: {name}", err=True)
    raise typer.Exit(1 if failed else 0)


@app.command()
def walls(folder: Folder, set_file: SetFile):
    """Say which walls stand on this machine between submissions and grades, after attacking each."""
    try:
        found = try_walls([set_file, folder])
        typer.echo(found.table())
        found.require()
    except Refused as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None


@app.command()
def build(
    sets: Annotated[list[str] | None, typer.Argument(help="the sets to build; all if left out")] = None,
    to: Annotated[Path, typer.Option(help="where the sets' folders go")] = Path("_build/course"),
    variant: Annotated[
        list[str] | None, typer.Option(help="a cohort's number or a student's id; may be repeated")
    ] = None,
    otter: Annotated[
        bool, typer.Option(help="write the checks in otter-grader's form too, and run them there")
    ] = False,
):
    """Build problem sets: for each the student's side, without leaks, and the instructor's."""
    try:
        for name in sets or known_sets():
            for seed in variant or [None]:
                folder = build_set(name, to, seed)
                if otter:
                    write_otter_form(folder)
                typer.echo(f"{folder}: hand out student/, keep instructor/")
    except (BadSet, NoOtter, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None


@app.command()
def check(notebook: Annotated[Path, typer.Argument(help="your notebook, as you have saved it")]):
    """Run the checks of a notebook that you are working on; they tell what is wrong, and give no points."""
    try:
        done = []
        for found in check_notebook(notebook):
            typer.echo(f"{found.question}: {'Passed.' if found.passed else 'Not yet.'} {found.message}".rstrip())
            done.append(found.passed)
    except UnreadableSubmission as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    typer.echo(f"{sum(done)} of {len(done)} checks pass. Hidden tests on other inputs give the points.")
    raise typer.Exit(0 if all(done) else 1)


@app.command()
def similar(
    folder: Folder,
    handed_out: Annotated[Path | None, typer.Option(help="the notebook that students began with")] = None,
    least: Annotated[int, typer.Option(min=1, help="nodes of code below which answers are not compared")] = LEAST_NODES,
):
    """List pairs of submissions whose answers are the same but for names: a list to look at, not a verdict."""
    try:
        if not folder.is_dir():
            raise BadSet(f"There is no folder of submissions at {folder}.")
        names = [name for name, reason in submissions(folder) if reason is None]
        pairs, notes = alike(folder, names, handed_out, least)
    except (BadSet, UnreadableSubmission, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    for pair in pairs:
        told = f"{len(pair.questions)} alike ({', '.join(pair.questions)}), {pair.nodes} nodes of code"
        typer.echo(f"{pair.one} and {pair.other}: {told}")
    typer.echo(f"{len(pairs)} pairs of {len(names)} submissions. Look at them; the same code is not yet copied code.")
    for note in notes:
        typer.echo(note, err=True)


@app.command()
def report(grades: Annotated[Path, typer.Argument(help="the grades.csv that `grade` wrote")], set_file: SetFile):
    """Say how hard each question was for a class, and how well it tells strong submissions from weak ones."""
    try:
        problem_set = load_set(set_file)
        points, left_out = read_grades(grades, problem_set)
        if not len(points):
            raise BadSet(f"{grades} holds no graded submission.")
    except BadSet as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    typer.echo(report_of(points, left_out, problem_set))


@app.command()
def written(
    folder: Folder,
    set_file: SetFile,
    out: Annotated[Path | None, typer.Option(help="where the pages go; FOLDER-written if left out")] = None,
):
    """Collect the written answers: a page for each question, and points.csv for the person who marks them."""
    try:
        problem_set = load_set(set_file)
        if not folder.is_dir():
            raise BadSet(f"There is no folder of submissions at {folder}.")
        out = out or folder.resolve().with_name(f"{folder.resolve().name}-written")
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = collect(problem_set, folder, submissions(folder), out)
    except (BadSet, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    for name, reason in found.unreadable.items():
        typer.echo(f"{name}: {reason}", err=True)
    if found.kept_table:
        typer.echo("points.csv was there already and is left as it is; move it away to get a new one.", err=True)
    typer.echo(f"{len(problem_set.written)} questions, {found.count} submissions; see {out}")


@app.command()
def merge(
    grades: Annotated[Path, typer.Argument(help="the grades.csv that `grade` wrote")],
    set_file: SetFile,
    written: Annotated[Path, typer.Option(help="points.csv, filled in")],
    out: Annotated[
        Path | None, typer.Option(help="what to write; grades-with-written.csv beside it if left out")
    ] = None,
):
    """Put the points of the written questions into a table of grades, as columns and into the sums."""
    try:
        rows = merged(grades, written, load_set(set_file))
        write_merged(out := out or grades.with_name("grades-with-written.csv"), rows)
    except (BadSet, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    typer.echo(f"{len(rows) - 1} submissions; see {out}")


def _part(text):
    number, _, count = text.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise BadSet(f"--part takes a number and a count, such as 3/10, not {text!r}.")
    return int(number), int(count)


if __name__ == "__main__":
    app()
