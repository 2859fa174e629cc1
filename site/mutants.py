"""Does the suite notice when the core of the package is changed at random? `make mutants` draws mutants and counts.

A mutant is a copy of the package with one small change: another operator, comparison or constant, a condition turned
round, arguments swapped or left out, a call or a statement taken out. The tests of its module are run on it. A mutant
that they let pass is printed with its change: either it computes the same as the original, or a test is missing.
What only an error says, docstrings, annotations and f-strings are never changed. The working tree is never written.

    python site/mutants.py --count 60 --seed 7 --modules masks cache --minutes 10
"""

import argparse
import ast
import difflib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from queue import SimpleQueue
from xml.etree import ElementTree

BOOK = Path(__file__).parents[1]
CORE = {
    "losses": ("training", "training/test_losses"),
    "masks": ("attention", "attention/test_masks attention/test_mask_patterns attention/test_multi_head"),
    "dot_product": ("attention", "attention/test_dot_product attention/test_multi_head attention/test_bounds"),
    "multi_head": ("attention", "attention/test_multi_head models/test_blocks attention/test_bounds"),
    "cache": ("attention", "attention/test_cache models/test_transformer attention/test_bounds"),
    "schedules": ("training", "training/test_schedules"),
    "batching": ("data", "data/test_batching"),
    "decoding": ("translation", "translation/test_decoding"),
    "positions": ("attention", "attention/test_positions models/test_transformer attention/test_bounds"),
    "transformer": ("models", "models/test_transformer models/test_two_square_roots models/test_bounds"),
    "blocks": ("models", "models/test_blocks models/test_transformer models/test_bounds"),
    "splits": ("data", "data/test_splits"),
    "subwords": ("data", "data/test_subwords"),
}
"""The modules that are changed: the room of each, and the tests that are run on its mutants, nearest first."""

QUICK = "not slow and not corpora and not browser and not site"
WRONG_PACKAGE = 99  # as in tests/planting.py
INSTEAD = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult], ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv], ast.Pow: [ast.Mult], ast.MatMult: [ast.Mult], ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd], ast.BitXor: [ast.BitAnd], ast.LShift: [ast.RShift], ast.RShift: [ast.LShift],
    ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt], ast.Gt: [ast.GtE, ast.LtE], ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.In: [ast.NotIn],
    ast.NotIn: [ast.In], ast.And: [ast.Or], ast.Or: [ast.And],
}  # fmt: skip
SYMMETRIC = {"min", "max", "isinstance", "promote_types"}
TYPES = {"Bool", "Float", "Int", "Int64", "Num", "Literal"}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Change = Callable[[], None]


def _name(call: ast.AST) -> str:
    function = call.func if isinstance(call, ast.Call) else call
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_text(node: ast.AST) -> bool:
    """A docstring, or a string that stands alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _talks(node: ast.AST) -> bool:
    """Whether all that stands in a node is what an error or a warning says."""
    return isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and _name(node) == "warn")


def _only_said(function: ast.AST) -> set[str]:
    """The names of a function whose value goes into errors and warnings and nowhere else."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    said = {id(name) for node in ast.walk(function) if _talks(node) for name in ast.walk(node)}
    return {name.id for name in names} - {name.id for name in names if id(name) not in said}


def _put(parent: ast.AST, field: str, place: int | None, new: ast.AST) -> None:
    if place is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[place] = new


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    """The nodes right below a node that compute something, with the field and the place in which each stands."""
    left_out = {"annotation", "returns", "decorator_list", "bases", "ops", "op", "ctx"}
    for field, value in ast.iter_fields(node):
        if field not in left_out:
            for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.AST):
                    yield field, place, child


