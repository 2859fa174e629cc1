"""Guards: statements that can stop a run, and can do nothing else to it.

``if CONDITION: raise ...`` changes no number of a run that came to its end: there the condition was false each time,
and the statement did nothing. So `code_text` leaves guards out, and a guard that is added, changed or removed leaves a
result as fresh as it was. Two things must hold for that. The condition itself must change nothing, which is judged
here; and nobody may catch the error and go on, which is judged in `handlers`.

A condition is *plain* if it is made of names, attributes, constants, operators, comparisons and comprehensions, and
calls nothing but what is listed below. It binds no name with ``:=``, and it runs through nothing that could be an
iterator, since that would be used up: what is run through must be seen to be a list, a tuple, a dict and the like, by
how it is written, or by an annotation (which the tests check at every call). Reading an attribute, comparing and
calculating are taken to change nothing, as everywhere in this package. Where in doubt a statement is no guard, and
counts.

A function whose body is nothing but guards, assignments of plain values to its own names, and loops over such, is a
*refusal*. A statement that calls one with plain arguments is a guard too.
"""

import ast
import builtins
from collections.abc import Callable
from typing import no_type_check

_VALUES = {"abs", "bool", "callable", "float", "getattr", "hasattr", "int", "isinstance", "issubclass", "len", "repr",
           "round", "str", "type"}  # fmt: skip
_RUNNING = {"all", "any", "dict", "enumerate", "frozenset", "list", "max", "min", "range", "set", "sorted", "sum",
            "tuple", "zip"}  # fmt: skip
_OUTSIDE = {"math.fsum", "math.isfinite", "math.isinf", "math.isnan", "numpy.isfinite", "numpy.isnan",
            "pathlib.Path", "torch.is_tensor", "torch.isfinite", "torch.isnan", "typing.get_args"}  # fmt: skip
_METHODS = {"all", "any", "dim", "endswith", "exists", "get", "is_complex", "is_dir", "is_file", "is_floating_point",
            "isfinite", "isidentifier", "isnan", "issubset", "issuperset", "item", "items", "keys", "lower", "numel",
            "removeprefix", "removesuffix", "size", "split", "startswith", "stat", "strip", "upper",
            "values"}  # fmt: skip
_GIVING_SEQUENCES = {"items", "keys", "size", "split", "values"}
_SEQUENCES = {"Array", "Bool", "Collection", "Counter", "Float", "Int", "Mapping", "Sequence", "Tensor", "dict",
              "frozenset", "list", "ndarray", "range", "set", "str", "tuple"}  # fmt: skip
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.JoinedStr)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_PARTS = (ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List, ast.Set, ast.Dict,
          ast.JoinedStr, ast.FormattedValue, ast.Attribute, ast.Slice)  # fmt: skip
_NOT_IN_A_GUARD = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_ITS_OWN = {"__init__", "__post_init__", "__new__", "__call__"}  # whose errors Python hands on as they are


@no_type_check
def may_hold_guards(function: ast.AST) -> bool:
    """Whether an error in a function goes to the caller: Python catches some of those in ``__len__`` and the like."""
    name = getattr(function, "name", "")
    return not (name.startswith("__") and name.endswith("__")) or name in _ITS_OWN


