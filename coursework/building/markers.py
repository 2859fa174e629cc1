"""What stands between markers in the code of a question: the solution, and what a student finds in its place.

    def mean(numbers):
        # BEGIN SOLUTION
        return sum(numbers) / len(numbers)
        # END SOLUTION

A student finds `raise NotImplementedError(...)` there. For another beginning, a starter follows the solution, each of
its lines a comment in the master:

        # BEGIN STARTER
        # total = sum(numbers)
        # ...
        # END STARTER
"""

import re

from coursework.questions import BadSet

MARKER = re.compile(r"^( *)# (BEGIN|END) (SOLUTION|STARTER)$")
TO_WRITE = 'raise NotImplementedError("Your answer goes here.")'


def check_markers(where, source, may_have):
    """Check that markers pair up, and that the code of a question has a solution.

    Raises:
        BadSet: they do not.
    """
    inside, seen = None, []
    for number, line in enumerate(source.splitlines(), 1):
        found = MARKER.match(line)
        if not found and re.search(r"\b(BEGIN|END) (SOLUTION|STARTER)", line):
            raise BadSet(f"{where}: line {number} is nearly a marker: {line.strip()!r}.")
        if not found:
            if inside == "STARTER" and line.strip() and not line.lstrip().startswith("#"):
                raise BadSet(f"{where}: line {number} of a starter is no comment: {line.strip()!r}.")
            continue
        edge, kind = found[2], found[3]
        if (edge == "BEGIN") == (inside is not None) or (edge == "END" and kind != inside):
            raise BadSet(f"{where}: line {number}, {edge} {kind}, has no partner.")
        inside = kind if edge == "BEGIN" else None
        seen.append(kind)
    if inside:
        raise BadSet(f"{where}: a {inside} begins and does not end.")
    if bool(seen) != may_have or (may_have and "SOLUTION" not in seen):
        raise BadSet(f"{where}: the code of a question has a SOLUTION between markers, and no other cell has.")


def solved(source):
    """The code with its solutions, without markers and starters."""
    return "\n".join(line for line, kind, edge in _lines(source) if not edge and kind != "STARTER").strip("\n")


def unsolved(source):
    """The code as a student gets it."""
    lines, kept = _lines(source), []
    for index, (line, kind, edge) in enumerate(lines):
        if kind is None:
            kept.append(line)
        elif kind == "STARTER" and not edge:
            kept.append(re.sub(r"^( *)# ?", r"\1", line))
        elif kind == "SOLUTION" and edge == "END" and not _starts(lines, index + 1):
            indent = line[: len(line) - len(line.lstrip())]
            kept.append(indent + TO_WRITE if indent else "# Your code goes here.")
    return "\n".join(kept).strip("\n")


def solution_lines(source):
    """The lines of the solutions alone."""
    return [line for line, kind, edge in _lines(source) if kind == "SOLUTION" and not edge]


def _starts(lines, index):
    return index < len(lines) and lines[index][1:] == ("STARTER", "BEGIN")


def _lines(source):
    """Each line with the block in which it stands, if any, and "BEGIN" or "END" if it is a marker."""
    found, inside = [], None
    for line in source.splitlines():
        marker = MARKER.match(line)
        inside = marker[3] if marker else inside
        found.append((line, inside, marker and marker[2]))
        if marker and marker[2] == "END":
            inside = None
    return found
