"""Code as wide as a page shows it: what is wider is broken over lines by ruff, and stays the same code.

The package has lines of up to 120 characters. On a page that is 1280 pixels wide, between the contents of the book and
those of the page, there is room for 88 (see `pre` in static/book.css): the most that a line of a visible cell has, too.
"""

import ast
import io
import re
import subprocess
import sys
import textwrap
import tokenize
from functools import cache
from pathlib import Path

WIDTH = 88
RUFF = Path(sys.executable).with_name("ruff")


def too_wide(text):
    """The lines of a text that are wider than a page shows."""
    return [line for line in text.splitlines() if len(line) > WIDTH]


@cache
def fitted(text):
    """The same code in lines of at most `WIDTH` characters, as far as its strings and names allow.

    Args:
        text: whole statements, such as a definition. What is no Python by itself is left as it is.
    """
    if not too_wide(text) or not parses(text):
        return text
    for _ in range(2):  # what is broken over lines may have a comment that is too wide only then
        text = formatted_by_ruff(with_narrow_comments(text))
    return text.rstrip()


def parses(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def formatted_by_ruff(text):
    command = [RUFF, "format", "--isolated", "--target-version", "py311", "--line-length", str(WIDTH), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", check=True).stdout


def with_narrow_comments(text):
    """The code with each comment that makes its line too wide on lines of its own, before that line."""
    lines = text.splitlines()
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT
    ]
    for token in reversed(comments):
        number, column = token.start[0] - 1, token.start[1]
        if len(lines[number]) <= WIDTH:
            continue
        before = lines[number][:column].rstrip()
        indent = re.match(r"\s*", lines[number])[0]
        said = textwrap.wrap(token.string.lstrip("# "), WIDTH - len(indent) - 2)
        lines[number : number + 1] = [f"{indent}# {line}" for line in said] + ([before] if before else [])
    return "\n".join(lines) + "\n"
