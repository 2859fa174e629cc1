"""The annotations of the package, checked when it is called: types by beartype, and the shapes of arrays by jaxtyping.

To compare shapes, jaxtyping binds the arguments of each call to their names, which takes longer than many a function
of sentences. So a function without arrays in its annotations is left to beartype alone; it checks what it checks for
jaxtyping.

In each test the first `FIRST` calls of a function are checked, and then one call in `EACH`: in a loop of thousands of
calls, checking them all took up to half of the time and found what the first calls had found.

A function inside another is left alone: it is made anew whenever the outer one is called, and to check it would mean
to write and compile its checks each time. In a step of the translator that took three quarters of the time.

The checks of a function are written when it is first called: most processes call few of thousands.
"""

import ast
import dataclasses
import functools
import typing

from beartype import BeartypeConf, beartype
from jaxtyping import AbstractArray, TypeCheckError, _import_hook, config, install_import_hook, jaxtyped

PACKAGE = "attention_book"
AS_FOR_JAXTYPING = BeartypeConf(violation_type=TypeCheckError)
FIRST, EACH = 16, 16


class Pace:
    """Counts the tests, so that each begins to count its calls anew."""

    test = 0


def new_test():
    """Check the first calls of every function again."""
    Pace.test += 1


class OuterFunctions(_import_hook.JaxtypingTransformer):
    """Has classes and functions checked by `checked`, those inside of functions excepted."""

    def visit_FunctionDef(self, node):
        if any(isinstance(parent, ast.FunctionDef) for parent in self._parents):
            self._parents.append(node)
            self.generic_visit(node)
            self._parents.pop()
            return node
        return super().visit_FunctionDef(node)


class Decorator(_import_hook.Typechecker):
    """Writes the decorator alone, where jaxtyping would write its own with the decorator as its type checker."""

    def get_ast(self):
        return ast.parse(f"jaxtyping._import_hook.Typechecker.lookup['{self.hash}']", mode="eval").body


def has_arrays(annotation):
    """Whether an annotation names an array of jaxtyping's, at any depth."""
    if isinstance(annotation, type) and issubclass(annotation, AbstractArray):
        return True
    inner = typing.get_args(annotation)
    return any(has_arrays(one) for part in inner for one in (part if isinstance(part, list) else [part]))


def with_checks(function):
    """The function with checks of its arguments and of what it returns at every call."""
    try:
        arrays = any(map(has_arrays, typing.get_type_hints(function, include_extras=True).values()))
    except NameError:  # an annotation for readers and type checkers alone
        arrays = True
    return jaxtyped(function, typechecker=beartype) if arrays else beartype(conf=AS_FOR_JAXTYPING)(function)


def checked(thing):
    """A function whose first calls in each test are checked, and one in `EACH` of the others; a class's `__init__`."""
    if isinstance(thing, type):
        if dataclasses.is_dataclass(thing) and "__init__" in vars(thing):
            thing.__init__ = checked(thing.__init__)
        return thing
    every = None
    calls, test = 0, -1

    @functools.wraps(thing)
    def call(*args, **kwargs):
        nonlocal every, calls, test
        if test != Pace.test:
            calls, test = 0, Pace.test
        calls += 1
        if (calls > FIRST and calls % EACH) or config.jaxtyping_disable:
            return thing(*args, **kwargs)
        if every is None:
            every = with_checks(thing)
        return every(*args, **kwargs)

    return call


def check_types():
    """Check them in every module of the package that is imported from now on."""
    _import_hook.JaxtypingTransformer = OuterFunctions
    _import_hook.Typechecker = Decorator
    install_import_hook(PACKAGE, f"{__name__}.{checked.__name__}")
