"""`make lab`: the reader's copies are those of the book's order, link one another, and are never lost."""

import json
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from book_order import page_name, places
from reader_copies import LINK, WRITTEN
from run_lab import write_notebooks
from start_page import NAME

BOOK = Path(__file__).resolve().parents[2]
TOC = {
    "root": "chapters/index",
    "parts": [
        {"caption": "One: first", "chapters": [{"file": "chapters/one/a"}, {"file": "chapters/one/b"}]},
        {
            "caption": "Two",
            "chapters": [
                {"file": "chapters/two/c"},
                {"file": "chapters/two/answers/index", "sections": [{"file": "chapters/two/answers/a"}]},
            ],
        },
    ],
}
PATHS = {
    "index": "00 index.ipynb",
    "a": "1 One first/01 a.ipynb",
    "b": "1 One first/02 b.ipynb",
    "c": "2 Two/01 c.ipynb",
    "answers/a": "2 Two/02 answers/01 a.ipynb",
}


class Book:
    """A built book of one cell a page, whose pages link one another; `make lab` in it."""

    def __init__(self, folder):
        self.folder, self.copies, self.toc = folder, folder / "notebooks", json.loads(json.dumps(TOC))
        (folder / "_config.yml").write_text("title: Tiny\n", encoding="utf-8")
        texts = {
            "chapters/index": "# Tiny\n\n[A](one/a.ipynb)",
            "chapters/one/a": "# Page A\n\n[B](b.ipynb), [C](../two/c.ipynb#s), [away](https://example.org/b.ipynb)",
            "chapters/one/b": "# Page B\n\n[start](../index.ipynb), [gone](nowhere.ipynb)",
            "chapters/two/c": '# Page C\n\n<a href="answers/a.ipynb">its answers</a>',
            "chapters/two/answers/a": "# Answers\n\n[A](../../one/a.ipynb)",
        }
        for page, text in texts.items():
            self.build(page, text)

    def build(self, page, text):
        file = self.folder / "_build" / "html" / "_sources" / f"{page}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        cells = [{"cell_type": "markdown", "metadata": {}, "source": text},
                 {"cell_type": "code", "metadata": {}, "outputs": [], "source": "answer = ..."}]  # fmt: skip
        file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))

    def lab(self):
        (self.folder / "_toc.yml").write_text(yaml.safe_dump(self.toc), encoding="utf-8")
        return "\n".join(write_notebooks(self.folder, self.copies))

    def answer(self, path, text="answer = 42"):
        """What a reader does in Jupyter: write an answer, run it, save."""
        file = self.copies / path
        notebook = json.loads(file.read_text(encoding="utf-8"))
        notebook["cells"][1] |= {"source": [text], "execution_count": 1}
        file.write_text(json.dumps(notebook), encoding="utf-8")
        return file

    def source(self, path, cell=0):
        return "".join(json.loads((self.copies / path).read_text(encoding="utf-8"))["cells"][cell]["source"])

    def files(self):
        return sorted(path.relative_to(self.copies).as_posix() for path in self.copies.rglob("*.ipynb"))

    def dead_links(self):
        files = self.copies.rglob("*.ipynb")
        found = [(file, link[2]) for file in files for link in LINK.finditer(self.source(file))]
        return [link for file, link in found if not (file.parent / unquote(link)).exists()]


@pytest.fixture
def book(tmp_path):
    return Book(tmp_path)


def test_they_stand_by_part_in_the_order_of_the_book(book):
    assert "5 new" in book.lab()
    assert book.files() == sorted(PATHS.values())
    assert "5 as they were" in book.lab()


def test_the_start_page_links_each_with_its_title_in_order(book):
    book.lab()
    lines = (book.copies / NAME).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(("# ", "## ", "- "))] == [
        "# Tiny",
        "- [Tiny](00%20index.ipynb)",
        "## One: first",
        "- [Page A](1%20One%20first/01%20a.ipynb)",
        "- [Page B](1%20One%20first/02%20b.ipynb)",
        "## Two",
        "- [Page C](2%20Two/01%20c.ipynb)",
        "- [Answers](2%20Two/02%20answers/01%20a.ipynb)",
    ]


