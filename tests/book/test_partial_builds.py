"""`make book` after an edit of the text: the page alone is built if nothing shared changed; nothing stale passes."""

import os
import shutil

import build
import page_preview
import pytest
from tiny_book import BOOK

pytestmark = pytest.mark.slow

PAGE = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

(third)=
# The third page

A sentence. See {ref}`other`.

```{code-cell} ipython3
from myst_nb import glue

glue("shown-elsewhere", 4141)
```
"""


@pytest.fixture(scope="module")
def book(tiny_book, tmp_path_factory):
    """The tiny book with a third page, from which the second shows a number; built."""
    book = tiny_book.copy(tmp_path_factory.mktemp("partial"))
    shutil.rmtree(book.folder / "_build")
    with (book.folder / "_toc.yml").open("a", encoding="utf-8") as contents:
        contents.write("  - file: chapters/third\n")
    (book.folder / "chapters" / "third.md").write_text(PAGE, encoding="utf-8")
    other = book.folder / "chapters" / "other.md"
    text = other.read_text(encoding="utf-8")
    shown = "See {doc}`third`.\n\n```{glue:} shown-elsewhere\n:doc: third.md\n```\n"
    other.write_text(f"{text}\n{shown}", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{book.folder / 'src'}{os.pathsep}{BOOK / 'src'}")
        patch.setattr(build, "JUPYTER_BOOK", (*book.jupyter_book, "build"))
        assert build.build(book.folder) == 0
        yield book


@pytest.fixture
def edit(book):
    """Edits the third page as it stands and builds; what was built stays, and the next test edits it further.

    A fault is taken back afterwards, and nothing is built for that: see `whole`.
    """
    page = book.folder / "chapters" / "third.md"
    good = page.read_text(encoding="utf-8")

    def edit(old, new):
        nonlocal good
        assert old in good
        page.write_text(edited := good.replace(old, new), encoding="utf-8")
        if (status := build.build(book.folder)) == 0:
            good = edited
        return status

    yield edit
    page.write_text(good, encoding="utf-8")


@pytest.fixture
def whole(book):
    """The book, built without a fault: where the last test left a fault, it is built anew."""
    assert build.build(book.folder) == 0
    return book


def html(book, name):
    return (book.html / "chapters" / f"{name}.html").read_text(encoding="utf-8")


def test_an_edited_sentence_is_built_alone(whole, edit, capfd):
    times = {path: path.stat().st_mtime_ns for path in whole.html.glob("chapters/*.html")}
    assert edit("A sentence.", "Another sentence, with *zebras*.") == 0
    told = capfd.readouterr().out
    assert "1 of 1  third: from the cache" in told and "whole" not in told
    assert "Another sentence" in html(whole, "third")
    everything = whole.html / "chapters" / "everything.html"
    assert times[everything] == everything.stat().st_mtime_ns
    assert '"zebra"' in (whole.html / "searchindex.js").read_text(encoding="utf-8")


def test_a_renamed_heading_reaches_the_links_and_the_contents_of_other_pages(whole, edit, capfd):
    assert edit("# The third page", "# The page called three") == 0
    assert "Something changed that other pages show" in capfd.readouterr().out
    assert html(whole, "other").count("The page called three") >= 2
    assert "The page called three" in html(whole, "everything")  # the sidebar
    assert "The third page" not in html(whole, "other")


def test_a_number_that_another_page_shows_is_never_stale(whole, edit):
    assert "4141" in html(whole, "other")
    assert edit("4141", "5252") == 0
    assert "5252" in html(whole, "other") and "4141" not in html(whole, "other")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{ref}`other`", "{ref}`nowhere`", "nowhere"),
        ("from myst_nb import glue", "1 / 0", "ZeroDivisionError"),
        ('"shown-elsewhere"', '"shown-nowhere"', "shown-elsewhere"),
    ],
    ids=["a broken reference", "a failing cell", "a number that another page wants"],
)
def test_a_fault_fails_the_build_twice_and_is_shown(edit, old, new, told, capfd):
    for _ in range(2):
        assert edit(old, new) != 0
        said = capfd.readouterr().out
        assert told in said and "build.log" in said
        assert "\x1b" not in said and "without encryption" not in said


def test_a_label_that_another_page_refers_to_cannot_go_unnoticed(whole):
    other = whole.folder / "chapters" / "other.md"
    text = other.read_text(encoding="utf-8")
    other.write_text(text.replace("(other)=", "(renamed)="), encoding="utf-8")
    assert [build.build(whole.folder) != 0 for _ in range(2)] == [True, True]
    other.write_text(text, encoding="utf-8")
    assert build.build(whole.folder) == 0


def test_a_page_is_previewed_with_references_into_the_others(whole, capfd):
    page = whole.folder / "chapters" / "third.md"
    before = html(whole, "third")
    page.write_text(PAGE.replace("A sentence.", "A new one. {numref}`Exercise %s <ex-first>`"), encoding="utf-8")
    assert page_preview.preview(whole.folder, "third") == 0
    assert "1 of 1  third" in capfd.readouterr().out
    shown = (whole.folder / "_build" / "page" / "chapters" / "third.html").read_text(encoding="utf-8")
    assert "A new one." in shown and "Exercise 1" in shown and "The other page" in shown
    assert html(whole, "third") == before  # the book itself is not touched
    page.write_text(PAGE.replace("A sentence.", "{ref}`nowhere`"), encoding="utf-8")
    assert page_preview.preview(whole.folder, "third.md") == 1
    assert "nowhere" in capfd.readouterr().out
    page.write_text(PAGE, encoding="utf-8")


def test_before_a_first_build_a_page_is_previewed_alone(tiny_book, tmp_path, capfd, monkeypatch):
    book = tiny_book.copy(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{book.folder / 'src'}{os.pathsep}{BOOK / 'src'}")
    shutil.rmtree(book.folder / "_build" / ".doctrees")
    other = book.folder / "chapters" / "other.md"
    other.write_text(f"{other.read_text(encoding='utf-8')}\nSee {{ref}}`everything`.\n", encoding="utf-8")
    assert page_preview.preview(book.folder, "other") == 0
    told = capfd.readouterr().out
    assert "References into other pages are not checked before a first `make book`: 1" in told
    assert "WARNING" not in told and "HELLO" in (tmp_path / "_build/page/chapters/other.html").read_text("utf-8")


def test_the_bibliography_is_read_too_where_its_entries_are_newer_than_the_build(tmp_path):
    listed, entries = tmp_path / "chapters" / "appendix" / "bibliography.md", tmp_path / "references.bib"
    record = tmp_path / "_build" / ".doctrees" / page_preview.RECORD
    for path in (listed, entries, record):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    os.utime(record, (1000, 1000))
    for changed, also in ((999, []), (1001, [page_preview.BIBLIOGRAPHY])):
        os.utime(entries, (changed, changed))
        assert page_preview.to_read(tmp_path, "chapters/a") == ["chapters/a", *also]
    assert page_preview.to_read(tmp_path, page_preview.BIBLIOGRAPHY) == [page_preview.BIBLIOGRAPHY]


def test_a_page_that_is_not_there_is_answered_with_close_names(book, capsys):
    assert page_preview.preview(book.folder, "chapters/othr.md") == 2
    assert "No page of _toc.yml is called" in (said := capsys.readouterr().err) and "these? other" in said


@pytest.mark.parametrize(
    ("name", "page"),
    [("masks", "attention/masks"), ("chapters/attention/masks.md", "attention/masks"),
     ("solutions/masks", "appendix/solutions/masks"), ("attention\\masks", "attention/masks")],
)  # fmt: skip
def test_a_page_is_known_by_the_end_of_its_name(name, page):
    assert page_preview.page_named(BOOK, name) == page
