"""Sphinx extension: the directive `package-room`, the reference of a room of the package, made of its docstrings.

````
```{package-room} attention
```
````

Each module is a section: what it is for, its file, and each public function, class and method with its header, what its
docstring says, and the pages of the book that show or import it. The source is read, never imported. Definitions are
objects of Sphinx's Python domain, so that docstrings refer to one another by links, as with ``:func:`causal_mask```. A
reference to something of the package that has no entry here stands as code; one to something that does not exist fails
a strict build.
"""

import ast
import builtins
import re

from docutils import nodes
from docutils.parsers.rst import Parser
from docutils.utils import new_document
from package_contents import BOOK, PACKAGE, SECTIONS, doc_sections, entries, pages_by_name, read_room
from shown_code import NotShown, definition, module_file
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from topics import chapter_sources

FIRST_PAGES = 3
"""How many of the pages that import a name are listed."""
CODE = re.compile(r"(:[\w:]+:`[^`]*`|``.*?``)|`([^`]+)`(?!_)", re.DOTALL)
"""What stands between backticks: a role or a literal, which stay as they are, or else code."""
OUTSIDE = ("torch.", "numpy.", "scipy.")
"""How names of other libraries begin, for which the book has no entries."""
HINDI = re.compile(r"([\u0900-\u097f]+)")


def in_hindi(text):
    """A text as nodes in which words in Devanagari are marked as Hindi."""
    pieces = HINDI.split(text)  # every second one is Hindi
    return [
        nodes.inline("", one, classes=["language-hi"]) if n % 2 else nodes.Text(one) for n, one in enumerate(pieces)
    ]


class PackageRoom(SphinxDirective):
    """The reference of one room. Its name is the argument; ``:without:`` names rooms in it that have their own page."""

    required_arguments = 1
    option_spec = {"without": str.split}  # noqa: RUF012 - as docutils has it

    def run(self):
        try:
            modules = read_room(self.arguments[0], without=self.options.get("without", ()))
        except ValueError as fault:
            raise self.error(f"package-room: {fault}") from fault
        for file in (*(module.file for module in modules), *(f"{page}.md" for page in chapter_sources())):
            self.env.note_dependency(str(BOOK / file))
        before = self.env.ref_context.get("py:module")
        try:
            return [self.module(module) for module in modules]
        finally:
            self.env.ref_context["py:module"] = before

    def module(self, module):
        name = f"{PACKAGE}.{module.name}"
        self.env.ref_context["py:module"] = name
        section = nodes.section(ids=[name], names=[name])
        self.env.domains["py"].note_module(name, name, "", "", False)
        file = nodes.paragraph("", "", nodes.literal("", module.file), classes=["reference-file"])
        section += [nodes.title("", module.name.partition(".")[2] or module.name), *self.said(module.doc), file]
        section += [self.definition(name, one) for one in module.definitions]
        return section

    def definition(self, module, one):
        """One definition, its members within it, as a description list's entry that can be linked to."""
        name = f"{module}.{one.name}"
        self.env.domains["py"].note_object(name, one.kind, name, location=self.get_location())
        signature = addnodes.desc_signature("", "", ids=[name], module=module, fullname=one.name)
        signature += [addnodes.desc_name("", one.name)]
        content = addnodes.desc_content()
        content += nodes.literal_block(one.header, one.header, language="python")
        for title, text in doc_sections(one.doc):
            content += self.section(title, text) if title else self.said(text)
        content += self.places(f"{module.removeprefix(PACKAGE + '.')}.{one.name}")
        content += [self.definition(module, member) for member in one.members]
        return addnodes.desc(
            "", signature, content, domain="py", objtype=one.kind, desctype=one.kind, classes=["py", one.kind]
        )

    def section(self, title, text):
        """Arguments, attributes and errors as a list of terms; what is returned as text."""
        rubric = nodes.paragraph("", "", nodes.strong("", SECTIONS[title]), classes=["reference-part"])
        if title in {"Returns", "Yields"}:
            return [rubric, *self.said(text)]
        listed = nodes.definition_list()
        for name, said in entries(text):
            term = nodes.term("", "", *([nodes.literal("", name)] if name else []))
            listed += nodes.definition_list_item("", term, nodes.definition("", *self.said(said)))
        return [rubric, listed]

    def said(self, text):
        """A piece of a docstring, which is reStructuredText, as nodes. Single backticks are code, too."""
        text = CODE.sub(lambda found: found[1] or f"``{found[2]}``", text)
        document = new_document(self.get_source_info()[0], self.state.document.settings)
        document.reporter = self.state.document.reporter
        Parser().parse(text, document)
        for one in [*document.findall(nodes.Text)]:
            if HINDI.search(one) and not isinstance(one.parent, nodes.literal):
                one.parent.replace(one, in_hindi(one))
        return list(document.children)

    def places(self, name):
        """The pages of the book that show a name, and some of those that import it."""
        shown, imported = pages_by_name().get(name, ((), ()))
        line = nodes.paragraph(classes=["reference-pages"])
        for words, pages in (("Shown in ", shown), ("Imported in ", imported[:FIRST_PAGES])):
            if pages:
                line += nodes.Text(f"; {words[0].lower()}{words[1:]}" if len(line) else words)
                for number, page in enumerate(pages):
                    line += [*[nodes.Text(", ")] * bool(number), self.link(page)]
        if (more := len(imported) - FIRST_PAGES) > 0:
            line += nodes.Text(f" and {more} more")
        return [line] if len(line) else []

    def link(self, page):
        return addnodes.pending_xref(
            "", nodes.inline("", page), refdomain="std", reftype="doc", reftarget=f"/{page}", refexplicit=False,
            refwarn=True, refdoc=self.env.docname,
        )  # fmt: skip


