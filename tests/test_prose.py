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
    "before/tour": Rule(exercises=4),
    # A chapter that became several pages has its exercises spread over them.
    "before/adam": Rule(exercises=4),
    "before/translation-as-probability": Rule(exercises=3),
    "before/what-a-loss-means": Rule(exercises=4),
    "before/label-smoothing": Rule(exercises=4),
    "before/n-grams": Rule(exercises=3),
    "before/log-linear-models": Rule(exercises=3),
    "before/word-alignment": Rule(exercises=4),
    "before/how-good-is-an-alignment": Rule(exercises=3),
    "before/noisy-channel": Rule(exercises=3),
    "before/recurrent-cells": Rule(exercises=3),
    "before/vanishing-gradients": Rule(exercises=3),
    "before/rnn-encoder-decoders": Rule(exercises=4),
    "before/exposure-bias": Rule(exercises=3),
    "before/attention-over-hidden-states": Rule(exercises=3),
    "before/reading-in-both-directions": Rule(exercises=3),
    "before/which-score": Rule(exercises=3),
    "before/better-or-lucky": Rule(exercises=3),
    "before/what-looking-back-buys": Rule(exercises=3),
    "before/attention-as-alignment": Rule(exercises=3),
    "before/who-told-the-verb": Rule(exercises=3),
    "attention/scaled-dot-product": Rule(exercises=3),
    "attention/what-a-score-can-do": Rule(exercises=3),
    "attention/masks": Rule(exercises=4),
    "attention/translator-masks": Rule(exercises=3, kinds=2),
    "attention/softmax-jacobian": Rule(exercises=4),
    "attention/multi-head": Rule(exercises=4),
    "attention/how-many-heads": Rule(exercises=3),
    "attention/splitting-heads": Rule(exercises=4),
    "attention/what-heads-cost": Rule(exercises=4),
    "attention/noticing-the-order": Rule(exercises=3),
    "attention/positions": Rule(exercises=3, kinds=2),
    "attention/scaling-and-gradients": Rule(exercises=3),
    "attention/jacobian-maps": Rule(exercises=4),
    "attention/scaling-and-learning": Rule(exercises=3),
    "attention/does-it-matter": Rule(exercises=4),
    "attention/one-function-two-speeds": Rule(exercises=3),
    "attention/one-memory": Rule(exercises=3),
    "translator/where-the-norm-stands": Rule(exercises=4),
    "translator/blocks-and-stacks": Rule(exercises=3),
    "translator/does-the-tower-leak": Rule(exercises=3),
    "translator/from-rows-to-words": Rule(exercises=3),
    "translator/is-it-the-same-model": Rule(exercises=4),
    "translator/letters-and-marks": Rule(exercises=4),
    "translator/training": Rule(exercises=4),
    "translator/reading-a-curve": Rule(exercises=3),
    "translator/past-one-machine": Rule(exercises=4),
    "translator/what-a-run-costs": Rule(exercises=3),
    "translator/in-one-file": Rule(exercises=4),
    "translator/is-anything-missing": Rule(exercises=4),
    "translator/what-each-use-is-for": Rule(exercises=4),
    "translator/which-bank": Rule(exercises=4),
    "translator/what-a-head-is-worth": Rule(exercises=4),
    "translator/what-limits-decoding": Rule(exercises=3, kinds=2),
    "translator/smaller-weights": Rule(exercises=3),
    "translator/where-the-winner-loses": Rule(exercises=4),
    "translator/when-to-stop": Rule(exercises=4),
    "translator/another-language": Rule(exercises=4),
    "translator/where-translators-fail": Rule(exercises=3),
    "translator/outside-its-style": Rule(exercises=4),
    "translator/distillation": Rule(exercises=4),
    "translator/what-helped": Rule(exercises=3, kinds=2),
    "translator/one-change-at-a-time": Rule(exercises=3),
    "translator/reading-cross-attention": Rule(exercises=3),
    "translator/links-in-real-sentences": Rule(exercises=4),
    "translator/choosing-a-head": Rule(exercises=3, kinds=2),
    "translator/aligning-heads": Rule(exercises=3),
    "translator/which-words-miss-a-head": Rule(exercises=3, kinds=2),
    "translator/what-a-word-depends-on": Rule(exercises=4),
    "translator/what-attributions-foretell": Rule(exercises=4),
    "beyond/few-labels": Rule(exercises=4),
    "beyond/one-stack-or-two": Rule(exercises=4),
    "beyond/the-same-weights": Rule(exercises=3),
    "beyond/drawing-against-a-judge": Rule(exercises=3, kinds=2),
}
PAGES = pages_in_contents()


