"""Words of the glossary are introduced before they are used: the first page that uses one links it or explains it."""

import re

import pytest
from prose import ROOT, pages_in_contents

PARTS = ("before/", "attention/", "translator/", "beyond/")
ROLE = re.compile(r"\{([\w:-]+)\}`([^`]*)`")
WORD = r"(?<![\w-])(?!Windows){}(?:s|es)?(?![\w-])"  # in the singular or plural; the system is no window
GLOSSARY = ROOT / "chapters" / "appendix" / "glossary.md"


def glossary_terms():
    """The terms that have an entry."""
    body = re.search(r"```\{glossary\}\n(.*?)\n```", GLOSSARY.read_text(encoding="utf-8"), re.S)[1]
    lines = [line for line in body.splitlines() if line and not line.startswith((" ", ":"))]
    return [line for line in lines if re.search(r"\w", line)]


def running_text(text):
    """A page's text with links to terms as «term|as said»; only what is told in words."""

    def role(found):
        said, _, target = " ".join(found[2].split()).removesuffix(">").partition(" <")
        return f"«{target}|{said}»" if found[1] == "term" else " "

    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S).partition("\n## Sources\n")[0]
    text = re.sub(r"^(`{3,})\{(?:code-cell|code-of|literalinclude|math)\}.*?^\1$", "", text, flags=re.S | re.M)
    text = re.sub(r"^```\w+\n.*?^```$", "", text, flags=re.S | re.M)
    text = ROLE.sub(role, text)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$|`[^`\n]+`|\]\([^)]*\)", " ", text, flags=re.S)
    text = re.sub(r"^(?:#|:[\w-]+:|`{3,}|:{3,}|\([\w-]+\)=$).*$", "", text, flags=re.M)
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)  # a paragraph is one line


def used(term, text):
    """Where a page first uses a term; None if it does not."""
    return re.search(WORD.format(re.escape(term)), text, re.I)


def introduced(term, text):
    """Where a page first links a term or sets it in italics, bold or the colour of its role; None if it does not."""
    word = WORD.format(re.escape(term))
    marks = (rf"«[^»]*{word}[^»]*»", rf"\*[^*\n]*{word}[^*\n]*\*", rf"\[[^\]]*{word}[^\]]*\]{{\.role-")
    return re.search("|".join(marks), text, re.I)


def used_too_early(pages, terms):
    """(page, term) wherever a term is used before any page has introduced it, in the order of the pages.

    Args:
        pages: name and text of each page, in the order in which they are read.
        terms: the words that somebody may not know.
    """
    known = set()
    for name, text in pages:
        text = running_text(text)
        for term in [one for one in terms if one not in known]:
            if not (first := used(term, text)):
                continue
            known.add(term)
            marked = introduced(term, text)
            if marked is None or marked.start() > first.start():
                yield name, term


def test_no_page_uses_a_term_that_no_page_has_introduced():
    pages = [(page.name, page.source) for page in pages_in_contents() if page.name.startswith(PARTS)]
    assert len(pages) > 20
    told = [
        f"{name}: {term!r} is used before it is linked; write {{term}}`{term}` at its first use, or explain it there "
        "in italics" for name, term in used_too_early(pages, glossary_terms())
    ]  # fmt: skip
    assert told == [], "\n".join(told)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("A {term}`beam` is kept.", "The beam grows.", []),
        ("{term}`Beams <beam>` are kept, and a beam grows.", "", []),
        ("A *beam* is what is kept.", "", []),
        ("A beam is kept. {term}`beam`", "", [("first", "beam")]),
        ("Nothing.", "Two beams are kept.", [("second", "beam")]),
        ("Nothing.", "See {doc}`beam`, `beam` and $beam$.\n\n```{code-cell} ipython3\nbeam = 1\n```", []),
        ("A sunbeam and a beam-like thing.", "", []),
        ("{term}`first thing` or {term}`beam` and beam", "", []),
    ],
)
def test_it_is_the_first_use_that_counts(first, second, found):
    assert list(used_too_early([("first", first), ("second", second)], ["beam"])) == found


def test_the_glossary_is_read():
    assert {"beam", "BLEU", "teacher forcing", "dropout"} <= set(glossary_terms()) and len(glossary_terms()) > 100
