"""A cheap lint of the text: words that the book avoids, and the parts that every chapter must have.

What counts as a chapter, and how many exercises it needs, is a question of its folder: see `RULES`.
"""

import re
from dataclasses import dataclass

import pytest
from prose import CHAPTERS, Page, pages_in_contents


@dataclass(frozen=True)
class Rule:
    """What the pages of a folder must have."""

    exercises: int = 5
    kinds: int = 3
    widget: bool = True
    code: bool = True
    question: bool = True


KINDS = {"Predict", "Implement", "Break it"}
RULES = {
    "appendix": Rule(exercises=0, kinds=0, widget=False, code=False, question=False),
    "index": Rule(exercises=0, kinds=0, widget=False),
    "before/how-to-run": Rule(exercises=2, kinds=2, widget=False),
}
PAGES = pages_in_contents()


def rule_for(page):
    """The rule of the page, or of the nearest folder that has one; a chapter's if there is none."""
    parts = page.name.split("/")
    return next((RULES[name] for n in range(len(parts), 0, -1) if (name := "/".join(parts[:n])) in RULES), Rule())


def chapters(wanted=lambda rule: True):
    return [pytest.param(page, id=page.name) for page in PAGES if wanted(rule_for(page))]


@pytest.mark.parametrize("page", chapters())
def test_the_words_are_the_books_own(page):
    assert page.faults_of_voice() == []


@pytest.mark.parametrize("page", chapters())
def test_a_page_has_a_title_and_a_label_before_it(page):
    titles = re.findall(r"^# .+$", re.sub(r"^(`{3,}).*?^\1", "", page.body, flags=re.S | re.M), re.M)
    assert len(titles) == 1, titles
    if page.name not in {"index", "appendix/bibliography"}:
        assert re.search(r"^\([\w-]+\)=\n# ", page.body, re.M), "no (label)= above the title"


@pytest.mark.parametrize("page", chapters(lambda rule: rule.question))
def test_a_chapter_begins_with_a_question(page):
    after_title = [text for _, text in page.paragraphs if not text.startswith("#")][:4]
    assert any("?" in text for text in after_title), "none of its first four paragraphs asks anything"


@pytest.mark.parametrize("page", chapters(lambda rule: rule.code))
def test_a_chapter_shows_or_runs_the_package(page):
    assert "{code-of}" in page.body or any("from attention_book" in cell for cell in page.cells)


@pytest.mark.parametrize("page", chapters(lambda rule: rule.widget))
def test_a_chapter_has_something_for_a_live_kernel_and_says_so(page):
    assert any(re.search(r"^\s*(from|import) ipywidgets", cell, re.M) for cell in page.cells)
    assert any("waits for a kernel" in " ".join(text.split()) for _, text in page.paragraphs)


@pytest.mark.parametrize("page", chapters(lambda rule: rule.exercises))
def test_a_chapter_has_its_exercises_of_each_kind(page):
    rule, kinds = rule_for(page), {exercise.kind for exercise in page.exercises}
    assert kinds <= KINDS, f"an exercise's title begins with one of {sorted(KINDS)}"
    assert len(kinds) >= rule.kinds, f"only {sorted(kinds)}"
    assert len(page.exercises) >= rule.exercises


@pytest.mark.parametrize("page", chapters(lambda rule: rule.exercises))
def test_every_exercise_has_a_solution_and_the_chapter_links_to_it(page):
    name = page.name.rpartition("/")[2]
    path = CHAPTERS / "appendix" / "solutions" / f"{name}.md"
    assert path.exists(), f"no solutions page {path.relative_to(CHAPTERS)}"
    solutions = Page.read(path).solutions
    assert set(solutions) == {exercise.label for exercise in page.exercises}
    assert all(label == exercise.replace("ex-", "sol-", 1) for exercise, label in solutions.items()), solutions
    assert f"appendix/solutions/{name}`" in page.body, "the chapter does not link to its solutions"
    assert f"appendix/solutions/{name}" in {solved.name for solved in PAGES}, "it is missing in the table of contents"


def test_exercises_and_solutions_have_labels_of_their_own():
    labels = [exercise.label for page in PAGES for exercise in page.exercises]
    assert labels and len(labels) == len(set(labels))
    assert all(re.fullmatch(r"ex-[a-z0-9]+(-[a-z0-9]+)+", label) for label in labels)


PLANTED = """---
title: simply front matter
---
(planted)=
# A page that just begins

It is *simply* `just` $just$ {term}`powerful` "obviously" code, says “a powerful tool”.

> We delve into quotations.

```{code-cell} ipython3
:tags: [remove-input]
just = "crucial"
show(figure, alt=f"leverage {just}", caption="As we can see, it falls.")
```

````{exercise} Predict: an elegant one
:label: ex-planted-one

Obviously. Watch out! (*¡Hola!*, 3! and `x != y`.)

```python
seamlessly = 1
```
````

$$
just \\text{just}
$$

It is important
to note: in this section we will seamlessly leave. Justice and simplicity may stay.
"""


def test_the_lint_sees_what_it_should_and_nothing_else():
    page = Page(CHAPTERS / "planted.md", PLANTED)
    said = [fault.split(": ", 2)[2] for fault in page.faults_of_voice()]
    found = ["just", "elegant", "Obviously", "t!", "in this section we will", "seamlessly", "leverage", "As we can see"]
    assert sorted(said) == sorted(map(repr, [*found, "It is important\nto note"]))
    assert page.exercises[0].title == "Predict: an elegant one" and page.exercises[0].label == "ex-planted-one"
    assert page.exercises[0].kind == "Predict"


def test_solutions_are_found_gated_or_not():
    gated = "```{solution-start} ex-a-b\n:label: sol-a-b\n```\ntext\n```{solution-end}\n```\n"
    assert Page(CHAPTERS / "x.md", f"{gated}````{{solution}} ex-a-c\nx\n````\n").solutions == {
        "ex-a-b": "sol-a-b",
        "ex-a-c": None,
    }


@pytest.mark.parametrize(
    ("name", "exercises"),
    [
        ("index", 0),
        ("appendix/solutions/masks", 0),
        ("before/how-to-run", 2),
        ("attention/masks", 5),
        ("beyond/new", 5),
    ],
)
def test_rules_fit_the_folder(name, exercises):
    assert rule_for(Page(CHAPTERS / f"{name}.md", "")).exercises == exercises
