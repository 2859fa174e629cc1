"""The command that counts mutants: which changes it draws, and what it says of one that is seen and one that is not."""

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import mutants
import pytest
from mutants import CORE, Mutant, Runner, changes, draw, outcomes, summary

BOOK = Path(__file__).parents[1]
SOURCE = BOOK / "src"
PATHS = {name: f"attention_book/{room}/{name}.py" for name, (room, _) in CORE.items()}

CODE = '''"""A module."""

import math


def clamp(x: float, low: float = 0.0, high: float = 1.0) -> float:
    """Between low and high."""
    if low > high:
        wrong = f"{low} > {high}"
        raise ValueError("no room: " + wrong)
    return max(low, min(x, high))


def countdown(n: int) -> int:
    steps = 0
    while n > 0:
        n = n - 1
        steps += 1
    return steps


def unseen(x: float) -> float:
    return math.sqrt(x) + 1
'''
TESTS = """import time

import pytest
from attention_book.little import clamp, countdown, unseen


class Waiting(int):  # a loop without an end counts with it, and computes nothing meanwhile
    def __sub__(self, other):
        time.sleep(0.01)
        return Waiting(int(self) - other)

    def __add__(self, other):
        return self - -other


def test_clamp():
    assert [clamp(x) for x in (-1, 0.5, 2)] == [0, 0.5, 1]
    with pytest.raises(ValueError):
        clamp(1, 2, 1)


def test_countdown():
    assert countdown(Waiting(3)) == 3
"""


def made(source):
    """The code of every mutant of a source."""
    found = []
    for number in range(len(changes(ast.parse(source)))):
        tree = ast.parse(source)
        changes(tree)[number][2]()
        found.append(ast.unparse(ast.fix_missing_locations(tree)))
    return found


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("x = a + b", {"x = a - b"}),
        ("x = a < b", {"x = a <= b", "x = a >= b"}),
        ("x = a == 2", {"x = a != 2", "x = a == 3", "x = a == 1"}),
        ("x = a is None", {"x = a is not None"}),
        ("x = a and b", {"x = a or b"}),
        ("x = not a", {"x = a"}),
        ("x = True", {"x = False"}),
        ("x = 'pre'", {"x = ''"}),
        ("x = f(a, b)", {"x = f(b, a)"}),
        ("x = f(a, a)", set()),
        ("x = max(a, b)", set()),
        ("x = f(a)", {"x = a"}),
        ("x = f(a, dim=b)", {"x = f(a)", "x = a"}),
        ("x = a.half()", {"x = a"}),
        ("import m\nx = m.half(a)", {"import m\nx = a"}),
        ("x = Thing(a)", set()),
        ("if a:\n    b", {"if not a:\n    b", "if a:\n    pass"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if not a]"}),
        ("a.x = b", {"pass"}),
        ("x = x + y", {"x = x - y", "pass"}),
        ("f(a)", {"a", "pass"}),
        ("for a in b:\n    continue", {"for a in b:\n    pass"}),
        ("def f(a=1): return a", {"def f(a=2):\n    return a", "def f(a=0):\n    return a"}),
    ],
)
def test_the_changes_of_a_line_are_these(code, wanted):
    assert set(made(code)) == wanted


@pytest.mark.parametrize(
    "code",
    [
        '"""Text 1."""',
        "import a",
        "from a import b as c",
        "def f(a: Literal['x', 1]) -> Literal[2]: return a",
        "x: Float[Tensor, 'batch 1']\nKeys = Float[Tensor, 'batch 2']",
        "x = f'{a + 1} {b}'",
        "def f(a):\n    wrong = 'no ' + str(1)\n    warnings.warn(wrong)",
        "__all__ = ['a', 'b']",
        "@dataclass(frozen=True)\nclass A(B[1]):\n    pass",
    ],
)
def test_what_only_says_something_is_not_changed(code):
    assert [one for one in made(code) if "warn" in one or "warn" not in code] == []


def test_the_text_of_an_error_is_not_changed_but_its_raising_is():
    assert made("if a:\n    raise ValueError('no ' + str(1))") == [
        "if not a:\n    raise ValueError('no ' + str(1))",
        "if a:\n    pass",
    ]


class Silent(ast.NodeTransformer):
    """Takes out what does not compute."""

    def visit_Raise(self, node):
        return ast.Raise()

    def visit_arg(self, node):
        return ast.arg(node.arg)

    def visit_Expr(self, node):
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)


