"""What every check owes its reader, whatever is typed: a sentence and never a traceback."""

import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest
import torch

from attention_book import checks
from attention_book.checks.attention.does_it_matter import check_unfair
from attention_book.checks.attention.embedding_scale import check_cancel
from attention_book.checks.before.decoding import check_beam_trap, check_carried_penalty
from attention_book.checks.before.looking_back import check_fair
from attention_book.checks.before.translation_probability import check_below_the_floor
from attention_book.checks.report import Report, WrongAnswer


def every_check():
    """Every public check of the package, by name, in whichever room it stands."""
    for module in pkgutil.walk_packages(checks.__path__, f"{checks.__name__}."):
        for name, check in vars(importlib.import_module(module.name)).items():
            if name.startswith("check_"):
                yield f"{module.name.removeprefix(checks.__name__ + '.')}.{name}", check


CHECKS = dict(every_check())
VALUES = {
    "an ellipsis": ...,
    "None": None,
    "a list": [1, 2],
    "a list of strings": ["a"],
    "a string": "ab",
    "a whole number": 3,
    "a dictionary": {},
    "a tensor": torch.zeros(2),
    "an array without axes": np.array(3),
    "a class": object,
}
THROWN = {
    **VALUES,
    "a lambda of no arguments": lambda: 3,
    **{f"a lambda that returns {name}": lambda *args, value=value, **kwargs: value for name, value in VALUES.items()},
    "a lambda that returns a lambda": lambda *args, **kwargs: lambda *inner: None,
}


def wants(check):
    """The names of what a check must be given."""
    return [p.name for p in inspect.signature(check).parameters.values() if p.default is p.empty]


def is_a_sentence(report):
    """Whether it is a report that rejects, in one line of words, and not in those of an error of Python's operators."""
    rejects = isinstance(report, Report) and not report
    line = rejects and len(report.message.split()) >= 3 and "\n" not in report.message
    return line and "not supported between" not in report.message


def test_the_checks_of_all_rooms_are_found():
    rooms = {name.split(".")[0] for name in CHECKS}
    expected = {"attention", "before", "beyond", "reading", "training", "translator", "verdict", "claims"}
    assert rooms == expected and len(CHECKS) > 80


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_every_check_answers_a_wrong_type_with_a_sentence(check):
    for what, thrown in THROWN.items():
        assert is_a_sentence(check(*[thrown] * len(wants(check)))), what


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_every_check_can_be_required(check):
    report = check(*[lambda *args, **kwargs: None] * len(wants(check)))
    with pytest.raises(WrongAnswer) as caught:
        report.require()
    assert str(caught.value) == report.message


def asked_for(check):
    """The names under which a check of several answers wants them, as its first diagnosis tells them."""
    said = check(None).message if len(wants(check)) == 1 else ""
    listed = re.fullmatch(r"Give a (?:dictionary with .*|number under) each of (?:the letters )?(.*)\.", said)
    return [name.strip("'") for name in listed[1].split(", ")] if listed else []


def test_a_wrong_type_within_a_dictionary_is_answered_with_a_sentence():
    """In one test: to ask every check for its names takes a while, which every worker that collects would wait for."""
    named = {name: names for name, check in CHECKS.items() if (names := asked_for(check))}
    assert len(named) >= 15
    dumb = [
        (name, what)
        for name, names in named.items()
        for what, thrown in THROWN.items()
        if not is_a_sentence(CHECKS[name](dict.fromkeys(names, thrown)))
    ]
    assert dumb == []


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_fair, [[[1], [2]]]),
        (check_fair, [(1, "A")]),
        (check_fair, [("A", "B", "B")]),
        (check_unfair, [[1]]),
        (check_below_the_floor, [[1], [1, 2]]),
        (check_cancel, np.array([2, 2])),
        (check_cancel, torch.tensor(3)),
        *((check, {"<s>": row}) for check in (check_beam_trap, check_carried_penalty) for row in (3, {"a": ...}, {})),
    ],
)
def test_a_wrong_type_deeper_within_is_answered_with_a_sentence(check, answer):
    assert is_a_sentence(check(answer))