def rule_for(page):
    """The rule of the page, or of the nearest folder that has one; a chapter's if there is none."""
    parts = page.name.split("/")
    return next((RULES[name] for n in range(len(parts), 0, -1) if (name := "/".join(parts[:n])) in RULES), Rule())


def file_of(page):
    """The page's file, as a message names it."""
    return f"chapters/{page.name}.md"


def chapters(wanted=lambda rule: True):
    return [pytest.param(page, id=page.name) for page in PAGES if wanted(rule_for(page))]


@pytest.mark.parametrize("page", chapters())
def test_the_words_are_the_books_own(page):
    faults = page.faults_of_voice()
    assert not faults, "say it in other words (CONTRIBUTING.md, Prose):\n" + "\n".join(faults)


@pytest.mark.parametrize("page", chapters())
def test_no_line_of_text_is_a_comment(page):
    lines = page.source.splitlines()
    found = [number for number, text in enumerate(lines, start=1) if text.lstrip().startswith("%")]
    assert not found, f"{file_of(page)}: MyST leaves out a line that begins with %: line {', '.join(map(str, found))}"


@pytest.mark.parametrize("page", chapters())
def test_nothing_of_a_skeleton_is_left(page):
    lines = [number for number, text in enumerate(page.source.splitlines(), start=1) if "TO WRITE" in text]
    assert not lines, f"{file_of(page)}: replace what says TO WRITE, on line {', '.join(map(str, lines))}"


UNCLOSED = re.compile(r"\{glue(?::\w+)?\}`[\w:.,%+ -]*(?![\w:.,%+ `-])")


@pytest.mark.parametrize("page", chapters())
def test_every_glued_number_is_closed(page):
    """A role whose last backtick is missing is printed as it stands, and the build says nothing."""
    found = UNCLOSED.findall(page.source)
    assert not found, f"{file_of(page)}: close with a backtick {', '.join(found)}"


def test_a_glued_number_that_is_not_closed_is_found():
    assert UNCLOSED.search("becomes {glue:text}`x:.1f} times") and UNCLOSED.search("{glue}`x\n")
    assert not UNCLOSED.search("{glue:text}`x:.1f` and {glue}`n`, or {glue:text}`p:.1%`.")


@pytest.mark.parametrize("page", chapters())
def test_a_page_has_a_title_and_a_label_before_it(page):
    titles = [heading for heading in page.parsed.headings if heading.level == 1]
    told = [heading.text for heading in titles]
    assert len(titles) == 1, f"{file_of(page)}: a page has one title, a line '# TITLE'; this one has {told}"
    if page.name not in {"index", "appendix/bibliography"}:
        name = page.name.rpartition("/")[2]
        assert titles[0].labels, f"{file_of(page)}: add '({name})=' on the line above '# {titles[0].text}'"


@pytest.mark.parametrize("page", chapters(lambda rule: rule.question))
def test_a_chapter_begins_with_a_question(page):
    after_title = [text for _, text in page.paragraphs if not text.startswith("#")][:4]
    asks = any("?" in text for text in after_title)
    assert asks, f"{file_of(page)}: ask what the page answers in one of its first four paragraphs, with a question mark"


