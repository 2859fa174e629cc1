"""The statements of a module by what they do when it is imported: define, import, or something else."""

import ast
from typing import no_type_check

from .code_text import FUNCTIONS, Target, bound_by, imports_of, is_text, within
from .source_graph import imported_names

_FIXED_CALLS = {"Path", "compile", "field", "frozenset", "TypeVar", "sqrt", "log"}


@no_type_check
class Module:
    """A parsed module.

    Attributes:
        name: its dotted name.
        package: that of the package from which its relative imports start.
        body: its statements, without docstrings and imports.
        names: for each name that it binds, the statements that do, and the targets of its imports.
        bound: each statement with the names that it defines, or None if it does more.
        imported: dotted names of what it may import when it is imported.
        stars: dotted names of the modules of which it imports ``*``.
        lazy: for each name in a table ``_HOME`` of a package with ``__getattr__`` (PEP 562), the module it comes from.
    """

    def __init__(self, name: str, package: str, tree: ast.Module):
        self.name, self.package = name, package
        imports = [node for node in within(tree.body) if isinstance(node, ast.Import | ast.ImportFrom)]
        self.imported = imported_names(ast.Module(imports, []), package)
        bound = [pair for node in imports for pair in imports_of(node, package)]
        self.stars = {target.module for name, target in bound if name == "*"}
        self.names: dict[str, list[ast.stmt | Target]] = {}
        for name_, target in bound:
            self.names.setdefault(name_, []).append(target)
        self.body = [one for one in tree.body if not (isinstance(one, ast.Import | ast.ImportFrom) or is_text(one))]
        self.bound: list[tuple[ast.stmt, list[str] | None]] = []
        for node in self.body:
            names = [one for one, targets in bound_by([node], package).items() if not targets]
            self.bound.append((node, names if _defines(node) else None))
            for one in names:
                self.names.setdefault(one, []).append(node)
        self.lazy: dict[str, str] = {}
        if "__getattr__" in self.names and "_HOME" in self.names:
            table = ast.literal_eval(self.names["_HOME"][0].value)
            self.lazy = {found: home for home, names in table.items() for found in names.split()}


@no_type_check
def _defines(node: ast.stmt) -> bool:
    """Whether a statement binds names and does nothing else, but for the calls in it."""
    if isinstance(node, ast.Assign):
        named = [one for target in node.targets for one in getattr(target, "elts", [target])]
        return all(isinstance(one, ast.Name) for one in named)
    if isinstance(node, ast.If):  # of imports for type checkers alone
        return not node.orelse and all(isinstance(one, ast.Import | ast.ImportFrom) for one in node.body)
    return isinstance(node, (*FUNCTIONS, ast.ClassDef)) or (
        isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    )


@no_type_check
def calling(node: ast.stmt) -> tuple[list[ast.AST], list[ast.AST]]:
    """The decorators of a definition, and what else of it runs when its module is imported and may call something."""
    if isinstance(node, ast.ClassDef):
        parts = [calling(one) for one in node.body]
        decorators = [*node.decorator_list, *(one for part in parts for one in part[0])]
        return decorators, [*decorators, *node.bases, *node.keywords, *(one for part in parts for one in part[1])]
    if isinstance(node, FUNCTIONS):
        run = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        return node.decorator_list, [*node.decorator_list, *(one for one in run if _calls(one))]
    return [], [node] if _calls(node) else []


@no_type_check
def _calls(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Call) for one in ast.walk(node))


@no_type_check
def may_change(node: ast.AST | Target | None) -> bool:
    """Whether what a statement binds could be changed later other than by binding it again."""
    if isinstance(node, ast.ClassDef):
        return any(map(may_change, node.body))
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return not _fixed(node.value)
    return not isinstance(node, (*FUNCTIONS, Target, ast.Pass, ast.Expr))


@no_type_check
def _fixed(node: ast.AST | None) -> bool:
    """Whether an expression gives a value that cannot change, or one that has a name elsewhere."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return name in _FIXED_CALLS
    if isinstance(node, ast.Tuple):
        return all(map(_fixed, node.elts))
    if isinstance(node, ast.BinOp):
        return all(isinstance(one, ast.Constant) for one in (node.left, node.right))
    kinds = (ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.UnaryOp, ast.JoinedStr, ast.Compare, ast.Lambda)
    return node is None or isinstance(node, kinds)
