"""The built book: it asks nobody for anything, leads nowhere that is not there, and says in words what it shows."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import nbformat
import pytest
from bs4 import BeautifulSoup
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
def soup(page):
    """A page, parsed once for all tests: none may change it."""
    return BeautifulSoup((HTML / page).read_text(encoding="utf-8"), "html.parser")


@cache
def places(target):
    """What a link can lead to in a page: its ids, and the names of its anchors."""
    found = soup(target.relative_to(HTML).as_posix()).find_all(lambda tag: tag.get("id") or tag.get("name"))
    return {tag[key] for tag in found for key in ("id", "name") if tag.get(key)}


def loaded_addresses(page):
    """Every address that a browser loads when it opens the page."""
    found = []
    for name, attributes in LOADED.items():
        found += [tag[key] for tag in page.find_all(name) for key in attributes if tag.get(key)]
    found += [tag["href"] for tag in page.find_all("link") if LOADING_LINKS & set(tag.get("rel", []))]
    for style in page.find_all("style"):
        found += CSS_ADDRESS.findall(style.get_text())
    for tag in page.find_all(style=True):
        found += CSS_ADDRESS.findall(tag["style"])
    return found


def test_there_is_a_book_to_look_at():
    assert "chapters/index.html" in PAGES
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_nothing_from_outside(page):
    assert [address for address in loaded_addresses(soup(page)) if OUTSIDE.match(address)] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_its_icon(page):
    icons = [tag["href"] for tag in soup(page).find_all("link") if "icon" in tag.get("rel", [])]
    leads_on = soup(page).find("meta", attrs={"http-equiv": re.compile("refresh", re.I)})  # a browser asks /favicon.ico
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
    for tag in soup(page).find_all(["a", "link", "script", "img"]):
        address = tag.get("href") or tag.get("src")
        if address and urlparse(address).scheme in ("http", "https") and not urlparse(address).netloc:
            broken.append(address)
        if not address or urlparse(address).scheme or OUTSIDE.match(address):
            continue
        path, fragment = urldefrag(unquote(address))
        target = (HTML / page).parent / path.partition("?")[0] if path else HTML / page
        target = target / "index.html" if target.is_dir() else target
        leads_to_a_place = fragment and target.suffix == ".html" and tag.name == "a"
        if not target.exists() or (leads_to_a_place and fragment not in places(target.resolve())):
            broken.append(address)
    assert broken == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_picture_is_also_told_in_words(page):
    page = soup(page)
    article = page.find("article") or page
    pictures = [tag for tag in article.find_all("img") if "mjx" not in " ".join(tag.get("class", []))]
    assert [str(tag)[:100] for tag in pictures if not (tag.get("alt") or "").strip()] == []
    for figure in article.find_all("figure", class_="book-figure"):
        assert figure.find("figcaption").get_text().strip()
        if drawing := figure.find("svg"):
            assert drawing["role"] == "img"
            assert len(drawing["aria-label"].split()) >= 3
        else:  # a table is words already, if its cells can be told by their headings
            assert figure.find("table").find("th")


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_output_is_an_error_or_a_warning(page):
    page = soup(page)
    assert [
        tag.get_text()[:200] for tag in page.select("div.output.stderr, div.output.traceback, div.output.error")
    ] == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_number_is_shown_as_python_writes_it(page):
    """A number that is a text is glued with `glue:text`: plain `glue` shows its quotes and escapes."""
    words = [text for text in soup(page).main.find_all(string=True) if not text.find_parent(["pre", "code", "script"])]
    assert [text for text in words if re.search(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4})", text)] == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_ids_are_unique(page):
    ids = [tag["id"] for tag in soup(page).find_all(id=True)]
    assert sorted({one for one in ids if ids.count(one) > 1}) == []


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
    content = nbformat.read(HTML / "_sources" / notebook, as_version=4)
    texts = [cell.source for cell in content.cells if cell.cell_type == "markdown"]
    assert [(found, text[:300]) for text in texts if (found := markup_left(text))] == []
    linked = {link for text in texts for link in notebook_links(text)}
    here = (HTML / "_sources" / notebook).parent
    assert [link for link in linked if not (here / link).is_file()] == []
    exercises = [cell.metadata["exercise"] for cell in content.cells if "exercise" in cell.metadata]
    told = [about["label"] for about in exercises if "number" in about]
    page = (HTML / notebook).with_suffix(".html")
    assert told == [box["id"] for box in soup(page).select("div.exercise")]
    assert all(about["title"] and about["number"] for about in exercises if "number" in about)
    assert {about["label"] for about in exercises} == set(told)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_equations_of_a_notebook_are_numbered_as_on_its_page(notebook):
    content = nbformat.read(HTML / "_sources" / notebook, as_version=4)
    tags = [tag for cell in content.cells if cell.cell_type == "markdown"
            for tag in re.findall(r"\\tag\{([^}]*)\}", cell.source)]  # fmt: skip
    page = soup(notebook.replace(".ipynb", ".html"))
    assert tags == [number.find(string=True).strip("()") for number in page.select("span.eqno")]


def test_notebooks_link_one_another():
    text = (HTML / "_sources" / "chapters" / "attention" / "masks.ipynb").read_text(encoding="utf-8")
    assert {"scaled-dot-product.ipynb", "../appendix/solutions/masks.ipynb"} <= set(notebook_links(text))


def test_the_answers_and_checks_of_the_exercises_are_cells_of_their_own():
    roles = Counter()
    for notebook in NOTEBOOKS:
        for cell in nbformat.read(HTML / "_sources" / notebook, as_version=4).cells:
            if "role" in (about := cell.metadata.get("exercise", {})):
                roles[about["role"]] += 1
                called = re.search(r"^(?:display\()?check_", cell.source, re.M)
                assert bool(called) == (about["role"] == "check"), (notebook, cell.source)
    assert roles["check"] >= 100 and roles["answer"] >= roles["check"]


@pytest.mark.parametrize("page", [page for page in CHAPTERS if "/solutions/" not in page])
def test_no_check_says_anything_of_an_answer_that_is_still_open(page):
    exercises = soup(page).select(".exercise")
    reports = exercises[0].find_all_next(class_="check-report") if exercises else []
    assert {report.get_text() for report in reports} <= {"Not answered yet."}


def test_solutions_are_shown_to_pass():
    reports = [
        report.get_text() for page in CHAPTERS if "/solutions/" in page for report in soup(page)(class_="check-report")
    ]
    assert len(reports) > 100 and sum(not report.startswith("Passed.") for report in reports) < 10