@pytest.mark.parametrize("name", CORE)
def test_every_mutant_of_the_core_is_python_and_computes_otherwise(name):
    def computing(code):
        return ast.dump(Silent().visit(ast.parse(code)))

    original = computing((SOURCE / PATHS[name]).read_text(encoding="utf-8"))
    for mutant in draw({name: PATHS[name]}, SOURCE, 12, seed=3):
        code = mutant.source(SOURCE)
        compile(code, mutant.path, "exec")
        assert computing(code) != original, mutant.told(SOURCE)


def test_one_seed_draws_the_same_mutants_from_each_module_in_turn():
    drawn = draw(PATHS, SOURCE, 40, seed=5)
    assert drawn == draw(PATHS, SOURCE, 40, seed=5) and len(set(drawn)) == 40
    assert drawn[:15] == draw(PATHS, SOURCE, 15, seed=5)
    assert drawn != draw(PATHS, SOURCE, 40, seed=6)
    assert set(Counter(mutant.module for mutant in drawn).values()) == {3, 4}
    alone = draw({"masks": PATHS["masks"]}, SOURCE, 3, seed=5)
    assert alone == [mutant for mutant in drawn if mutant.module == "masks"][:3]


def test_every_mutant_is_drawn_once_and_no_more():
    everything = draw({"cache": PATHS["cache"]}, SOURCE, 10**6, seed=1)
    assert len(everything) == len(changes(ast.parse((SOURCE / PATHS["cache"]).read_text(encoding="utf-8"))))


def test_the_tests_of_every_core_module_are_there():
    for name, (_, tests) in CORE.items():
        assert (SOURCE / PATHS[name]).is_file()
        assert all((BOOK / "tests" / f"{test}.py").is_file() for test in tests.split())


@pytest.fixture
def project(tmp_path):
    """A tiny project, and a runner of its tests."""
    package = tmp_path / "project" / "src" / "attention_book"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "little.py").write_text(CODE)
    root = package.parents[1]
    (root / "tests").mkdir()
    (root / "tests" / "test_little.py").write_text(TESTS)
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    runner = Runner(root, package, tmp_path / "work")
    yield root, runner
    runner.end()


def mutant_with(line):
    """The one mutant of the tiny module that has this line."""
    wanted = [number for number, code in enumerate(made(CODE)) if line in map(str.strip, code.splitlines())]
    assert len(wanted) == 1
    return Mutant("little", "attention_book/little.py", wanted[0])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants are tested in forked processes")
def test_a_mutant_is_caught_or_survives_or_times_out_and_the_package_is_not_touched(project):
    root, runner = project
    files = {path: path.read_bytes() for path in root.rglob("*.py")}
    chosen = {
        mutant_with("if low >= high:"): "survived",  # no test looks there
        mutant_with("def clamp(x: float, low: float=0.0, high: float=2.0) -> float:"): "caught",
        mutant_with("n = n + 1"): "timed out",
        mutant_with("return math.sqrt(x) - 1"): "survived",
        mutant_with("if low <= high:"): "caught",
    }
    told, tests = [], {"little": ["tests/test_little.py"]}
    found = outcomes(list(chosen), tests, [runner], minutes=10, tell=told.append, slack=3)
    assert found == chosen
    assert told[0] == "survived: attention_book/little.py, line 8 (comparison)"
    said = summary(found, root / "src")
    assert "3 of 5 mutants caught (60.0 %), 1 of them by the time limit." in said
    assert "    -    return math.sqrt(x) + 1\n    +    return math.sqrt(x) - 1" in said and "steps" not in said
    assert {path: path.read_bytes() for path in root.rglob("*.py")} == files
    assert outcomes(list(chosen), tests, [runner], minutes=0) == {}  # no time, no mutants

    (root / "tests" / "test_little.py").write_text(
        "def test_nothing():\n    from attention_book import little\n    assert 0\n"
    )
    with pytest.raises(SystemExit, match="Tests fail without a change; mend that first"):
        outcomes(list(chosen), tests, [runner], minutes=1)


def test_the_command_refuses_a_module_that_is_not_of_the_core():
    done = subprocess.run(
        [sys.executable, mutants.__file__, "--modules", "cells"], capture_output=True, text=True, cwd=BOOK
    )
    assert done.returncode == 2 and "invalid choice: 'cells'" in done.stderr