def test_links_between_notebooks_lead_to_the_copies(book):
    book.lab()
    assert book.source(PATHS["a"]).endswith(
        "[B](02%20b.ipynb), [C](../2%20Two/01%20c.ipynb#s), [away](https://example.org/b.ipynb)"
    )
    assert book.dead_links() == ["nowhere.ipynb"]


def test_a_copy_that_was_not_changed_is_replaced_and_a_deleted_one_comes_back(book):
    book.lab()
    book.build("chapters/one/a", "# Page A\n\nNew.")
    (book.copies / PATHS["b"]).unlink()
    told = book.lab()
    assert "1 new, 1 replaced by a new version, 3 as they were" in told
    assert book.source(PATHS["a"]) == "# Page A\n\nNew."
    assert book.files() == sorted(PATHS.values())


def test_a_changed_copy_stays_and_a_new_version_is_put_beside_it_and_told(book):
    book.lab()
    answered = book.answer(PATHS["a"])
    kept = answered.read_bytes()
    assert "1 yours, left as they are" in book.lab()  # the book has nothing new
    assert book.files() == sorted(PATHS.values())
    book.build("chapters/one/a", "# Page A\n\nNew.")
    told = book.lab()
    beside = "1 One first/01 a (new version).ipynb"
    assert f"{PATHS['a']} is as you left it; the book's new version is beside it: {Path(beside).name}" in told
    assert answered.read_bytes() == kept
    assert book.source(beside) == "# Page A\n\nNew."
    page = (book.copies / NAME).read_text(encoding="utf-8")
    assert "- Page A: [yours](1%20One%20first/01%20a.ipynb), [the new version](1%20One%20first/01%20a%20%28new" in page
    assert "is beside it" not in book.lab()  # told once


def test_a_new_version_is_itself_replaced_or_kept(book):
    book.lab()
    book.answer(PATHS["a"])
    beside, second = (f"1 One first/01 a (new version{n}).ipynb" for n in ("", " 2"))
    for text in ("second", "third"):
        book.build("chapters/one/a", f"# {text}")
        book.lab()
        assert book.source(beside) == f"# {text}"
    book.answer(beside, "answer = 43")
    book.build("chapters/one/a", "# fourth")
    book.lab()
    assert [book.source(path, 1) for path in (PATHS["a"], beside)] == ["answer = 42", "answer = 43"]
    assert book.source(second) == "# fourth"
    for path in (PATHS["a"], beside):  # whoever goes on with the newest finds it in the page's own place
        (book.copies / path).unlink()
    book.lab()
    assert book.files() == sorted(PATHS.values())
    assert book.source(PATHS["a"]) == "# fourth"


def test_what_says_the_same_as_the_new_version_is_left_alone(book):
    book.lab()
    text = "# Page A\n\nNew."
    book.build("chapters/one/a", text)
    file = book.copies / PATHS["a"]
    notebook = json.loads(file.read_text(encoding="utf-8"))
    notebook["cells"][0]["source"] = text.splitlines(keepends=True)
    file.write_text(json.dumps(notebook), encoding="utf-8")
    book.lab()
    assert book.files() == sorted(PATHS.values())
    assert json.loads(file.read_text(encoding="utf-8")) == notebook