def _computing(tree: ast.Module) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Every node that may be changed, with its parent, and the field and place that it has there."""
    waiting = [(tree, frozenset())]
    while waiting:
        parent, said = waiting.pop()
        if isinstance(parent, FUNCTIONS):
            said |= _only_said(parent)
        for field, place, child in _children(parent):
            if isinstance(child, ast.Import | ast.ImportFrom | ast.JoinedStr) or _is_text(child):
                continue
            if isinstance(child, ast.Assign):
                names = {target.id for target in child.targets if isinstance(target, ast.Name)}
                if names & (said | {"__all__"}):
                    continue
            if isinstance(child, ast.Subscript) and _name(child.value) in TYPES:
                continue
            yield parent, field, place, child
            if not _talks(child):
                waiting.append((child, said))


def _other_values(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value - 1]
    if isinstance(value, str):
        return ["" if value else "x"]
    return []


def _expressions(node: ast.AST, imported: set[str]) -> Iterator[tuple[str, ast.AST]]:
    """What may stand in the place of an expression, with a word for the change."""
    if isinstance(node, ast.Constant):
        for value in _other_values(node.value):
            yield "constant", ast.Constant(value)
    elif isinstance(node, ast.BinOp):
        for other in INSTEAD.get(type(node.op), []):
            yield "operator", ast.BinOp(node.left, other(), node.right)
    elif isinstance(node, ast.BoolOp):
        for other in INSTEAD[type(node.op)]:
            yield "and, or", ast.BoolOp(other(), node.values)
    elif isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in INSTEAD[type(operator)]:
                ops = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                yield "comparison", ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.UnaryOp):
        yield "sign", node.operand
    elif isinstance(node, ast.Call) and not _talks(node):
        yield from _calls(node, imported)


def _calls(node: ast.Call, imported: set[str]) -> Iterator[tuple[str, ast.AST]]:
    """A call with two arguments swapped, without a keyword, or no call at all: what it was given, or its object."""
    plain = not any(isinstance(argument, ast.Starred) for argument in node.args)
    if plain and len(node.args) > 1 and _name(node) not in SYMMETRIC:
        first, second, *rest = node.args
        if ast.dump(first) != ast.dump(second):
            yield "swapped arguments", ast.Call(node.func, [second, first, *rest], node.keywords)
    for place, keyword in enumerate(node.keywords):
        if keyword.arg:
            yield "left out", ast.Call(node.func, node.args, [*node.keywords[:place], *node.keywords[place + 1 :]])
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if owner is None or _name(owner) in imported | {"super", "self", "cls"}:
        if plain and len(node.args) == 1 and not _name(node)[:1].isupper():
            yield "no call", node.args[0]
    elif not isinstance(owner, ast.Constant):
        yield "no call", owner


def _statement_may_go(node: ast.AST) -> bool:
    """Whether a function without this statement can still run: what it sets was there before, or is set in a thing."""
    if isinstance(node, ast.Assign):
        known = {name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)}
        return all(not isinstance(target, ast.Name | ast.Tuple) or _name(target) in known for target in node.targets)
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.Delete | ast.Expr)


def changes(tree: ast.Module) -> list[tuple[int, str, Change]]:
    """Every single change that is drawn from: the line, a word for it, and the function that makes it in the tree."""
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    found = []
    for parent, field, place, node in _computing(tree):
        others = list(_expressions(node, imported))
        condition = (field == "test" and isinstance(parent, ast.If | ast.IfExp | ast.While)) or field == "ifs"
        if condition and not isinstance(node, ast.Compare | ast.UnaryOp):
            others.append(("turned round", ast.UnaryOp(ast.Not(), node)))
        if isinstance(node, ast.stmt) and _statement_may_go(node):
            others.append(("no statement", ast.Pass()))
        line = getattr(node, "lineno", 0)
        for what, new in others:
            found.append((line, what, lambda at=(parent, field, place), new=new: _put(*at, new)))
    return found


@dataclass(frozen=True)
class Mutant:
    """One change of one module.

    Attributes:
        module: its name in ``CORE``.
        path: its file, from the folder with the package.
        number: which of the changes that :func:`changes` lists.
    """

    module: str
    path: str
    number: int

    def source(self, folder: Path) -> str:
        """The module with the change, as code without comments."""
        tree = ast.parse((folder / self.path).read_text(encoding="utf-8"))
        changes(tree)[self.number][2]()
        return ast.unparse(ast.fix_missing_locations(tree))

    def told(self, folder: Path) -> str:
        """Where the change is, what kind it is, and its lines before and after."""
        tree = ast.parse((folder / self.path).read_text(encoding="utf-8"))
        line, what, _ = changes(tree)[self.number]
        before, after = ast.unparse(tree).splitlines(), self.source(folder).splitlines()
        lines = [
            one
            for one in difflib.unified_diff(before, after, n=1, lineterm="")
            if not one.startswith(("---", "+++", "@@"))
        ]
        return "\n".join([f"{self.path}, line {line} ({what})", *(f"    {one}" for one in lines)])


def draw(modules: dict[str, str], folder: Path, count: int, seed: int) -> list[Mutant]:
    """The first ``count`` mutants of a seed, from each module in turn; a smaller count gives the first of a larger."""
    drawn = []
    for name, path in modules.items():
        total = len(changes(ast.parse((folder / path).read_text(encoding="utf-8"))))
        numbers = random.Random(f"mutants {seed} {name}").sample(range(total), total)
        drawn.append([Mutant(name, path, number) for number in numbers])
    return [one for one in chain.from_iterable(zip_longest(*drawn)) if one][:count]


class Runner:
    """A process that runs tests on a copy of the package; each run is a fork of it, killed when its time is up."""

    def __init__(self, root: Path, package: Path, folder: Path):
        self.source, self.original = folder / "source", package.parent
        shutil.copytree(package, self.source / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        environment = {
            **os.environ,
            "CI": "1",  # hypothesis then draws the same examples in every run
            "OMP_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",  # or a change within a second of the last could be missed
            "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "examples"),
        }
        environment.pop("ATTENTION_BOOK_STRICT_SKIPS", None)
        command = [sys.executable, str(BOOK / "tests" / "planting.py"), str(root)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        self.report = folder / "report.xml"

    def run(self, codes: dict[str, str], tests: list[str], seconds: float) -> int:
        """Run tests with other code in some files; pytest's exit status, or minus the signal that ended it."""
        for path, code in codes.items():
            (self.source / path).write_text(code, encoding="utf-8")
        options = ["-x", "-m", QUICK, "--tb=short"]
        order = {"source": str(self.source), "report": str(self.report), "tests": tests, "options": options}
        try:
            self.process.stdin.write(json.dumps({**order, "seconds": seconds}) + "\n")
            self.process.stdin.flush()
            status = int(self.process.stdout.readline() or WRONG_PACKAGE)
        finally:
            for path in codes:
                shutil.copy(self.original / path, self.source / path)
        if status == WRONG_PACKAGE:
            raise SystemExit("The tests did not run on the copy of the package, so nothing was learnt. Report this.")
        return status

    def said(self) -> str:
        """What pytest printed in the last run."""
        return Path(f"{self.report}.log").read_text(encoding="utf-8", errors="replace")

    def seconds(self) -> dict[str, float]:
        """How long each test took in the last run, by the name of its file with dots, and of its class."""
        found = Counter()
        for case in ElementTree.parse(self.report).iter("testcase"):
            found[case.get("classname")] += float(case.get("time"))
        return found

    def end(self) -> None:
        """Let the process end."""
        self.process.stdin.close()
        self.process.wait()


