"""What a page is made of on its way from a document tree to a notebook: Markdown, code cells, exercises."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class CodeCell:
    """Where a code cell of the page stands among its Markdown blocks."""

    index: int


@dataclass(frozen=True)
class Exercise:
    """The statement of an exercise, which is to be a Markdown cell of its own.

    Attributes:
        text: the statement as Markdown, with its heading.
        label: what the book refers to it by, such as "ex-masks-causal".
        number: such as "3"; empty if it has none.
        title: such as "Implement: the causal mask"; empty if it has none.
    """

    text: str
    label: str
    number: str
    title: str

    @property
    def kind(self):
        """What is asked for, such as "Implement": what stands before the title's colon."""
        return self.title.partition(":")[0].strip()


@dataclass
class Page:
    """What a document tree alone does not tell.

    Attributes:
        numbers: maps (kind, id) to the number of a figure, a table, an exercise, …, such as "3" or "2.1".
        citations: maps the anchor of a bibliography entry to the entry as Markdown.
        images: folder that image addresses are relative to.
        link: turns the address of another page of the book into an address for readers, or None for no link.
        macros: TeX macros of the book, name to (body, number of arguments).
        colours: the colour of each role, such as "query", for words and formulas.
    """

    numbers: dict = field(default_factory=dict)
    citations: dict = field(default_factory=dict)
    images: Path = Path()
    link: callable = lambda address: None
    macros: dict = field(default_factory=dict)
    colours: dict = field(default_factory=dict)


def prefixed(blocks, first, rest=None):
    """Blocks as one quoted or indented block; code cells and exercises stay what they are and cut it in two."""
    out, lines = [], []
    for block in [*blocks, None]:
        if isinstance(block, str):
            lines += ([""] if lines else []) + block.split("\n")
            continue
        if lines:
            rest_of = first if rest is None else rest
            out.append("\n".join(((first if n == 0 else rest_of) + line).rstrip() for n, line in enumerate(lines)))
        lines = []
        if block is not None:
            out.append(block)
    return out
