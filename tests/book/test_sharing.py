"""What a page says of itself, and the pages at the root."""

import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest
import sharing
from bs4 import BeautifulSoup
from docutils.core import publish_doctree
from PIL import Image

PAGE = """\
.. class:: page-needs

You need another page, and half an hour of your time.

Short.

With :math:`x` it begins, and with words in sufficient number it ends.

The first paragraph that can be told in words alone. It has a second sentence.

Another.
"""
TOLD = "The first paragraph that can be told in words alone. It has a second sentence."
PUBLISHED = "https://x.example/"


def app_in(folder, base):
    config = SimpleNamespace(html_baseurl=base, html_title="A Book, Worked", root_doc="chapters/index")
    env = SimpleNamespace(found_docs={"chapters/b", "chapters/index"}, titles={"chapters/b": publish_doctree("A <b>")})
    return SimpleNamespace(outdir=folder, builder=SimpleNamespace(name="html"), config=config, env=env)


def test_the_description_is_the_first_paragraph_that_needs_no_formula():
    assert sharing.description(publish_doctree(PAGE)) == TOLD
    assert sharing.description(publish_doctree("Short.")) == ""


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("One  line\nand two.", "One line and two."),
        ("First. " + "Second and longer. " * 4, "First. Second and longer. Second and longer."),
        ("word " * 30, "word word word word word word word word word …"),
    ],
)
def test_a_long_text_is_cut_after_a_sentence_or_a_word(text, short):
    assert sharing.shortened(text, longest=50) == short and len(short) <= 50


@pytest.mark.parametrize(("base", "card"), [("", "../_static/card.png"), (PUBLISHED, f"{PUBLISHED}_static/card.png")])
def test_the_marks_of_a_page(tmp_path, base, card):
    context = {"pathto": lambda path, resource: f"../{path}"}
    sharing.add_marks(app_in(tmp_path, base), "chapters/b", "page.html", context, publish_doctree(PAGE))
    metas = BeautifulSoup(context["metatags"], "html.parser").find_all("meta")
    said = {meta.get("name") or meta["property"]: meta["content"] for meta in metas}
    assert said["og:title"] == "A <b>" and said["og:image"] == card
    assert said["description"] == said["og:description"] == TOLD
    assert said.get("og:url") == (f"{base}chapters/b.html" if base else None)


def test_the_pages_at_the_root_have_a_title_and_a_language_and_lead_into_the_book(tmp_path):
    sharing.write_root(app_in(tmp_path, ""), None)
    for name in ("index.html", "404.html"):
        page = BeautifulSoup((tmp_path / name).read_text(encoding="utf-8"), "html.parser")
        assert page.html["lang"] == "en" and page.title.get_text() and page.find("main").h1
        assert "chapters/index.html" in [link["href"] for link in page.find_all("a")]
    assert Image.open(tmp_path / sharing.CARD).size == (1200, 630)
    assert not (tmp_path / "sitemap.xml").exists()


def test_a_published_book_has_a_sitemap_of_all_its_pages(tmp_path):
    sharing.write_root(app_in(tmp_path, PUBLISHED), None)
    places = [one.text for one in ET.parse(tmp_path / "sitemap.xml").iter() if one.tag.endswith("}loc")]
    assert places == [f"{PUBLISHED}chapters/b.html", f"{PUBLISHED}chapters/index.html"]
    assert f'href="{PUBLISHED}"' in (tmp_path / "404.html").read_text(encoding="utf-8")
