"""Sphinx extension: a link to a term of the glossary says in its tooltip what the term means.

The tooltip is the first sentence of the entry. It helps those who point at the word with a mouse; the link itself leads
everybody to the whole entry. A sentence with a formula, or with the title of another page, gives no tooltip.
"""

import re

from docutils import nodes
from sphinx import addnodes

TITLED = {"doc", "ref", "any"}
GLOSSARY = "chapters/appendix/glossary"
UNSAID = "\0"
SENTENCE = re.compile(r".+?[.?!](?=\s+[A-Z0-9]|$)")


def has_no_words(node):
    """Whether a part of a sentence is a formula, or a link whose text is the title of another page, not known yet."""
    titled = isinstance(node, addnodes.pending_xref) and not node.get("refexplicit") and node["reftype"] in TITLED
    return titled or isinstance(node, nodes.math)


def first_sentence(paragraph):
    """The first sentence of a paragraph as plain text, or None if a part of it has no words."""
    text = "".join(UNSAID if has_no_words(one) else one.astext() for one in paragraph.children)
    sentence = SENTENCE.match(" ".join(text.split()))
    return sentence[0] if sentence and UNSAID not in sentence[0] else None


def hints_of(doctree):
    """The tooltip of each term in a glossary, by the term's id."""
    found = {}
    for entry in doctree.findall(nodes.definition_list_item):
        meanings = [said for one in entry.findall(nodes.definition) for said in one.children[:1]]
        said = first_sentence(meanings[0]) if meanings and isinstance(meanings[0], nodes.paragraph) else None
        if said:
            found |= {name: said for term in entry.findall(nodes.term) for name in term["ids"]}
    return found


def note_hints(app, env):
    """Read the glossary's entries; where one has changed, every page that links to a term is written again."""
    before = getattr(env, "term_hints", {})
    env.term_hints = hints_of(env.get_doctree(GLOSSARY)) if GLOSSARY in env.found_docs else {}
    return sorted(env.found_docs) if before != env.term_hints else []


def add_hints(app, doctree, docname):
    """Put the tooltips on the links of a page."""
    hints = getattr(app.env, "term_hints", {})
    for link in doctree.findall(nodes.reference):
        name = link.get("refid") or link.get("refuri", "").rpartition("#")[2]
        if name in hints and any("std-term" in one["classes"] for one in link.findall(nodes.inline)):
            link["reftitle"] = hints[name]


def setup(app):
    app.connect("env-updated", note_hints)
    app.connect("doctree-resolved", add_hints)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
