"""What the tests of the text know about a page: its prose without code, formulas and quotations, and its parts."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from attention_book.pages.book_page import BookPage

ROOT = Path(__file__).parents[1]
CHAPTERS = ROOT / "chapters"
CODE = {
    "code-cell",
    "code-block",
    "code-of",
    "literalinclude",
    "python",
    "bash",
    "text",
    "console",
    "json",
    "bibliography",
    "math",
}
AVOIDED = [
    r"simply",
    r"just",
    r"obviously",
    r"powerful(?:ly)?",
    r"elegant(?:ly)?",
    r"crucial(?:ly)?",
    r"delv(?:e|es|ed|ing)",
    r"leverag(?:e|es|ed|ing)",
    r"seamless(?:ly)?",
    r"in\s+this\s+section,?\s+we\s+will",
    r"it\s+is\s+important\s+to\s+note",
    r"as\s+we\s+can\s+see",
]
AVOIDED_WORDS = re.compile(rf"\b(?:{'|'.join(AVOIDED)})\b", re.I)
EXCLAMATION = re.compile(r"[^\W\d]!(?=\s|$)")
EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u26ff\u2705\u2728\u274c\u2b50]")


FENCE = re.compile(r"\s*(`{3,}|:{3,}|\$\$)(?:\{([\w:-]+)\}|(\w*))(.*)")


def _lines_of_prose(text):
    """(number, text) of each line outside code and formulas; the title of a directive is a line of its own."""
    fences = []  # the open ones, outermost first: mark and name
    for number, line in enumerate(text.splitlines(), start=1):
        inside_code = any(name in CODE for _, name in fences)
        fence = FENCE.match(line)
        if fence is None:
            yield number, "" if inside_code else line
            continue
        mark, directive, language, rest = fence.groups()
        if fences and line.strip().startswith(fences[-1][0]) and not directive and not language:
            fences.pop()
        elif not inside_code and not (mark == "$$" and rest.rstrip().endswith("$$")):  # not a formula in one line
            fences.append((mark, "math" if mark == "$$" else directive or "code-block"))
            if directive and directive not in CODE:
                yield number, rest.strip()
        yield number, ""


def _without_spans(text):
    """A paragraph without inline code, formulas, roles, HTML, addresses and quotations, among which emphasis counts."""
    text = re.sub(r"\{(?:glue|doc|cite|eq|ref|numref|term)[\w:]*\}`[^`]*`", " ", text)
    text = re.sub(r"(`+)[^`].*?\1", " ", text, flags=re.S)
    text = re.sub(r"\$[^$]+\$", " ", text)
    text = re.sub(r"<[^<>]+>", " ", text)
    text = re.sub(r"\]\([^)]*\)", "] ", text)
    text = re.sub(r"(?<!\*)\*(?!\*)[^*]+\*(?!\*)", " ", text)
    return re.sub(r"“[^”]*”|\"[^\"]*\"|‘[^’]*’", " ", text)


@dataclass(frozen=True)
class Page:
    """One page of the book, by its source."""

    path: Path
    source: str

    @classmethod
    def read(cls, path):
        return cls(path, path.read_text(encoding="utf-8"))

    @property
    def name(self):
        return self.path.relative_to(CHAPTERS).with_suffix("").as_posix()

    @property
    def parsed(self):
        """The page as the book's own reader of pages sees it."""
        return BookPage.of(self.source)

    @cached_property
    def body(self):
        """The source without the front matter; lines keep their numbers."""
        front = re.match(r"---\n.*?\n---\n", self.source, re.S)
        return "\n" * front[0].count("\n") + self.source[front.end() :] if front else self.source

    @cached_property
    def paragraphs(self):
        """(line, text) of each paragraph of running text, headings, lists, admonitions and captions; no quotations."""
        found, lines, start = [], [], 0
        for number, text in [*_lines_of_prose(self.body), (0, "")]:
            if text.strip() and not re.match(r"\s*(>|:[\w-]+:|\([\w-]+\)=$)", text):
                start = start or number
                lines.append(text)
            elif lines:
                found.append((start, _without_spans("\n".join(lines))))
                lines, start = [], 0
        return found + [(0, _without_spans(caption)) for caption in self.parsed.captions]

    @cached_property
    def cells(self):
        """The code of each code cell, without its options."""
        return [cell.body for cell in self.parsed.cells]

    @cached_property
    def hidden_cells(self):
        """(line, lines of code) of each cell whose code a reader does not see; options and blank lines left out."""
        return [
            (cell.line, [line for line in cell.body.splitlines() if line.strip()])
            for cell in self.parsed.cells
            if cell.hidden
        ]

    @property
    def exercises(self):
        return self.parsed.exercises

    @property
    def solutions(self):
        """Label of each exercise that this page solves, to the label of its solution."""
        return self.parsed.solutions

    def faults_of_voice(self):
        """What VOICE forbids, each with its line."""
        found = []
        for line, text in self.paragraphs:
            for pattern, what in ((AVOIDED_WORDS, "word to avoid"), (EXCLAMATION, "exclamation"), (EMOJI, "emoji")):
                for match in pattern.finditer(text):
                    where = line + text[: match.start()].count("\n") if line else "caption"
                    found.append(f"{self.name}:{where}: {what}: {match[0]!r}")
        return found


def pages_in_contents():
    """Every page of the table of contents, the front page first."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names = [contents["root"]]

    def collect(entry):
        if isinstance(entry, dict):
            names.extend([entry["file"]] if "file" in entry else [])
            for value in entry.values():
                collect(value)
        elif isinstance(entry, list):
            for one in entry:
                collect(one)

    collect(contents.get("parts", contents.get("chapters", [])))
    return [Page.read(ROOT / f"{name}.md") for name in names if (ROOT / f"{name}.md").exists()]
