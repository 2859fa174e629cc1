"""Code that is wider than a page is broken over lines, and stays the same code."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest
from code_width import WIDTH, fitted, too_wide
from shown_code import excerpt, module_file

BOOK = Path(__file__).parents[2]
WIDE = """\
def loss(scores, targets, mask=None, *, smoothing=0.1, ignored=-100, reduction="mean", of="tokens"):
    # A comment of the kind that goes on and on, past the eighty-eighth column, as the package's own sometimes do here.
    kept = targets != ignored  # True where a token counts, as everywhere in the book; the others are padding
    both = [(score, target) for score, target, keep in zip(scores, targets, kept, strict=True) if keep]
    return both, "a # in a string"  # a short one
"""


def test_wide_code_is_broken_and_is_the_same_code():
    assert len(too_wide(WIDE)) == 4
    text = fitted(WIDE)
    assert too_wide(text) == []
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(WIDE))
    assert words_of_comments(text) == words_of_comments(WIDE)


def words_of_comments(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [word for token in tokens if token.type == tokenize.COMMENT for word in token.string[1:].split()]


def test_a_comment_behind_a_statement_gives_way_to_above_it():
    lines = fitted(WIDE).splitlines()
    place = next(n for n, line in enumerate(lines) if line.strip() == "kept = targets != ignored")
    assert lines[place - 1].startswith("    # ")
    assert '    return both, "a # in a string"  # a short one' in lines


@pytest.mark.parametrize(
    "text", ["x = 1", "if it:\n    is = 'no Python'  # " + "a" * WIDTH, 'x = "' + "a" * WIDTH + '"']
)
def test_the_rest_is_left_as_it_is(text):
    """What is narrow, what is no Python, and a string that cannot be broken."""
    assert fitted(text) == text


def shown_definitions():
    """Each definition that a page shows: its name, and where the shown part begins and ends."""
    found = []
    for path in sorted((BOOK / "chapters").rglob("*.md")):
        for names, settings in re.findall(r"\{code-of\} (.*)\n((?::.*\n)*)", path.read_text(encoding="utf-8")):
            options = dict(re.findall(r":(\w+): (.*)", settings))
            for name in names.split():
                found.append(pytest.param(name, options.get("from"), options.get("to"), id=f"{path.stem}-{name}"))
    return found


@pytest.mark.parametrize(("dotted", "start", "end"), shown_definitions())
def test_no_page_shows_a_definition_wider_than_it_is(dotted, start, end):
    file, name = module_file(BOOK / "src", dotted)
    wide = too_wide(excerpt(file.read_text(encoding="utf-8"), name, start, end))
    assert wide == [], f"shorten them in {file.relative_to(BOOK)}: strings and names are not broken"