@no_type_check
class Guards:
    """Tells guards from other statements of one module.

    Args:
        targets: what a name or an attribute stands for, given the names bound around it.
        exception: the class that an expression names, as a `Target`; None if that is not certain.
        refusal: the exceptions that a definition raises, if it is a refusal; else None.
    """

    def __init__(self, targets: Callable, exception: Callable, refusal: Callable):
        self.targets, self.exception, self.refusal = targets, exception, refusal
        self.functions: list[ast.AST] = []

    def raised_by(self, node: ast.stmt, env: dict) -> set | None:
        """The exceptions that a statement raises, if it is a guard; None if it is not."""
        if not isinstance(node, ast.If | ast.Expr) or any(isinstance(one, _NOT_IN_A_GUARD) for one in ast.walk(node)):
            return None
        if isinstance(node, ast.If):
            chain = not node.orelse or (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If))
            if not chain or not self.plain(node.test, env):
                return None
            return _together([self._raising(one, env) for one in [*node.body, *node.orelse]])
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call, found = node.value, self.targets(node.value.func, env)
            given = [*call.args, *(one.value for one in call.keywords)]
            if len(found) == 1 and found[0].kind == "definition" and all(self.plain(one, env) for one in given):
                return self.refusal(found[0])
        return None

    def raised_by_function(self, node: ast.AST, env: dict) -> set | None:
        """The exceptions that a function raises, if it is a refusal; ``env`` has the names that it binds."""
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or not may_hold_guards(node):
            return None
        if any(isinstance(one, (*_NOT_IN_A_GUARD, ast.Global, ast.Nonlocal)) for one in ast.walk(node)):
            return None
        self.functions.append(node)
        try:
            return _together([self._checking(one, env) for one in node.body])
        finally:
            self.functions.pop()

    def _raising(self, node: ast.stmt, env: dict) -> set | None:
        if not isinstance(node, ast.Raise):
            return self.raised_by(node, env)
        found = self.exception(node.exc.func if isinstance(node.exc, ast.Call) else node.exc, env)
        return None if found is None else {found}

    def _checking(self, node: ast.stmt, env: dict) -> set | None:
        """As `raised_by`, of a statement in a refusal."""
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if text or isinstance(node, ast.Pass):
            return set()
        if isinstance(node, ast.Assign):
            own = all(isinstance(one, ast.Name) for one in node.targets)
            return set() if own and self.plain(node.value, env) else None
        if isinstance(node, ast.For):
            own = all(isinstance(one, ast.Name) for one in getattr(node.target, "elts", [node.target]))
            if not own or node.orelse or not self.sequence(node.iter, env):
                return None
            return _together([self._checking(one, env) for one in node.body])
        return self.raised_by(node, env)

    def plain(self, node: ast.AST | None, env: dict, inner: frozenset = frozenset()) -> bool:
        """Whether an expression changes nothing; ``inner`` has the names that comprehensions around it bind."""
        if node is None or isinstance(node, ast.Constant | ast.Name):
            return True
        if isinstance(node, ast.Call):
            return self._plain_call(node, env, inner)
        if isinstance(node, _COMPREHENSIONS):
            return self._plain_comprehension(node, env, inner)
        if isinstance(node, ast.Starred):
            return self.sequence(node.value, env, inner)
        if isinstance(node, ast.Subscript):  # with a name as key, a defaultdict would get an entry
            named = any(isinstance(one, ast.Name) for one in ast.walk(node.slice))
            if named and not isinstance(node.slice, ast.Slice):
                return False
            return self.plain(node.value, env, inner) and self.plain(node.slice, env, inner)
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            asked = [right for operator, right in pairs if isinstance(operator, ast.In | ast.NotIn)]
            if not all(self.sequence(one, env, inner) for one in asked):
                return False
        if not isinstance(node, _PARTS):
            return False
        return all(self.plain(one, env, inner) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))

    def _plain_call(self, node: ast.Call, env: dict, inner: frozenset) -> bool:
        given, name = [*node.args, *(one.value for one in node.keywords)], getattr(node.func, "id", "")
        if any(one.arg in (None, "key") for one in node.keywords) or not all(self.plain(o, env, inner) for o in given):
            return False
        found = self.targets(node.func, env)
        if found:
            return all(one.kind == "outside" and one.module in _OUTSIDE for one in found)
        if isinstance(node.func, ast.Attribute):
            method = node.func.attr
            known = method in _METHODS and self.plain(node.func.value, env, inner)
            if method in ("issubset", "issuperset"):
                return known and all(self.sequence(one, env, inner) for one in given)
            return known and not (method == "get" and not 1 <= len(node.args) <= 2)  # the get of a queue takes out
        if name in env or not hasattr(builtins, name):
            return False
        if name in _RUNNING:
            several = (name in ("min", "max") and len(node.args) > 1) or name == "range"
            return several or all(self.sequence(one, env, inner) for one in node.args)
        return name in _VALUES and not (name == "type" and len(given) != 1)

    def _plain_comprehension(self, node: ast.AST, env: dict, inner: frozenset) -> bool:
        for one in node.generators:
            if one.is_async or not self.sequence(one.iter, env, inner):
                return False
            inner |= {name.id for name in ast.walk(one.target) if isinstance(name, ast.Name)}
            if not all(self.plain(condition, env, inner) for condition in one.ifs):
                return False
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return all(self.plain(one, env, inner) for one in parts)

    def sequence(self, node: ast.AST, env: dict, inner: frozenset = frozenset()) -> bool:
        """Whether an expression is plain, and running through what it gives uses nothing up."""
        if isinstance(node, ast.Name):
            return node.id not in inner and self._sequence_name(node.id, env)
        if not self.plain(node, env, inner):
            return False
        if isinstance(node, ast.IfExp):
            return all(self.sequence(one, env, inner) for one in (node.body, node.orelse))
        if isinstance(node, ast.Call):  # what runs through its arguments, or makes something new of them
            method, name = getattr(node.func, "attr", ""), getattr(node.func, "id", "")
            return (
                method in _GIVING_SEQUENCES or method == "get_args" or name in _RUNNING or name in ("str", "get_args")
            )
        sliced = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
        shape = isinstance(node, ast.Attribute) and node.attr == "shape"
        kinds = (*_DISPLAYS, ast.GeneratorExp, ast.Constant, ast.BinOp)  # iterators have no operators, and no slices
        return sliced or shape or isinstance(node, kinds)

    def _sequence_name(self, name: str, env: dict) -> bool:
        if name not in env:  # of the module: a constant, by the way in which constants are written here
            return name.isupper()
        for function in reversed(self.functions):
            given = function.args
            if name in {one.arg for one in (given.vararg, given.kwarg) if one}:
                return not _stored(function, name)
            found = [one for one in [*given.posonlyargs, *given.args, *given.kwonlyargs] if one.arg == name]
            stored = _stored(function, name)
            if found or stored:
                known = [_is_sequence_type(one.annotation) for one in found]
                return all(known) and all(map(_makes_sequence, stored))
        return False


