"""The annotations of the package, checked at every call: types by beartype, and the shapes of arrays by jaxtyping.

To compare shapes, jaxtyping binds the arguments of each call to their names, which takes longer than many a function
of sentences. So modules without arrays, in the rooms of texts and counts, are left to beartype alone; it checks what
it checks for jaxtyping.

A function inside another is left alone: it is made anew whenever the outer one is called, and to check it would mean
to write and compile its checks each time. In a step of the translator that took three quarters of the time.

The checks of a function with arrays are written when it is first called: most processes call few of thousands.
"""

import ast
import functools
import sys
from importlib.machinery import PathFinder
from pathlib import Path

from beartype import BeartypeConf, beartype
from beartype._data.claw import dataclawmagic
from beartype.claw import beartype_packages
from beartype.claw._ast.clawastmain import BeartypeNodeTransformer
from beartype.claw._importlib import _clawimpfileloader
from jaxtyping import TypeCheckError, _import_hook, install_import_hook

PACKAGE = "attention_book"
ROOMS_OF_TEXTS = tuple(f"{PACKAGE}.{room}" for room in ("provenance", "data", "little_language", "counting"))
AS_FOR_JAXTYPING = BeartypeConf(claw_is_pep526=False, violation_type=TypeCheckError)  # calls alone, and its error


class WithoutArrays:
    """Finds the modules that have no annotation of jaxtyping's, before its own hook does."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(ROOMS_OF_TEXTS):
            return None
        found = PathFinder.find_spec(name, path, target)
        arrays = found is None or "jaxtyping" in Path(found.origin).read_text(encoding="utf-8")
        return None if arrays else found


class OuterFunctionsOfTexts(BeartypeNodeTransformer):
    """Has beartype check classes and functions, those inside of functions excepted."""

    def visit_FunctionDef(self, node):
        scopes = [scope.node_type for scope in self._scopes]
        inside = ast.FunctionDef in scopes or ast.AsyncFunctionDef in scopes
        return self.generic_visit(node) if inside else super().visit_FunctionDef(node)


class OuterFunctions(_import_hook.JaxtypingTransformer):
    """Has jaxtyping check classes and functions, those inside of functions excepted."""

    def visit_FunctionDef(self, node):
        if any(isinstance(parent, ast.FunctionDef) for parent in self._parents):
            self._parents.append(node)
            self.generic_visit(node)
            self._parents.pop()
            return node
        return super().visit_FunctionDef(node)


def checked_when_called(function):
    """The function with beartype's checks, which are written when it is first called."""
    if not callable(function) or isinstance(function, type):
        return beartype(function)

    @functools.cache
    def checked():
        return beartype(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        return checked()(*args, **kwargs)

    return call


def check_types():
    """Check them in every module of the package that is imported from now on."""
    _clawimpfileloader.BeartypeNodeTransformer = OuterFunctionsOfTexts
    dataclawmagic.OPTIMIZATION_MARKER_BEARTYPE += "outer"  # byte code made by beartype's own transformer is another's
    beartype_packages(ROOMS_OF_TEXTS, conf=AS_FOR_JAXTYPING)
    _import_hook.JaxtypingTransformer = OuterFunctions
    install_import_hook(PACKAGE, f"{__name__}.{checked_when_called.__name__}")
    sys.meta_path.insert(0, WithoutArrays)
