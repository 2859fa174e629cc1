"""A record of a translation, packed for a page: all its weights as one text, and lists in place of names.

A weight has four digits after the point, so it is a whole number of ten-thousandths, of two bytes. The text is base64
of the low bytes of all weights and then of their high bytes: written so, it also compresses well. record.js unpacks it.
"""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np

from .answers import DIGITS

WHOLE = 10**DIGITS
PIECE = ("id", "text")
CANDIDATE = ("id", "text", "probability", "logProbability")
NODE = ("parent", "id", "text", "logProbability", "total", "kept", "finished")


def packed(record: dict[str, Any]) -> dict[str, Any]:
    """A record of `Answers.record` in a form of a third of its size.

    Returns:
        The record with "pieces", "candidates", "ends" and "nodes" as lists without names, "heads", the numbers of
        layers and of heads, and "weights", a text: the encoder's, then those of each step, first "self", then "cross".

    Raises:
        ValueError: a weight is not between 0 and 1, or has more than four digits after the point.
    """
    rest = {name: value for name, value in record.items() if name not in ("encoder", "steps", "tree")}
    tables = [record["encoder"], *(step[use] for step in record["steps"] for use in ("self", "cross"))]
    weights = np.concatenate([np.ravel(table) for table in tables])
    whole = np.rint(weights * WHOLE)
    if not ((whole >= 0) & (whole <= WHOLE) & (whole / WHOLE == weights)).all():
        raise ValueError(f"only weights from 0 to 1 with at most {DIGITS} digits after the point can be packed")
    planes = whole.astype("<u2").view(np.uint8).reshape(-1, 2).T
    return {
        **rest,
        "pieces": _without_names(record["pieces"], PIECE),
        "candidates": [_without_names(step["candidates"], CANDIDATE) for step in record["steps"]],
        "ends": [step["end"] for step in record["steps"]],
        "nodes": [
            [int(value) if isinstance(value, bool) else value for value in node]
            for node in _without_names(record["tree"]["nodes"], NODE)
        ],
        "heads": [len(record["encoder"]), len(record["encoder"][0])],
        "weights": base64.b64encode(planes.tobytes()).decode("ascii"),
    }


def unpacked(pack: dict[str, Any]) -> dict[str, Any]:
    """The record that `packed` was given, with the same numbers."""
    names = ("pieces", "candidates", "ends", "nodes", "heads", "weights")
    rest = {name: value for name, value in pack.items() if name not in names}
    planes = np.frombuffer(base64.b64decode(pack["weights"]), np.uint8).reshape(2, -1).astype(int)
    numbers = iter(((planes[0] + 256 * planes[1]) / WHOLE).tolist())
    n = pack["n"]
    encoder = _table(numbers, pack["heads"], n * n)
    steps = []
    for t, (candidates, end) in enumerate(zip(pack["candidates"], pack["ends"], strict=True)):
        own, cross = _table(numbers, pack["heads"], t + 1), _table(numbers, pack["heads"], n)
        steps.append({"candidates": _with_names(candidates, CANDIDATE), "end": end, "self": own, "cross": cross})
    nodes = [
        {**node, "kept": bool(node["kept"]), "finished": bool(node["finished"])}
        for node in _with_names(pack["nodes"], NODE)
    ]
    pieces = _with_names(pack["pieces"], PIECE)
    return {**rest, "pieces": pieces, "encoder": encoder, "steps": steps, "tree": {"nodes": nodes}}


def _without_names(things: list[dict[str, Any]], names: tuple[str, ...]) -> list[list[Any]]:
    return [[thing[name] for name in names] for thing in things]


def _with_names(rows: list[list[Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in rows]


def _table(numbers: Iterator[float], heads: list[int], cells: int) -> list[list[list[float]]]:
    """The next numbers as [layer][head][cell]."""
    return [[[next(numbers) for _ in range(cells)] for _ in range(heads[1])] for _ in range(heads[0])]