@no_type_check
def _together(found: list) -> set | None:
    return None if None in found else set().union(*found)


@no_type_check
def _stored(function: ast.AST, name: str) -> list:
    """What a function assigns to a name; None for each time that it binds it otherwise."""
    body = function.body if isinstance(function.body, list) else [function.body]
    nodes = [one for statement in body for one in ast.walk(statement)]
    times = [one for one in nodes if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load)]
    assigned = [one.value for one in nodes if isinstance(one, ast.Assign | ast.AnnAssign) and _target(one) == name]
    return assigned + [None] * (len(times) - len(assigned))


@no_type_check
def _target(node: ast.Assign | ast.AnnAssign) -> str:
    """The name that an assignment binds, if it binds one name alone."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return getattr(targets[0], "id", "") if len(targets) == 1 else ""


@no_type_check
def _makes_sequence(value: ast.AST | None) -> bool:
    made = isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("dict", "list", "set", "sorted", "tuple")
    return made or isinstance(value, _DISPLAYS)


@no_type_check
def _is_sequence_type(node: ast.AST | None) -> bool:
    if isinstance(node, ast.BinOp):
        sides = [one for one in (node.left, node.right) if getattr(one, "value", ...) is not None]
        return bool(sides) and all(map(_is_sequence_type, sides))
    if isinstance(node, ast.Subscript):
        return _is_sequence_type(node.value)
    return getattr(node, "attr", getattr(node, "id", "")) in _SEQUENCES
