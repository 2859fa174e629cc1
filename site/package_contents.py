"""What the package defines, read from its source and never imported, and which pages of the book show or import it."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from code_width import fitted
from shown_code import first_line
from topics import BOOK, chapter_sources

from attention_book.pages.book_page import BookPage

PACKAGE = "attention_book"
SECTIONS = {
    "Args": "Arguments",
    "Attributes": "Attributes",
    "Returns": "Returns",
    "Yields": "Yields",
    "Raises": "Raises",
}
"""How a docstring names its sections, and how a page does."""


@dataclass(frozen=True)
class Definition:
    """A public function, class or method.

    Attributes:
        name: its dotted name inside of its module, such as `Encoder.forward`.
        kind: "function", "class", "method" or "property".
        header: its code up to its body, decorators included, no wider than a page.
        doc: its docstring, "" without one.
        members: the public methods of a class.
    """

    name: str
    kind: str
    header: str
    doc: str
    members: tuple["Definition", ...] = ()


@dataclass(frozen=True)
class Module:
    """A module: its dotted name within the package, its file relative to the book, its docstring, what it defines."""

    name: str
    file: str
    doc: str
    definitions: tuple[Definition, ...]


def header(node, lines):
    """The header of a definition as the source has it, without the colon at its end, no wider than a page."""
    body = node.body[0]
    text = "\n".join(lines[first_line(node) - 1 : max(node.lineno, body.lineno - 1)])
    if body.lineno == node.lineno:  # `def name(): ...`
        text = text.encode()[: body.col_offset].decode().rstrip()
    indent = len(text) - len(text.lstrip())
    whole = "\n".join(line[indent:] for line in text.splitlines())
    return fitted(f"{whole}\n    ...").removesuffix("...").rstrip().removesuffix(":")


def kind_of(node, inside):
    if isinstance(node, ast.ClassDef):
        return "class"
    decorators = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    if decorators & {"property", "cached_property"}:
        return "property"
    return "method" if inside else "function"


def read_definitions(body, lines, inside=""):
    """The public definitions of a module or a class, in the order of the source; overloads only once, the last."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            name = f"{inside}{node.name}"
            members = read_definitions(node.body, lines, f"{name}.") if isinstance(node, ast.ClassDef) else ()
            doc = ast.get_docstring(node) or ""
            found[name] = Definition(name, kind_of(node, inside), header(node, lines), doc, members)
    return tuple(found.values())


def read_module(path, book=BOOK):
    """The module in a file."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    name = ".".join(path.relative_to(book / "src" / PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    definitions = read_definitions(tree.body, source.splitlines())
    return Module(name, path.relative_to(book).as_posix(), ast.get_docstring(tree) or "", definitions)


def read_room(room, book=BOOK, without=()):
    """The modules of a room, in the order of their names; those without public definitions left out.

    Args:
        room: its name, as in ``training`` or ``training.remembering``.
        book: the folder of the repository.
        without: names of rooms in it that are left out.

    Raises:
        ValueError: if there is no such room.
    """
    folder = Path(book) / "src" / PACKAGE / room.replace(".", "/")
    for one in (folder, *(folder / name for name in without)):
        if not (one / "__init__.py").is_file():
            raise ValueError(f"{one.relative_to(Path(book) / 'src' / PACKAGE).as_posix()!r} is no room of the package")
    paths = [path for path in sorted(folder.rglob("*.py")) if path.relative_to(folder).parts[0] not in without]
    modules = [read_module(path, book) for path in paths]
    return [module for module in modules if module.definitions]


def doc_sections(doc):
    """A docstring by its sections, [("", text), ("Args", text), ...], in order; what follows a section is under ""."""
    found, name = [], ""
    for line in doc.splitlines():
        title = re.fullmatch(rf"({'|'.join(SECTIONS)}):", line)
        if title or (name and line and not line.startswith(" ")):
            name = title[1] if title else ""
        if not found or found[-1][0] != name or title:
            found.append((name, []))
        if not title:
            found[-1][1].append(line.removeprefix("    ") if name else line)
    return [(name, "\n".join(lines).strip("\n")) for name, lines in found if any(lines)]


def entries(text):
    """The entries of a section, [(name, text), ...]; one without a name before the first colon has the name ""."""
    found = []
    for line in text.splitlines():
        named = re.match(r"(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*):\s+(.*)", line)
        if line and not line.startswith(" "):
            found.append(list(named.groups()) if named else ["", line])
        elif found:
            found[-1][1] += "\n" + line.strip()
    return [(name, said) for name, said in found]


@cache
def short_names(book=BOOK):
    """Names that the package itself offers, to where they are defined, as "translation.translator.Translator"."""
    tree = ast.parse((Path(book) / "src" / PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    homes = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign))
    return {name: f"{module}.{name}" for module, names in homes.items() for name in names.split()}


def names_on(page):
    """What a page shows (`code-of`) and what its visible cells import: two sets of dotted names within the package."""
    shown = {name for one in page.directives if one.name == "code-of" for name in one.argument.split()}
    imported = set()
    for cell in page.cells:
        if not cell.hidden:
            imported |= imports_of(cell.body)
    return {name.removeprefix(f"{PACKAGE}.") for name in shown}, imported


def imports_of(code):
    """Dotted names inside of the package that a cell imports with `from`."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return set()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
            room = node.module.removeprefix(PACKAGE).removeprefix(".")
            found |= {f"{room}.{one.name}" if room else short_names().get(one.name, one.name) for one in node.names}
    return found


def pages_in_order(book=BOOK):
    """The pages of the book as its contents list them, such as "chapters/attention/masks"."""
    toc = (Path(book) / "_toc.yml").read_text(encoding="utf-8")
    return re.findall(r"^\s*(?:- file|root): (\S+)$", toc, re.MULTILINE)


@cache
def pages_by_name(book=BOOK):
    """Where each name of the package is met: {dotted name: (pages that show it, pages that import it)}.

    Pages are those of the chapters, in the order of the book, without the appendix. A class is shown where a method of
    it is. A page that shows a name is not listed among those that import it.
    """
    found, sources = {}, chapter_sources(book)
    for place in pages_in_order(book):
        if "/appendix/" in place:
            continue
        shown, imported = names_on(BookPage.of(sources[place]))
        shown |= {name.rpartition(".")[0] for name in shown}
        for kind, names in ((0, shown), (1, imported - shown)):
            for name in names:
                found.setdefault(name, ([], []))[kind].append(place)
    return found
