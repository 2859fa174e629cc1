"""Exercises are counted within their page, and whoever speaks of one on another page names the page."""

import re

import nbformat
import pytest
import yaml

BEFORE = """\
# A page added before

```{exercise}
:label: ex-before-one
One.
```

```{exercise} Another
:label: ex-before-two
Two. After it comes {ref}`ex-gated`.
```
"""
AFTER = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
# Solutions, and 100% more

```{exercise} Here
:label: ex-after
As {ref}`ex-after` says, {ref}`ex-gated` follows {numref}`exercise %s <ex-first>`, not {ref}`what is here <ex-first>`.
```

```{solution} ex-first
Two.
```

```{solution} ex-after
Three.
```

```{code-cell}
1 + 1
```
"""


@pytest.fixture(scope="module")
def longer_book(tiny_book, tmp_path_factory):
    """The tiny book with one page more before its exercises, and one after them that speaks of them."""
    book = tiny_book.copy(tmp_path_factory.mktemp("longer"))
    for name, text in {"before": BEFORE, "after": AFTER}.items():
        (book.folder / "chapters" / f"{name}.md").write_text(text, encoding="utf-8")
    toc = yaml.safe_load((book.folder / "_toc.yml").read_text(encoding="utf-8"))
    toc["chapters"] = [{"file": "chapters/before"}, *toc["chapters"], {"file": "chapters/after"}]
    (book.folder / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
    status, log = book.build()
    assert status == 0, log[-3000:]
    return book


def text_of(book, page):
    """What a built page says, without its tags; its title is left as it is."""
    article = (book.html / "chapters" / f"{page}.html").read_text(encoding="utf-8").split("<article", 1)[1]
    return " ".join(re.sub("<[^>]+>", "", article.split("</article>")[0]).split())


def titles(book, page):
    return re.findall(r"(?:Solution to )?Exercise \d+(?: of “[^”]*”)?(?: \(\w+\))?", text_of(book, page))


@pytest.mark.slow
def test_numbers_start_again_on_every_page_and_a_page_before_shifts_none(tiny_book, longer_book):
    own = ["Exercise 1", "Exercise 1", "Exercise 1 (Predict)", "Exercise 2", "Exercise 3"]
    own.append("Solution to Exercise 1 (Predict)")
    assert titles(tiny_book, "everything") == titles(longer_book, "everything") == own
    assert titles(longer_book, "before") == ["Exercise 1", "Exercise 2 (Another)", "Exercise 2 of “Everything at once”"]


EXPECTED = "As Exercise 1 says, Exercise 2 of “Everything at once” follows exercise 1 of “Everything at once”, not what"


@pytest.mark.slow
def test_a_reference_or_solution_on_another_page_names_the_page(longer_book):
    said = text_of(longer_book, "after")
    assert EXPECTED in said
    assert "Solution to Exercise 1 of “Everything at once” (Predict)" in said
    assert "Solution to Exercise 1 (Here)" in said


@pytest.mark.slow
def test_the_notebook_says_the_same(longer_book):
    notebook = nbformat.read(longer_book.html / "_sources" / "chapters" / "after.ipynb", as_version=4)
    said = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    said = re.sub(r"\[([^]]*)\]\(\w+\.ipynb\)", r"\1", said)  # what links to other notebooks say
    assert EXPECTED in said
    assert "**Exercise 1 (Here)**" in said
    assert "**Solution to Exercise 1 of “Everything at once” (Predict)**" in said


@pytest.mark.slow
def test_a_build_of_one_edited_page_keeps_the_numbers_and_writes_no_other_page(longer_book):
    others = [longer_book.html / "chapters" / f"{name}.html" for name in ("before", "everything")]
    status, log = longer_book.build("-W", "-n", "--keep-going")  # what such a build knows, it knows from here on
    assert status == 0, log[-2000:]
    written = [page.stat().st_mtime_ns for page in others]
    path = longer_book.folder / "chapters" / "after.md"
    path.write_text(path.read_text(encoding="utf-8").replace("Three.", "Four."), encoding="utf-8")
    status, log = longer_book.build("-W", "-n", "--keep-going")
    assert status == 0 and "Four." in text_of(longer_book, "after"), log[-2000:]
    assert EXPECTED in text_of(longer_book, "after")
    assert [page.stat().st_mtime_ns for page in others] == written
