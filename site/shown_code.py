"""Sphinx extension: the directive `code-of`, which shows a definition of the package by name, without its docstring.

````
```{code-of} attention_book.attention.masks.causal_mask
```

```{code-of} attention_book.translation.decoding.greedy_decode
:from: while live:
:to: live = [
```
````

The argument is one dotted name, or several separated by spaces: functions, classes, methods, functions inside of
functions, and constants. What is shown begins with the header of the definition. With `from` and `to`, each a piece
of a line of its body, only the lines between them follow, and `...` stands for what is left out. A name or a line that
is gone is an error, so a page cannot go on showing what the package no longer has.
"""

import ast
import difflib
import re
import textwrap
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class NotShown(ValueError):
    """Nothing can be shown under that name; the message says why."""


def names_of(node):
    """The names that a statement defines."""
    if isinstance(node, DEFINITIONS):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)]


def definition(tree, name):
    """The statement that defines a dotted name, such as `Class.method`, inside of a parsed module.

    Raises:
        NotShown: if there is none; the message lists names that look alike.
    """
    found = tree
    for part in name.split("."):
        inner = [node for node in ast.walk(found) if isinstance(node, ast.stmt) and node is not found]
        direct = [node for node in getattr(found, "body", []) if part in names_of(node)]
        candidates = direct or [node for node in inner if isinstance(node, DEFINITIONS) and node.name == part]
        if not candidates:
            known = {one for node in inner for one in names_of(node)}
            near = difflib.get_close_matches(part, known, 3)
            raise NotShown(f"no {name!r} is defined there" + (f"; did you mean {', '.join(near)}?" if near else ""))
        found = candidates[0]
    return found


def docstring_lines(node, lines):
    """Numbers of the lines of all docstrings in a definition, and of the empty lines after them."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, DEFINITIONS) and ast.get_docstring(inner, clean=False) is not None:
            after = inner.body[0].end_lineno + 1
            while after <= node.end_lineno and not lines[after - 1].strip():
                after += 1
            found |= set(range(inner.body[0].lineno, after))
    return found


def comment(lines, node):
    """What stands behind a statement on its last line."""
    return lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()


def first_line(node):
    """Where a statement begins, with its decorators."""
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])


def excerpt(source, name, start=None, end=None):
    """The text of a definition without docstrings, or its header and some lines of its body.

    Args:
        source: the text of the module.
        name: the definition's, inside of the module.
        start: a piece of the first line to show of the body; all from its beginning if None.
        end: a piece of the last line to show; all to its end if None.

    Raises:
        NotShown: if there is no such definition, or no such line in its body.
    """
    lines, tree = source.splitlines(), ast.parse(source)
    node = definition(tree, name)
    if not isinstance(node, DEFINITIONS):  # a constant: all statements that give it, or a part of it, a value
        given = [one for one in tree.body if name in names_of(one)]
        return "\n".join(ast.get_source_segment(source, one) + comment(lines, one) for one in given)
    without = docstring_lines(node, lines)
    first = node.body[0].lineno
    body_from = first if first in without else first_line(node.body[0])
    body = {number: lines[number - 1] for number in range(body_from, node.end_lineno + 1) if number not in without}
    chosen = between(body, name, start, end)
    indent = next((re.match(r"\s*", line)[0] for line in body.values() if line.strip()), "")
    cut = [f"{indent}..."]
    shown = lines[first_line(node) - 1 : body_from - 1]
    shown += (cut if chosen and chosen[0] != min(body) else []) + [body[number] for number in chosen]
    shown += cut if chosen and chosen[-1] != max(body) else []
    return textwrap.dedent("\n".join(shown)).rstrip()


def between(body, name, start, end):
    """The numbers of the lines from the one that holds `start` to the next one that holds `end`."""
    numbers = list(body)
    first = 0 if start is None else next((n for n, number in enumerate(numbers) if start in body[number]), None)
    if first is None:
        raise NotShown(f"no line of {name!r} holds {start!r}")
    rest = numbers[first:]
    last = len(rest) - 1 if end is None else next((n for n, number in enumerate(rest) if end in body[number]), None)
    if last is None:
        raise NotShown(f"no line of {name!r} from there on holds {end!r}")
    return rest[: last + 1]


def module_file(folder, dotted):
    """The file of the module that a dotted name begins with, and the rest of the name.

    Raises:
        NotShown: if there is no such module.
    """
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        path = Path(folder, *parts[:cut])
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                if cut == len(parts):
                    raise NotShown(f"{dotted!r} is a whole module: name what it defines")
                return file, ".".join(parts[cut:])
    raise NotShown(f"no module under {Path(folder).name}/ has a name that {dotted!r} begins with")


class CodeOf(SphinxDirective):
    """Shows definitions by name."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"from": directives.unchanged_required, "to": directives.unchanged_required}

    def run(self):
        texts = []
        for dotted in self.arguments[0].split():
            try:
                file, name = module_file(Path(self.env.srcdir, "src"), dotted)
                self.env.note_dependency(str(file))
                start, end = self.options.get("from"), self.options.get("to")
                texts.append(excerpt(file.read_text(encoding="utf-8"), name, start, end))
            except NotShown as fault:
                raise self.error(f"code-of {dotted}: {fault}") from fault
        text = "\n\n\n".join(texts) if any("\n" in text for text in texts) else "\n".join(texts)
        block = nodes.literal_block(text, text, language="python")
        self.set_source_info(block)
        return [block]


def setup(app):
    app.add_directive("code-of", CodeOf)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