def _unchanged(paths: dict[str, str], tests: dict[str, list[str]], runner: Runner) -> dict[str, float]:
    """Run all tests once on unchanged modules; for each module, the seconds that its tests took, starting included."""
    codes = {
        path: ast.unparse(ast.parse((runner.original / path).read_text(encoding="utf-8"))) for path in paths.values()
    }
    every, started = dict.fromkeys(chain.from_iterable(tests[name] for name in paths)), time.monotonic()
    if codes and runner.run(codes, list(every), 3600) != 0:
        raise SystemExit(f"Tests fail without a change; mend that first.\n{runner.said()}")
    took = runner.seconds() if codes else {}
    starting = time.monotonic() - started - sum(took.values())
    files = {name: tuple(test.removesuffix(".py").replace("/", ".") for test in tests[name]) for name in paths}
    return {
        name: starting + sum(seconds for case, seconds in took.items() if case.startswith(files[name]))
        for name in paths
    }


def outcomes(
    mutants: list[Mutant],
    tests: dict[str, list[str]],
    runners: list[Runner],
    minutes: float,
    tell: Callable[[str], None] = lambda line: None,
    slack: float = 10,
) -> dict[Mutant, str]:
    """What became of each mutant: ``"caught"``, ``"timed out"`` or ``"survived"``; those not reached are left out.

    The tests are first run on the unchanged modules. A mutant may take three times as long, and ``slack`` seconds more.

    Raises:
        SystemExit: if they fail on an unchanged module.
    """
    free, folder = SimpleQueue(), runners[0].original
    for runner in runners:
        free.put(runner)

    def on(job: Callable[[Runner], object]) -> object:
        runner = free.get()
        try:
            return job(runner)
        finally:
            free.put(runner)

    def one(mutant: Mutant) -> str | None:
        def job(runner: Runner) -> str | None:
            if time.monotonic() > deadline:
                return None
            code = {mutant.path: mutant.source(folder)}
            status = runner.run(code, tests[mutant.module], allowed[mutant.module])
            return {0: "survived", -9: "timed out"}.get(status, "caught")

        outcome = on(job)
        if outcome:
            tell(f"{outcome}: {mutant.told(folder).splitlines()[0]}")
        return outcome

    paths = {mutant.module: mutant.path for mutant in mutants}
    allowed = {name: slack + 3 * seconds for name, seconds in _unchanged(paths, tests, runners[0]).items()}
    deadline = time.monotonic() + 60 * minutes
    with ThreadPoolExecutor(len(runners)) as pool:
        found = pool.map(one, mutants)
        return {mutant: outcome for mutant, outcome in zip(mutants, found, strict=True) if outcome}


