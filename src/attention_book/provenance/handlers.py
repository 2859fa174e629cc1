"""Who may catch the error of a guard and go on: where somebody may, guards count.

A guard that raises stops the run, unless an ``except`` on the way out catches the error and computes on. Which calls
lie between the two is not to be seen in a syntax tree, since methods are found while the code runs. So handlers are
judged for all that an experiment reaches at once: if it holds one that may catch what one of its guards raises, all
guards of that experiment count. A handler is harmless if

- it can catch none of these exceptions: `ImportError` is no base of `ValueError`;
- it always raises in its turn, as those do that say it better; what these raise is then looked for in other handlers;
- what it watches over is written out in full, and calls nothing of this package: a plain expression (`guards`), or a
  function of `_CALLS_NOTHING_BACK`;
- it is one of `KEPT_TO_BE_RAISED`.

``contextlib.suppress``, threads and processes, and methods such as ``__exit__`` and ``__del__`` catch anything. So, it
is assumed, does Python itself with the exceptions of `_MEANT_FOR_PYTHON`. Other libraries are taken to hand on what is
raised in a function that they were given.
"""

import ast
import builtins
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, no_type_check

from .guards import Guards

ANYTHING = "anything"
_MEANT_FOR_PYTHON = (AttributeError, LookupError, StopIteration, StopAsyncIteration, ImportError)
_CALLS_NOTHING_BACK = {"numpy.broadcast_shapes", "signal.signal"}
_CATCH_ANYTHING = ("contextlib.suppress", "threading", "_thread", "concurrent", "multiprocessing", "asyncio", "atexit",
                   "torch.multiprocessing", "unittest", "pytest")  # fmt: skip
CATCHING_METHODS = {"__exit__", "__aexit__", "__del__"}

# Handlers that keep an error, by their text, with the one name by which the error can be got at without being raised.
# `Translator.translate` keeps what is wrong with each text of a list, so as to say which text it is, and raises it.
# Only `Translator.translate_each` goes on with the other texts; an experiment that names it counts its guards.
KEPT_TO_BE_RAISED = {"source.lines, source.error = ([], error)": "translate_each"}


class Handler(NamedTuple):
    """Something that may catch an error and go on.

    Attributes:
        types: the exceptions that it catches, as targets; None for any.
        text: what it then does, as code.
    """

    types: tuple | None
    text: str = ""


@no_type_check
def catches_anything(thing: str) -> bool:
    """Whether something outside the package, by its dotted name, may keep an error from stopping a run."""
    return any(thing == one or thing.startswith(f"{one}.") for one in _CATCH_ANYTHING)


@no_type_check
def is_builtin_exception(name: str) -> bool:
    """Whether a builtin name is that of an exception."""
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


@no_type_check
def is_refusing(name: str) -> bool:
    """Whether a builtin exception can only stop a run: Python itself does not catch it."""
    found = getattr(builtins, name)
    return issubclass(found, Exception) and not issubclass(found, _MEANT_FOR_PYTHON)


@no_type_check
def handlers_of(node: ast.Try, env: dict, guards: Guards) -> tuple[list[Handler], set]:
    """The handlers of a ``try`` that may go on, and the exceptions that the others raise."""
    found, again = [], set()
    for one in node.handlers:
        last = one.body[-1]
        leaves = any(isinstance(inner, ast.Return | ast.Break | ast.Continue) for inner in ast.walk(one))
        if isinstance(last, ast.Raise) and not leaves:
            itself = last.exc is None or (isinstance(last.exc, ast.Name) and last.exc.id == one.name)
            if not itself:
                raised = guards.exception(last.exc.func if isinstance(last.exc, ast.Call) else last.exc, env)
                again.add(raised or ANYTHING)
        elif not all(_written_out(statement, env, guards) for statement in node.body):
            caught = getattr(one.type, "elts", [one.type])
            types = tuple(guards.exception(kind, env, False) if kind else None for kind in caught)
            found.append(Handler(None if None in types else types, "; ".join(map(ast.unparse, one.body))))
    if any(isinstance(one, ast.Return | ast.Break | ast.Continue) for last in node.finalbody for one in ast.walk(last)):
        found.append(Handler(None))
    return found, again


@no_type_check
def _written_out(node: ast.stmt, env: dict, guards: Guards) -> bool:
    """Whether a statement evaluates an expression and calls nothing of this package on the way."""

    def fine(one: ast.AST) -> bool:
        if isinstance(one, ast.Compare) and all(isinstance(op, ast.Eq | ast.NotEq) for op in one.ops):
            return all(map(fine, [one.left, *one.comparators]))
        if not isinstance(one, ast.Call):
            return guards.plain(one, env) and not any(isinstance(inner, ast.Call) for inner in ast.walk(one))
        found = guards.targets(one.func, env)
        known = bool(found) and all(t.kind == "outside" and t.module in _CALLS_NOTHING_BACK for t in found)
        made = getattr(one.func, "id", "") == "tuple" and guards.plain(one, env)
        return (known or made) and not one.keywords and all(map(fine, one.args))

    return isinstance(node, ast.Assign | ast.Expr | ast.Return) and fine(node.value)


@no_type_check
def may_catch(handlers: Iterable[Handler], raised: set, bases: Callable, texts: Iterable[str]) -> bool:
    """Whether one of the handlers may catch one of the exceptions.

    Args:
        handlers: all in what an experiment reaches.
        raised: the exceptions of its guards, and of handlers that raise in their turn.
        bases: gives an exception with all its bases; None if these are not known.
        texts: all that it reaches.
    """
    lines = [None if one == ANYTHING else bases(one) for one in raised]
    if None in lines:
        return True
    for one in handlers:
        name = KEPT_TO_BE_RAISED.get(one.text)
        if name and not any(re.search(rf"(attr|value|id)='{name}'", text) for text in texts):
            continue
        if one.types is None or any(bases(kind) is None for kind in one.types):
            return True
        if any(kind in line for kind in one.types for line in lines):
            return True
    return False
