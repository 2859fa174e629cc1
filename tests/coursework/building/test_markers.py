"""Solutions and starters between markers: what students get, what instructors get, what is refused."""

import pytest

from coursework.building.markers import check_markers, solution_lines, solved, unsolved
from coursework.questions import BadSet

BARE = """def mean(numbers):
    # a comment of everybody's
    # BEGIN SOLUTION
    total = sum(numbers)

    return total / len(numbers)
    # END SOLUTION"""
STARTED = (
    BARE
    + """
    # BEGIN STARTER
    # total = 0
    # for number in numbers:
    #     ...
    # END STARTER

def same():
    return 1"""
)


def test_a_student_finds_that_the_body_is_to_be_written():
    assert unsolved(BARE).splitlines() == [
        "def mean(numbers):",
        "    # a comment of everybody's",
        '    raise NotImplementedError("Your answer goes here.")',
    ]


def test_a_starter_stands_in_the_place_of_the_solution_with_its_indents():
    got = unsolved(STARTED).splitlines()
    assert got[2:5] == ["    total = 0", "    for number in numbers:", "        ..."]
    assert got[-2:] == ["def same():", "    return 1"] and "BEGIN" not in unsolved(STARTED)


def test_the_solution_runs_and_holds_no_marker_and_no_starter():
    names = {}
    exec(solved(STARTED), names)
    assert names["mean"]([1, 2, 6]) == 3 and names["same"]() == 1
    assert "STARTER" not in solved(STARTED) and "total = 0" not in solved(STARTED)
    assert solution_lines(STARTED) == ["    total = sum(numbers)", "", "    return total / len(numbers)"]


def test_a_solution_outside_a_function_leaves_a_comment():
    assert unsolved("# BEGIN SOLUTION\ndef f():\n    return 1\n# END SOLUTION") == "# Your code goes here."


@pytest.mark.parametrize(
    "source, may_have, reason",
    [
        ("x = 1", True, "has a SOLUTION between markers"),
        (BARE, False, "no other cell has"),
        (BARE.replace("# END SOLUTION", ""), True, "begins and does not end"),
        (BARE.replace("# BEGIN SOLUTION", ""), True, "END SOLUTION, has no partner"),
        (BARE.replace("# END SOLUTION", "# END STARTER"), True, "has no partner"),
        (BARE.replace("# BEGIN SOLUTION", "#BEGIN SOLUTION"), True, "line 3 is nearly a marker"),
        (STARTED.replace("    # total = 0", "    total = 0"), True, "of a starter is no comment"),
    ],
)
def test_markers_that_do_not_pair_are_refused(source, may_have, reason):
    with pytest.raises(BadSet, match=reason):
        check_markers("here", source, may_have)