def test_a_moved_page_takes_the_readers_copy_along_with_links_that_lead_somewhere(book):
    book.lab()
    book.answer(PATHS["a"], "answer = 'mine'")
    book.answer(PATHS["answers/a"], "answer = 'stays, and links to what moves'")
    sources = book.folder / "_build" / "html" / "_sources" / "chapters"
    (sources / "one" / "a.ipynb").unlink()
    book.build("chapters/two/a", "# Page A\n\n[B](../one/b.ipynb), [C](c.ipynb)")
    book.build("chapters/index", "# Tiny\n\n[A](two/a.ipynb)")
    book.build("chapters/two/answers/a", "# Answers\n\n[A](../a.ipynb)")
    book.toc["parts"][1]["chapters"].insert(0, book.toc["parts"][0]["chapters"].pop(0) | {"file": "chapters/two/a"})
    told = book.lab()
    assert f"{PATHS['a']}, which you changed, is now 2 Two/01 a.ipynb" in told
    assert book.source("2 Two/01 a.ipynb", 1) == "answer = 'mine'"
    assert "](../1%20One%20first/01%20b.ipynb), [C](02%20c.ipynb#s)" in book.source("2 Two/01 a.ipynb")
    assert book.source("2 Two/03 answers/01 a.ipynb", 1) == "answer = 'stays, and links to what moves'"
    assert not (book.copies / PATHS["b"]).exists()  # it became the part's first page, and was not changed
    assert book.dead_links() == ["nowhere.ipynb"]


def test_a_page_that_left_the_book_goes_unless_it_was_changed(book):
    book.lab()
    book.answer(PATHS["b"])
    del book.toc["parts"][0]
    told = book.lab()
    assert f"{PATHS['b']} is as you left it; its page is no longer in the book" in told
    assert (book.copies / PATHS["b"]).exists()
    assert not (book.copies / PATHS["a"]).exists()


@pytest.mark.parametrize("broken", [None, "no JSON", "[]", '{"a": 1}', '{"a": [{}]}'])
def test_without_the_list_of_what_was_written_every_file_is_the_readers(book, broken):
    book.lab()
    book.answer(PATHS["a"])
    (book.copies / WRITTEN).unlink()
    if broken:
        (book.copies / WRITTEN).write_text(broken)
    book.build("chapters/one/b", "# Page B\n\nNew.")
    book.lab()
    assert book.source(PATHS["a"], 1) == "answer = 42"
    assert "[gone]" in book.source(PATHS["b"])  # it cannot be told whether the reader wrote this
    assert book.source("1 One first/02 b (new version).ipynb") == "# Page B\n\nNew."


def test_a_file_that_is_no_notebook_any_more_is_kept(book):
    book.lab()
    (book.copies / PATHS["a"]).write_text("half a noteb")
    book.build("chapters/one/a", "# Page A\n\nNew.")
    book.lab()
    assert (book.copies / PATHS["a"]).read_text() == "half a noteb"
    assert "- [01 a](1%20One%20first/01%20a.ipynb)" in (book.copies / NAME).read_text(encoding="utf-8")
    assert book.source("1 One first/01 a (new version).ipynb") == "# Page A\n\nNew."


def test_a_stop_while_a_file_is_written_leaves_the_old_one(book, monkeypatch):
    book.lab()
    kept = (book.copies / PATHS["a"]).read_bytes()
    book.build("chapters/one/a", "# Page A\n\nNew.")

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("reader_copies.os.replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        book.lab()
    assert (book.copies / PATHS["a"]).read_bytes() == kept
    monkeypatch.undo()
    book.lab()
    assert book.source(PATHS["a"]) == "# Page A\n\nNew."
    assert book.files() == sorted(PATHS.values())


def test_two_pages_of_one_name_are_refused(book):
    book.build("chapters/two/b", "# Another B")
    book.toc["parts"][1]["chapters"].append({"file": "chapters/two/b"})
    with pytest.raises(ValueError, match="have the same name; rename one"):
        book.lab()


def test_every_page_of_the_book_has_a_name_of_its_own():
    pages = [path.relative_to(BOOK).with_suffix("") for path in (BOOK / "chapters").rglob("*.md")]
    names = [page_name(page.as_posix()) for page in pages]
    assert len(names) == len(set(names)) > 40
    assert places({"root": "chapters/index", "parts": []}, BOOK) == []