def summary(found: dict[Mutant, str], folder: Path) -> str:
    """The survivors with their changes, and the score."""
    counted = {outcome: list(found.values()).count(outcome) for outcome in ("caught", "timed out", "survived")}
    survivors = [mutant.told(folder) for mutant, outcome in found.items() if outcome == "survived"]
    caught = counted["caught"] + counted["timed out"]
    score = f"{caught} of {len(found)} mutants caught ({100 * caught / max(len(found), 1):.1f} %)"
    return "\n\n".join([*survivors, f"{score}, {counted['timed out']} of them by the time limit."])


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=65, help="how many mutants (65)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants (1); one seed always draws the same")
    parser.add_argument("--modules", nargs="*", choices=CORE, help="of which modules (all)")
    parser.add_argument(
        "--minutes",
        type=float,
        default=60,
        help="stop after so many minutes, the run without a change not counted (60)",
    )
    parser.add_argument("--workers", type=int, default=1, help="how many are tested at a time (1)")
    chosen = parser.parse_args(arguments)
    names = chosen.modules or list(CORE)
    package = BOOK / "src" / "attention_book"
    paths = {name: f"attention_book/{CORE[name][0]}/{name}.py" for name in names}
    tests = {name: [f"tests/{test}.py" for test in CORE[name][1].split()] for name in names}
    mutants = draw(paths, package.parent, chosen.count, chosen.seed)
    with tempfile.TemporaryDirectory() as folder:
        runners = [Runner(BOOK, package, Path(folder) / str(place)) for place in range(chosen.workers)]
        try:
            found = outcomes(mutants, tests, runners, chosen.minutes, lambda line: print(line, flush=True))
        finally:
            for runner in runners:
                runner.end()
        print(f"\n{summary(found, package.parent)}")


if __name__ == "__main__":
    main()
