"""A page read by the parser of MyST: what is a heading, a label, a cell, an exercise; and what only looks like one."""

from pathlib import Path

import pytest

from attention_book.pages.book_page import BookPage

CHAPTERS = Path(__file__).parents[2] / "chapters"
PAGE = """---
covers: {C001: x}
---

(tides)=
# Tides and $\\sqrt{2}$

Before all sections.

```{code-cell} ipython3
:tags: [remove-output, hide-input]
:name: low
# no heading
show(caption=f"It {rises} and falls", alt="a" + "b", title="no caption")
```

(tides-moon)=

(tides-luna)=
## The moon

````{admonition} Not a heading
(tides-inside)=
```{exercise} Predict: how high
:label: ex-tides-high
## No heading of the page
```

```{code-cell}
1 / 0
```
````

$$
x = 1
$$ (eq-tides)

Text with a label in it,

(tides-paragraph)=
before this paragraph.

:::{exercise-start} Break it: a dam
:label: ex-tides-dam
:::

```python
# (no-label)=
```

# Second

````{code-cell}
:tags: [remove-output]

text = '''
```
'''
````

~~~{solution} ex-tides-high
:label: sol-tides-high
~~~

```{solution-start} ex-tides-dam
```
(last)=
"""


def test_front_matter_title_and_headings():
    page = BookPage.of(PAGE)
    assert page.front_matter == {"covers": {"C001": "x"}}
    assert page.title == "Tides and $\\sqrt{2}$"
    assert [(one.level, one.text, one.labels) for one in page.headings] == [
        (1, "Tides and $\\sqrt{2}$", ("tides",)),
        (2, "The moon", ("tides-moon", "tides-luna")),
        (1, "Second", ()),
    ]
    lines = PAGE.splitlines()
    assert [lines[one.line - 1].lstrip("# ") for one in page.headings] == [one.text for one in page.headings]


def test_each_label_belongs_to_the_heading_below_it_or_above():
    assert {label: heading and heading.text for label, heading in BookPage.of(PAGE).labels.items()} == {
        "tides": "Tides and $\\sqrt{2}$", "last": "Second", "sol-tides-high": "Second",
    } | dict.fromkeys(
        ["tides-moon", "tides-luna", "tides-inside", "ex-tides-high", "tides-paragraph", "ex-tides-dam"], "The moon"
    )  # fmt: skip
    assert BookPage.of("(early)=\nText.\n\n# Late\n").labels == {"early": None}


def test_cells_are_those_that_the_notebook_has():
    first, second = BookPage.of(PAGE).cells
    assert first.options == {"tags": "[remove-output, hide-input]", "name": "low"}
    assert first.tags == ("remove-output", "hide-input") and first.hidden and not second.hidden
    assert first.body.startswith("# no heading\nshow(") and second.body == "\ntext = '''\n```\n'''\n"
    assert PAGE.splitlines()[first.line - 1] == "```{code-cell} ipython3"
    assert first.text.endswith("\n```") and first.text in PAGE and second.text in PAGE
    assert BookPage.of(PAGE).captions == ("It   and falls", "a b")


def test_exercises_and_solutions_have_labels_lines_and_kinds():
    page = BookPage.of(PAGE)
    high, dam = page.exercises
    assert (high.label, high.title, high.kind) == ("ex-tides-high", "Predict: how high", "Predict")
    assert (dam.label, dam.kind) == ("ex-tides-dam", "Break it")
    assert [PAGE.splitlines()[one.line - 1] for one in (high, dam)] == [
        "```{exercise} Predict: how high", ":::{exercise-start} Break it: a dam"
    ]  # fmt: skip
    assert page.solutions == {"ex-tides-high": "sol-tides-high", "ex-tides-dam": None}


def test_a_page_may_have_nothing_of_all_this():
    page = BookPage.of("")
    assert page.front_matter == {} and page.title is None and page.headings == () and page.labels == {}
    assert page.directives == () and page.cells == () and page.exercises == () and page.solutions == {}


def test_the_same_text_is_parsed_once(tmp_path):
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    assert BookPage.read(tmp_path / "page.md") is BookPage.of(PAGE)


def test_the_cells_of_the_book_are_those_that_its_notebooks_run():
    read = pytest.importorskip("myst_nb.core.read").read_myst_markdown_notebook
    count = 0
    for path in CHAPTERS.rglob("*.md"):
        page = BookPage.read(path)
        cells = [cell for cell in read(page.source).cells if cell.cell_type == "code"]
        assert [cell.body.strip() for cell in page.cells] == [cell.source.strip() for cell in cells], path
        assert [list(cell.tags) for cell in page.cells] == [cell.metadata.get("tags", []) for cell in cells], path
        count += len(cells)
    assert count > 100
