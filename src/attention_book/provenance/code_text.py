"""Code as a text that says what it computes: its syntax tree, with every name replaced by what the name stands for.

A text leaves out what does not compute: comments, layout, docstrings, import statements, and, if asked, what errors
say. A name that a function binds stays a name. A name of the module becomes a `Target`: a definition, a module of the
package, or the dotted name of something outside it, however it was imported. Annotations are kept, since decorators
and dataclasses read some.

If asked, it also leaves out the guards of functions: ``if CONDITION: raise ...``, which can stop a run and do nothing
else to it. `guards` says which statements these are and why no number depends on them, and `handlers` where that would
not hold. A guard in a ``try`` with handlers is control flow, and stays; so does ``assert``.

Trees have many nodes: under the tests' checks of types at every call (hence ``no_type_check``) this would take minutes.
"""

import ast
import posixpath
from collections.abc import Callable, Iterator
from typing import NamedTuple, no_type_check
from weakref import WeakKeyDictionary

from .guards import Guards, may_hold_guards
from .handlers import CATCHING_METHODS, Handler, catches_anything, handlers_of, is_builtin_exception, is_refusing

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*FUNCTIONS, ast.ClassDef)
_NAMING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_IMPORTS = (ast.Import, ast.ImportFrom)
_TRIES = (ast.Try, ast.TryStar)
_NAMES = (ast.Name, ast.Attribute)
_PLACES = (ast.Attribute, ast.Subscript)
_ANY_NAME = {"globals", "locals", "vars", "eval", "exec"}  # may read any name of their own module
_ANY_MODULE = ("importlib.import_module", "importlib.util", "sys.modules", "pkgutil", "runpy", "builtins.__import__")
_SOURCES = ("inspect.getsource", "inspect.getdoc", "inspect.getcomments", "inspect.cleandoc", "linecache", "pydoc")


_MISSING = object()
_own_names: WeakKeyDictionary = WeakKeyDictionary()  # of each function, by the package of its module


class Target(NamedTuple):
    """What a name stands for.

    Attributes:
        kind: ``"definition"``, ``"module"`` (as an object), ``"whole"`` (all that is in a module), ``"effect"`` (a
            statement that a module carries out), ``"everything"``, ``"outside"``, or ``"from"`` (to be looked up).
        module: dotted name of the module; for ``"outside"``, of the thing.
        name: of the definition in it, or number of the statement.
    """

    kind: str
    module: str = ""
    name: str | int = ""


@no_type_check
def home_of(node: ast.ImportFrom, package: str) -> str:
    """Dotted name of the module that ``from ... import`` names, in a module of ``package``."""
    if not node.level:
        return node.module or ""
    parents = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*parents, *filter(None, [node.module])])


@no_type_check
def imports_of(node: ast.AST, package: str) -> Iterator[tuple[str, Target]]:
    """The names that an import statement binds, and what each stands for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.split(".")[0]
            yield alias.asname or first, Target("module", alias.name if alias.asname else first)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, Target("from", home_of(node, package), alias.name)


@no_type_check
def children(node: ast.AST) -> list[ast.AST]:
    """As `ast.iter_child_nodes`, in a third of its time."""
    found = []
    for name in node._fields:
        field = getattr(node, name, None)
        if isinstance(field, list):
            found += [one for one in field if isinstance(one, ast.AST)]
        elif isinstance(field, ast.AST):
            found.append(field)
    return found


@no_type_check
def within(body: list[ast.AST]) -> Iterator[ast.AST]:
    """The nodes that run in the scope of these statements; functions and classes in it are given, but not entered."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _SCOPES):
            waiting += [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ())]
            continue
        if isinstance(node, _COMPREHENSIONS):  # whose own names stay inside; what := binds does not
            waiting += [one.target for one in ast.walk(node) if isinstance(one, ast.NamedExpr)]
        elif node._fields:
            waiting += children(node)


@no_type_check
def bound_by(body: list[ast.AST], package: str) -> dict[str, list[Target]]:
    """The names that statements bind in their own scope, with what the imports among them stand for."""
    bound: dict[str, list[Target]] = {}
    for node in within(body):
        name = None
        if isinstance(node, ast.Name):
            name = None if isinstance(node.ctx, ast.Load) else node.id
        elif isinstance(node, _NAMING):
            name = node.name
        elif isinstance(node, ast.MatchMapping):
            name = node.rest
        elif isinstance(node, _IMPORTS):
            for imported, target in imports_of(node, package):
                bound.setdefault(imported, []).append(target)
        if name:
            bound.setdefault(name, [])
    return bound


@no_type_check
def own_names(function: ast.AST, package: str) -> tuple[dict[str, list[Target]], list[ast.AST]]:
    """The names that a function binds, its arguments among them, and what it declares global or nonlocal.

    It is asked for each time that the function is written, alone and with its module, and found once.
    """
    known = _own_names.setdefault(function, {})
    if package not in known:
        body = function.body if isinstance(function.body, list) else [function.body]
        given = function.args
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, [given.vararg, given.kwarg])]
        declared = [one for one in within(body) if isinstance(one, (ast.Global, ast.Nonlocal))]
        known[package] = {one.arg: [] for one in arguments} | bound_by(body, package), declared
    return known[package]