@pytest.mark.parametrize("page", chapters(lambda rule: rule.exercises))
def test_a_chapter_says_which_pages_it_needs_and_they_come_earlier(page):
    order = [other.name for other in PAGES]
    needs = page.parsed.front_matter.get("needs")
    assert isinstance(needs, list), (
        f"{file_of(page)}: list in the front matter the pages that a reader must have read, such as "
        "'needs: [attention/masks]', or 'needs: []'"
    )
    unknown = [name for name in needs if name not in order]
    assert not unknown, f"{file_of(page)}: needs {', '.join(unknown)}, of which _toc.yml knows nothing"
    late = [name for name in needs if order.index(name) >= order.index(page.name)]
    assert not late, (
        f"{file_of(page)}: needs {', '.join(late)}, which _toc.yml has later: move a page, or explain it there"
    )


@pytest.mark.parametrize("page", chapters())
def test_what_a_page_needs_is_said_by_its_front_matter_alone(page):
    said = re.findall(r"[Yy]ou\s+need\s+\{(?:doc|ref)\}`[^`]*`", page.body)
    assert not said, f"{file_of(page)}: leave out {said}: what 'needs' lists is shown under the title"


@pytest.mark.parametrize("page", chapters(lambda rule: rule.code))
def test_a_chapter_shows_or_runs_the_package(page):
    shows = "{code-of}" in page.body or any("from attention_book" in cell for cell in page.cells)
    assert shows, (
        f"{file_of(page)}: put the code that it teaches into a module of src/attention_book/ and show it with "
        "```{code-of}, or import it in a code cell"
    )


@pytest.mark.parametrize("page", chapters(lambda rule: rule.widget))
def test_a_chapter_has_something_for_a_live_kernel_and_says_so(page):
    widgets = any(re.search(r"^\s*(from|import) ipywidgets", cell, re.M) for cell in page.cells)
    assert widgets, (
        f"{file_of(page)}: add a code cell with ':tags: [remove-output]' that imports ipywidgets and lets the reader "
        "move a slider of the page's own functions; chapters/attention/masks.md has one under 'Try it'"
    )
    said = any("waits for a kernel" in " ".join(text.split()) for _, text in page.paragraphs)
    assert said, f"{file_of(page)}: say above the cell with ipywidgets that it 'waits for a kernel'"


@pytest.mark.parametrize("page", chapters(lambda rule: rule.exercises))
def test_a_chapter_has_its_exercises_of_each_kind(page):
    rule, kinds = rule_for(page), {exercise.kind for exercise in page.exercises}
    for exercise in page.exercises:
        assert exercise.kind in KINDS, (
            f"{file_of(page)}:{exercise.line}: begin the title of {exercise.label} with one of "
            f"{', '.join(f'{kind!r}' for kind in sorted(KINDS))} and a colon"
        )
    assert len(kinds) >= rule.kinds, (
        f"{file_of(page)}: add an exercise of {rule.kinds - len(kinds)} more kind(s) of "
        f"{', '.join(sorted(KINDS - kinds))}: ````{{exercise}} {min(KINDS - kinds, default='')}: TITLE"
    )
    missing = rule.exercises - len(page.exercises)
    assert missing <= 0, f"{file_of(page)}: has {len(page.exercises)} exercises; add {missing} more"


@pytest.mark.parametrize("page", chapters(lambda rule: rule.exercises))
def test_every_exercise_has_a_solution_and_the_chapter_links_to_it(page):
    name = page.name.rpartition("/")[2]
    path = CHAPTERS / "appendix" / "solutions" / f"{name}.md"
    told = f"chapters/appendix/solutions/{name}.md"
    assert path.exists(), f"{file_of(page)}: write its solutions into {told}"
    solutions, labels = Page.read(path).solutions, {exercise.label for exercise in page.exercises}
    unsolved, unknown = sorted(labels - set(solutions)), sorted(set(solutions) - labels)
    assert not unsolved, f"{told}: add ````{{solution-start}} for {', '.join(unsolved)}"
    assert not unknown, f"{told}: solves {', '.join(unknown)}, which {file_of(page)} does not have: remove or rename"
    for exercise, label in solutions.items():
        wanted = exercise.replace("ex-", "sol-", 1)
        assert label == wanted, f"{told}: label the solution of {exercise} ':label: {wanted}', not {label!r}"
    linked = f"appendix/solutions/{name}`" in page.body
    assert linked, f"{file_of(page)}: link to the solutions: {{doc}}`../appendix/solutions/{name}`"
    listed = f"appendix/solutions/{name}" in {solved.name for solved in PAGES}
    assert listed, f"_toc.yml: add '- file: {told.removesuffix('.md')}' under the solutions"


