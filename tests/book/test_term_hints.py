"""Tooltips of glossary terms: the first sentence of the entry, on every link to it, and nowhere else."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from sphinx import addnodes
from term_hints import add_hints, first_sentence, hints_of, note_hints

HTML = Path(__file__).parents[2] / "_build" / "html" / "chapters"


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        (["A search that keeps\nthe best few. It may miss one."], "A search that keeps the best few."),
        (["Weights of 0.5 and 1.5 at most"], None),
        (["Is it one? It is."], "Is it one?"),
        (["About 3.5 per row. More."], "About 3.5 per row."),
        (["The loss ", nodes.math("", r"\theta"), " has. More."], None),
        (["First comes text. Then ", nodes.math("", r"\theta"), "."], "First comes text."),
        (["See ", nodes.literal("", "softmax"), " there. More."], "See softmax there."),
        (["See ", addnodes.pending_xref("", nodes.inline("", "../a/b"), reftype="doc", refexplicit=False), "."], None),
        (
            ["As a ", addnodes.pending_xref("", nodes.inline("", "key"), reftype="term", refexplicit=False), "."],
            "As a key.",
        ),
    ],
)
def test_the_first_sentence_is_taken_without_formulas(parts, wanted):
    paragraph = nodes.paragraph()
    paragraph += [nodes.Text(part) if isinstance(part, str) else part for part in parts]
    assert first_sentence(paragraph) == wanted


def entry(names, text):
    terms = [nodes.term("", name, ids=[f"term-{name}"]) for name in names]
    return nodes.definition_list_item("", *terms, nodes.definition("", nodes.paragraph("", text)))


def link(target, kind="std-term", **where):
    return nodes.reference("", "", nodes.inline("", target, classes=["std", kind]), **where)


class App:
    """As much of Sphinx as the two handlers ask."""

    def __init__(self, glossary, pages=("chapters/appendix/glossary", "chapters/a")):
        self.env, self.found_docs, self.glossary = self, set(pages), glossary

    def get_doctree(self, name):
        return self.glossary


def test_every_link_to_a_term_gets_its_tooltip_and_no_other_link_does():
    glossary = nodes.definition_list(
        "", entry(["beam", "beam-search"], "Keeps a few. Misses one."), entry(["x"], "No end")
    )
    app = App(glossary)
    assert note_hints(app, app) == ["chapters/a", "chapters/appendix/glossary"]
    assert app.term_hints == hints_of(glossary) == dict.fromkeys(["term-beam", "term-beam-search"], "Keeps a few.")
    links = [link("beam", refuri="appendix/glossary.html#term-beam"), link("own", refid="term-beam-search"),
             link("x", refuri="glossary.html#term-x"), link("page", "doc", refuri="a.html#term-beam")]  # fmt: skip
    add_hints(app, nodes.paragraph("", "", *links), "chapters/a")
    assert [one.get("reftitle") for one in links] == ["Keeps a few.", "Keeps a few.", None, None]
    assert note_hints(app, app) == []  # nothing has changed, so no page is written again
    glossary[0][-1][0][0] = nodes.Text("Keeps three.")
    assert note_hints(app, app) == ["chapters/a", "chapters/appendix/glossary"]


def test_a_book_without_a_glossary_has_no_tooltips():
    app = App(None, ["chapters/a"])
    assert note_hints(app, app) == [] and app.term_hints == {}


@pytest.mark.site
def test_terms_on_the_built_pages_have_the_first_words_of_their_entries():
    glossary = BeautifulSoup((HTML / "appendix" / "glossary.html").read_text(encoding="utf-8"), "html.parser")
    entries = {}
    for term in glossary.select("dl.glossary dt[id]"):
        entries[term["id"]] = " ".join(term.find_next("dd").get_text().split())
    found = 0
    for page in sorted(HTML.rglob("*.html")):
        for tag, address in re.findall(
            r'(<a [^>]*href="([^"]*#term-[^"]*)"[^>]*>)<span class="[^"]*std-term', page.read_text()
        ):
            title = BeautifulSoup(tag, "html.parser").a.get("title")
            if title:
                found += 1
                assert entries[address.rpartition("#")[2]].startswith(title), (page, title)
                assert title[-1] in ".?!"
    assert found > 200
