"""`code-of`: a definition by name, from its header, without docstrings; what is gone is an error and not a gap."""

import ast
import re
from pathlib import Path

import pytest
from shown_code import NotShown, excerpt, module_file

BOOK = Path(__file__).parents[2]
SOURCE = '''"""A module."""
LIMIT = 3
W_Q = [
    [1, 2],  # a row
]


@cached
def grown(numbers: list[int], *, by: int = 1) -> list[int]:
    """Each number and something.

    Args:
        numbers: what grows.
    """
    # A comment that stays.
    found = []
    for number in numbers:
        if number > LIMIT:
            continue
        found.append(number + by)
    return found


class Box:
    """Holds a thing."""

    thing: int = 0

    def open(self):
        """What it holds."""

        def inside():
            """Nothing else."""
            return self.thing

        return inside()

    def empty(self):
        """Does nothing."""


def wide(numbers: list[int], others: list[int], *, by: int = 1, and_by: int = 2) -> list[int]:
    """Two lists."""
    first = [number + by for number in numbers]
    second = [number + and_by for number in others if number > LIMIT and number not in numbers]
    if by == and_by:
        raise ValueError(
            "no return first, and no two steps of one size"
        )
    return first + second
'''


@pytest.mark.parametrize(
    ("name", "start", "end", "expected"),
    [
        ("LIMIT", None, None, "LIMIT = 3"),
        ("W_Q", None, None, "W_Q = [\n    [1, 2],  # a row\n]"),
        (
            "grown",
            "for number",
            "continue",
            "@cached\ndef grown(numbers: list[int], *, by: int = 1) -> list[int]:\n    ...\n"
            "    for number in numbers:\n        if number > LIMIT:\n            continue\n    ...",
        ),
        (
            "grown",
            "return found",
            None,
            "@cached\ndef grown(numbers: list[int], *, by: int = 1) -> list[int]:\n    ...\n    return found",
        ),
        ("Box.open.inside", None, None, "def inside():\n    return self.thing"),
        (
            "Box.open",
            None,
            None,
            "def open(self):\n    def inside():\n        return self.thing\n\n    return inside()",
        ),
        (
            "Box",
            None,
            "thing",
            "class Box:\n    thing: int = 0\n    ...",
        ),
        ("Box.empty", None, None, "def empty(self):\n    ..."),
        (
            "wide",
            "first = ",
            "second = ",
            "def wide(\n    numbers: list[int], others: list[int], *, by: int = 1, and_by: int = 2\n) -> list[int]:\n"
            "    first = [number + by for number in numbers]\n    second = [\n"
            "        number + and_by for number in others if number > LIMIT and number not in numbers\n    ]\n    ...",
        ),
        (
            "wide",
            "return first",
            None,
            "def wide(\n    numbers: list[int], others: list[int], *, by: int = 1, and_by: int = 2\n) -> list[int]:\n"
            "    ...\n    return first + second",
        ),
    ],
)
def test_what_is_shown(name, start, end, expected):
    assert excerpt(SOURCE, name, start, end) == expected


def test_a_whole_function_keeps_its_comments_and_loses_its_docstring():
    text = excerpt(SOURCE, "grown")
    assert text.splitlines()[:3] == [
        "@cached",
        "def grown(numbers: list[int], *, by: int = 1) -> list[int]:",
        "    # A comment that stays.",
    ]
    assert "Args" not in text and "..." not in text
    assert text.endswith("return found")


@pytest.mark.parametrize(
    ("name", "start", "end", "message"),
    [
        ("shrunk", None, None, "no 'shrunk' is defined"),
        ("grow", None, None, "did you mean grown"),
        ("Box.close", None, None, "no 'Box.close'"),
        ("grown", "while", None, "no line of 'grown' holds 'while'"),
        ("grown", "return found", "continue", "from there on holds 'continue'"),  # it stands before
        ("grown", "numbers: what grows", None, "no line"),  # a docstring is not shown
    ],
)
def test_what_is_gone_is_an_error(name, start, end, message):
    with pytest.raises(NotShown, match=message):
        excerpt(SOURCE, name, start, end)


def test_the_module_is_found_by_the_name(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "__init__.py").touch()
    (tmp_path / "a" / "b" / "c.py").touch()
    assert module_file(tmp_path, "a.b.c.Name.method") == (tmp_path / "a" / "b" / "c.py", "Name.method")
    assert module_file(tmp_path, "a.Name") == (tmp_path / "a" / "__init__.py", "Name")
    for wrong, message in [("d.e", "no module"), ("a.b.c", "whole module")]:
        with pytest.raises(NotShown, match=message):
            module_file(tmp_path, wrong)


@pytest.mark.slow
def test_a_gone_name_fails_the_build(tiny_book, tmp_path):
    book = tiny_book.copy(tmp_path / "book")
    page = book.folder / "chapters" / "other.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text + "\n```{code-of} tiny_package.words.shout\n```\n", encoding="utf-8")
    status, log = book.build()
    assert status == 0, log[-2000:]
    html = (book.html / "chapters" / "other.html").read_text(encoding="utf-8")
    assert "def shout" in re.sub(r"<[^>]+>", "", html)
    page.write_text(text + "\n```{code-of} tiny_package.words.whisper\n```\n", encoding="utf-8")
    status, log = book.build()
    assert status != 0 and "no 'whisper' is defined there" in log


@pytest.mark.parametrize("path", sorted((BOOK / "chapters").rglob("*.md")), ids=lambda path: path.stem)
def test_pages_show_code_by_name(path):
    """No include of a module by line numbers or by lines alone, whose function a reader would have to guess."""
    includes = re.findall(r"\{literalinclude\} .*\.py$", path.read_text(encoding="utf-8"), re.M)
    assert includes == [], "show it by name: ```{code-of} attention_book.ROOM.MODULE.NAME (see site/shown_code.py)"


def test_what_whole_definitions_show_is_python():
    """Of every definition of one module of the package, the text without docstrings still parses, alone."""
    source = (BOOK / "src" / "attention_book" / "__main__.py").read_text(encoding="utf-8")
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(names) > 5
    for name in names:
        assert ast.unparse(ast.parse(excerpt(source, name))).count("\n") > 0
