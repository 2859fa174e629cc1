"""A page of the book by its source: front matter, headings and their labels, cells, exercises, solutions, captions.

The page is read with the parser of MyST and its settings in this book, so a comment in a cell is no heading, and a
directive within a directive is one. The parser comes with what the book's notebooks need (``[notebooks]``), and is
imported when the first page is read.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

EXTENSIONS = ("amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath", "html_image")
LITERAL = {"code-cell", "code-block", "code-of", "literalinclude", "bibliography", "math", "raw", "topics"}
"""Directives whose content is not text in MyST."""


@dataclass(frozen=True)
class Directive:
    """A fenced block with a name in braces.

    Attributes:
        name: such as "code-cell" or "exercise".
        argument: what follows the name in the first line.
        options: the lines ``:name: value`` at its beginning, by name.
        body: the lines after the options.
        text: the whole block as the source has it, fences included, if it is not part of another one.
        line: its first line on the page, counted from 1.
        nested: whether it is part of another block.
    """

    name: str
    argument: str
    options: dict[str, str]
    body: str
    text: str
    line: int
    nested: bool

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of a code cell."""
        return tuple(re.findall(r"[\w-]+", self.options.get("tags", "")))

    @property
    def hidden(self) -> bool:
        """Whether readers do not see this cell's code, or only after a click."""
        return any(tag in {"remove-cell", "remove-input"} or tag.startswith("hide-") for tag in self.tags)


@dataclass(frozen=True)
class Heading:
    """A heading: its level (1 is the page's title), its text, its line, and the labels that stand above it."""

    level: int
    text: str
    line: int
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Exercise:
    """One exercise: its label, such as ex-masks-causal, its title, and the line where it stands."""

    label: str
    title: str
    line: int

    @property
    def kind(self) -> str:
        """What its title begins with, such as "Predict"."""
        return self.title.partition(":")[0]


@dataclass(frozen=True)
class BookPage:
    """One page, by its source. Make it with `of` or `read`, which keep what they have parsed."""

    source: str

    @classmethod
    def of(cls, source: str) -> "BookPage":
        """The page with this source, the same object for the same text."""
        return _page(source)

    @classmethod
    def read(cls, path: Path | str) -> "BookPage":
        """The page in a file."""
        return _page(Path(path).read_text(encoding="utf-8"))

    @cached_property
    def front_matter(self) -> dict[str, Any]:
        """What stands between the lines of dashes at the top, read as YAML; empty without it."""
        import yaml

        first = next((token for token in self._tokens if token.type == "front_matter"), None)
        return (yaml.safe_load(first.content) or {}) if first else {}

    @property
    def title(self) -> str | None:
        """The text of the first heading of level 1; None if there is none."""
        return next((heading.text for heading in self.headings if heading.level == 1), None)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """All headings, in order, without those within directives."""
        return self._outline[0]

    @property
    def labels(self) -> dict[str, Heading | None]:
        """Each label to the heading that it belongs to.

        That is the heading right below a label ``(NAME)=``, or else the nearest one above the label, as for the
        ``:label:`` of a directive; None for a label above all headings.
        """
        return self._outline[1]

    @cached_property
    def directives(self) -> tuple[Directive, ...]:
        """All directives, those within others included, in the order of their first lines."""
        return tuple(one for one in self._blocks if isinstance(one, Directive))

    @cached_property
    def cells(self) -> tuple[Directive, ...]:
        """The code cells, in order. As for the notebook's reader, one within another block is none."""
        return tuple(one for one in self.directives if one.name == "code-cell" and not one.nested)

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """The exercises, in order; one without a label has an empty one."""
        return tuple(
            Exercise(one.options.get("label", ""), one.argument, one.line)
            for one in self.directives
            if one.name in {"exercise", "exercise-start"}
        )

    @cached_property
    def solutions(self) -> dict[str, str | None]:
        """Label of each exercise that this page solves, to the label of its solution, None without one."""
        return {
            one.argument: one.options.get("label")
            for one in self.directives
            if one.name in {"solution", "solution-start"}
        }

    @cached_property
    def captions(self) -> tuple[str, ...]:
        """The fixed text of captions and alternative texts in code cells.

        Raises:
            SyntaxError: if a code cell is no Python.
        """
        keywords = (
            node
            for cell in self.cells
            for node in ast.walk(ast.parse(cell.body))
            if isinstance(node, ast.keyword) and node.arg in {"caption", "alt"}
        )
        return tuple(
            " ".join(n.value for n in ast.walk(keyword) if isinstance(n, ast.Constant) and isinstance(n.value, str))
            for keyword in keywords
        )

    @cached_property
    def _tokens(self) -> list:
        return _parser().parse(self.source + "\n")

    @cached_property
    def _blocks(self) -> tuple:
        """Labels, headings and directives, flat, in the order of the source; None for any other block."""
        return tuple(_flat(self._tokens, self.source, 0))

    @cached_property
    def _outline(self) -> tuple[tuple[Heading, ...], dict[str, Heading | None]]:
        headings: list[Heading] = []
        labels: dict[str, Heading | None] = {}
        waiting: list[str] = []  # labels for what comes next
        for block in self._blocks:
            if isinstance(block, str):
                waiting.append(block)
                continue
            if isinstance(block, Heading):
                headings.append(Heading(block.level, block.text, block.line, tuple(waiting)))
            above = headings[-1] if headings else None
            own = [block.options["label"]] if isinstance(block, Directive) and "label" in block.options else []
            labels |= dict.fromkeys([*waiting, *own], above)
            waiting = []
        return tuple(headings), labels | dict.fromkeys(waiting, headings[-1] if headings else None)


@lru_cache(maxsize=512)
def _page(source: str) -> BookPage:
    return BookPage(source)


@cache
def _parser():
    """The parser of MyST with this book's extensions, for blocks alone: what is within a line is left as it is."""
    from markdown_it.renderer import RendererHTML
    from myst_parser.config.main import MdParserConfig
    from myst_parser.parsers.mdit import create_md_parser

    return create_md_parser(MdParserConfig(enable_extensions=EXTENSIONS, disable_syntax=["inline"]), RendererHTML)


def _flat(tokens: list, source: str, above: int, nested: bool = False) -> Iterator[str | Heading | Directive | None]:
    """The blocks among tokens: a label as a text, headings, directives with what they hold, None for any other."""
    lines = source.splitlines()
    for place, token in enumerate(tokens):
        if token.nesting < 0 or token.type in {"front_matter", "inline"}:
            continue
        first = token.map[0] if token.map else 0
        named = re.match(r"\{([\w:-]+)\}\s*(.*)", token.info) if token.type in {"fence", "colon_fence"} else None
        if token.type == "myst_target":
            yield token.content
        elif token.type == "heading_open" and not nested:
            yield Heading(int(token.tag[1:]), tokens[place + 1].content.strip(), above + first + 1, ())
        elif named:
            options, body = _options(token.content)
            text = "\n".join(lines[first : token.map[1]])
            inside = nested or token.level > 0
            yield Directive(named[1], named[2].strip(), options, body, text, above + first + 1, inside)
            if named[1] not in LITERAL:
                yield from _flat(_parser().parse(body), body, above + first + 1 + len(options), True)
        else:
            yield None


def _options(content: str) -> tuple[dict[str, str], str]:
    """The options at the beginning of a directive's content, and the rest."""
    options, rest = {}, content.splitlines(keepends=True)
    while rest and (option := re.match(r":([\w-]+):(.*)", rest[0])):
        options[option[1]] = option[2].strip()
        rest = rest[1:]
    return options, "".join(rest)
