"""The section of the book that settles a claim: where it is, and what it is called."""

import re

from ..paths import folder

HERE = "appendix/claims"  # the page on which all claims stand
CHAPTERS = folder("chapters")
_LABEL = re.compile(r"^\(([\w-]+)\)=\s*$|^:label:\s*([\w-]+)\s*$")


def section(chapter: str) -> str:
    """What to call the section that a claim's ``chapter`` names: the title of its page, and its own heading.

    Args:
        chapter: page and label, such as ``"attention/masks#masks-recipes"``. The label may be that of a section, of a
            paragraph in it, or of an exercise.

    Returns:
        Such as ``"Masks: Four recipes for hiding a key"``, or the title alone if the label is the page's. Where the
        package is installed without the book's sources, the name of the page.

    Raises:
        LookupError: if the book has no such page, or the page no such label.
    """
    page, _, label = chapter.partition("#")
    if not CHAPTERS.is_dir():
        return page.rpartition("/")[2].replace("-", " ")
    path = CHAPTERS / f"{page}.md"
    if not path.is_file():
        raise LookupError(f"{chapter}: there is no page chapters/{page}.md")
    title = heading = ""
    waiting = False  # for the heading that follows the label
    fence = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        opened = re.match(r"\s*(`{3,}|~{3,})", line)
        if opened and not fence:
            fence = opened[1]
        elif opened and line.strip() == fence:
            fence = ""
        named = _LABEL.match(line)
        if named and label in named.groups():
            if named[2]:  # an exercise: it stands in the section above it
                return f"{title}: {heading}" if heading else title
            waiting = True
        elif not fence and (found := re.match(r"(#{1,6}) (.+)", line)):
            if found[1] == "#":
                title = found[2].strip()
            else:
                heading = found[2].strip()
            if waiting:
                break
        elif waiting and line.strip() and not named:  # the label of a paragraph
            break
    if not waiting:
        raise LookupError(f"{chapter}: there is no label {label!r} on chapters/{page}.md")
    return f"{title}: {heading}" if heading else title
