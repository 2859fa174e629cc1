"""How heavy the pages of the built book are, and that nothing is missing of what was made lighter."""

import base64
import gzip
import re
from functools import cache
from io import BytesIO
from pathlib import Path

import pydata_sphinx_theme
import pytest
from fontTools.ttLib import TTFont
from lxml import etree, html

HTML = Path(__file__).parents[2] / "_build" / "html"
PAGES = sorted(path.relative_to(HTML).as_posix() for path in (HTML / "chapters").rglob("*.html"))
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static/styles/pydata-sphinx-theme.css"
OF_A_PAGE, OF_A_VIEW, GZIPPED = 500, 600, 300  # kB, of one page and of all that its first view asks for
DEVANAGARI = re.compile("[\u0900-\u097f]")
ICON = re.compile(r"\bfa-(?!solid\b|regular\b|brands\b|lg\b|fw\b)([a-z-]+)")
pytestmark = pytest.mark.site


@cache
def text(page):
    return (HTML / page).read_text(encoding="utf-8")


def fetched(page):
    """The files that the first view of a page asks for: what its head and its pictures name, and the fonts it uses."""
    names = re.findall(r"<script[^>]* src=\"([^\"]+)\"|<link[^>]* href=\"([^\"]+\.(?:css|svg|js)[^\"]*)\"", text(page))
    names = [name for pair in names for name in pair if name]
    names += re.findall(r"<img[^>]* src=\"([^\":]+)\"", text(page))
    head, _, body = text(page).partition("</head>")
    for family, file in re.findall(r"font-family:MJX(?:TEX-)?([A-Z0-9]+);src:url\(\"([^\"]+)", head):
        if family in ("TEX", "ZERO") or re.search(rf"\bTEX-{family}\b", body):
            names.append(file)
    found = {(HTML / page).parent.joinpath(name.partition("?")[0]).resolve() for name in names}
    if DEVANAGARI.search(body):
        found |= set((HTML / "_static/vendor/noto-sans-devanagari").rglob("*.woff2"))
    return [HTML / page, *sorted(found)]


@cache
def gzipped(file):
    """The bytes of a file as a server sends it."""
    return len(gzip.compress(file.read_bytes()))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_and_its_first_view_are_light(page):
    files = fetched(page)
    assert files[0].stat().st_size / 1000 <= OF_A_PAGE
    assert sum(file.stat().st_size for file in files) / 1000 <= OF_A_VIEW
    assert sum(map(gzipped, files)) / 1000 <= GZIPPED


def test_what_is_weighed_holds_the_scripts_sheets_and_fonts_of_a_page():
    kinds = {file.suffix for file in fetched("chapters/attention/translator-masks.html")}
    assert kinds >= {".html", ".css", ".js", ".woff2", ".svg"}
    assert any("Devanagari" in file.name for file in fetched("chapters/attention/translator-masks.html"))


@pytest.mark.parametrize("page", PAGES)
def test_every_formula_of_a_page_is_set(page):
    article = html.document_fromstring(text(page)).find(".//article")
    if article is None:
        return
    for formula in article.find_class("math"):
        drawn = [one for one in formula.iter("mjx-math") if next(one.iterancestors("mjx-container"), None) is not None]
        assert len(drawn) == len(list(formula.iter("annotation"))) >= 1, html.tostring(formula)[:200]
    etree.strip_elements(article, "pre", "code", "script", "annotation", "textarea", with_tail=False)
    assert re.findall(r"\\[(\[].{40}", article.text_content()) == []


def test_every_icon_of_every_page_has_its_drawing():
    css = (HTML / "_static/styles/pydata-sphinx-theme.css").read_text(encoding="utf-8")
    fonts = [TTFont(BytesIO(base64.b64decode(one))) for one in re.findall(r"font/woff2;base64,([^\"]+)", css)]
    drawn = set().union(*(font.getBestCmap() for font in fonts))
    classes = {name for page in PAGES for marks in re.findall(r" class=\"([^\"]*\bfa[srb]?[ -][^\"]*)\"", text(page))
               for name in ICON.findall(marks)}  # fmt: skip
    assert len(classes) >= 8
    for name in classes:
        [character] = re.findall(rf"\.fa-{name}:{{1,2}}before[^{{}}]*\{{content:\"(.)\"", css)
        assert ord(character) in drawn, name


def test_every_class_of_a_page_that_the_theme_knows_keeps_its_rules():
    """Counted without the parser that cuts: how often a class is named, where all that is named beside it is used."""
    classes = {
        name for page in PAGES for marks in re.findall(r" class=\"([^\"]*)\"", text(page)) for name in marks.split()
    }
    before, after = (
        file.read_text(encoding="utf-8") for file in (THEME, HTML / "_static/styles/pydata-sphinx-theme.css")
    )

    def heads(css):
        found = [one.strip() for head in re.findall(r"([^{}]+)\{[^{}]+\}", css) for one in head.split(",")]
        return [one for one in found if "(" not in one and "@" not in one and "/" not in one]

    def named(head):
        return set(re.findall(r"\.([A-Za-z][\w-]*)", head))

    kept = set(heads(after))
    wanted = {head for head in heads(before) if named(head) and named(head) <= classes and "#" not in head}
    assert len(wanted) > 200 and wanted - kept == set()


def test_no_page_carries_what_nothing_on_it_reads():
    for page in PAGES:
        assert "widget-state+json" not in text(page) and "fontawesome.js" not in text(page)
        assert "mathjax/tex" not in text(page)
    assert list((HTML / "_static").rglob("*.ttf")) == list((HTML / "_static/scripts").glob("fontawesome*")) == []