@no_type_check
class CodeText:
    """Writes syntax trees of one module; see the module's docstring.

    Args:
        look_up: gives the targets of a name of the module, or of an attribute (second argument) of a target.
        module: dotted name of the module, and its ``package``, from which its relative imports start.
        folder: the module's folder from the source folder, such as ``"attention_book/checks"``.
        messages: whether what errors say counts.
        refusal: the exceptions that a definition raises, if it does nothing but check and refuse; else None. Guards are
            left out if it is given.

    Attributes:
        pieces: the text so far: strings, and tuples of targets.
        strings: the string constants in it.
        imports: the import statements left out of it.
        reads_source: whether the code reads docstrings or sources.
        refused: the exceptions of the guards left out.
        raised_again: the exceptions that handlers raise in place of what they catch.
        handlers: what may catch an exception and go on.
    """

    def __init__(
        self,
        look_up: Callable[..., list[Target]],
        module: str,
        package: str,
        folder: str,
        messages: bool,
        refusal: Callable[[Target], set[Target] | None] | None = None,
    ):
        self.guards = Guards(self._targets, self._exception, refusal) if refusal else None
        self.refused: set[Target] = set()
        self.raised_again: set[Target] = set()
        self.handlers: list[Handler] = []
        self._watched = 0  # how many `try` with handlers are around
        self.look_up, self.module, self.package, self.folder, self.messages = look_up, module, package, folder, messages
        self.pieces: list[str | tuple[Target, ...]] = []
        self.strings: set[str] = set()
        self.imports: list[ast.stmt] = []
        self.reads_source = False

    def write(self, value: object, env: dict[str, list[Target]]) -> None:
        """Write a tree, a list of trees or a constant; ``env`` has the names bound by the functions around it."""
        if isinstance(value, list):
            self.pieces.append("[")
            for item in self._computing(value, env):
                self.write(item, env)
                self.pieces.append(", ")
            self.pieces.append("]")
        elif not isinstance(value, ast.AST):
            self.pieces.append(repr(value))
        elif not value._fields:  # the sign of an operator, or of what is done with a name
            self.pieces.append(f"{type(value).__name__}()")
        elif isinstance(value, _PLACES) and (folder := self._own_folder(value, env)) is not None:
            self.pieces.append(f"Folder({folder!r})")
        elif isinstance(value, _NAMES) and (targets := self._targets(value, env)) and _is_read(value):
            self._refer(targets)
        else:
            self._write_node(value, env)

    def _computing(self, items: list, env: dict[str, list[Target]]) -> list:
        """Statements without imports, strings and guards; other lists as they are."""
        if not items or not isinstance(items[0], ast.stmt):
            return items
        imports = [one for one in items if isinstance(one, _IMPORTS)]
        self.imports += imports
        kept = [one for one in items if one not in imports and not is_text(one) and not self._leaves_out(one, env)]
        return kept or [ast.Pass()]

    def _leaves_out(self, node: ast.stmt, env: dict[str, list[Target]]) -> bool:
        """Whether a statement is a guard of a function, and nothing around it sees its error."""
        functions = self.guards.functions if self.guards else []
        if not functions or self._watched or not all(map(may_hold_guards, functions)):
            return False
        raised = self.guards.raised_by(node, env)
        self.refused |= raised or set()
        return raised is not None

    def _write_node(self, node: ast.AST, env: dict[str, list[Target]]) -> None:
        """As `ast.dump` of Python 3.11; later versions write empty lists differently and know more of them."""
        kind, inner = type(node), env
        self.pieces.append(f"{kind.__name__}(")
        function, comprehension = issubclass(kind, FUNCTIONS), issubclass(kind, _COMPREHENSIONS)
        watching = issubclass(kind, _TRIES) and bool(node.handlers)
        raising = not self.messages and kind is ast.Raise
        if kind is ast.Constant and isinstance(node.value, str):
            self.strings.add(node.value)
        if self.guards:
            self._note_handlers(node, env)
        if function:
            inner = self._inside(node, env)
            if self.guards:
                self.guards.functions.append(node)
        elif comprehension:
            self.write(node.generators[0].iter, env)  # runs outside; all else inside
            inner = env | bound_by([one.target for one in node.generators], self.package)
        for name in node._fields:
            field = getattr(node, name, _MISSING)
            if field is _MISSING:
                continue
            if not self.messages and name == "msg" and kind is ast.Assert:
                field = None
            left_out = field is None and getattr(kind, name, ...) is None  # optional, and not given
            if left_out or (name == "type_params" and field == []):  # type_params came with Python 3.12
                continue
            self.pieces.append(f"{name}=")
            if raising and isinstance(field, ast.Call):
                said = [one for one in field.args if not has_text(one)]
                field = ast.Call(field.func, said, [one for one in field.keywords if not has_text(one)])
            body = name == "body"
            self._watched += watching and body
            self.write(field, inner if comprehension or body else env)
            self._watched -= watching and body
            self.pieces.append(", ")
        self.pieces.append(")")
        if self.guards and function:
            self.guards.functions.pop()
        if isinstance(node, ast.ClassDef):  # whose body's names are not followed: what it imports counts as a whole
            imported = [target for one in within(node.body) for _, target in imports_of(one, self.package)]
            self._refer([found for target in imported for found in self.look_up(target)])
        if isinstance(node, ast.Attribute) and node.attr in ("__doc__", "getsource", "getdoc"):
            self.reads_source = True
        if isinstance(node, ast.Name) and node.id not in env:
            self.reads_source |= node.id == "help"
            if node.id in _ANY_NAME:
                self.pieces.append((Target("whole", self.module),))
            elif node.id == "__import__":
                self.pieces.append((Target("everything"),))

    def refusing(self, function: ast.FunctionDef) -> set[Target] | None:
        """The exceptions that a function of the module raises, if it does nothing but check and refuse; else None."""
        return self.guards.raised_by_function(function, self._inside(function, {}))

    def exception(self, node: ast.AST) -> Target | None:
        """The class of exceptions that an expression in the module names, if it can only stop a run; else None."""
        return self._exception(node, {})

    def _note_handlers(self, node: ast.AST, env: dict[str, list[Target]]) -> None:
        if isinstance(node, _TRIES):
            found, again = handlers_of(node, env, self.guards)
            self.handlers += found
            self.raised_again |= again
        elif isinstance(node, FUNCTIONS) and getattr(node, "name", "") in CATCHING_METHODS:
            self.handlers.append(Handler(None))

    def _exception(self, node: ast.AST, env: dict[str, list[Target]], refusing: bool = True) -> Target | None:
        """The one class of exceptions that an expression names; ``refusing``: None for those that Python catches."""
        found = self._targets(node, env)
        if len(found) == 1 and found[0].kind == "definition":
            return found[0] if found[0].name.lstrip("_")[:1].isupper() else None  # of a class, not of a function
        if found or not isinstance(node, ast.Name) or node.id in env or not is_builtin_exception(node.id):
            return None
        return Target("outside", f"builtins.{node.id}") if not refusing or is_refusing(node.id) else None

    def _inside(self, function: ast.AST, env: dict[str, list[Target]]) -> dict[str, list[Target]]:
        """The names bound around the body of a function, and by it."""
        bound, declared = own_names(function, self.package)
        inner = env | bound
        for one in declared:
            for name in one.names:
                inner.pop(name, None)
                if isinstance(one, ast.Nonlocal) and name in env:
                    inner[name] = env[name]
        return inner

    def _targets(self, node: ast.AST, env: dict[str, list[Target]]) -> list[Target]:
        """What a name, or an attribute of a module, stands for; nothing for anything else."""
        if isinstance(node, ast.Name):
            found = env.get(node.id)
            return self.look_up(node.id) if found is None else [one for t in found for one in self.look_up(t)]
        if isinstance(node, ast.Attribute):
            base = self._targets(node.value, env)
            if base and all(one.kind in ("module", "outside") for one in base):
                return [found for one in base for found in self.look_up(one, node.attr)]
        return []

    def _refer(self, targets: list[Target]) -> None:
        self.pieces.append("<")
        for target in targets:
            kind, thing, _ = target
            if kind != "outside":
                self.pieces.append((Target("whole", thing) if kind == "module" else target,))
                continue
            self.pieces.append(thing)
            if self.guards and catches_anything(thing):
                self.handlers.append(Handler(None))
            self.reads_source |= thing.startswith(_SOURCES)
            if thing.startswith(_ANY_MODULE) or thing in ("importlib", "sys"):
                self.pieces.append((Target("everything"),))
        self.pieces.append(">")

    def _own_folder(self, node: ast.AST, env: dict[str, list[Target]]) -> str | None:
        """``Path(__file__).parent`` and the like as a folder of the source, which stays when the module moves."""
        up = 0
        while isinstance(node, _PLACES):
            if isinstance(node, ast.Attribute) and node.attr == "parent":
                node, up = node.value, up + 1
            elif isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "parents":
                if not isinstance(node.slice, ast.Constant):
                    return None
                node, up = node.value.value, up + 1 + node.slice.value
            else:
                return None
        if not up or not isinstance(node, ast.Call) or [getattr(one, "id", "") for one in node.args] != ["__file__"]:
            return None
        if self._targets(node.func, env) != [Target("outside", "pathlib.Path")]:
            return None
        return posixpath.normpath(posixpath.join("/", self.folder, *[".."] * (up - 1)))


@no_type_check
def _is_read(node: ast.AST) -> bool:
    """Whether a name or an attribute is read; names count as read also where they are bound."""
    return isinstance(node, ast.Name) or isinstance(node.ctx, ast.Load)


@no_type_check
def is_text(node: ast.AST) -> bool:
    """Whether a statement is a string and nothing else: a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@no_type_check
def has_text(node: ast.AST) -> bool:
    """Whether a string stands in an expression."""
    return any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in ast.walk(node))