def known_elsewhere(target, module):
    """Whether a name without an entry is known all the same: Python's, a library's, or the package's elsewhere."""
    if hasattr(builtins, target) or target.startswith(OUTSIDE):
        return True
    for dotted in (target, f"{module}.{target}"):
        if dotted.startswith(f"{PACKAGE}."):
            folder = BOOK / "src" / dotted.replace(".", "/")
            if folder.is_dir() or folder.with_suffix(".py").is_file():
                return True
            try:
                file, name = module_file(BOOK / "src", dotted)
                tree = ast.parse(file.read_text(encoding="utf-8"))
                if name in {one.asname or one.name for node in tree.body if isinstance(node, ast.ImportFrom)
                            for one in node.names}:  # fmt: skip
                    return True
                definition(tree, name)
            except NotShown:
                continue
            return True
    return False


def entries_named(domain, node):
    """The entries that a reference may mean, as (full name, page, id): by its whole name, or by the end of it."""
    target = node["reftarget"].lstrip(".")
    if node["reftype"] == "mod":
        found = [(name, one) for name, one in domain.modules.items() if f".{name}".endswith(f".{target}")]
    else:
        module, inside = node.get("py:module"), node.get("py:class")
        found = domain.find_obj(domain.env, module, inside, target, node["reftype"], 1)
    return [(name, one.docname, one.node_id) for name, one in found]


def as_link_or_code(app, env, node, content):
    """What a reference becomes that Sphinx finds no target for: a link if one entry ends in its name, or else code.

    Docstrings refer to what their module imports by its short name, which Sphinx does not look up.
    """
    if node.get("refdomain") != "py":
        return None
    found = entries_named(env.domains["py"], node)
    if len(found) == 1:
        ((name, page, place),) = found
        return make_refnode(app.builder, node["refdoc"], page, place, content, name)
    return content if found or known_elsewhere(node["reftarget"], node.get("py:module")) else None


def setup(app):
    app.add_directive("package-room", PackageRoom)
    app.connect("missing-reference", as_link_or_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
