"""The section of the book that settles a claim: where it is, and what it is called."""

from ..paths import folder
from .book_page import BookPage

HERE = "appendix/claims"  # the page on which all claims stand
CHAPTERS = folder("chapters")


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
    parsed = BookPage.read(path)
    if label not in parsed.labels:
        raise LookupError(f"{chapter}: there is no label {label!r} on chapters/{page}.md")
    heading = parsed.labels[label]
    if heading is None or heading.level == 1:
        return parsed.title or page
    return f"{parsed.title}: {heading.text}"
