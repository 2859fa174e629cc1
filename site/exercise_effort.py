"""Sphinx extension: under its title an exercise says how difficult it is, and how long it takes.

Both are classes of the exercise, the difficulty from 1 to 3, the time in minutes::

    ```{exercise} Implement: the causal mask
    :label: ex-masks-causal
    :class: difficulty-2 minutes-8
    ```

The line is part of the page, so a notebook made from it has it too, and `page_needs` adds the minutes up. With the
setting `exercise_effort_required`, an exercise without both marks fails a strict build.
"""

import re

from docutils import nodes
from sphinx.util import logging

DIFFICULTIES = ("1", "2", "3")
MARK = re.compile(r"(difficulty|minutes)-(.*)")

logger = logging.getLogger(__name__)


class WrongMark(ValueError):
    """The marks of an exercise cannot be read; the message says why."""


def exercises_in(doctree):
    """The exercises of a page, in order; its solutions are none."""
    return [node for node in doctree.findall(nodes.Admonition) if "exercise" in node.get("classes", ())]


def effort_of(exercise):
    """The difficulty and the minutes of an exercise, or None if it has no such mark.

    Raises:
        WrongMark: if one of the two is missing, stands twice or is no number that it may be.
    """
    marks = [found.groups() for one in exercise["classes"] if (found := MARK.fullmatch(one))]
    if not marks:
        return None
    if sorted(kind for kind, _ in marks) != ["difficulty", "minutes"]:
        raise WrongMark("an exercise has one difficulty and one time, as in ':class: difficulty-2 minutes-8'")
    difficulty, minutes = (dict(marks)[kind] for kind in ("difficulty", "minutes"))
    if difficulty not in DIFFICULTIES:
        raise WrongMark(f"the difficulty of an exercise is 1, 2 or 3, not {difficulty!r}")
    if not re.fullmatch("[1-9][0-9]*", minutes):
        raise WrongMark(f"the minutes of an exercise are a whole number above 0, not {minutes!r}")
    return int(difficulty), int(minutes)


def exercise_minutes(doctree):
    """How long the exercises of a page take together, in whole steps of five minutes.

    Returns:
        The minutes; None if the page has no exercise, or one of them does not say how long it takes.
    """
    try:
        efforts = [effort_of(exercise) for exercise in exercises_in(doctree)]
    except WrongMark:  # which `add_effort` tells
        return None
    if not efforts or None in efforts:
        return None
    return max(5, 5 * round(sum(minutes for _, minutes in efforts) / 5))


def told(difficulty, minutes):
    """The line under the title of an exercise."""
    text = f"Difficulty {difficulty} of {DIFFICULTIES[-1]} · about {minutes} minute{'s' if minutes > 1 else ''}"
    return nodes.paragraph("", text, classes=["exercise-effort"])


def add_effort(app, doctree):
    for exercise in exercises_in(doctree):
        try:
            effort = effort_of(exercise)
        except WrongMark as fault:
            logger.warning("%s", fault, location=exercise, type="exercise")
            continue
        if effort is not None:
            title = next((child for child in exercise.children if isinstance(child, nodes.title)), None)
            exercise.insert(0 if title is None else exercise.index(title) + 1, told(*effort))
        elif app.config.exercise_effort_required:
            fault = (
                "this exercise does not say how difficult it is and how long it takes: ':class: difficulty-2 minutes-8'"
            )
            logger.warning("%s", fault, location=exercise, type="exercise")


def setup(app):
    app.add_config_value("exercise_effort_required", False, "env", [bool])
    app.connect("doctree-read", add_effort)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
