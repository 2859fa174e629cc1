# ruff: noqa: E501 - a table reads best with one edit a line
"""Guards: which statements the digest leaves out, told by edits of a function that one calls."""

import pytest

from attention_book.provenance.definitions import Definitions
from attention_book.provenance.source_graph import SourceGraph

HEAD = "import math\nimport random\n\nMOST = 2\n\n\ndef other(x):\n    return x\n\n\n"
CHECKED = "def checked(x: list[int], y=1, it=None):\n{}    return y\n"
RUN = "\n\ndef run(x):\n    return checked(x)\n"
REFUSING = "def refuse(x: list[int], y=1, it=None):\n{}\n\ndef checked(x, y=1):\n    refuse(x)\n    return y\n"


def digest(folder, code):
    (folder / "main.py").write_text(f"{HEAD}{code}{RUN}")
    definitions = Definitions(SourceGraph(folder))
    return definitions.digest(definitions.of("main", "run"))


LEFT_OUT = {
    "a comparison": "len(x) < 1",
    "a constant of the module": "y not in MOST",
    "a type": "not isinstance(y, int | float)",
    "attributes": "x.config.width % y.n_heads",
    "all of a list": "not all(one > 0 for one in x)",
    "a list that is given": "y not in (1, 2)",
    "a dict's keys": "y in it.keys()",
    "a method without a state": "not it.isfinite().all()",
    "a function of mathematics": "not math.isfinite(y)",
    "a default": "it.get('a', 1) > 2",
    "a slice": "sum(x[:y]) > 1",
    "what only the guard reaches": "y > MOST",
}
KEPT = {
    "what binds": "(few := len(x)) < 1",
    "what takes from an iterator": "next(it) is None",
    "what uses an iterator up": "not all(one > 0 for one in it)",
    "what uses an iterator up at once": "sum(it) > 2",
    "what searches an iterator": "y in it",
    "what unpacks an iterator": "[*it] == [1]",
    "what takes the elements for lists": "any(1 in one for one in x)",
    "what takes out of a list": "x.pop() > 2",
    "what takes out of a queue": "it.get() > 2",
    "what may fill a defaultdict": "it[y]",
    "what calls a function of the package": "other(x) is None",
    "what calls what it is given": "max(x, key=it) > 9",
    "what hides a call in a key": "x[it.pop()]",
    "what draws at random": "random.random() > 2",
    "what calls an attribute of a name": "getattr(x, 'pop')()",
    "what makes a function": "(lambda: 1) == y",
}
STATEMENTS = {
    "a chain": ("    if y < 1:\n        raise ValueError\n    elif y > 8:\n        raise TypeError\n", False),
    "a guard in a guard": ("    if y < 1:\n        if y > 0:\n            raise ValueError\n", False),
    "a guard in a loop": ("    for one in x:\n        if one < 1:\n            raise ValueError\n", True),
    "a loop over nothing": ("    for one in x:\n        pass\n", True),
    "what it says binds": ("    if y < 1:\n        raise ValueError((MOST := 1))\n", True),
    "what it says yields": ("    if y < 1:\n        raise ValueError((yield))\n", True),
    "a calculation first": ("    if y < 1:\n        y += 1\n        raise ValueError\n", True),
    "a calculation else": ("    if y < 1:\n        raise ValueError\n    else:\n        y += 1\n", True),
    "a calculation in the chain": ("    if y < 1:\n        raise ValueError\n    elif y < 2:\n        y += 1\n", True),
    "a raise alone": ("    raise ValueError\n", True),
    "raising or else raising": ("    if y < 1:\n        raise ValueError\n    else:\n        raise TypeError\n", True),
    "an error that is given": ("    if y < 1:\n        raise it\n", True),
    "an error that Python catches": ("    if y < 1:\n        raise StopIteration\n", True),
    "an assertion": ("    assert y < 1\n", True),
    "a call for its effect": ("    other(x)\n", True),
    "a builtin's name": ("    len = other\n    if len(x):\n        raise ValueError\n", True),
    "a try around it": (
        "    try:\n        if y < 1:\n            raise ValueError\n    except OSError:\n        pass\n",
        True,
    ),
    "a list made of an iterator": ("    it = list(it)\n    if 1 in it:\n        raise ValueError\n", True),
}


@pytest.mark.parametrize("condition", LEFT_OUT.values(), ids=LEFT_OUT)
def test_a_guard_is_left_out(tmp_path, condition):
    guard = f"    if {condition}:\n        raise ValueError(x)\n"
    assert digest(tmp_path, CHECKED.format(guard)) == digest(tmp_path, CHECKED.format(""))


