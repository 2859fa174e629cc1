"""Turn a resolved Sphinx document tree into plain Markdown, for readers that know no directive and no role.

The tree is what the HTML writer would see: includes are expanded, glued numbers are text, references carry their
numbers. Whatever the book's authors may write is therefore covered by what a document tree can hold, and a node that
`MarkdownWriter` does not know is an error rather than a gap in the output.
"""

import base64
import mimetypes
import re

from docutils import nodes
from notebook_blocks import CodeCell, Exercise, prefixed
from plain_tex import expand_macros

SPECIAL = re.compile(r"([\\`*_\[\]<$])")
LINE_START = re.compile(r"^(\s*)([#>+-]|\d+[.)])(?=\s|$)", re.M)
RULE = "---"


def escaped(text):
    return SPECIAL.sub(r"\\\1", text)


class MarkdownWriter:
    """Writes document trees as lists of Markdown blocks, `CodeCell`s and `Exercise`s.

    Every kind of node has a method: `block_NAME` for what stands alone, `inline_NAME` for what stands in a line, where
    NAME is the node's class or one that it derives from.
    """

    def __init__(self, page):
        self.page = page
        self.attachments = {}
        self.cited = {}
        self.depth = 0

    def write(self, document):
        blocks = self.blocks(document)
        if self.cited:
            blocks += ["## References", "\n".join(f"- {entry}" for entry in sorted(self.cited.values()))]
        return blocks

    def _method(self, kind, node):
        for cls in type(node).__mro__:
            if method := getattr(self, f"{kind}_{cls.__name__}", None):
                return method
        return None

    def blocks(self, parent):
        out, line = [], []
        for node in parent.children:
            in_line = isinstance(node, nodes.raw) and isinstance(parent, nodes.paragraph)
            if (method := self._method("block", node)) and not in_line:
                out += self._paragraph(line) + method(node)
                line = []
            else:
                line.append(node)
        return out + self._paragraph(line)

    def _paragraph(self, line):
        text = "".join(map(self.inline, line)).strip()
        return [LINE_START.sub(r"\1\\\2", text)] if text else []

    def inline(self, node):
        if method := self._method("inline", node):
            return method(node)
        raise ValueError(f"the notebook writer does not know <{type(node).__name__}>: {node.astext()[:80]!r}")

    def text(self, parent):
        return "".join(map(self.inline, parent.children))

    def _number(self, kind, node):
        return next((self.page.numbers[kind, name] for name in node["ids"] if (kind, name) in self.page.numbers), None)

    # Structure

    def block_section(self, node):
        self.depth += 1
        out = self.blocks(node)
        self.depth -= 1
        return out

    def block_title(self, node):
        heading = isinstance(node.parent, nodes.section)
        return [f"{'#' * self.depth} {self.text(node)}" if heading else f"**{self.text(node)}**"]

    block_rubric = block_subtitle = block_title

    def block_paragraph(self, node):
        return self.blocks(node)

    block_compound = block_compact_paragraph = block_PassthroughTextElement = block_paragraph

    def block_container(self, node):
        if node.get("nb_element") == "cell_code":
            return [CodeCell(node["cell_index"])]
        return self.blocks(node)

    def block_Bet(self, node):
        return [*self.blocks(node), escaped(node["line"])]

    def block_transition(self, node):
        return [RULE]

    def _nothing(self, node):
        return []

    block_comment = block_substitution_definition = block_toctree = block_index = block_meta = _nothing
    block_field_list = block_docinfo = block_tabular_col_spec = block_colspec = block_system_message = _nothing
    block_sd_tab_input = block_highlightlang = block_pending = block_toctree_wrapper = _nothing

    def block_target(self, node):
        return self.blocks(node)

    # Code and formulas

    def block_literal_block(self, node):
        language = node.get("language", "")
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", node.astext())), default=0))
        return [f"{fence}{'' if language in {'default', 'none'} else language}\n{node.astext().rstrip()}\n{fence}"]

    block_doctest_block = block_literal_block

    def block_math_block(self, node):
        latex = self._latex(node.astext().strip())
        if node.get("nowrap"):
            return [latex]
        if "\\\\" in latex and "\\begin{" not in latex:
            latex = f"\\begin{{aligned}}\n{latex}\n\\end{{aligned}}"
        number = self._number("displaymath", node) or node.get("number")  # the first counts through the book
        tag = f"\n\\tag{{{number}}}" if number else ""
        return [f"$$\n{latex}{tag}\n$$"]

    def inline_math(self, node):
        return f"${self._latex(' '.join(node.astext().split()))}$"

    def _latex(self, formula):
        return expand_macros(formula, self.page.macros, self.page.colours)

    def inline_literal(self, node):
        text = node.astext()
        ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
        pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
        return f"{ticks}{pad}{text}{pad}{ticks}"

    # Lists, quotations, boxes

    def _list(self, node, marks):
        items = []
        for mark, item in zip(marks, node.children, strict=False):
            items += prefixed(self.blocks(item) or [""], f"{mark} ", " " * (len(mark) + 1))
        if all(isinstance(item, str) for item in items):
            return ["\n".join(items)] if items else []
        return items

    def block_bullet_list(self, node):
        return self._list(node, ["-"] * len(node.children))

    def block_enumerated_list(self, node):
        start = node.get("start", 1)
        return self._list(node, [f"{number}." for number in range(start, start + len(node.children))])

    def block_definition_list(self, node):
        out = []
        for item in node.children:
            terms = [child for child in item.children if isinstance(child, nodes.term)]
            meaning = [block for child in item.children if isinstance(child, nodes.definition)
                       for block in self.blocks(child)]  # fmt: skip
            out += ["**" + ", ".join(map(self.text, terms)) + "**", *prefixed(meaning, "> ")]
        return out

    def block_glossary(self, node):
        return self.blocks(node)

    def block_block_quote(self, node):
        return prefixed(self.blocks(node), "> ")

    def block_Admonition(self, node):
        title = next((child for child in node.children if isinstance(child, nodes.title)), None)
        heading = [f"**{name}**"] if (name := self._box_name(node, title)) else []
        return prefixed([*heading, *self._children_without(node, title)], "> ")

    def _box_name(self, node, title):
        """What a box is called: its kind, its number and its title, as far as it has them."""
        kind = type(node).__name__
        text = "" if title is None else self.text(title).strip()
        if kind == "exercise_enumerable_node":
            return " ".join(filter(None, ["Exercise", self._number("exercise", node), text]))
        if "realtype" in node:  # theorem, definition, algorithm, ...
            number = self._number(node.get("countertype"), node)
            return " ".join(filter(None, [node["realtype"].title(), number, text]))
        return kind.capitalize() if title is None and isinstance(node, nodes.Admonition) else text

    def _children_without(self, node, title):
        rest = type(node)()
        children = [child for child in node.children if child is not title]
        rest.children = children
        return self.blocks(rest)

    block_admonition = block_topic = block_sidebar = block_Admonition

    block_enumerable_node = block_unenumerable_node = block_dropdown_main = block_Admonition

    def block_exercise_node(self, node):
        title = next((child.astext() for child in node.children if isinstance(child, nodes.title)), "").strip()
        title = title.removeprefix("(").removesuffix(")")
        about = {"label": node.get("label", ""), "number": self._number("exercise", node) or "", "title": title}
        return [Exercise(it, **about) if isinstance(it, str) else it for it in self.block_Admonition(node)]

    block_exercise_enumerable_node = block_exercise_node

    def block_proof_node(self, node):
        return prefixed(self.blocks(node), "> ")

    def block_dropdown_title(self, node):
        return [f"**{self.text(node).strip()}**"]

    block_sd_tab_label = block_dropdown_title

    def block_footnote(self, node):
        label = next(child for child in node.children if isinstance(child, nodes.label))
        return prefixed(self._children_without(node, label), f"<sup>{label.astext()}</sup> ", "")

    def block_citation(self, node):
        label = next(child for child in node.children if isinstance(child, nodes.label))
        return prefixed(self._children_without(node, label), f"**{escaped(label.astext())}** ", "")

    # Tables, figures, images

    def block_table(self, node):
        group = next(child for child in node.children if isinstance(child, nodes.tgroup))
        rows = [
            [" ".join(b.replace("\n", " ") for b in self.blocks(entry) if isinstance(b, str)) for entry in row.children]
            for row in group.findall(nodes.row)
        ]
        rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        lines.insert(1, "|" + "---|" * len(rows[0]))
        return [*self._caption("Table", "table", node), "\n".join(lines)]

    def _caption(self, word, kind, node):
        caption = next((c for c in node.children if isinstance(c, nodes.caption | nodes.title)), None)
        if caption is None:
            return []
        number = self._number(kind, node)
        return [f"*{word} {number}.* {self.text(caption)}" if number else self.text(caption)]

    def block_figure(self, node):
        shown = [child for child in node.children if not isinstance(child, nodes.caption)]
        body = [block for child in shown for block in (self._method("block", child) or self._lone)(child)]
        return [*body, *self._caption("Figure", "figure", node)]

    def _lone(self, node):
        return self._paragraph([node])

    def block_caption(self, node):
        return [self.text(node)]

    def block_legend(self, node):
        return self.blocks(node)

    def inline_image(self, node):
        address, alt = node["uri"], escaped(node.get("alt", ""))
        if "://" in address:
            return f"![{alt}]({address})"
        path = self.page.images / address
        name = path.name
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.attachments[name] = {kind: base64.b64encode(path.read_bytes()).decode("ascii")}
        return f"![{alt}](attachment:{name})"

    def block_raw(self, node):
        return [node.astext().strip()] if "html" in node.get("format", "").split() else []

    # In a line

    def inline_Text(self, node):
        return escaped(node.astext())

    def inline_emphasis(self, node):
        return f"*{self.text(node)}*"

    def inline_strong(self, node):
        return f"**{self.text(node)}**"

    def inline_inline(self, node):
        roles = [name.removeprefix("role-") for name in node.get("classes", ()) if name.startswith("role-")]
        colour = next((self.page.colours[role] for role in roles if role in self.page.colours), None)
        text = self.text(node)
        return f'<span style="color: {colour}">{text}</span>' if colour else text

    def inline_generated(self, node):
        return self.text(node)

    inline_title_reference = inline_abbreviation = inline_number_reference = inline_term = inline_generated

    def inline_superscript(self, node):
        return f"<sup>{self.text(node)}</sup>"

    def inline_subscript(self, node):
        return f"<sub>{self.text(node)}</sub>"

    inline_footnote_reference = inline_superscript

    def inline_reference(self, node):
        text, address = self.text(node), node.get("refuri", "")
        anchor = address.partition("#")[2] or node.get("refid", "")
        if anchor in self.page.citations:
            self.cited[anchor] = self.page.citations[anchor]
        if address and not node.get("internal") and "://" in address:
            return f"[{text}]({address})"
        target = self.page.link(address) if address else None
        return f"[{text}]({target})" if target else text

    def inline_download_reference(self, node):
        return self.text(node)

    def inline_raw(self, node):
        shown = "html" in node.get("format", "").split() and "sd-octicon" not in node.astext()  # a dropdown's arrow
        return node.astext() if shown else ""

    def inline_target(self, node):
        return self.text(node)

    def _empty(self, node):
        return ""

    inline_index = inline_substitution_reference = _empty
