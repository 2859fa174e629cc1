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
of a line of its body, only the statements between them follow, and `...` stands for what is left out. Lines that are
wider than a page are broken (`code_width`). A name or a line that is gone is an error, so a page cannot go on showing
what the package no longer has.
"""

import ast
import difflib
import textwrap
from pathlib import Path
from typing import ClassVar

from code_width import fitted
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


def without_docstrings(node, lines):
    """The lines of a definition, with `...` for a body that is nothing but a docstring."""
    shown, gone = {number: lines[number - 1] for number in range(first_line(node), node.end_lineno + 1)}, set()
    for inner in ast.walk(node):
        if isinstance(inner, DEFINITIONS) and ast.get_docstring(inner, clean=False) is not None:
            said, after = inner.body[0], inner.body[0].end_lineno + 1
            while after <= node.end_lineno and not lines[after - 1].strip():
                after += 1
            gone |= set(range(said.lineno, after if len(inner.body) > 1 else said.end_lineno + 1))
            if len(inner.body) == 1:
                shown[said.lineno] = f"{' ' * said.col_offset}..."
                gone.remove(said.lineno)
    return textwrap.dedent("\n".join(line for number, line in shown.items() if number not in gone))


def comment(lines, node):
    """What stands behind a statement on its last line."""
    return lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()


def first_line(node):
    """Where a statement begins, with its decorators."""
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])


def last_header_line(node):
    """Where a statement ends, or the header of one that holds others."""
    inner = getattr(node, "body", None)
    return max(node.lineno, first_line(inner[0]) - 1) if inner else node.end_lineno


def excerpt(source, name, start=None, end=None):
    """The text of a definition without docstrings, or its header and some lines of its body, no wider than a page.

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
        return fitted("\n".join(ast.get_source_segment(source, one) + comment(lines, one) for one in given))
    whole = without_docstrings(node, lines)
    return fitted(whole) if start is end is None else between(whole, fitted(whole), name, start, end)


def between(whole, shown, name, start, end):
    """The header of a definition, and its body from the statement that holds `start` to the next that holds `end`.

    Args:
        whole: the definition as the module has it, where the two are looked for.
        shown: the same statements, broken over lines as a page shows them.
        name: what it is called in an error.
        start, end: pieces of lines; None for the beginning and the end of the body.
    """
    before, after = (list(statements(text)) for text in (whole, shown))
    first = 0 if start is None else place_of(start, whole, before, 0)
    if first is None:
        raise NotShown(f"no line of {name!r} holds {start!r}")
    last = None if end is None else place_of(end, whole, before, first)
    if last is None and end is not None:
        raise NotShown(f"no line of {name!r} from there on holds {end!r}")
    lines, body = shown.splitlines(), ast.parse(shown).body[0].body
    header = first_line(body[0]) - 1
    while lines[header - 1].lstrip().startswith("#"):  # comments above the first statement are of the body
        header -= 1
    begin = header + 1 if start is None else first_line(after[first])
    stop = len(lines) if last is None else last_header_line(after[last])
    cut = [f"{' ' * body[0].col_offset}..."]
    chosen = [*(cut if begin > header + 1 else []), *lines[begin - 1 : stop], *(cut if stop < len(lines) else [])]
    return "\n".join(lines[:header] + chosen)


def statements(text):
    """The statements in a definition, in the order of the text."""
    found = [node for node in ast.walk(ast.parse(text).body[0]) if isinstance(node, ast.stmt)]
    return sorted(found[1:], key=lambda node: (node.lineno, node.col_offset))


def place_of(piece, text, found, earliest):
    """The number of the first statement, from the one at `earliest` on, that begins with a line with this piece in it.

    Where none begins so, the one that has such a line inside of it; None if there is none.
    """
    lines = text.splitlines()
    for lines_of in (
        lambda node: lines[node.lineno - 1 : node.lineno],
        lambda node: lines[node.lineno - 1 : last_header_line(node)],
    ):
        for number, node in enumerate(found[earliest:], earliest):
            if any(piece in line for line in lines_of(node)):
                return number
    return None


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