@pytest.mark.parametrize("condition", KEPT.values(), ids=KEPT)
def test_a_condition_that_may_change_something_is_kept(tmp_path, condition):
    guard = f"    if {condition}:\n        raise ValueError(x)\n"
    assert digest(tmp_path, CHECKED.format(guard)) != digest(tmp_path, CHECKED.format(""))


@pytest.mark.parametrize(("statement", "kept"), STATEMENTS.values(), ids=STATEMENTS)
def test_other_statements_are_kept(tmp_path, statement, kept):
    assert (digest(tmp_path, CHECKED.format(statement)) != digest(tmp_path, CHECKED.format(""))) == kept


@pytest.mark.parametrize(
    ("code", "old", "new", "moves"),
    [
        ("def checked(x: Iterable[int]):\n    if 1 in x:\n        raise ValueError\n", "1 in", "2 in", True),
        ("def checked(x: list | None):\n    if 1 in x:\n        raise ValueError\n", "1 in", "2 in", False),
        ("def checked(x: list | Iterator):\n    if 1 in x:\n        raise ValueError\n", "1 in", "2 in", True),
        ("def checked(x: list):\n    x = iter(x)\n    if 1 in x:\n        raise ValueError\n", "1 in", "2 in", True),
        ("def checked(x):\n    y = sorted(x)\n    if 1 in y:\n        raise ValueError\n", "1 in", "2 in", False),
        ("def checked(x):\n    y: list = [x]\n    if 1 in y:\n        raise ValueError\n", "1 in", "2 in", False),
        ("def checked(x):\n    for y in x:\n        if 1 in y:\n            raise ValueError\n", "1 in", "2 in", True),
        ("def checked(*x):\n    if 1 in x:\n        raise ValueError\n", "1 in", "2 in", False),
        (
            "class checked:\n    def __len__(self):\n        if self.x < 2:\n            raise TypeError\n        return 1\n",
            "< 2",
            "< 3",
            True,
        ),
        (
            "class checked:\n    def __init__(self, x):\n        if x < 2:\n            raise TypeError\n        self.x = x\n",
            "< 2",
            "< 3",
            False,
        ),
        ("def checked(x):\n    return x\n\n\nif MOST > 2:\n    raise ValueError\n", "> 2", "> 3", True),
    ],
)
def test_what_a_guard_depends_on(tmp_path, code, old, new, moves):
    before = digest(tmp_path, code)
    assert old in code
    assert (digest(tmp_path, code.replace(old, new, 1)) != before) == moves


@pytest.mark.parametrize(
    ("body", "left_out"),
    [
        ("    if len(x) < 1:\n        raise ValueError\n", True),
        ("    'A text.'\n    n = len(x)\n    for one in x:\n        if one < n:\n            raise ValueError\n", True),
        ("    refuse(x)\n", False),
        ("    for one in it:\n        if one < 2:\n            raise ValueError\n", False),
        ("    x.append(1)\n", False),
        ("    x[0] = 1\n", False),
        ("    n = x.pop()\n", False),
        ("    global MOST\n    MOST = 3\n", False),
        ("    with it:\n        if y < 2:\n            raise ValueError\n", False),
        ("    try:\n        y = 1\n    finally:\n        pass\n", False),
    ],
)
def test_a_function_that_only_refuses_is_left_out_with_its_call(tmp_path, body, left_out):
    without = digest(tmp_path, "def checked(x, y=1):\n    return y\n")
    assert (digest(tmp_path, REFUSING.format(body)) == without) == left_out


def test_a_decorated_function_is_no_refusal(tmp_path):
    body = "    if len(x) < 1:\n        raise ValueError\n"
    without = digest(tmp_path, "def checked(x, y=1):\n    return y\n")
    assert digest(tmp_path, f"@other\n{REFUSING.format(body)}") != without


def test_a_call_with_more_than_plain_arguments_is_kept(tmp_path):
    code = REFUSING.format("    if len(x) < 1:\n        raise ValueError\n")
    without = digest(tmp_path, "def checked(x, y=1):\n    return y\n")
    assert digest(tmp_path, code.replace("    refuse(x)", "    refuse(x.pop())")) != without


def test_a_guard_in_a_try_with_handlers_is_control_flow(tmp_path):
    code = "    try:\n        if y < {}:\n            raise ValueError\n    except OSError:\n        pass\n"
    assert digest(tmp_path, CHECKED.format(code.format(1))) != digest(tmp_path, CHECKED.format(code.format(2)))
