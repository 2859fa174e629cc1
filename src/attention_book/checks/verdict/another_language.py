"""Checks for *Another language, little data*: a step from a parent's table, parts by name, conclusions."""

from collections.abc import Mapping

import torch

from ..answers import statements_check
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, attempt, checking

VECTORS = {"hat": (1, -2), "hats": (1, 2), "bag": (-3, -2), "bags": (-3, 2)}
"""A parent's vector of each word; the pairs of the child have the first three."""
_STEP = {
    "first": (
        3,
        {
            -1: "each vector counts with the sign of its answer: −1 for one, +1 for many",
            0: "the pairs have three words: *bags* is not among them",
            1: "that is the mean of the three; one step adds them up",
            -3: "−1 stands for one and +1 for many, and not the other way round",
        },
    ),
    "second": (
        6,
        {
            -2: "each vector counts with the sign of its answer: −1 for one, +1 for many",
            8: "the pairs have three words: *bags* is not among them",
            2: "that is the mean of the three; one step adds them up",
            -6: "−1 stands for one and +1 for many, and not the other way round",
        },
    ),
    "bags": (
        3,
        {
            21: "the first numbers have different signs, so their product is below 0",
            12: "the first number of the vector counts, too",
            15: "that is the score of *hats*",
            -21: "the second number of *bags* is above 0",
            1: "that is with the mean of the three; one step adds them up",
        },
    ),
    "bags_anew": (
        0,
        {
            1: "no pair has *bags*, so no step has moved its own number",
            -1: "no pair has *bags*, so no step has moved its own number",
            3: "with a number of its own per word, *bags* shares nothing with the other words",
        },
    ),
}


@checking
def check_step(predictions: object) -> Report:
    """Are these the parameters after one step, and the scores of *bags* with the parent's table and without?"""
    expect_predictions(predictions, _STEP, 1e-6)
    return Report(True, "The parent's table knows what *bags* shares with *hats*. A table drawn anew does not.")


WORDS = ("cat", "cats", "dog", "dogs")
"""The words of a table, a row each; *dogs* is in none of the child's pairs."""
PLURAL = (-1, 1, -1, 1)
"""Their second numbers, by which the parent is right about all four."""
LARGEST = 2
"""The size of a first number at most: one row alone cannot mislead, so the pairs have to."""


@checking
def check_misleading(table: object) -> Report:
    """Is this a parent that is right about all four words, and makes the child wrong about *dogs*?"""
    try:
        rows = torch.as_tensor(table).double()
    except (TypeError, ValueError, RuntimeError) as error:
        raise NotYet("Give a table: four rows of two numbers.") from error
    if rows.shape != (4, 2) or not rows.isfinite().all():
        raise NotYet(f"Give four rows of two finite numbers; the shape is {tuple(rows.shape)}.")
    for word, (first, second), kept in zip(WORDS, rows.tolist(), PLURAL, strict=True):
        if second != kept:
            raise NotYet(f"The second number of *{word}* is {second:g}: keep it at {kept:g}, and change first numbers.")
        if abs(first) > LARGEST:
            raise NotYet(f"The first number of *{word}* is {first:g}: keep it between −{LARGEST} and {LARGEST}.")
    weights = -rows[0] + rows[1] - rows[2]
    scores = rows @ weights
    for place, word in enumerate(WORDS[:3]):
        if scores[place] * (1 if place % 2 else -1) <= 0:
            raise NotYet(f"The child is wrong about *{word}*, which its pairs have: its score is {scores[place]:g}.")
    if scores[3] >= 0:
        raise NotYet(f"The child is not wrong about *dogs*: its score is {scores[3]:g}.")
    return Report(True, "The parent knew the answer, and the three pairs led the child to its other number.")


def _tensors(seed: int, width: int) -> dict[str, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    shapes = {
        "table.weight": (5, 2),
        "encoder.0.weight": (2, 2),
        "encoder.0.bias": (2,),
        "encoder_norm.weight": (2,),
        "decoder.0.weight": (2, 2),
        "decoder.table.weight": (5, 2),
        "out.weight": (width, 2),
    }
    return {name: torch.randn(shape, generator=draw) for name, shape in shapes.items()}


_CHILD, _PARENT = _tensors(1, 7), _tensors(2, 9)
_PARTS = (["encoder"], ["table"], ["table", "encoder", "decoder"], ["encoder.0"], [])


def _warm(child: Mapping, parent: Mapping, parts: list[str], dot: str = ".") -> dict[str, torch.Tensor]:
    taken = tuple(part + dot for part in parts)
    return {name: (parent if taken and name.startswith(taken) else child)[name] for name in child}


def _equal(one: Mapping, other: Mapping) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@checking
def check_warm_start(candidate: object) -> Report:
    """Does ``candidate(child, parent, parts)`` give the child's tensors, with the parent's in the named parts?"""
    for parts in _PARTS:
        got = attempt(candidate, _CHILD, _PARENT, list(parts))
        if not isinstance(got, Mapping) or not all(isinstance(value, torch.Tensor) for value in got.values()):
            raise NotYet("Expected a dictionary from names to tensors.")
        got = dict(got)
        if _equal(got, _warm(_CHILD, _PARENT, parts)):
            continue
        named = tuple(part + "." for part in parts)
        wrong = {
            "It takes `encoder_norm` for a part of `encoder`: the dot belongs to the prefix.": _warm(
                _CHILD, _PARENT, parts, ""
            ),
            "It takes names with a part's name inside: the name must begin with it.": {
                name: (_PARENT if any(dotted in name for dotted in named) else _CHILD)[name] for name in _CHILD
            },
            "That is the parent whole: only the parts that are named come from it.": dict(_PARENT),
            "That is the child as it was.": dict(_CHILD),
            "It gives the parts alone: all else keeps the child's numbers, and belongs to the result.": {
                name: value for name, value in _PARENT.items() if name.startswith(named)
            },
            "It is the other way round: what is named comes from the parent.": _warm(_PARENT, _CHILD, parts),
        }
        reason = recognise(got, wrong, _equal)
        raise NotYet(f"For the parts {parts}: " + (reason or _first_wrong(got, _warm(_CHILD, _PARENT, parts))))
    return Report(True, "Right for five lists of parts. The rest of the child is as it was drawn.")


def _first_wrong(got: Mapping, right: Mapping) -> str:
    if missing := [name for name in right if name not in got]:
        return f"`{missing[0]}` is missing."
    if foreign := [name for name in got if name not in right]:
        return f"`{foreign[0]}` is no tensor of the child."
    name = next(name for name in right if not torch.equal(got[name], right[name]))
    return f"`{name}` has the wrong numbers."


_FOLLOWS = {
    "a": (False, "the English side is the same in both languages, and may be all that helped"),
    "b": (True, "a parent that never saw Spanish brings as much"),
    "c": (False, "those sentences may be easier, also for a start from nothing; that has to be compared"),
    "d": (False, "with many pairs a child can learn for itself what it had to copy with few"),
    "e": (False, "a difference that is not found may still be there, and smaller than the spread"),
    "f": (False, "the frozen layers could not adapt; copied and then trained, they may still help"),
    "g": (True, "the recipe, the pairs and the budget are the same, so it is the start or chance"),
}


check_follows = statements_check(
    _FOLLOWS,
    "it follows",
    "it does not",
    "Is it said rightly of which conclusions, a to g, that they follow?",
    "A copied start answers for what was copied, on these sentences, with these seeds.",
)
