r"""How hard each question was for a class, and how well it tells strong submissions from weak ones.

*Difficulty* is the mean share of its points that a question gave, so 1 is a question that everybody solved.
*Discrimination* is the correlation of that share with the share of all other points (the item-rest correlation):

.. math:: r_q = \operatorname{corr}\Bigl(s_q,\ \sum_{p \ne q} \text{points}_p \Big/ \sum_{p \ne q} \text{out of}_p\Bigr)

Near 0 or below, a question measures something else than the set does, or one of its tests is wrong: look at it.
"""

import csv
from dataclasses import dataclass

import numpy as np

from coursework.questions import BadSet

FEW = 10  # submissions below which a correlation is mostly chance
WEAK = 0.2


@dataclass(frozen=True)
class Item:
    """A question over a class: the shares of its points, on average and right or wrong altogether.

    `discrimination` is None where it is not defined: all have the same share, here or in the rest.
    """

    id: str
    difficulty: float
    full: float
    none: float
    discrimination: float | None


def read_grades(path, problem_set):
    """The points of a `grades.csv`, one row per graded submission and one column per question; and how many had none.

    Raises:
        BadSet: the file is missing, or not of this set.
    """
    ids = [question.id for question in problem_set.questions]
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadSet(f"{path} cannot be read: {error}") from None
    if not rows or not {"submission", "remark", *ids} <= rows[0].keys():
        raise BadSet(f"{path} is no table of grades of {problem_set.name}, or it is empty; `grade` writes one.")
    graded = [row for row in rows if not row["remark"]]
    try:
        points = [[float(row[id_]) for id_ in ids] for row in graded]
    except (ValueError, TypeError):
        raise BadSet(f"{path} has something else than points in a column of {', '.join(ids)}.") from None
    return np.array(points).reshape(-1, len(ids)), len(rows) - len(graded)


def items(points, problem_set):
    """Difficulty and discrimination of each question.

    Args:
        points: one row per submission, one column per question.
        problem_set: the set, whose questions are the columns.
    """
    out_of = np.array([question.points for question in problem_set.questions], float)
    shares, found = points / out_of, []
    for column, question in enumerate(problem_set.questions):
        rest = np.delete(points, column, axis=1).sum(axis=1) / max(np.delete(out_of, column).sum(), 1e-12)
        own = shares[:, column]
        varied = len(own) > 1 and np.ptp(own) > 1e-9 and np.ptp(rest) > 1e-9
        found.append(
            Item(
                question.id,
                float(own.mean()),
                float((own > 1 - 1e-9).mean()),
                float((own < 1e-9).mean()),
                float(np.corrcoef(own, rest)[0, 1]) if varied else None,
            )
        )
    return found


def report(points, left_out, problem_set):
    """The report in Markdown."""
    rows = [
        f"| {item.id} | {item.difficulty:.2f} | {item.full:.0%} | {item.none:.0%} | "
        f"{'not defined' if item.discrimination is None else f'{item.discrimination:.2f}'} | {_remark(item)} |"
        for item in items(points, problem_set)
    ]
    lines = [f"# {problem_set.name}: {len(points)} submissions", ""]
    if left_out:
        lines += [f"{left_out} more could not be graded and are left out.", ""]
    if len(points) < FEW:
        lines += [f"With fewer than {FEW} submissions a discrimination is mostly chance.", ""]
    head = "| question | mean share | all points | no points | discrimination | look at |\n|---|---|---|---|---|---|"
    return "\n".join([*lines, head, *rows]) + "\n"


def _remark(item):
    if item.discrimination is not None and item.discrimination < WEAK:
        return "hardly tells strong from weak"
    return "nobody solved it" if item.full == 0 else ""
