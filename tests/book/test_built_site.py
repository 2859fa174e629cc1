"""The built book: it asks nobody for anything, leads nowhere that is not there, and says in words what it shows."""

import re
from collections import Counter
from functools import cache
from itertools import dropwhile
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import nbformat
import pytest
from lxml import html
from plain_markdown import markup_left, notebook_links

BOOK = Path(__file__).parents[2]
HTML = BOOK / "_build" / "html"
PAGES = sorted(path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html") if "_static" not in path.parts)
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]
NOTEBOOKS = sorted(path.relative_to(HTML / "_sources").as_posix() for path in (HTML / "_sources").rglob("*.ipynb"))
# What a browser loads by itself. An `a` that a reader clicks may lead anywhere.
LOADED = {"script": ["src"], "img": ["src", "srcset"], "iframe": ["src"], "source": ["src", "srcset"], "video": ["src"],
          "audio": ["src"], "embed": ["src"], "object": ["data"], "input": ["src"], "use": ["href", "xlink:href"],
          "image": ["href", "xlink:href"]}  # fmt: skip
LOADING_LINKS = {"stylesheet", "preload", "prefetch", "icon", "modulepreload", "preconnect", "dns-prefetch", "manifest"}
OUTSIDE = re.compile(r"^\s*(?:https?:)?//", re.I)
CSS_ADDRESS = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])([^'\")]+)", re.I)
pytestmark = pytest.mark.site


@cache
def tree(page):
    """A page, parsed once for all tests: none may change it."""
    return html.parse(HTML / page, html.HTMLParser(encoding="utf-8")).getroot()


@cache
def content(notebook):
    """A notebook, read once for all tests: none may change it."""
    return nbformat.read(HTML / "_sources" / notebook, as_version=4)


@cache
def places(target):
    """What a link can lead to in a page: its ids, and the names of its anchors."""
    return set(tree(target.relative_to(HTML).as_posix()).xpath("//@id | //@name"))


def loaded_addresses(page):
    """Every address that a browser loads when it opens the page."""
    found = [tag.get(key) for tag in page.iter(*LOADED) for key in LOADED[tag.tag] if tag.get(key)]
    found += [tag.get("href") for tag in page.iter("link") if LOADING_LINKS & relations(tag)]
    for style in [*page.xpath("//style/text()"), *page.xpath("//@style")]:
        found += CSS_ADDRESS.findall(style)
    return found


def relations(link):
    return set(link.get("rel", "").split())


def test_there_is_a_book_to_look_at():
    assert "chapters/index.html" in PAGES
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_nothing_from_outside(page):
    assert [address for address in loaded_addresses(tree(page)) if OUTSIDE.match(address)] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_its_icon(page):
    icons = [tag.get("href") for tag in tree(page).iter("link") if "icon" in relations(tag)]
    leads_on = "refresh" in map(str.lower, tree(page).xpath("//meta/@http-equiv"))  # a browser asks /favicon.ico
    assert [Path(HTML, page).parent.joinpath(icon).resolve() for icon in icons] == [
        HTML / "_static/icon.svg"
    ] or leads_on


def test_style_sheets_and_scripts_load_nothing_from_outside():
    for sheet in HTML.rglob("*.css"):
        addresses = CSS_ADDRESS.findall(sheet.read_text(encoding="utf-8"))
        assert [address for address in addresses if OUTSIDE.match(address)] == [], sheet
    scripts = [script for script in HTML.rglob("*.js") if "vendor" not in script.parts]
    for script in scripts:
        loads = re.findall(
            r"""(?:import|importScripts|fetch)\(?\s*["'`](https?://[^"'`]+)""", script.read_text("utf-8")
        )
        assert loads == [], script
    assert scripts


@pytest.mark.parametrize("page", PAGES)
def test_every_link_inside_the_book_leads_somewhere(page):
    broken = []
    for tag in tree(page).iter("a", "link", "script", "img"):
        address = tag.get("href") or tag.get("src")
        if address and urlparse(address).scheme in ("http", "https") and not urlparse(address).netloc:
            broken.append(address)
        if not address or urlparse(address).scheme or OUTSIDE.match(address):
            continue
        path, fragment = urldefrag(unquote(address))
        target = (HTML / page).parent / path.partition("?")[0] if path else HTML / page
        target = target / "index.html" if target.is_dir() else target
        leads_to_a_place = fragment and target.suffix == ".html" and tag.tag == "a"
        if not target.exists() or (leads_to_a_place and fragment not in places(target.resolve())):
            broken.append(address)
    assert broken == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_picture_is_also_told_in_words(page):
    page = tree(page)
    article = page.find(".//article")
    article = page if article is None else article
    pictures = [tag for tag in article.iter("img") if "mjx" not in tag.get("class", "")]
    assert [html.tostring(tag)[:100] for tag in pictures if not tag.get("alt", "").strip()] == []
    for figure in [one for one in article.find_class("book-figure") if one.tag == "figure"]:
        assert figure.find(".//figcaption").text_content().strip()
        if (drawing := figure.find(".//svg")) is not None:
            assert drawing.get("role") == "img"
            assert len(drawing.get("aria-label").split()) >= 3
        else:  # a table is words already, if its cells can be told by their headings
            assert figure.find(".//table//th") is not None


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_output_is_an_error_or_a_warning(page):
    outputs = tree(page).find_class("output")
    assert [tag.text_content()[:200] for tag in outputs if {"stderr", "traceback", "error"} & set(tag.classes)] == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_number_is_shown_as_python_writes_it(page):
    """A number that is a text is glued with `glue:text`: plain `glue` shows its quotes and escapes."""
    words = tree(page).xpath("//main//text()[not(ancestor::pre or ancestor::code or ancestor::script)]")
    assert words and [text for text in words if re.search(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4})", text)] == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_ids_are_unique(page):
    ids = Counter(tree(page).xpath("//@id"))
    assert sorted(one for one, count in ids.items() if count > 1) == []


def test_no_thebe():
    assert [
        page for page in PAGES if re.search(r"thebe[^\"']*\.js|unpkg", (HTML / page).read_text(encoding="utf-8"))
    ] == []


def test_the_page_with_code_offers_its_notebook():
    for notebook in NOTEBOOKS:
        page = HTML / notebook.replace(".ipynb", ".html")
        assert f"_sources/{notebook}" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_notebook_needs_nothing_of_the_book_around_it(notebook):
    """It holds none of the book's markup, its links lead to other notebooks, and every exercise can be found."""
    cells = content(notebook).cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    assert [(found, text[:300]) for text in texts if (found := markup_left(text))] == []
    linked = {link for text in texts for link in notebook_links(text)}
    here = (HTML / "_sources" / notebook).parent
    assert [link for link in linked if not (here / link).is_file()] == []
    exercises = [cell.metadata["exercise"] for cell in cells if "exercise" in cell.metadata]
    told = [about["label"] for about in exercises if "number" in about]
    boxes = tree(notebook.replace(".ipynb", ".html")).find_class("exercise")
    assert told == [box.get("id") for box in boxes if box.tag == "div"]
    assert all(about["title"] and about["number"] for about in exercises if "number" in about)
    assert {about["label"] for about in exercises} == set(told)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_equations_of_a_notebook_are_numbered_as_on_its_page(notebook):
    tags = [tag for cell in content(notebook).cells if cell.cell_type == "markdown"
            for tag in re.findall(r"\\tag\{([^}]*)\}", cell.source)]  # fmt: skip
    numbers = tree(notebook.replace(".ipynb", ".html")).find_class("eqno")
    assert tags == [next(number.itertext()).strip("()") for number in numbers]


def test_notebooks_link_one_another():
    text = (HTML / "_sources" / "chapters" / "attention" / "masks.ipynb").read_text(encoding="utf-8")
    assert {"scaled-dot-product.ipynb", "../appendix/solutions/masks.ipynb"} <= set(notebook_links(text))


def test_the_answers_and_checks_of_the_exercises_are_cells_of_their_own():
    roles = Counter()
    for notebook in NOTEBOOKS:
        for cell in content(notebook).cells:
            if "role" in (about := cell.metadata.get("exercise", {})):
                roles[about["role"]] += 1
                called = re.search(r"^(?:display\()?check_", cell.source, re.M)
                assert bool(called) == (about["role"] == "check"), (notebook, cell.source)
    assert roles["check"] >= 100 and roles["answer"] >= roles["check"]


@pytest.mark.parametrize("page", [page for page in CHAPTERS if "/solutions/" not in page])
def test_no_check_says_anything_of_an_answer_that_is_still_open(page):
    from_exercises = dropwhile(lambda tag: "exercise" not in tag.classes, tree(page).iter("*"))
    reports = [tag for tag in from_exercises if "check-report" in tag.classes]
    assert {report.text_content() for report in reports} <= {"Not answered yet."}


def test_solutions_are_shown_to_pass():
    solutions = [page for page in CHAPTERS if "/solutions/" in page]
    reports = [report.text_content() for page in solutions for report in tree(page).find_class("check-report")]
    assert len(reports) > 100 and sum(not report.startswith("Passed.") for report in reports) < 10
