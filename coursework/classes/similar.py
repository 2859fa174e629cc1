"""Pairs of submissions whose answers are the same but for names and layout: a list to look at, and no verdict.

An answer is read as a syntax tree. Names that the student chose are numbered in the order in which they come, and what
was imported goes by its full name. Docstrings, annotations and the size of numbers are left out, because the variants
of a set differ by numbers. Two answers with the same tree are alike. Short answers come out alike by chance, and so
does what a whole class was taught, so neither is listed.
"""

import ast
import builtins
import hashlib
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from coursework.notebooks import UnreadableSubmission, read_cells

LEAST_NODES = 40
MOST_BYTES = 50_000_000
KEPT = frozenset(dir(builtins))


@dataclass(frozen=True)
class Alike:
    """Two submissions, the questions in which they are alike, and how many nodes of code these have together."""

    one: str
    other: str
    questions: tuple[str, ...]
    nodes: int


def alike(folder, names, handed_out=None, least_nodes=LEAST_NODES):
    """The pairs that are alike, those with the most code in common first, and what was left out.

    Args:
        folder: where the submissions are.
        names: their paths inside it.
        handed_out: the notebook that students began with; answers left as they were say nothing.
        least_nodes: shorter answers are not compared.

    Returns:
        The pairs; and sentences on what was not compared: unreadable submissions, answers that a large part of the
        class shares.
    """
    given, notes = (fingerprints(handed_out, Path(handed_out).parent, least_nodes) if handed_out else {}), []
    sharing, sizes, read = defaultdict(list), {}, 0
    for name in names:
        try:
            found = fingerprints(Path(folder) / name, folder, least_nodes)
        except UnreadableSubmission as error:
            notes.append(f"{name} was not compared: {error}")
            continue
        read += 1
        for question, (print_, size) in found.items():
            if (print_, size) != given.get(question):
                sharing[question, print_].append(name)
                sizes[question, print_] = size
    pairs, most = defaultdict(list), max(3, read // 3)
    for (question, print_), who in sharing.items():
        if len(who) > most:
            notes.append(f"{question}: {len(who)} of {read} submissions have the same answer, which tells nothing.")
        else:
            for pair in combinations(who, 2):
                pairs[pair].append((question, sizes[question, print_]))
    found = [
        Alike(*pair, tuple(question for question, _ in shared), sum(size for _, size in shared))
        for pair, shared in pairs.items()
    ]
    return sorted(found, key=lambda pair: (-pair.nodes, pair.one, pair.other)), notes


def fingerprints(path, folder, least_nodes=LEAST_NODES):
    """For each question of a notebook the fingerprint of its answer and its size in nodes; none for short answers.

    Raises:
        UnreadableSubmission: the notebook cannot be read.
    """
    trees, imported = defaultdict(list), {}
    for cell in read_cells(path, folder, MOST_BYTES):
        try:
            tree = ast.parse(cell.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        imported |= _imported(tree)
        if cell.question is not None:
            trees[cell.question] = tree.body  # of cells with one tag the last one counts
    found = {}
    for question, body in trees.items():
        module = ast.Module(body=body, type_ignores=[])
        size = sum(1 for _ in ast.walk(module))
        if size >= least_nodes:
            try:
                text = ast.dump(_Renamed(imported).visit(module))
            except RecursionError:
                continue
            found[question] = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), size
    return found


def _imported(tree):
    """What each imported name stands for: {"np": "numpy", "Counter": "collections.Counter"}."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


class _Renamed(ast.NodeTransformer):
    """Numbers the names of a tree in the order in which they come; drops docstrings, annotations and imports."""

    def __init__(self, imported):
        self._names = {name: name for name in KEPT} | imported

    def _name(self, name):
        return self._names.setdefault(name, f"name {len(self._names)}")

    def visit_Name(self, node):
        return ast.Name(self._name(node.id), node.ctx)

    def visit_arg(self, node):
        return ast.arg(self._name(node.arg))

    def visit_keyword(self, node):
        return ast.keyword(self._names.get(node.arg, node.arg), self.visit(node.value))

    def visit_FunctionDef(self, node):
        node.name, node.returns = self._name(node.name), None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node):
        return self.visit(ast.Assign([node.target], node.value)) if node.value else None

    def visit_Constant(self, node):
        return ast.Constant("a number") if type(node.value) in (int, float) else node

    def visit_Import(self, node):
        return None

    visit_ImportFrom = visit_Import