def test_exercises_and_solutions_have_labels_of_their_own():
    labels = [exercise.label for page in PAGES for exercise in page.exercises]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    assert labels and not twice, f"give each exercise a label of its own; more than once: {', '.join(twice)}"
    odd = [label for label in labels if not re.fullmatch(r"ex-[a-z0-9]+(-[a-z0-9]+)+", label)]
    assert not odd, f"label an exercise 'ex-PAGE-TOPIC', in small letters, digits and hyphens, not {', '.join(odd)}"


LINES, WIDTH = 10, 100  # the most of a hidden cell


def faults_of_hidden_cells(page):
    """What is too long in the hidden cells of a page, with the line of the page and what to do."""
    found = []
    for number, code in page.hidden_cells:
        where, move = f"{file_of(page)}:{number}: a hidden cell has", "move what it computes into a tested function"
        if len(code) > LINES:
            found.append(
                f"{where} {len(code)} lines, {LINES} at most are allowed: {move}, and what it asserts into its test; "
                "what comes from a result belongs in attention_book.readers"
            )
        found += [
            f"{where} a line of {len(line)} characters, {WIDTH} at most are allowed: wrap it, or {move}: {line.strip()}"
            for line in code
            if len(line) > WIDTH
        ]
    return found


@pytest.mark.parametrize("page", chapters())
def test_hidden_cells_are_plumbing(page):
    faults = faults_of_hidden_cells(page)
    assert not faults, "\n".join(faults)


def test_hidden_cells_that_are_too_long_are_found():
    def page(tags, *lines):
        code = "\n\n".join(lines)
        return Page(CHAPTERS / "planted.md", f"# Planted\n\n```{{code-cell}} ipython3\n:tags: [{tags}]\n{code}\n```\n")

    short, long = ["x = 1"] * LINES, "x = " + "1" * (WIDTH - 4)
    for tag in ("remove-cell", "remove-input", "remove-output, hide-input", "hide-cell"):
        assert not faults_of_hidden_cells(page(tag, *short)) and not faults_of_hidden_cells(page(tag, long))
        (fault,) = faults_of_hidden_cells(page(tag, *short, "y = 2"))
        assert fault.startswith("chapters/planted.md:3: a hidden cell has 11 lines")
        (fault,) = faults_of_hidden_cells(page(tag, long + "1"))
        assert fault.startswith("chapters/planted.md:3: a hidden cell has a line of 101 characters")
    assert not faults_of_hidden_cells(page("remove-output", *short, *short, long + "1"))


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
        ("attention/masks", 4),
        ("attention/windows", 5),
        ("beyond/new", 5),
    ],
)
def test_rules_fit_the_folder(name, exercises):
    assert rule_for(Page(CHAPTERS / f"{name}.md", "")).exercises == exercises


@pytest.mark.parametrize("page", chapters())
def test_what_an_exercise_asks_about_is_printed_in_a_cell_of_its_own(page):
    """The page shows nothing that the cell of a check prints, since that may be the answer; solutions show all."""
    for cell in () if "/solutions/" in page.name else page.parsed.cells:
        lines = cell.body.splitlines()
        asks = any(re.match(r"(?:display\()?check_", line) for line in lines)
        prints = any(re.match(r"(?:print|table|show)\(|display\((?!check_)|for .*:$", line) for line in lines)
        assert not (asks and prints), (
            f"{file_of(page)}:{cell.line}: a reader without a kernel does not see what this cell prints; print it in a "
            "cell before the one with the check"
        )
