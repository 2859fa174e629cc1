"""A fault: what a definition computes, and what it is made to compute instead.

The definition is named, wherever in the package it stands; what is replaced in it is an expression or statements,
compared as syntax trees. So neither a move to another module nor another layout of the lines loses a fault. In a file
of C, which is named in the place of a definition, text is replaced.
"""

import ast
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

DEFINES = ast.FunctionDef | ast.ClassDef
BLOCKS = ("body", "orelse", "finalbody")


@dataclass(frozen=True)
class Fault:
    """One replacement, and the tests that must catch it.

    Attributes:
        definition: a function, class or method by its name, as in ``causal_mask`` or ``MultiHeadAttention.forward``;
            where the package has several of that name, with its module's name before it (``masks.causal_mask``). Or a
            file's name that ends in ``.c``.
        old: an expression, an argument such as ``axis=-1``, or whole statements, as they stand once in the definition.
        new: the same in its place; nothing takes the statements out.
        tests: node ids below the folder of the tests.
    """

    definition: str
    old: str
    new: str
    tests: tuple[str, ...]

    def plant(self, package):
        """Plant the fault in a copy of the package.

        Raises:
            AssertionError: the fault no longer applies, since there is no such definition or it holds no such code.
        """
        if self.definition.endswith(".c"):
            self._plant_text(package)
            return
        path, module, found = self._located(package)
        places = list(_places(found, self.old, self.new))
        self._stands_once(f"{self.definition} in {path.relative_to(package)}", len(places))
        places[0]()
        _put_file(path, ast.unparse(ast.fix_missing_locations(module)))

    def _plant_text(self, package):
        (path,) = Path(package).rglob(self.definition)
        text = path.read_text(encoding="utf-8")
        self._stands_once(self.definition, text.count(self.old))
        _put_file(path, text.replace(self.old, self.new))

    def _stands_once(self, where, times):
        told = f"the fault no longer applies: {where} holds {self.old!r} {times} times"
        assert times == 1, f"{told}, and it has to stand there once; write the fault anew"

    def _located(self, package):
        """The file with the definition, its syntax tree, and the definition's node in it."""
        found, last = [], self.definition.rpartition(".")[2]
        for path in sorted(Path(package).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            if last not in source or not re.search(rf"\b(def|class) {last}\b", source):  # most need no parsing
                continue
            module, name = ast.parse(source), ".".join(path.relative_to(package).with_suffix("").parts)
            for qualified, node in _definitions(module, name):
                if f".{qualified}".endswith(f".{self.definition}"):
                    found.append((qualified, (path, module, node)))
        names = " and ".join(qualified for qualified, _ in found)
        assert found, f"the fault no longer applies: the package defines no {self.definition}; name what it is now"
        assert len(found) == 1, f"{self.definition} is the name of {names}: put the module's name before it"
        return found[0][1]


def _put_file(path, text):
    path.unlink()  # it may be a link to the file of an untouched copy
    path.write_text(text, encoding="utf-8")


def _definitions(node, name):
    """Functions and classes of a module, and the methods of the classes, by their names."""
    for inner in node.body:
        if isinstance(inner, DEFINES):
            yield f"{name}.{inner.name}", inner
            if isinstance(inner, ast.ClassDef):
                yield from _definitions(inner, f"{name}.{inner.name}")


def _places(definition, old, new):
    """For each place in a definition where the old code stands, a function that puts the new code there."""
    if (keyword := _keyword(old)) and (other := _keyword(new)):
        yield from _nodes_like(definition, keyword, other)
    before, after = _expression(old), _expression(new)
    if before and after:
        yield from _nodes_like(definition, before, after)
    else:
        yield from _statements_like(definition, _statements(old), _statements(new) or [ast.Pass()])


def _nodes_like(definition, old, new):
    wanted = ast.dump(old)
    for parent in ast.walk(definition):
        for field, value in ast.iter_fields(parent):
            for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, type(old)) and ast.dump(child) == wanted:
                    yield lambda parent=parent, field=field, place=place: _put(parent, field, place, new)


def _put(parent, field, place, new):
    if place is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[place] = new


def _statements_like(definition, old, new):
    wanted = [ast.dump(statement) for statement in old]
    for parent in ast.walk(definition):
        for block in (getattr(parent, name, None) for name in BLOCKS):
            for start in range(len(block) if isinstance(block, list) else 0):
                if [ast.dump(statement) for statement in block[start : start + len(old)]] == wanted:
                    yield lambda block=block, start=start: block.__setitem__(slice(start, start + len(old)), new)


def _statements(code):
    return ast.parse(textwrap.dedent(code)).body


def _expression(code):
    statements = _parsed_or_none(code)
    return statements[0].value if statements and isinstance(statements[0], ast.Expr) and len(statements) == 1 else None


def _keyword(code):
    call = _parsed_or_none(f"call({code})")
    keywords = call[0].value.keywords if call and isinstance(call[0].value, ast.Call) else []
    return keywords[0] if len(keywords) == 1 and not call[0].value.args else None


def _parsed_or_none(code):
    try:
        return _statements(code)
    except SyntaxError:
        return None
