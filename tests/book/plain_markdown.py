"""What a notebook that stands alone may not hold: directives, roles, and links to what is no notebook."""

import re

FENCED = re.compile(r"^[> ]*(`{3,})[^\n]*\n.*?^[> ]*\1`*\s*$", re.M | re.S)
INLINE_CODE = re.compile(r"(`+).+?\1", re.S)
MARKUP = {
    "a directive": re.compile(r"^[> ]*(?:`{3,}|:{3,}|~{3,})\{[\w:+-]+\}", re.M),
    "a role": re.compile(r"\{[a-z][\w:+-]*\}`"),
    "a MyST target": re.compile(r"^\([\w-]+\)=\s*$", re.M),
    "attributes": re.compile(r"\]\{[.#][^}]*\}"),
    "a closing colon fence": re.compile(r"^:{3,}\s*$", re.M),
    "one of the book's TeX macros": re.compile(r"\\(?:query|key|val|weight|mask|out|class)(?![a-zA-Z])"),
    "a link into the book": re.compile(r"\]\((?!https?://|attachment:|mailto:|[\w./-]+\.ipynb\))[^)]*\)"),
}
NOTEBOOK_LINK = re.compile(r"\]\(([\w./-]+\.ipynb)\)")


def notebook_links(markdown):
    """The notebooks that a Markdown cell links, as addresses relative to its own."""
    return NOTEBOOK_LINK.findall(INLINE_CODE.sub("", FENCED.sub("", markdown)))


def markup_left(markdown):
    """What is left of MyST in a Markdown cell, in words."""
    without_blocks = FENCED.sub("", markdown)
    where = {"a directive": markdown, "a role": without_blocks}
    prose = INLINE_CODE.sub("", without_blocks)
    return [name for name, mark in MARKUP.items() if mark.search(where.get(name, prose))]
