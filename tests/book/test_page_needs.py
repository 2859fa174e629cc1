"""The line under a page's title: which pages it needs, and how long it and its exercises take."""

import pytest
from doctrees import page
from docutils import nodes
from page_needs import add_needs, reading_minutes, told
from sphinx import addnodes


def words(number):
    return nodes.paragraph("", " ".join(["word"] * number))


class App:
    """As much of Sphinx as `add_needs` asks: the page that is read, and where its source is."""

    def __init__(self, path):
        self.env, self.docname, self.path = self, "chapters/attention/masks", path

    def doc2path(self, docname):
        return str(self.path)


@pytest.fixture
def written(tmp_path):
    """A function that writes a page with a front matter and returns its first lines as Sphinx would show them."""

    def write(front_matter, *parts):
        path = tmp_path / "masks.md"
        path.write_text(f"---\n{front_matter}\n---\n\n# Masks\n\nWhat hides a word?\n", encoding="utf-8")
        doctree = page(words(1800), *parts)
        add_needs(App(path), doctree)
        return doctree

    return write


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], "About 10 minutes to read."),
        (["a"], "You need a. About 10 minutes to read."),
        (["a", "b"], "You need a and b. About 10 minutes to read."),
        (["a", "b", "c"], "You need a, b and c. About 10 minutes to read."),
    ],
)
def test_the_line_lists_the_pages(names, text):
    assert told(names, 10).astext() == text


def test_the_line_says_how_long_the_exercises_take():
    assert told(["a"], 25, 50).astext() == "You need a. About 25 minutes to read, 50 for the exercises."


def test_the_exercises_say_it_themselves(written):
    def exercise(minutes):
        return nodes.admonition("", words(30), classes=["exercise", "difficulty-2", f"minutes-{minutes}"])

    said = written("needs: []", exercise(8), exercise(12))[0][1].astext()
    assert said == "About 10 minutes to read, 20 for the exercises."


def test_it_stands_right_under_the_title_and_its_links_are_checked(written):
    title, line, _ = written("needs: [attention/scaled-dot-product]")[0]
    assert isinstance(title, nodes.title) and line["classes"] == ["page-needs"]
    (link,) = line.findall(addnodes.pending_xref)
    assert (link["reftarget"], link["refdoc"], link["refwarn"]) == (
        "/chapters/attention/scaled-dot-product",
        "chapters/attention/masks",
        True,
    )


def test_a_page_that_says_nothing_has_no_line(written):
    assert len(written("kernelspec: {}")[0]) == 2


def test_minutes_grow_with_all_that_there_is_to_read():
    some = [words(1800), nodes.math_block("", "x"), nodes.literal_block("", "a = 1\n\nb = 2"), nodes.table()]
    minutes = [reading_minutes(page(*one)) for one in ([], some, 3 * some, [words(1800), *100 * some[1:2]])]
    assert minutes == [5, 10, 30, 35]


def test_what_code_printed_is_no_code_to_read():
    printed = nodes.literal_block("", "\n".join(["row"] * 500), classes=["output"])
    assert reading_minutes(page(printed)) == 5
